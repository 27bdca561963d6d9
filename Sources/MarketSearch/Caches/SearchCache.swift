// SPDX-License-Identifier: Apache-2.0
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// Caches what searches read of the catalog's tables: the pages of one list, and popular searches, begin with the same
/// queries. Emptied when the catalog changes, as `ResponseCache` is.
package struct SearchCache: Sendable {
    private struct Typed: Hashable, Sendable {
        var words: SearchWords
        var endings: [String]?
    }

    private struct Counted: Hashable, Sendable {
        var words: String?
        var filters: SearchFilters
    }

    private struct Suggested: Hashable, Sendable {
        var words: SearchWords
        var count: Int
    }

    private struct Everything: Hashable, Sendable {}

    /// How long what changes without word of it (uses of words, downloads) may be behind, in seconds.
    package static let seconds = 30.0

    private let words: TTLCache<Typed, SearchTermStore.TermLookup>
    /// At most 12 kB each.
    private let blocks: TTLCache<RelevanceStore.BlockRequest, RelevanceStore.Block>
    /// At most 2 kB each.
    private let tails: TTLCache<RelevanceStore.Tail, [TemplateID]>
    private let counts: TTLCache<Counted, Facets>
    private let suggestions: TTLCache<Suggested, SuggestionList>
    /// Where no answers stand ready, too, and whatever changes: what statistics say is found sooner, not other things.
    /// Of systems' words that is so because none is ever taken away.
    private let statistics = TTLCache<Everything, CatalogStatistics>(capacity: 1, seconds: statisticsSeconds)
    private static let statisticsSeconds = 600.0

    /// Remembers for so many seconds; with 0 nothing.
    package init(seconds: Double = seconds) {
        words = TTLCache(capacity: 8192, seconds: seconds)
        blocks = TTLCache(capacity: 2048, seconds: seconds)
        tails = TTLCache(capacity: 2048, seconds: seconds)
        counts = TTLCache(capacity: 1024, seconds: seconds)
        suggestions = TTLCache(capacity: 4096, seconds: seconds)
    }

    package func lookUp(
        _ typed: SearchWords, endings: [String]?, _ database: some PostgresExecutor
    ) async throws -> SearchTermStore.TermLookup {
        try await words.value(for: Typed(words: typed, endings: endings)) {
            try await SearchTermStore.lookUp(typed, endings: endings, database)
        }
    }

    /// Whether anything is remembered at all.
    package var isEnabled: Bool { blocks.isEnabled }

    func block(
        _ blockRequest: RelevanceStore.BlockRequest, _ database: some PostgresExecutor
    ) async throws -> RelevanceStore.Block {
        if blockRequest.bounds == .few(least: RelevanceStore.oldest) {
            // While all there is still is one block, the next page is of the one that the list began with.
            let newest = try await block(.init(criteria: blockRequest.criteria, bounds: .few(least: nil)), database)
            if newest.matches.count < RelevanceStore.fewSize { return newest }
        }
        // A block of another generation is not what was asked for, and may be the next time.
        return try await blocks.value(for: blockRequest, keeping: { blockRequest.bounds.fit($0) }) {
            try await RelevanceStore.block(blockRequest, statistics(database), database)
        }
    }

    func tail(_ tail: RelevanceStore.Tail, _ database: some PostgresExecutor) async throws -> [TemplateID] {
        try await tails.value(for: tail) { try await RelevanceStore.tail(tail, database) }
    }

    func facets(
        _ query: CatalogQuery, words: SearchTermStore.TermLookup?, _ database: some PostgresExecutor
    ) async throws -> Facets {
        try await counts.value(for: Counted(words: words?.query, filters: SearchFilters(query))) {
            try await FacetStore.facets(query, words: words, statistics(database), database)
        }
    }

    package func statistics(_ database: some PostgresExecutor) async throws -> CatalogStatistics {
        try await statistics.value(for: Everything()) { try await CatalogStatistics.read(database) }
    }

    /// Suggestions for words, as they are known or as `find` makes them.
    func suggestions(
        for words: SearchWords, count: Int, find: () async throws -> SuggestionList
    ) async throws -> SuggestionList {
        try await suggestions.value(for: Suggested(words: words, count: count), find: find)
    }

    package func removeAll() {
        words.removeAll()
        blocks.removeAll()
        tails.removeAll()
        counts.removeAll()
        suggestions.removeAll()
    }
}
