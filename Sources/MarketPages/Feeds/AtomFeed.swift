// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketWire
import NIOCore
import SheetCore

/// A feed as RFC 4287 has it.
struct AtomFeed: Sendable {
    /// One thing that came out.
    struct Entry: Sendable {
        /// Of the thing, for good: what it is called and where it is may change.
        var id: UUID
        var title: String
        /// The page about it, relative to the site.
        var page: String
        var author: String
        var published: Date
        var updated: Date
        var summary: String
        /// Slug and name.
        var category: (term: String, label: String)?
    }

    /// The market's own, so that no two markets have feeds of one id.
    var market: UUID
    /// Where the feed is, relative to the site.
    var path: String
    var title: String
    /// The page that shows the same, relative to the site.
    var page: String
    var entries: [Entry]

    /// The whole document. `site` is where people reach the market; without it addresses are relative.
    func document(site: String?) -> ByteBuffer {
        let site = site ?? ""
        var text = """
            <?xml version="1.0" encoding="utf-8"?>
            <feed xmlns="http://www.w3.org/2005/Atom">
            <id>urn:uuid:\(id.lowercaseText)</id>
            <title>\(Self.escaped(title))</title>
            <updated>\(Self.time(entries.map(\.updated).max() ?? Date(timeIntervalSince1970: 0)))</updated>
            <generator>Sheetmarket</generator>
            <link rel="self" type="application/atom+xml" href="\(Self.escaped(site + path))"/>
            <link rel="alternate" type="text/html" href="\(Self.escaped(site + page))"/>

            """
        for entry in entries { text += Self.text(entry, site) }
        return ByteBuffer(string: text + "</feed>\n")
    }

    private static func text(_ entry: Entry, _ site: String) -> String {
        let category = entry.category.map {
            "<category term=\"\(escaped($0.term))\" label=\"\(escaped($0.label))\"/>\n"
        }
        return """
            <entry>
            <id>urn:uuid:\(entry.id.lowercaseText)</id>
            <title>\(escaped(entry.title))</title>
            <link rel="alternate" type="text/html" href="\(escaped(site + entry.page))"/>
            <author><name>\(escaped(entry.author))</name></author>
            <published>\(time(entry.published))</published>
            <updated>\(time(entry.updated))</updated>
            \(category ?? "")<summary>\(escaped(entry.summary))</summary>
            </entry>

            """
    }

    /// The same for as long as the market and the path are the same: a UUID version 8 (RFC 9562, section 5.8) of both.
    private var id: UUID { Self.id(of: path, in: market) }

    fileprivate static func id(of name: String, in market: UUID) -> UUID {
        let hash = ContentHash(hashing: Data("\(market.lowercaseText)\(name)".utf8)).bytes
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &uuid) { target in
            target.copyBytes(from: hash.prefix(16))
            target[6] = target[6] & 0x0F | 0x80
            target[8] = target[8] & 0x3F | 0x80
        }
        return UUID(uuid: uuid)
    }

    private static func time(_ date: Date) -> String { date.formatted(.iso8601) }

    /// Text between tags or quotation marks. What XML 1.0 cannot hold at all is left out.
    static func escaped(_ text: String) -> String {
        let scalars = text.unicodeScalars.filter { scalar in
            switch scalar.value {
            case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
            default: false
            }
        }
        return EscapedHTML().escapeText(String(String.UnicodeScalarView(scalars)))
    }
}

extension AtomFeed.Entry {
    /// A new template has the id that other feeds know it by; a new version of a favourite one of its own.
    init(_ item: News.Item, systemName: String?, market: UUID) {
        let template = item.template
        let isVersion = item.reason == .favorite
        let name = "\(template.id) \(template.version)"
        self.init(
            id: isVersion ? AtomFeed.id(of: name, in: market) : template.id.rawValue,
            title: isVersion ? "\(template.name) \(template.version)" : template.name,
            page: PagePaths.sheet(template.slug), author: template.author, published: item.publishedAt,
            updated: item.publishedAt, summary: template.summary,
            category: (template.gameSystem, systemName ?? template.gameSystem))
    }
}
