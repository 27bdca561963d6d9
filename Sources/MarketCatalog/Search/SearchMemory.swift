// SPDX-License-Identifier: Apache-2.0
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// What the catalog's tables were asked a moment ago for lists by words: the pages of one list, and what many look for,
/// begin with the same questions. Forgotten when the catalog changes, as ready answers are.
package struct SearchMemory: Sendable {
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

    private let words: ShortMemory<Typed, SearchTermStore.Looked>
    /// At most 12 kB each.
    private let blocks: ShortMemory<RelevanceStore.Question, RelevanceStore.Block>
    /// At most 2 kB each.
    private let rests: ShortMemory<RelevanceStore.Rest, [TemplateID]>
    private let counts: ShortMemory<Counted, Facets>
    private let suggestions: ShortMemory<Suggested, SuggestionList>
    /// Where no answers stand ready, too, and whatever changes: what statistics say is found sooner, not other things. Of
    /// systems' words that is so because none is ever taken away.
    private let statistics = ShortMemory<Everything, CatalogStatistics>(capacity: 1, seconds: statisticsSeconds)
    private static let statisticsSeconds = 600.0

    /// A memory of so many seconds; of 0 it remembers nothing.
    package init(seconds: Double = seconds) {
        words = ShortMemory(capacity: 8192, seconds: seconds)
        blocks = ShortMemory(capacity: 2048, seconds: seconds)
        rests = ShortMemory(capacity: 2048, seconds: seconds)
        counts = ShortMemory(capacity: 1024, seconds: seconds)
        suggestions = ShortMemory(capacity: 4096, seconds: seconds)
    }

    /// As `SearchTermStore.look` says.
    package func look(
        _ typed: SearchWords, endings: [String]?, _ database: some PostgresExecutor
    ) async throws -> SearchTermStore.Looked {
        try await words.value(for: Typed(words: typed, endings: endings)) {
            try await SearchTermStore.look(typed, endings: endings, database)
        }
    }

    /// Whether anything is remembered at all.
    package var remembers: Bool { blocks.remembers }

    /// As `RelevanceStore.block` says.
    func block(
        _ question: RelevanceStore.Question, _ database: some PostgresExecutor
    ) async throws -> RelevanceStore.Block {
        if question.bounds == .few(least: RelevanceStore.oldest) {
            // While all there is still is one block, the next page is of the one that the list began with.
            let newest = try await block(.init(ask: question.ask, bounds: .few(least: nil)), database)
            if newest.matches.count < RelevanceStore.fewSize { return newest }
        }
        // A block of another generation is not what was asked for, and may be the next time.
        return try await blocks.value(for: question, keeping: { question.bounds.fit($0) }) {
            try await RelevanceStore.block(question, statistics(database), database)
        }
    }

    /// As `RelevanceStore.rest` says.
    package func rest(_ rest: RelevanceStore.Rest, _ database: some PostgresExecutor) async throws -> [TemplateID] {
        try await rests.value(for: rest) { try await RelevanceStore.rest(rest, database) }
    }

    /// As `FacetStore.facets` says.
    func facets(
        _ query: CatalogQuery, words: SearchTermStore.Looked?, _ database: some PostgresExecutor
    ) async throws -> Facets {
        try await counts.value(for: Counted(words: words?.query, filters: SearchFilters(query))) {
            try await FacetStore.facets(query, words: words, statistics(database), database)
        }
    }

    /// As `CatalogStatistics.read` says.
    package func statistics(_ database: some PostgresExecutor) async throws -> CatalogStatistics {
        try await statistics.value(for: Everything()) { try await CatalogStatistics.read(database) }
    }

    /// Suggestions for words, as they are known or as `find` makes them.
    func suggestions(
        for words: SearchWords, count: Int, find: () async throws -> SuggestionList
    ) async throws -> SuggestionList {
        try await suggestions.value(for: Suggested(words: words, count: count), find: find)
    }

    /// Forgets everything.
    package func forget() {
        words.forget()
        blocks.forget()
        rests.forget()
        counts.forget()
        suggestions.forget()
    }
}
