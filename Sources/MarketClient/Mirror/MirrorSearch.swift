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
        let order = value("sort")
        let found = try await catalog.list(
            sortedBy: { Self.place(of: $0, by: order, words) }, where: { matches($0, words) })
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

    /// Where a template stands in an answer: the least comes first.
    private struct Place: Comparable {
        var figures: (Double, Double) = (0, 0)
        var name = ""
        let slug: String

        static func == (one: Self, other: Self) -> Bool { !(one < other) && !(other < one) }
        static func < (one: Self, other: Self) -> Bool {
            (one.figures.0, one.figures.1, one.name, one.slug)
                < (other.figures.0, other.figures.1, other.name, other.slug)
        }
    }

    private static func place(of template: TemplateSummary, by order: String?, _ words: [String]) -> Place {
        var place = Place(slug: template.slug)
        switch order {
        case "newest", "updated": place.figures.0 = -template.updatedAt.timeIntervalSinceReferenceDate
        case "rating": place.figures.0 = -template.rating
        case "name": place.name = plain(template.name)
        case "downloads", "trending": place.figures.0 = -Double(template.downloads)
        default:
            let name = words.isEmpty ? "" : plain("\(template.name) \(template.slug)")
            place.figures = (-Double(words.count { name.contains($0) }), -Double(template.downloads))
        }
        return place
    }

    /// Without accents and capital letters.
    private static func plain(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
    }
}
