// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A day of the calendar in UTC.
package struct UTCDay: Equatable, Sendable {
    /// `2026-11-21`.
    package let text: String

    package init(_ date: Date) {
        text = date.formatted(Self.style)
    }

    /// Reads `2026-11-21`; `nil` for anything else.
    package init?(_ text: String) {
        guard text.utf8.count == 10, let date = try? Date(text, strategy: Self.style),
            date.formatted(Self.style) == text
        else { return nil }
        self.text = text
    }

    /// Its first moment. Both initializers leave a text that can be read again.
    package var date: Date { (try? Date(text, strategy: Self.style)) ?? .distantPast }

    private static let style = Date.ISO8601FormatStyle(timeZone: .gmt).year().month().day()
}
