// SPDX-License-Identifier: Apache-2.0
import MarketPlatform
import MarketWire
import Postgres
import SheetCore
import Synchronization
import TestSupport
import Testing

@testable import MarketCatalog
@testable import MarketHTTP
@testable import MarketSearch

/// Runs statements and remembers what they were.
private struct NotingExecutor: PostgresExecutor {
    let database: PostgresClient
    let asked = Asked()

    final class Asked: Sendable {
        private let statements = Mutex<[String]>([])
        func add(_ statement: String) { statements.withLock { $0.append(statement) } }
        /// How many since the last time were about some table, or any.
        func take(_ table: String? = nil) -> Int {
            statements.withLock { statements in
                defer { statements = [] }
                return statements.count { statement in table.map { statement.contains($0) } ?? true }
            }
        }
    }

    func run(_ query: PostgresQuery, at site: PostgresCallSite) async throws -> PostgresResult {
        asked.add(query.sql)
        return try await database.run(query, at: site)
    }
}

@Suite("What searches remember")
struct SearchCacheTests {
    private func withDragons(
        _ body: @escaping @Sendable (CatalogScene, NotingExecutor) async throws -> Void
    ) async throws {
        try await CatalogScene.run { scene in
            // More than are ranked together where all are few.
            try await scene.add((0..<400).map { CatalogScene.Entry("Dragon \($0)", "dnd5e", downloads: 1000 - $0) })
            try await scene.index(popular: 350)
            try await body(scene, NotingExecutor(database: scene.features.database))
        }
    }

    private func dragons(_ change: (inout CatalogQuery) -> Void = { _ in }) -> CatalogQuery {
        var query = CatalogQuery()
        query.words = SearchWords("dragon ")
        query.sort = .relevance
        change(&query)
        return query
    }

    @Test("The pages of a list rank their block once, and a change has it ranked anew")
    func blocks() async throws {
        try await withDragons { scene, executor in
            let search = CatalogSearch(database: executor, cache: SearchCache(seconds: 3600))
            let whole = try await search.page(dragons { $0.pageRequest = PageRequest(limit: 60) })
            #expect(executor.asked.take("popular_listings") == 1)
            var paged: [TemplateID] = []
            for limit in [20, 40] {
                let list = try await search.page(dragons { $0.pageRequest = PageRequest(limit: limit) })
                #expect(list.templates.map(\.id) == whole.templates.prefix(limit).map(\.id))
                paged = list.templates.map(\.id)
            }
            #expect(executor.asked.take("popular_listings") == 0)
            // A filter is another question.
            let few = try await search.page(dragons { $0.minPages = 40 })
            #expect(few.templates.isEmpty && executor.asked.take("WITH block") > 0)
            try await scene.features.database.execute("DELETE FROM popular_listings WHERE id = \(paged[0])")
            search.cache.removeAll()
            let after = try await search.page(dragons { $0.pageRequest = PageRequest(limit: 20) })
            #expect(executor.asked.take("popular_listings") == 1)
            #expect(!after.templates.map(\.id).contains(paged[0]))
        }
    }

    @Test("What comes behind the blocks is read once, until a change")
    func rests() async throws {
        try await withDragons { _, executor in
            let search = CatalogSearch(database: executor, cache: SearchCache(seconds: 3600))
            // Only what lies behind the blocks asks both generations.
            let rest = "former_popular_listings AS p"
            let first = try await search.page(dragons { $0.pageRequest = PageRequest(limit: 380) })
            #expect(first.templates.count == 380 && executor.asked.take(rest) > 0)
            let again = try await search.page(dragons { $0.pageRequest = PageRequest(limit: 380) })
            #expect(again.templates.map(\.id) == first.templates.map(\.id) && executor.asked.take(rest) == 0)
            search.cache.removeAll()
            _ = try await search.page(dragons { $0.pageRequest = PageRequest(limit: 380) })
            #expect(executor.asked.take(rest) > 0)
        }
    }

    @Test("Templates called exactly what was typed are asked for only where there are any")
    func names() async throws {
        try await withDragons { _, executor in
            let search = CatalogSearch(database: executor, cache: SearchCache(seconds: 3600))
            _ = try await search.page(dragons())
            #expect(executor.asked.take("WHERE hashtext(name_key)") == 0)
            let list = try await search.page(dragons { $0.words = SearchWords("dragon 77") })
            #expect(list.templates.first?.name == "Dragon 77" && executor.asked.take("WHERE hashtext(name_key)") == 1)
        }
    }

    @Test("Counts of facets do not hang on the order or the page, and are counted once; suggestions are made once")
    func counts() async throws {
        try await withDragons { _, executor in
            let search = CatalogSearch(database: executor, cache: SearchCache(seconds: 3600))
            let first = try await search.page(dragons { $0.wantsFacets = true })
            _ = executor.asked.take()
            let second = try await search.page(
                dragons {
                    $0.wantsFacets = true
                    $0.sort = .name
                })
            #expect(second.facets == first.facets && first.facets != nil)
            #expect(executor.asked.take("facets") == 0)
            let other = try await search.page(
                dragons {
                    $0.wantsFacets = true
                    $0.maxPages = 3
                })
            #expect(other.facets != nil && executor.asked.take("facets") > 0)

            let suggestions = Suggestions(database: executor, cache: search.cache)
            let made = try await suggestions.list("drag", count: 5)
            _ = executor.asked.take()
            let again = try await suggestions.list("drag", count: 5)
            #expect(made.templates.count == 5 && again.templates.map(\.id) == made.templates.map(\.id))
            #expect(executor.asked.take() == 0)
        }
    }

    @Test("A cursor that claims bounds of its own has no more read than a block")
    func forged() async throws {
        try await CatalogScene.run { scene in
            try await scene.add((0..<900).map { CatalogScene.Entry("Dragon \($0)", "dnd5e", downloads: 1000 - $0) })
            try await scene.index(popular: 800)
            let database = scene.features.database
            let words = try await SearchTermStore.lookUp(SearchWords("dragon "), endings: nil, database)
            let criteria = RelevanceStore.Criteria(
                words: words.query, rankedBy: words.query, preferred: nil, filters: SearchFilters(CatalogQuery()))
            for to in [nil, 700, Int(Int32.max)] {
                let bounds = RelevanceStore.BlockRequest.Bounds.popular(generation: nil, from: 0, to: to, former: false)
                let block = try await RelevanceStore.block(
                    .init(criteria: criteria, bounds: bounds), CatalogStatistics(), database)
                #expect(block.matches.count == (to == nil ? RelevanceStore.blockSize : RelevanceStore.fewSize))
            }
        }
    }

    @Test("A node that keeps no answers remembers no searches")
    func nothing() async throws {
        try await withDragons { _, executor in
            let search = CatalogSearch(database: executor, cache: SearchCache(seconds: 0))
            for _ in 0..<2 {
                _ = try await search.page(dragons())
                #expect(executor.asked.take("popular_listings") == 1)
            }
        }
    }
}
