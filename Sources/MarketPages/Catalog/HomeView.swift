// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketHTTP
import MarketPlatform
import MarketWire
import SheetCore

/// What the front page and the results of a search show.
struct HomeView: Sendable {
    struct Card: Sendable {
        let address: String
        let name: String
        let summary: String
        let previewURL: String
        let gameSystem: String
        let author: String
        let pages: String
        let downloads: String
        let downloadCount: String
        /// The stars, where somebody has given any.
        let score: String?
        let scoreLabel: String
        let updated: DisplayTime
        /// Why it is there, where somebody chose it.
        let curatorNote: String?

        init(_ template: TemplateSummary, gameSystem: String?, note: String = "", now: Date) {
            address = "/sheets/\(template.slug)"
            name = template.name
            summary = template.summary
            previewURL = template.previewURL
            self.gameSystem = gameSystem ?? template.gameSystem
            author = template.author
            pages = template.kind.hasPages ? DisplayText.count(template.pageCount, "page") : template.kind.title
            downloads = DisplayText.count(template.downloads, "download")
            downloadCount = DisplayText.number(template.downloads)
            score = template.ratingCount > 0 ? DisplayText.tenths(template.rating) : nil
            scoreLabel = "of 5 stars in \(DisplayText.count(template.ratingCount, "review"))"
            updated = DisplayTime(template.updatedAt, now: now)
            curatorNote = note.isEmpty ? nil : note
        }
    }

    /// A curated collection on the front page.
    struct Shelf: Sendable {
        let name: String
        let size: String
        let address: String
    }

    /// What narrows the list, with the address of the list without it.
    struct Filter: Sendable {
        let label: String
        let removeAddress: String
    }

    struct System: Sendable {
        let name: String
        let count: Int
        let address: String
    }

    let title: String
    let heading: String
    let isFront: Bool
    let query: String
    /// What was looked up instead, where hardly anything has the words.
    let corrected: String?
    let gameSystems: [Choice]
    let sorts: [Choice]
    let filters: [Filter]
    let hasFilters: Bool
    /// Filters that have no field of their own in the form.
    let kept: [Choice]
    let popular: [System]
    let hasPopular: Bool
    let shelves: [Shelf]
    let hasShelves: Bool
    let cards: [Card]
    let hasCards: Bool
    /// Nothing is published at all.
    let isBare: Bool
    let next: String
    let hasNext: Bool

    init(
        list: TemplateList, query: CatalogQuery, wording: QueryParameters, systems: [GameSystem],
        shelves: [TemplateCollection], now: Date
    ) {
        let names = Dictionary(systems.map { ($0.slug, $0.name) }, uniquingKeysWith: { first, _ in first })
        let system = query.gameSystem.map { names[$0] ?? $0 }
        self.query = query.words?.text ?? ""
        corrected = list.correctedQuery
        let narrowing = Self.narrowing(query, wording, system: system)
        isFront = query.isFront
        heading =
            isFront
            ? "Character sheets for your next session" : Self.heading(words: self.query, query, system: system)
        title = isFront ? "Character sheets" : heading
        gameSystems = systems.filter { $0.templateCount > 0 || $0.slug == query.gameSystem }.map {
            Choice(value: $0.slug, label: "\($0.name) (\($0.templateCount))", isSelected: $0.slug == query.gameSystem)
        }
        sorts = Self.sorts(query)
        filters = narrowing.map { item in
            let rest = narrowing.filter { $0 != item }
            let address = rest.reduce(PageAddress("/").with("q", query.words?.text).with("sort", wording["sort"])) {
                $0.with($1.name, $1.value)
            }
            return Filter(label: item.label, removeAddress: address.text)
        }
        hasFilters = !filters.isEmpty
        kept = narrowing.filter { $0.name != "gameSystem" }.map { Choice(value: $0.value, label: $0.name) }
        popular = systems.filter { $0.templateCount > 0 }.sorted { $0.templateCount > $1.templateCount }.prefix(8).map {
            System(
                name: $0.name, count: $0.templateCount, address: PageAddress("/").with("gameSystem", $0.slug).text)
        }
        hasPopular = isFront && popular.count > 1
        self.shelves = shelves.map {
            Shelf(
                name: $0.title, size: DisplayText.count($0.templateCount, "sheet"), address: "/collections/\($0.slug)")
        }
        hasShelves = isFront && !shelves.isEmpty
        cards = list.templates.map { Card($0, gameSystem: names[$0.gameSystem], now: now) }
        hasCards = !cards.isEmpty
        isBare = cards.isEmpty && isFront
        let all = narrowing.reduce(PageAddress("/").with("q", query.words?.text).with("sort", wording["sort"])) {
            $0.with($1.name, $1.value)
        }
        next = list.nextCursor.map { all.with("cursor", $0).text } ?? ""
        hasNext = list.nextCursor != nil
    }

    /// What the list is of, by what narrows it most.
    private static func heading(words: String, _ query: CatalogQuery, system: String?) -> String {
        if !words.isEmpty { return "Results for “\(words)”" }
        if let author = query.author { return "Sheets by \(author)" }
        if let system { return system }
        return query.tags.count == 1 ? "Sheets tagged “\(query.tags[0])”" : "Character sheets"
    }

    private struct Narrowing: Equatable {
        let name: String
        let value: String
        let label: String
    }

    private static func narrowing(_ query: CatalogQuery, _ wording: QueryParameters, system: String?) -> [Narrowing] {
        var found: [Narrowing] = []
        func add(_ name: String, _ value: String?, _ label: String) {
            if let value { found.append(Narrowing(name: name, value: value, label: label)) }
        }
        add("gameSystem", query.gameSystem, system ?? "")
        for tag in query.tags { add("tag", tag, "Tag: \(tag)") }
        add("author", query.author, "By \(query.author ?? "")")
        add("license", query.license, "Licence: \(query.license ?? "")")
        add("language", query.language, query.language.map(DisplayText.language) ?? "")
        add("kind", query.kind?.rawValue, query.kind?.title ?? "")
        add("minRating", wording["minRating"], "From \(wording["minRating"] ?? "") stars")
        add("minPages", wording["minPages"], "From \(wording["minPages"] ?? "") pages")
        add("maxPages", wording["maxPages"], "Up to \(wording["maxPages"] ?? "") pages")
        return found
    }

    private static func sorts(_ query: CatalogQuery) -> [Choice] {
        let labels: [(CatalogQuery.Sort, String)] = [
            (.relevance, "Best match"), (.updated, "Recently updated"), (.newest, "Newest"),
            (.downloads, "Most downloads"), (.trending, "Trending"), (.rating, "Best rated"), (.name, "Name"),
        ]
        return labels.filter { $0.0 != .relevance || query.words != nil }.map {
            Choice(value: $0.0.rawValue, label: $0.1, isSelected: $0.0 == query.sort)
        }
    }
}
