// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import MarketHTTP
import MarketPlatform
import MarketWire
import SheetCore
import Synchronization
import TestSupport
import Testing

@testable import MarketCatalog
@testable import MarketSearch
@testable import Postgres

/// Runs statements, and asks first how each would be run: for its values, and once for all values.
private struct ExplainingExecutor: PostgresExecutor {
    let database: PostgresClient
    let plans: Plans

    final class Plans: Sendable {
        private let found = Mutex<[(forValues: String, forAll: String?)]>([])
        func add(forValues: String, forAll: String?) { found.withLock { $0.append((forValues, forAll)) } }
        func take() -> [(forValues: String, forAll: String?)] {
            found.withLock { found in
                defer { found = [] }
                return found
            }
        }
    }

    func run(_ query: PostgresQuery, at site: PostgresCallSite) async throws -> PostgresResult {
        let lines = try await database.run("EXPLAIN \(fragment: query)", at: site)
        plans.add(
            forValues: try lines.map { try $0.get(0, as: String.self) }.joined(separator: "\n"),
            forAll: query.isPrepared ? try await planForAllValues(query) : nil)
        return try await database.run(query, at: site)
    }

    /// The plan that a connection keeps from the sixth time on, if it is no dearer.
    private func planForAllValues(_ query: PostgresQuery) async throws -> String {
        try await database.withConnection { connection in
            let types = try await connection.all(
                "SELECT CASE oid WHEN 0 THEN 'unknown' ELSE format_type(oid, NULL) END FROM unnest(\(query.binds.entries.map { Int($0.typeOID) })) WITH ORDINALITY AS t (oid, n) ORDER BY n"
            ) { try $0.get(0, as: String.self) }
            let declared = types.isEmpty ? "" : "(\(types.joined(separator: ", ")))"
            let values = types.isEmpty ? "" : "(\(types.map { _ in "NULL" }.joined(separator: ", ")))"
            try await connection.execute("SET plan_cache_mode = force_generic_plan")
            try await connection.execute(PostgresQuery(unsafeSQL: "PREPARE explained\(declared) AS \(query.sql)"))
            let lines = try await connection.all(PostgresQuery(unsafeSQL: "EXPLAIN EXECUTE explained\(values)")) {
                try $0.get(0, as: String.self)
            }
            try await connection.execute("DEALLOCATE explained")
            try await connection.execute("RESET plan_cache_mode")
            return lines.joined(separator: "\n")
        }
    }
}

@Suite("How the hot queries are run")
struct SearchPlanTests {
    /// What grows with the catalog must be reached by index.
    private static let growing = ["templates", "listings", "listing_words", "versions", "search_terms"]

    private static func catalog() -> [CatalogScene.Entry] {
        let words = ["dragon", "ledger", "noir", "simple", "ornate", "compact", "heroic", "arcane", "silent", "golden"]
        let systems = ["dnd5e", "dnd5e", "dnd5e", "pathfinder2e", "call-of-cthulhu"]
        return (0..<20_000).map { index in
            var entry = CatalogScene.Entry(
                "\(words[index % 10]) \(words[index / 10 % 10]) sheet \(index / 3)", systems[index % 5],
                downloads: 20_000 / (1 + index * 7919 % 20_000), tags: ["t\(index % 7)", "u\(index % 400)"])
            entry.author = "maker\(index % 500)"
            entry.language = ["en", "en", "de", "fr"][index % 4]
            entry.text = "Strength Dexterity Wisdom \(words[index * 3 % 10])"
            return entry
        }
    }

    private static func fill(_ scene: CatalogScene) async throws {
        try await scene.features.database.execute(
            """
            INSERT INTO users (id, handle, display_name, email)
            SELECT gen_random_uuid(), 'maker' || n, 'Maker ' || n, n || '@example.org' FROM generate_series(0, 4999) AS n
            """)
        try await scene.add(catalog())
        try await scene.index(popular: 2000)
    }

