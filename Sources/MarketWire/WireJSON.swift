// SPDX-License-Identifier: Apache-2.0
import Foundation

/// How both ends write and read JSON: camelCase, RFC 3339 times in UTC with milliseconds, no escaped slashes.
public enum WireJSON {
    /// A fresh encoder; keys are sorted, so that the same value is always the same bytes.
    public static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(time(date))
        }
        return encoder
    }

    /// A fresh decoder.
    public static func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            guard let date = date(try container.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "a time looks like 2026-01-31T12:00:00.000Z (RFC 3339)")
            }
            return date
        }
        return decoder
    }

    /// `2026-01-31T12:00:00.000Z`.
    public static func time(_ date: Date) -> String {
        // The style cuts off what is finer than milliseconds; half of one makes that a rounding.
        date.addingTimeInterval(0.0005).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Reads an RFC 3339 time with or without a fraction; `nil` for anything else.
    public static func date(_ text: String) -> Date? {
        if let date = try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)) {
            return date
        }
        return try? Date(text, strategy: .iso8601)
    }
}
