// SPDX-License-Identifier: Apache-2.0
import MarketWire
import Postgres

/// SQL of facets.
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
        _ query: CatalogQuery, words: SearchTermStore.Looked?, _ database: some PostgresExecutor
    ) async throws -> Facets {
        let filters = SearchFilters(query)
        if words == nil, filters.lexemesBesideSystem == nil, filters.rest.isEmpty {
            return try await known(query.gameSystem, database)
        }
        if words?.query.isEmpty == true { return facets([], counted: 0, isExact: true) }
        let asked = words?.asking(filters) ?? filters.lexemes
        let popular = try await count(
            """
            SELECT facets FROM popular_listings AS m
            WHERE \(fragment: asked.map { "words @@ \($0)::tsquery" } ?? "true")\(fragment: filters.andRest(of: "m"))
            LIMIT \(counted)
            """, database)
        if popular.counted >= RelevanceSearch.worthwhile {
            return facets(popular.counts, counted: popular.counted, isExact: false)
        }
        let matches: PostgresQuery
        if words != nil {
            matches = """
                SELECT tsvector_to_array(l.filters) AS facets
                FROM (SELECT id FROM listing_words WHERE words @@ \(asked)::tsquery OFFSET 0) AS w
                CROSS JOIN LATERAL (SELECT * FROM listings AS l WHERE l.id = w.id OFFSET 0) AS l
                WHERE true\(fragment: filters.andRest)
                """
        } else {
            let picked = try await CatalogStore.picked(query, filters, database)
            matches = "SELECT tsvector_to_array(l.filters) AS facets FROM \(fragment: picked)"
        }
        let all = try await count("\(fragment: matches) LIMIT \(RelevanceStore.fewSize + 1)", database)
        return facets(all.counts, counted: all.counted, isExact: all.counted <= RelevanceStore.fewSize)
    }

    /// Counts that are kept, with what has changed since they were brought up to date.
    private static func known(_ system: String?, _ database: some PostgresExecutor) async throws -> Facets {
        let key = system ?? ""
        let counts = try await database.all(
            """
            SELECT f.facet, v.value, v.count
            FROM unnest(ARRAY['s', 't', 'c', 'l']) AS f (facet)
            CROSS JOIN LATERAL (
                SELECT k.value, (coalesce(c.count, 0) + coalesce(n.change, 0))::bigint AS count
                FROM (
                    (SELECT value FROM facet_counts AS c WHERE c.game_system = \(key) AND c.facet = f.facet
                        ORDER BY c.count DESC LIMIT \(values * 2))
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

    private static func count(
        _ matches: PostgresQuery, _ database: some PostgresExecutor
    ) async throws -> (counts: [Count], counted: Int) {
        var counted = 0
        let query: PostgresQuery = """
            WITH matches AS MATERIALIZED (\(fragment: matches))
            SELECT substr(c.lexeme, 2, 1), substr(c.lexeme, 4), c.count, (SELECT count(*) FROM matches)
            FROM (
                SELECT lexeme, count, row_number() OVER (PARTITION BY substr(lexeme, 2, 1) ORDER BY count DESC, lexeme) AS n
                FROM (SELECT lexeme COLLATE "C" AS lexeme, count(*) FROM matches, unnest(facets) AS lexeme
                    WHERE substr(lexeme, 2, 1) IN ('s', 't', 'c', 'l') GROUP BY 1) AS g
            ) AS c
            WHERE c.n <= \(values)
            """
        let counts = try await database.all(query.plannedForItsValues) { row in
            counted = try row.get(3)
            return Count(facet: try row.get(0), value: try row.get(1), count: try row.get(2))
        }
        return (counts, counted)
    }

    private static func facets(_ counts: [Count], counted: Int, isExact: Bool) -> Facets {
        func top(_ facet: String, _ name: (String) -> String = { $0 }) -> [Facets.Count] {
            counts.filter { $0.facet == facet }
                .sorted { ($1.count, $0.value) < ($0.count, $1.value) }
                .prefix(values).map { Facets.Count(value: name($0.value), count: $0.count) }
        }
        return Facets(
            isExact: isExact, counted: counted, gameSystem: top("s"), tag: top("t"),
            license: top("c") { LicenseCatalog.identifier($0) ?? $0 },
            language: top("l") { LanguageTag($0)?.text ?? $0 })
    }
}
