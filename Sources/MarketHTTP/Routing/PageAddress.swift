// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform

/// Where a form leads back to. Only addresses of this site: `next` must not send anybody elsewhere.
package struct ReturnPath: Equatable, Sendable {
    /// An absolute path, perhaps with a query.
    package let text: String

    /// The front page for anything that is no plain path of ours.
    package init(_ text: String?) {
        self.text = text.flatMap { Self.isOwn($0) ? $0 : nil } ?? "/"
    }

    /// Browsers take `//host` and `/\host` for another site, and drop control characters before they look.
    private static func isOwn(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count <= 2048, bytes.first == UInt8(ascii: "/") else { return false }
        guard bytes.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }) else { return false }
        return bytes.count == 1 || bytes[1] != UInt8(ascii: "/")
    }
}

/// An address with a query, encoded.
package struct PageAddress {
    private let path: String
    private var items: [(name: String, value: String)] = []

    package init(_ path: String) {
        self.path = path
    }

    /// With one more parameter, unless `value` is empty.
    package func with(_ name: String, _ value: String?) -> PageAddress {
        guard let value, !value.isEmpty else { return self }
        var longer = self
        longer.items.append((name, value))
        return longer
    }

    /// As it stands in a link.
    package var text: String {
        guard !items.isEmpty else { return path }
        return path + "?" + items.map { "\($0.name)=\(Self.encoded($0.value))" }.joined(separator: "&")
    }

    /// What needs no encoding in a query either.
    private static let plain = CharacterSet.unreserved.union(CharacterSet(charactersIn: "/:"))

    private static func encoded(_ value: String) -> String {
        value.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }
}

/// Addresses of pages that answers of the API lead people to.
package enum PagePaths {
    /// Where somebody reads decisions about themselves and objects to them.
    package static let appeals = "/account/appeals"

    /// What a code of a problem means, and what to do.
    package static func problem(_ code: String) -> String { "/problems/\(code)" }

    /// The page of a sheet, by its slug or id, or one below it: `manage`.
    package static func sheet(_ key: some CustomStringConvertible, _ below: String? = nil) -> String {
        "/sheets/\(key)" + (below.map { "/\($0)" } ?? "")
    }
}