    @Test("No hot query reads a growing table from end to end, and none is dear")
    func plans() async throws {
        try await CatalogScene.run { scene in
            try await Self.fill(scene)
            try await scene.features.database.execute("ANALYZE")
            let executor = ExplainingExecutor(database: scene.features.database, plans: .init())
            let search = CatalogSearch(database: executor, cache: SearchCache())
            func query(_ change: (inout CatalogQuery) -> Void) -> CatalogQuery {
                var query = CatalogQuery()
                change(&query)
                return query
            }
            func words(_ text: String, _ change: (inout CatalogQuery) -> Void = { _ in }) -> CatalogQuery {
                query {
                    $0.words = SearchWords(text)
                    $0.sort = .relevance
                    change(&$0)
                }
            }
            var queries: [(String, CatalogQuery)] = [
                ("rare words", words("silent sheet 4321")), ("a common word", words("dragon")),
                ("two common words", words("dragon ledger")), ("printed words", words("wisdom")),
                ("a common word in a system", words("dragon") { $0.gameSystem = "pathfinder2e" }),
                ("typing", words("dr")), ("a slip", words("drgaon 4321")), ("a phrase", words("\"noir ledger\"")),
                ("words and filters", words("dragon") { $0.tags = ["u17"] }),
                ("a tag", query { $0.tags = ["t3"] }), ("rare tags", query { $0.tags = ["u17", "t3"] }),
                ("an author", query { $0.author = "maker7" }),
                ("pages and language", query { ($0.minPages, $0.maxPages, $0.language) = (1, 3, "fr") }),
                ("facets", query { $0.wantsFacets = true }),
                ("facets of a system", query { ($0.wantsFacets, $0.gameSystem) = (true, "dnd5e") }),
                ("facets of a word", words("dragon") { $0.wantsFacets = true }),
            ]
            for sort in CatalogQuery.Sort.allCases {
                queries.append(("all by \(sort)", query { $0.sort = sort == .relevance ? .updated : sort }))
                queries.append(
                    (
                        "a system by \(sort)",
                        query { ($0.sort, $0.gameSystem) = (sort == .relevance ? .updated : sort, "dnd5e") }
                    ))
                queries.append(("a word by \(sort)", words("dragon") { $0.sort = sort }))
                queries.append(("a rare word by \(sort)", words("4321") { $0.sort = sort }))
            }
            for (name, query) in queries {
                let page = try await search.page(query)
                let isSearch = query.words != nil && query.sort == .relevance
                check(executor.plans.take(), name, arePlannedOnce: isSearch)
                guard let next = page.nextCursor else { continue }
                var query = query
                query.pageRequest.cursor = next
                try query.begin()
                _ = try await search.page(query)
                check(executor.plans.take(), "\(name), the next page", arePlannedOnce: isSearch)
            }
            for text in ["dr", "drag", "maker 7", "t", "drgaon"] {
                _ = try await Suggestions(database: executor, cache: SearchCache()).list(text, count: 5)
                check(executor.plans.take(), "suggestions for \(text)", arePlannedOnce: true)
            }
            let key = try TemplateKey("many-77")
            let statistics = try await search.cache.statistics(executor)
            _ = executor.plans.take()
            _ = try await SimilarStore.similar(to: key, count: 12, statistics, executor)
            check(executor.plans.take(), "similar sheets", arePlannedOnce: true)
        }
    }

    @Test("A sorted list with filters reads its order from the index, and looks up only what the marks let through")
    func marks() async throws {
        try await CatalogScene.run { scene in
            try await Self.fill(scene)
            try await scene.features.database.execute("VACUUM (ANALYZE) listings")
            let executor = ExplainingExecutor(database: scene.features.database, plans: .init())
            let search = CatalogSearch(database: executor, cache: SearchCache())
            for sort in CatalogQuery.Sort.allCases where sort != .relevance {
                for system in [nil, "dnd5e"] {
                    var query = CatalogQuery()
                    (query.sort, query.gameSystem, query.tags) = (sort, system, ["t3"])
                    (query.language, query.maxPages) = ("en", 4)
                    _ = try await search.page(query)
                    let walk = try #require(executor.plans.take().last.flatMap { $0.forAll ?? $0.forValues })
                    let index = "listings_\(system == nil ? "" : "of_system_")by_\(sort)"
                    #expect(walk.contains("Index Only Scan using \(index) "), "\(walk)")
                    #expect(!walk.contains("Sort"), "\(walk)")
                }
            }
        }
    }

    @Test("The newest of a word's matches are found by the time, page after page")
    func newest() async throws {
        try await CatalogScene.run { scene in
            try await Self.fill(scene)
            let database = scene.features.database
            let executor = ExplainingExecutor(database: database, plans: .init())
            let search = CatalogSearch(database: executor, cache: SearchCache())
            for (sort, column) in [(CatalogQuery.Sort.updated, "updated_at"), (.newest, "published_at")] {
                let expected = try await database.all(
                    """
                    SELECT id FROM listing_words WHERE words @@ 'ledger'::tsquery
                    ORDER BY \(ident: column) DESC, id DESC LIMIT 60
                    """
                ) { try $0.get(0, as: TemplateID.self) }
                var found: [TemplateID] = []
                var query = CatalogQuery()
                (query.words, query.sort) = (SearchWords("ledger"), sort)
                while found.count < 60 {
                    let page = try await search.find(query)
                    let plans = executor.plans.take().flatMap { [$0.forValues, $0.forAll] }.compactMap(\.self)
                    let index = "listing_words_by_\(sort == .updated ? "updated" : "published")"
                    #expect(plans.contains { $0.contains(index) })
                    found += page.templates.map(\.id)
                    let last = try #require(found.last)
                    let key = try await database.one(
                        "SELECT (extract(epoch FROM \(ident: column)) * 1000000)::bigint FROM listing_words WHERE id = \(last)"
                    ) { try $0.get(0, as: Int.self) }
                    query.position = CatalogQuery.Position(key: .integer(key), id: last)
                }
                #expect(found == expected)
            }
        }
    }

    private func check(
        _ plans: [(forValues: String, forAll: String?)], _ name: String, arePlannedOnce: Bool = false
    ) {
        #expect(!plans.isEmpty)
        for plan in plans.flatMap({ [$0.forValues, $0.forAll] }).compactMap(\.self) {
            for table in Self.growing {
                #expect(!plan.contains("Seq Scan on \(table) "), "\(name):\n\(plan)")
            }
            #expect(cost(plan) < 60_000, "\(name):\n\(plan)")
        }
        guard arePlannedOnce else { return }
        for (forValues, forAll) in plans {
            // PostgreSQL keeps the plan for all values when it is no dearer; planning counts for five and more.
            let once = forAll.map(cost) ?? .infinity
            #expect(once <= cost(forValues) + 5, "\(name):\n\(forValues)\n\(forAll ?? "none")")
        }
    }

    private func cost(_ plan: String) -> Double {
        let cost = plan.split(separator: "\n").first.flatMap { $0.firstMatch(of: /\.\.([\d.]+) rows/)?.output.1 }
        return cost.flatMap { Double($0) } ?? .infinity
    }
}
