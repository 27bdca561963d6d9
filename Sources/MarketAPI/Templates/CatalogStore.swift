// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Postgres
import SheetCore

/// SQL of browsing: lists sorted by a key of each template.
enum CatalogStore {
    /// A template as a list shows it, and where the page behind it would begin.
    struct Line: Sendable {
        var summary: TemplateSummary
        var position: CatalogQuery.Position
    }

    /// Every game system by name, with how many templates are on offer.
    static func gameSystems(_ database: some PostgresExecutor) async throws -> [GameSystem] {
        try await database.all(
            """
            SELECT g.slug, g.name, g.publisher, g.aliases,
                (coalesce(f.count, 0) + coalesce(n.change, 0))::bigint AS count
            FROM game_systems AS g
            LEFT JOIN facet_counts AS f ON f.game_system = '' AND f.facet = 's' AND f.value = g.slug
            LEFT JOIN (
                SELECT c.value, sum(c.change) AS change FROM facet_changes AS c
                WHERE c.game_system = '' AND c.facet = 's' GROUP BY 1
            ) AS n ON n.value = g.slug
            ORDER BY lower(g.name), g.slug
            """
        ) { row in
            GameSystem(
                slug: try row.get("slug"), name: try row.get("name"), publisher: try row.get("publisher"),
                aliases: try row.get("aliases"), templateCount: try row.get("count"))
        }
    }

    /// How many rows of a sorted list are walked in search of a page. Of what is so rare that they do not hold one, there
    /// is little enough in the whole catalog (20 in 4,000 are 5,000 in a million) to be found by index and sorted.
    static let walkedRows = 4000
    /// Where no more templates than this are expected, they are looked up at once.
    static let pickedRows = 5000

    /// One line more than the query's limit, so that the caller knows whether another page follows.
    static func lines(
        _ query: CatalogQuery, words: SearchTermStore.Looked?, _ database: some PostgresExecutor
    ) async throws -> [Line] {
        let order = Order(query)
        let filters = SearchFilters(query)
        // What is rare is found at once; so are the templates of one author.
        var isRare = query.author != nil || words?.rarest.map { $0 <= pickedRows } ?? false
        var comparesRanges = query.author != nil
        if !isRare, !filters.facets.isEmpty {
            let estimate = try await FacetStore.estimate(filters, system: query.gameSystem, database)
            isRare = estimate.all <= Double(pickedRows)
            comparesRanges = estimate.withoutRanges <= Double(4 * pickedRows)
        }
        if !isRare {
            let found = try await page(walk(query, order, filters, words), order, query.limit + 1, database)
            let isWhole = words == nil && filters.lexemesBesideSystem == nil && filters.rest.isEmpty
            if isWhole || found.count > query.limit { return found }
        }
        return try await page(
            pick(query, order, filters, words, comparesRanges: comparesRanges), order, query.limit + 1, database)
    }

    /// Goes along the list's index from the page's beginning and keeps what the query asks for.
    private static func walk(
        _ query: CatalogQuery, _ order: Order, _ filters: SearchFilters, _ words: SearchTermStore.Looked?
    ) -> PostgresQuery {
        var bounds: [PostgresQuery] = []
        if let system = query.gameSystem { bounds.append("l.game_system = \(system)") }
        if let position = query.position { bounds.append(order.after(position)) }
        let start = bounds.reduce("WHERE true" as PostgresQuery) { "\(fragment: $0) AND \(fragment: $1)" }
        var wanted: PostgresQuery = "true\(fragment: filters.andRest)"
        var source: PostgresQuery = """
            (SELECT l.* FROM listings AS l \(fragment: start) ORDER BY \(fragment: order.clause) LIMIT \(walkedRows)) AS l
            """
        if let words {
            // OFFSET keeps the planner from reading the whole table of words.
            source = """
                \(fragment: source)
                CROSS JOIN LATERAL (SELECT w.words FROM listing_words AS w WHERE w.id = l.id OFFSET 0) AS w
                """
            wanted = "\(fragment: wanted) AND w.words @@ \(words.query)::tsquery"
        }
        if let lexemes = filters.lexemesBesideSystem {
            wanted = "\(fragment: wanted) AND l.filters @@ \(lexemes)::tsquery"
        }
        return """
            SELECT l.id, \(fragment: order.key) AS key, \(fragment: order.column) AS sorted
            FROM \(fragment: source) WHERE \(fragment: wanted)
            """
    }

    /// Finds everything that the query asks for, by index.
    private static func pick(
        _ query: CatalogQuery, _ order: Order, _ filters: SearchFilters, _ words: SearchTermStore.Looked?,
        comparesRanges: Bool
    ) -> PostgresQuery {
        let compares = comparesRanges && words == nil && filters.lexemesWithoutRanges != nil
        var wanted = compares ? filters.andRanges : filters.andRest
        if let position = query.position { wanted = "\(fragment: wanted) AND \(fragment: order.after(position))" }
        guard let words else {
            let lexemes = compares ? filters.lexemesWithoutRanges : filters.lexemes
            let found: PostgresQuery = lexemes.map { "l.filters @@ \($0)::tsquery" } ?? "true"
            return """
                SELECT l.id, \(fragment: order.key) AS key, \(fragment: order.column) AS sorted
                FROM (SELECT * FROM listings AS l WHERE \(fragment: found)\(fragment: wanted) OFFSET 0) AS l
                """
        }
        return """
            SELECT l.id, \(fragment: order.key) AS key, \(fragment: order.column) AS sorted
            FROM (SELECT w.id FROM listing_words AS w WHERE w.words @@ \(words.asking(filters))::tsquery OFFSET 0) AS w
            CROSS JOIN LATERAL (SELECT * FROM listings AS l WHERE l.id = w.id OFFSET 0) AS l
            WHERE true\(fragment: wanted)
            """
    }

