// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketPlatform
import SheetCore

/// Somebody has a sheet's page shown.
package struct Visit: Sendable {
    let sheet: TemplateKey
    /// A word for the visitor that is the same all day; never kept, only hashed.
    let visitor: String
    /// Where the link stood: a host, or one of `direct`, `market`, `other`.
    let source: String
    /// What was searched for here before.
    let term: String?

    /// `referrer` is the page that the link stood on, as the browser says it; `site` the address of this market.
    package init(_ sheet: TemplateKey, account: UserID?, address: String, referrer: String?, site: String) {
        self.sheet = sheet
        visitor = Self.visitor(account: account, address: address)
        guard let referrer, !referrer.isEmpty else {
            (source, term) = (Self.direct, nil)
            return
        }
        guard let page = URLComponents(string: referrer), let host = page.host?.lowercased(), !host.isEmpty else {
            (source, term) = (Self.other, nil)
            return
        }
        let isOwn = URLComponents(string: site)?.host?.lowercased() == host
        source = isOwn ? Self.market : Self.plain(host) ?? Self.other
        // A form writes a blank as `+`.
        let query = page.percentEncodedQuery?.replacing("+", with: "%20")
        let words = query.flatMap { query in
            var parts = URLComponents()
            parts.percentEncodedQuery = query
            return parts.queryItems?.first { $0.name == "q" }?.value
        }
        term = isOwn && (page.path.isEmpty || page.path == "/") ? words.flatMap(Self.term) : nil
    }

    package static let direct = "direct"
    package static let market = "market"
    package static let other = "other"

    static func visitor(account: UserID?, address: String) -> String {
        account.map { "account \($0)" } ?? "address \(NetworkAddress.network(of: address))"
    }

    /// A host's name as it may be kept: without `www.`, and nothing that is no name.
    private static func plain(_ host: String) -> String? {
        let name = host.hasPrefix("www.") ? String(host.dropFirst(4)) : host
        let isName = name.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
        }
        // A numeric address is somebody's machine.
        let isAddress = name.utf8.allSatisfy { $0 < UInt8(ascii: "a") }
        return isName && !isAddress && name.contains(".") && name.utf8.count <= 100 ? name : nil
    }

    /// The words as one way of writing them; `nil` for what could be about a person.
    private static func term(_ text: String) -> String? {
        let words = DisplayText.oneLine(text).lowercased().split(separator: " ").joined(separator: " ")
        let digits = words.filter(\.isNumber).count
        return words.isEmpty || words.unicodeScalars.count > 60 || words.contains("@") || digits > 5 ? nil : words
    }
}
