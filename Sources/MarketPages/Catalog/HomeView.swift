// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketHTTP
import MarketPlatform
import MarketSearch
import MarketWire
import SheetCore

/// What the front page and the results of a search show.
package struct HomeView: Sendable {
    package struct Card: Sendable {
        let address: String
        let name: String
        let summary: String
        /// Of the sheet, and so of its words.
        let languageTag: String
        let previewURL: String
        let gameSystem: String
        let author: String
        let pages: Phrase
        let downloads: Phrase
        let downloadCount: Phrase
        /// The stars, where somebody has given any.
        let score: Phrase?
        let scoreLabel: Phrase
        let updated: DisplayTime
        /// Why it is there, where somebody chose it.
        let curatorNote: String?

        package init(_ template: TemplateSummary, gameSystem: String?, note: String = "", now: Date) {
            address = PagePaths.sheet(template.slug)
            name = template.name
            summary = template.summary
            languageTag = template.language
            previewURL = template.previewURL
            self.gameSystem = gameSystem ?? template.gameSystem
            author = template.author
            pages =
                template.kind.hasPages
                ? DisplayText.count(template.pageCount, "page") : Phrase(told: template.kind.title)
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
        let size: Phrase
        let address: String
    }

    /// What narrows the list, with the address of the list without it.
    struct Filter: Sendable {
        let label: Phrase
        let removeAddress: String
    }

    struct System: Sendable {
        let name: String
        let count: Int
        let address: String
    }

    /// Words that hardly anything has, and what was looked up in their place.
    struct Correction: Sendable {
        let typed: String
        let corrected: String
        /// Where the typed words are looked up all the same.
        let literalAddress: String
    }

    let title: Phrase
    let heading: Phrase
    let isFront: Bool
    /// What is searched for: what was typed, or what it was corrected to.
    let query: String
    let correction: Correction?
    let gameSystems: [Choice]
    let sorts: [Choice]
    let filters: [Filter]
    let hasFilters: Bool
    /// Filters that have no field of their own in the form.
    let kept: [Choice]
    let panel: FilterPanel?
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
    /// Follows the game that the list is of.
    var follow: FollowButton?
    /// For whoever runs a market that has only just begun.
    let firstSteps: FirstStepsView?

    init(
        list: TemplateList, query: CatalogQuery, wording: QueryParameters, systems: [GameSystem],
        shelves: [TemplateCollection], firstSteps: FirstStepsView? = nil, now: Date
    ) {
        self.firstSteps = firstSteps
        let names = systems.namesBySlug
        let system = query.gameSystem.map { names[$0] ?? $0 }
        let typed = query.words?.text
        let corrected = list.correctedQuery.flatMap { $0 == typed ? nil : $0 }
        let place = ListAddress(query, wording, system: system, words: corrected ?? typed)
        self.query = place.words ?? ""
        correction = corrected.map {
            Correction(typed: typed ?? "", corrected: $0, literalAddress: place.literal(typed ?? ""))
        }
        isFront = query.isFront
        heading =
            isFront
            ? "Character sheets for your next session" : Self.heading(words: self.query, query, system: system)
        title = isFront ? "Character sheets" : heading
        gameSystems = systems.filter { $0.templateCount > 0 || $0.slug == query.gameSystem }.map {
            Choice(value: $0.slug, label: "\($0.name) (\($0.templateCount))", isSelected: $0.slug == query.gameSystem)
        }
        sorts = Self.sorts(query)
        filters = place.filters.map { Filter(label: $0.label, removeAddress: place.without($0)) }
        hasFilters = !filters.isEmpty
        kept = place.filters.filter { $0.name != "gameSystem" }.map {
            Choice(value: $0.value, label: Phrase(verbatim: $0.name))
        }
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
        let hasChoice = hasCards || hasFilters
        panel = hasChoice ? FilterPanel(list.facets, place, systems: names, isFront: isFront) : nil
        // The cursor knows of the correction; it goes with what was typed.
        let all = ListAddress(query, wording, system: system, words: typed).whole
        next = list.nextCursor.map { all.with("cursor", $0).text } ?? ""
        hasNext = list.nextCursor != nil
    }

    /// What the list is of, by what narrows it most.
    private static func heading(words: String, _ query: CatalogQuery, system: String?) -> Phrase {
        if !words.isEmpty { return "Results for “\(words)”" }
        if let author = query.author { return "Sheets by \(author)" }
        if let system { return Phrase(verbatim: system) }
        return query.tags.count == 1 ? "Sheets tagged “\(query.tags[0])”" : "Character sheets"
    }

    private static func sorts(_ query: CatalogQuery) -> [Choice] {
        let labels: [(CatalogQuery.Sort, Phrase)] = [
            (.relevance, "Best match"), (.updated, "Recently updated"), (.newest, "Newest"),
            (.downloads, "Most downloads"), (.trending, "Trending"), (.rating, "Best rated"), (.name, "Name"),
        ]
        return labels.filter { $0.0 != .relevance || query.words != nil }.map {
            Choice(value: $0.0.rawValue, label: $0.1, isSelected: $0.0 == query.sort)
        }
    }
}