    private static func page(
        _ found: PostgresQuery, _ order: Order, _ count: Int, _ database: some PostgresExecutor
    ) async throws -> [Line] {
        try await database.all(
            """
            SELECT \(fragment: summaryColumns), l.key
            FROM (
                SELECT l.* FROM (\(fragment: found)) AS l
                ORDER BY l.sorted \(unsafe: order.direction), l.id \(unsafe: order.direction) LIMIT \(count)
            ) AS l
            \(fragment: summaryJoins)
            ORDER BY l.sorted \(unsafe: order.direction), l.id \(unsafe: order.direction)
            """
        ) { row in
            let summary = try TemplateSummary(row)
            return Line(summary: summary, position: .init(key: try order.read(row, at: 16), id: summary.id))
        }
    }

    /// The templates with these ids, in their order.
    static func summaries(_ ids: [TemplateID], _ database: some PostgresExecutor) async throws -> [TemplateSummary] {
        guard !ids.isEmpty else { return [] }
        return try await database.all(
            """
            SELECT \(fragment: summaryColumns)
            FROM unnest(\(ids)::uuid[]) WITH ORDINALITY AS l (id, place)
            \(fragment: summaryJoins)
            ORDER BY l.place
            """
        ) { try TemplateSummary($0) }
    }

    /// What `TemplateSummary` reads.
    static let summaryColumns: PostgresQuery = """
        t.id, t.slug, t.name, t.summary, t.game_system, u.handle, t.rating, t.rating_count, t.downloads,
            v.number, t.page_count, t.license, t.language, t.tags, t.updated_at, t.kind
        """
    /// From ids `l.id` to that.
    static let summaryJoins: PostgresQuery = """
        JOIN templates AS t ON t.id = l.id
            JOIN users AS u ON u.id = t.owner_id
            JOIN versions AS v ON v.id = t.latest_version_id
        """

    /// The order of a list: its key in the row, and its clauses.
    private struct Order {
        let key: PostgresQuery
        let column: PostgresQuery
        let direction: String
        private let sort: CatalogQuery.Sort

        init(_ query: CatalogQuery) {
            sort = query.sort
            switch query.sort {
            case .newest:
                key = "(extract(epoch FROM l.published_at) * 1000000)::bigint"
                column = "l.published_at"
            case .updated, .relevance:
                key = "(extract(epoch FROM l.updated_at) * 1000000)::bigint"
                column = "l.updated_at"
            case .downloads:
                key = "l.downloads"
                column = key
            case .rating:
                key = "l.rating_lower"
                column = key
            case .trending:
                key = "l.trending"
                column = key
            case .name:
                key = "l.name_key"
                column = key
            }
            direction = query.sort == .name ? "ASC" : "DESC"
        }

        var clause: PostgresQuery {
            "\(fragment: column) \(unsafe: direction), l.id \(unsafe: direction)"
        }

        func after(_ position: CatalogQuery.Position) -> PostgresQuery {
            let bound: PostgresQuery =
                switch position.key {
                case .integer(let value) where sort == .newest || sort == .updated:
                    "timestamptz 'epoch' + \(value) * interval '1 microsecond'"
                case .integer(let value): "\(value)"
                case .number(let value): "\(value)"
                case .text(let value): "\(value)"
                }
            return direction == "DESC"
                ? "(\(fragment: column), l.id) < (\(fragment: bound), \(position.id))"
                : "(\(fragment: column), l.id) > (\(fragment: bound), \(position.id))"
        }

        func read(_ row: PostgresRow, at column: Int) throws -> CatalogQuery.Position.Key {
            switch sort {
            case .relevance, .newest, .updated, .downloads: .integer(try row.get(column))
            case .rating, .trending: .number(try row.get(column))
            case .name: .text(try row.get(column))
            }
        }
    }
}

extension SearchTermStore.Looked {
    /// The words together with the filters, as one `tsquery`.
    func asking(_ filters: SearchFilters) -> String {
        filters.lexemes.map { query.isEmpty ? $0 : "(\(query)) & \($0)" } ?? query
    }
}

extension TemplateSummary {
    /// Reads the columns `id, slug, name, summary, game_system, handle, rating, rating_count, downloads, number,
    /// page_count, license, language, tags, updated_at, kind` from the row's beginning.
    init(_ row: PostgresRow) throws {
        let id: TemplateID = try row.get(0)
        let version: SemanticVersion = try row.get(9)
        let key = id.description
        let number = version.description
        self.init(
            id: id, slug: try row.get(1), name: try row.get(2), summary: try row.get(3), gameSystem: try row.get(4),
            author: try row.get(5), rating: try row.get(6), ratingCount: try row.get(7), downloads: try row.get(8),
            previewURL: Paths.preview(key, number, page: 0), downloadURL: Paths.download(key, number),
            version: version, pageCount: try row.get(10), license: try row.get(11), language: try row.get(12),
            tags: try row.get(13), updatedAt: try row.get(14), kind: try row.get(15))
    }
}
