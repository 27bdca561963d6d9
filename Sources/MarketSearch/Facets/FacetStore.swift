// SPDX-License-Identifier: Apache-2.0
import MarketPlatform
import MarketWire
import Postgres

enum FacetStore {
    /// Most values told of each facet.
    static let values = 20
    /// Most matches that are counted, of the popular ones; of few matches all are.
    static let counted = 500

    private struct Count {
        var facet: String
        var value: String
        var count: Int
    }

    /// What the list is made of. Without words, and with no filter but the system, everything is counted already.
    static func facets(
        _ query: CatalogQuery, words: SearchTermStore.TermLookup?, _ statistics: CatalogStatistics,
        _ database: some PostgresExecutor
    ) async throws -> Facets {
        let filters = SearchFilters(query)
        if words == nil, filters.lexemesBesideSystem == nil, filters.residual.isEmpty {
            return try await known(query.gameSystem, database)
        }
        if words?.query.isEmpty == true { return facets([], counted: 0, isExact: true) }
        let asked = words?.asking(filters) ?? filters.lexemes
        let popular = try await popular(asked, filters, statistics, database)
        if popular.counted >= RelevanceStore.worthwhile {
            return facets(popular.counts, counted: popular.counted, isExact: false)
        }
        let matches: PostgresQuery
        if words != nil, let asked {
            matches = """
                SELECT tsvector_to_array(l.filters) AS facets
                FROM (SELECT w.id FROM listing_words AS w WHERE w.words @@ \(fragment: .inlined(asked)) OFFSET 0) AS w
                CROSS JOIN LATERAL (SELECT * FROM listings AS l WHERE l.id = w.id OFFSET 0) AS l
                WHERE true\(fragment: filters.andResidual)
                """
        } else {
            let picked = try await CatalogStore.picked(query, filters, database)
            matches = "SELECT tsvector_to_array(l.filters) AS facets FROM \(fragment: picked)"
        }
        let all = try await count("\(fragment: matches) LIMIT \(literal: RelevanceStore.fewSize + 1)", database)
        return facets(all.counts, counted: all.counted, isExact: all.counted <= RelevanceStore.fewSize)
    }

    private static func popular(
        _ asked: String?, _ filters: SearchFilters, _ statistics: CatalogStatistics, _ database: some PostgresExecutor
    ) async throws -> (counts: [Count], counted: Int) {
        guard let asked else {
            return try await count(
                "SELECT facets FROM popular_listings AS m WHERE true\(fragment: filters.andResidual(of: "m")) LIMIT \(literal: counted)",
                database)
        }
        return try await PopularMatchPlanner.find(counted, of: asked, statistics, matches: { $0.counted }) { plan in
            try await count(
                """
                SELECT facets FROM popular_listings AS m
                WHERE \(fragment: plan.condition(asked))\(fragment: filters.andResidual(of: "m"))\(fragment: plan.order)
                LIMIT \(literal: counted)
                """, database)
        }
    }

    /// Counts that are kept, with what has changed since they were brought up to date.
    private static func known(_ system: String?, _ database: some PostgresExecutor) async throws -> Facets {
        let key = system ?? ""
        let counts = try await database.all(
            """
            SELECT f.facet, v.value, v.count
            FROM unnest(ARRAY['s', 't', 'c', 'l', 'f', 'k', 'r', 'p']) AS f (facet)
            CROSS JOIN LATERAL (
                SELECT k.value, (coalesce(c.count, 0) + coalesce(n.change, 0))::bigint AS count
                FROM (
                    (SELECT value FROM facet_counts AS c WHERE c.game_system = \(key) AND c.facet = f.facet
                        ORDER BY c.count DESC LIMIT \(literal: values * 2))
                    UNION SELECT value FROM facet_changes AS n WHERE n.game_system = \(key) AND n.facet = f.facet
                ) AS k
                LEFT JOIN facet_counts AS c ON c.game_system = \(key) AND c.facet = f.facet AND c.value = k.value
                LEFT JOIN (SELECT value, sum(change) AS change FROM facet_changes AS n
                    WHERE n.game_system = \(key) AND n.facet = f.facet GROUP BY 1) AS n ON n.value = k.value
            ) AS v
            WHERE v.count > 0
            """
        ) { Count(facet: try $0.get(0), value: try $0.get(1), count: try $0.get(2)) }
        let licensed = counts.filter { $0.facet == "c" }.reduce(0) { $0 + $1.count }
        return facets(counts, counted: licensed, isExact: true)
    }

    /// Counts the `facets` of matches here: of hundreds of rows one text is read sooner than they are grouped there.
    private static func count(
        _ matches: PostgresQuery, _ database: some PostgresExecutor
    ) async throws -> (counts: [Count], counted: Int) {
        let (text, counted) = try await database.one(
            """
            SELECT coalesce(string_agg(array_to_string(m.facets, chr(10)), chr(10)), ''), count(*)
            FROM (\(fragment: matches)) AS m
            """
        ) { (try $0.get(0, as: String.self), try $0.get(1, as: Int.self)) }
        // `=t:print` and the like.
        let counts = LineTally.counts(text).map { lexeme, count in
            Count(facet: String(lexeme.dropFirst().prefix(1)), value: String(lexeme.dropFirst(3)), count: count)
        }
        return (counts, counted)
    }

    private static func facets(_ counts: [Count], counted: Int, isExact: Bool) -> Facets {
        func top(_ facet: String, _ name: (String) -> String = { $0 }) -> [Facets.Count] {
            counts.filter { $0.facet == facet }
                .sorted { ($1.count, $0.value) < ($0.count, $1.value) }
                .prefix(values).map { Facets.Count(value: name($0.value), count: $0.count) }
        }
        let stars = counts.filter { $0.facet == "r" }
        // Half stars, as `minRating` adds them up.
        let ratings =
            stars.isEmpty
            ? []
            : (1...5).map { least in
                Facets.Count(
                    value: String(least),
                    count: stars.reduce(0) { $0 + ((Int($1.value) ?? 0) >= least * 2 ? $1.count : 0) })
            }
        return Facets(
            isExact: isExact, counted: counted, gameSystem: top("s"), tag: top("t"),
            license: top("c") { LicenseCatalog.identifier($0) ?? $0 },
            language: top("l") { LanguageTag($0)?.text ?? $0 }, fillable: top("f"),
            kind: top("k"), pages: top("p"), minRating: ratings)
    }
}
