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
        let matches: PostgresQuery =
            if words != nil {
                """
                SELECT listing_facets(l.filters) AS facets
                FROM (SELECT id FROM listing_words WHERE words @@ \(asked)::tsquery OFFSET 0) AS w
                CROSS JOIN LATERAL (SELECT * FROM listings AS l WHERE l.id = w.id OFFSET 0) AS l
                WHERE true\(fragment: filters.andRest)
                """
            } else {
                """
                SELECT listing_facets(filters) AS facets FROM listings
                WHERE \(fragment: asked.map { "filters @@ \($0)::tsquery" } ?? "true")\(fragment: filters.andRest)
                """
            }
        let all = try await count("\(fragment: matches) LIMIT \(RelevanceStore.fewSize + 1)", database)
        return facets(all.counts, counted: all.counted, isExact: all.counted <= RelevanceStore.fewSize)
    }

    /// About how many templates fit filters, taking these for independent of each other.
    struct Estimate: Sendable {
        /// Templates there are, of the system if one is asked for.
        let all: Double
        /// The part of them that fits each filter.
        let shares: [(facet: String, share: Double)]

        /// How many fit all filters but some.
        func count(without facets: Set<String> = []) -> Double {
            shares.reduce(all) { facets.contains($1.facet) ? $0 : $0 * $1.share }
        }

        /// Ratings and pages are many lexemes with long lists: they are better compared on the rows where most rows fit, or
        /// few are left without them.
        var compared: Set<String> {
            var compared: Set<String> = []
            for facet in SearchFilters.rangeFacets {
                guard let share = shares.first(where: { $0.facet == facet })?.share else { continue }
                if share > 0.5 || count(without: compared.union([facet])) <= Self.fewRows { compared.insert(facet) }
            }
            return compared
        }

        private static let fewRows = 1000.0
    }

    /// The estimate, by counts that are kept.
    static func estimate(
        _ filters: SearchFilters, system: String?, _ database: some PostgresExecutor
    ) async throws -> Estimate {
        let names = filters.facets.flatMap { facet in facet.values.map { _ in facet.name } }
        let values = filters.facets.flatMap(\.values)
        let key = system ?? ""
        let counts = try await database.all(
            """
            SELECT 'c', value, count FROM facet_counts WHERE game_system = \(key) AND facet = 'c'
            UNION ALL
            SELECT f.facet, f.value, f.count FROM unnest(\(names)::text[], \(values)::text[]) AS w (facet, value)
            JOIN facet_counts AS f ON f.game_system = \(key) AND f.facet = w.facet AND f.value = w.value
            WHERE f.facet <> 'c'
            """
        ) { Count(facet: try $0.get(0), value: try $0.get(1), count: try $0.get(2)) }
        // Everything has one licence.
        let all = Double(counts.filter { $0.facet == "c" }.reduce(0) { $0 + $1.count })
        guard all > 0 else { return Estimate(all: 0, shares: []) }
        return Estimate(
            all: all,
            shares: filters.facets.map { facet in
                let some = counts.filter { $0.facet == facet.name && facet.values.contains($0.value) }
                return (facet.name, Double(some.reduce(0) { $0 + $1.count }) / all)
            })
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
                FROM (SELECT lexeme COLLATE "C" AS lexeme, count(*) FROM matches, unnest(facets) AS lexeme GROUP BY 1) AS g
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
