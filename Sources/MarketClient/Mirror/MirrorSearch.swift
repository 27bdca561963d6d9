// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore

/// A search of a mirror's list: by all words, as they stand, in names, summaries and tags.
struct MirrorSearch: Sendable {
    private static let known: Set<String> = [
        "q", "literal", "gameSystem", "tag", "author", "license", "language", "kind", "minRating", "minPages",
        "maxPages", "sort", "limit", "cursor",
    ]

    private let items: [URLQueryItem]

    /// Reads what `GET /templates` takes; what a list cannot tell is refused.
    init(_ items: [URLQueryItem]) throws(ProblemDocument) {
        if let unknown = items.first(where: { !Self.known.contains($0.name) }) {
            throw ProblemDocument(
                status: 400, code: .unknownParameter, title: "Not in a mirror",
                detail: "A mirror's list does not tell '\(unknown.name)'; ask the market itself, without --mirror.")
        }
        self.items = items
    }

    private func value(_ name: String) -> String? { items.first { $0.name == name }?.value }

    func run(_ catalog: MirrorCatalog) async throws -> TemplateList {
        let words = Self.plain(value("q") ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
        let found = try await catalog.list(sortedBy: Self.order(value("sort"), words)) { matches($0, words) }
        let limit = max(1, value("limit").flatMap(Int.init) ?? 20)
        let start = min(found.count, max(0, value("cursor").flatMap(Int.init) ?? 0))
        let end = min(found.count, start + limit)
        return TemplateList(
            templates: Array(found[start..<end]), nextCursor: end < found.count ? "\(end)" : nil)
    }

    private func matches(_ template: TemplateSummary, _ words: [String]) -> Bool {
        func fits(_ name: String, _ own: String) -> Bool { value(name).map { $0 == own } ?? true }
        let tags = items.filter { $0.name == "tag" }.compactMap(\.value)
        guard fits("gameSystem", template.gameSystem), fits("author", template.author),
            fits("license", template.license), fits("language", template.language),
            fits("kind", template.kind.rawValue), tags.allSatisfy(template.tags.contains),
            template.rating >= value("minRating").flatMap(Double.init) ?? 0,
            template.pageCount >= value("minPages").flatMap(Int.init) ?? 0,
            template.pageCount <= value("maxPages").flatMap(Int.init) ?? .max
        else { return false }
        guard !words.isEmpty else { return true }
        let text = Self.plain(
            ([template.name, template.slug, template.summary, template.gameSystem, template.author] + template.tags)
                .joined(separator: " "))
        return words.allSatisfy(text.contains)
    }

    private static func order(
        _ name: String?, _ words: [String]
    ) -> @Sendable (TemplateSummary, TemplateSummary) -> Bool {
        @Sendable func named(_ template: TemplateSummary) -> Int {
            guard !words.isEmpty else { return 0 }
            let name = plain("\(template.name) \(template.slug)")
            return words.count { name.contains($0) }
        }
        return { one, other in
            switch name {
            case "newest", "updated": (one.updatedAt, other.slug) > (other.updatedAt, one.slug)
            case "rating": (one.rating, other.slug) > (other.rating, one.slug)
            case "name": (plain(one.name), one.slug) < (plain(other.name), other.slug)
            case "downloads", "trending": (one.downloads, other.slug) > (other.downloads, one.slug)
            default: (named(one), one.downloads, other.slug) > (named(other), other.downloads, one.slug)
            }
        }
    }

    /// Without accents and capital letters.
    private static func plain(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
    }
}
