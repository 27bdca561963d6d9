// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Postgres

/// Suggests templates, systems, authors and tags for what is being typed; what nothing begins with is corrected first.
package struct Suggestions: Sendable {
    let database: any PostgresExecutor
    let cache: SearchCache

    package init(database: any PostgresExecutor, cache: SearchCache) {
        self.database = database
        self.cache = cache
    }

    /// At most `count` of each kind.
    package func list(_ text: String, count: Int) async throws -> SuggestionList {
        let words = SearchWords(text)
        return try await cache.suggestions(for: words, count: count) { try await list(words, count: count) }
    }

    private func list(_ words: SearchWords, count: Int) async throws -> SuggestionList {
        let list = try await suggestions(words, count: count)
        guard list.isEmpty else { return list }
        let corrections = try await Spelling.corrections(of: words, found: false, endings: [], database)
        guard !corrections.isEmpty else { return list }
        let corrected = words.corrected(corrections)
        var better = try await suggestions(SearchWords(corrected), count: count)
        if !better.isEmpty { better.correctedQuery = corrected }
        return better
    }

    private func suggestions(_ words: SearchWords, count: Int) async throws -> SuggestionList {
        let found = try await cache.lookUp(words, endings: nil, database)
        let key = found.nameKey
        guard !key.isEmpty else { return SuggestionList() }
        let statistics = try await cache.statistics(database)
        async let templates = SuggestStore.templates(found, count: count, statistics, database)
        async let systems = SuggestStore.systems(key, count: count, database)
        async let authors = SuggestStore.authors(key, count: count, database)
        async let tags = SuggestStore.tags(key, count: count, database)
        return SuggestionList(
            templates: try await templates, gameSystems: try await systems, authors: try await authors,
            tags: try await tags)
    }
}
