// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketPlatform

/// Where the next page of a list begins: the last row's sort key, with the name of the list it belongs to.
/// Opaque to clients. It needs no secret: it can ask for nothing that the list would not show.
package struct Cursor: Codable, Equatable {
    /// The list and its order: `templates.updated`, …
    package var list: String
    /// The last row's keys, as text, in the order's sequence.
    package var keys: [String]

    /// URL-safe text.
    package var text: String {
        let fields = [list] + keys
        // Strings always encode.
        guard let data = try? JSONEncoder().encode(fields) else { return "" }
        return data.base64URL
    }

    /// Reads a cursor of `list` with `count` keys; `nil` for anything else.
    package init?(_ text: String, list: String, count: Int) {
        guard text.utf8.count <= 3072, let data = Data(base64URL: text),
            let fields = try? JSONDecoder().decode([String].self, from: data), fields.count == count + 1,
            fields[0] == list, !fields.contains(where: { $0.utf8.contains(0) })
        else { return nil }
        self.list = list
        self.keys = Array(fields.dropFirst())
    }

    package init(list: String, keys: [String]) {
        self.list = list
        self.keys = keys
    }

    /// A time as a key: in microseconds, the server's own precision, so that a page begins exactly where the last
    /// ended.
    package static func key(_ date: Date) -> String {
        String(Int64((date.timeIntervalSince1970 * 1_000_000).rounded()))
    }

    /// The time that a key tells of; `nil` when it is none.
    package static func date(_ key: String) -> Date? {
        microseconds(key).map { Date(timeIntervalSince1970: Double($0) / 1_000_000) }
    }

    /// A time among the keys, in microseconds since 1970; `nil` for what no row can have: years before 1 or after 9999,
    /// of which the database wants to hear nothing either.
    package static func microseconds(_ key: String) -> Int? {
        Int(key).flatMap { (-62_135_596_800_000_000..<253_402_300_800_000_000).contains($0) ? $0 : nil }
    }
}

extension Request {
    /// The `Link` field to the next page (RFC 8288), keeping the other parameters.
    package func nextPageLink(_ cursor: String?) -> HTTPFields {
        guard let cursor else { return [:] }
        var parts = (uri.query ?? "").split(separator: "&").map(String.init).filter { !$0.hasPrefix("cursor=") }
        parts.append("cursor=\(cursor)")
        return [.link: "<\(uri.path)?\(parts.joined(separator: "&"))>; rel=\"next\""]
    }
}

extension HTTPField.Name {
    /// RFC 8288.
    package static let link = Self("Link") ?? .location
}
