// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Postgres
import SheetCore

/// SQL of browsing: lists sorted by a key of each template.
enum CatalogStore {
    /// A template as a list shows it, and where the page behind it would begin.
    struct Line: Sendable {
        var template: ListedTemplate
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
    /// Words of more uses are met on the way through the newest templates soon enough.
    static let searchedByMonth = 20_000

    /// One line more than the query's limit, so that the caller knows whether another page follows.
    static func lines(
        _ query: CatalogQuery, words: SearchTermStore.Looked?, _ database: some PostgresExecutor
    ) async throws -> [Line] {
        let order = Order(query)
        let filters = SearchFilters(query)
        let count = query.part.sought
        if words == nil, query.isOfAuthorAlone {
            return try await page(walk(query, order, filters, nil), order, count, database)
        }
        if let words, filters.lexemes == nil,
            let found = try await newest(query, order, filters, words, count: count, database)
        {
            return found
        }
        // What is rare is found at once; so are the templates of one author.
        var isRare = query.author != nil || words?.rarest.map { $0 <= pickedRows } ?? false
        var compared = query.author == nil ? [] : Set(SearchFilters.rangeFacets)
        if !isRare, !filters.facets.isEmpty {
            let estimate = try await FacetStore.estimate(filters, system: query.gameSystem, database)
            isRare = estimate.count() <= Double(pickedRows)
            compared = estimate.compared
        }
        if !isRare {
            let found = try await page(walk(query, order, filters, words), order, count, database)
            let isWhole = words == nil && filters.lexemesBesideSystem == nil && filters.rest.isEmpty
            if isWhole || found.count == count { return found }
        }
        let picked = pick(query, order, filters, words, comparing: compared, count: count)
        return try await page(picked, order, count, database)
    }

    /// The page out of the last months' matches, when these hold one.
    private static func newest(
        _ query: CatalogQuery, _ order: Order, _ filters: SearchFilters, _ words: SearchTermStore.Looked, count: Int,
        _ database: some PostgresExecutor
    ) async throws -> [Line]? {
        guard let letter = order.months, let uses = words.rarest, uses <= searchedByMonth, !words.query.isEmpty else {
            return nil
        }
        let months = try await MatchMonths.query(
            letter, uses: uses, count: count, newest: order.date(query.position), at: Date(), database)
        guard let months else { return nil }
        var recent = words
        recent.query = "(\(words.query)) & (\(months))"
        let found = try await page(
            pick(query, order, filters, recent, comparing: [], count: count), order, count, database)
        return found.count == count ? found : nil
    }

    /// Rows that a list is made of: listings called `l`, and what else must hold of them.
    private struct Rows {
        var source: PostgresQuery
        var wanted: PostgresQuery = "true"
    }

    /// Goes along the list's index from the page's beginning and keeps what the query asks for.
    private static func walk(
        _ query: CatalogQuery, _ order: Order, _ filters: SearchFilters, _ words: SearchTermStore.Looked?
    ) -> Rows {
        var start: PostgresQuery = "true"
        if let system = query.gameSystem { start = "\(fragment: start) AND l.game_system = \(system)" }
        if query.isOfAuthorAlone, let author = query.author {
            start = "\(fragment: start) AND lower(l.author) = \(author.lowercased())"
        }
        if let position = query.position { start = "\(fragment: start) AND \(fragment: order.after(position))" }
        let isFiltered = filters.lexemesBesideSystem != nil && !query.isOfAuthorAlone
        if words == nil, filters.rest.isEmpty, !isFiltered { return Rows(source: "listings AS l", wanted: start) }
        var rows = Rows(
            source: """
                (SELECT l.* FROM listings AS l WHERE \(fragment: start)
                    ORDER BY \(fragment: order.clause) LIMIT \(walkedRows)) AS l
                """, wanted: "true\(fragment: filters.andRest)")
        if let words {
            // OFFSET keeps the planner from reading the whole table of words.
            rows.source = """
                \(fragment: rows.source)
                CROSS JOIN LATERAL (SELECT w.words FROM listing_words AS w WHERE w.id = l.id OFFSET 0) AS w
                """
            rows.wanted = "\(fragment: rows.wanted) AND w.words @@ \(words.query)::tsquery"
        }
        if let lexemes = filters.lexemesBesideSystem {
            rows.wanted = "\(fragment: rows.wanted) AND l.filters @@ \(lexemes)::tsquery"
        }
        return rows
    }

    /// Finds everything that the query asks for, by index; without words some facets may be left to be compared.
    private static func pick(
        _ query: CatalogQuery, _ order: Order, _ filters: SearchFilters, _ words: SearchTermStore.Looked?,
        comparing compared: Set<String>, count: Int
    ) -> Rows {
        let behind: PostgresQuery = query.position.map { " AND \(fragment: order.after($0))" } ?? ""
        guard let words else {
            var (lexemes, wanted) = filters.comparing(compared)
            if lexemes == nil { (lexemes, wanted) = filters.comparing([]) }
            let found: PostgresQuery = lexemes.map { "l.filters @@ \(fragment: .onceForAll($0))" } ?? "true"
            return Rows(
                source: """
                    (SELECT * FROM listings AS l
                        WHERE \(fragment: found)\(fragment: wanted)\(fragment: behind) OFFSET 0) AS l
                    """)
        }
        let asked = words.asking(filters)
        if let column = order.wordsColumn, filters.rest.isEmpty {
            // The keys lie beside the words: only the page's own listings are looked up.
            let behind: PostgresQuery =
                query.position.map { " AND \(fragment: order.after($0, in: "w", column))" } ?? ""
            return Rows(
                source: """
                    (SELECT w.id FROM (SELECT * FROM listing_words AS w
                            WHERE w.words @@ \(fragment: .onceForAll(asked))\(fragment: behind) OFFSET 0) AS w
                        ORDER BY \(fragment: column) \(unsafe: order.direction), w.id \(unsafe: order.direction)
                        LIMIT \(count)) AS w
                    JOIN listings AS l ON l.id = w.id
                    """)
        }
        return Rows(
            source: """
                (SELECT w.id FROM listing_words AS w
                    WHERE w.words @@ \(fragment: .onceForAll(asked)) OFFSET 0) AS w
                CROSS JOIN LATERAL (SELECT * FROM listings AS l WHERE l.id = w.id OFFSET 0) AS l
                """, wanted: "true\(fragment: filters.andRest)\(fragment: behind)")
    }

    private static func page(
        _ rows: Rows, _ order: Order, _ count: Int, _ database: some PostgresExecutor
    ) async throws -> [Line] {
        try await database.all(
            """
            SELECT \(fragment: summaryColumns), \(fragment: order.key)
            FROM \(fragment: rows.source)
            WHERE \(fragment: rows.wanted)
            ORDER BY \(fragment: order.clause) LIMIT \(count)
            """
        ) { row in
            let template = try ListedTemplate(row)
            let key = try order.read(row, at: summaryColumnCount)
            return Line(template: template, position: .init(key: key, id: template.id))
        }
    }

    /// The templates with these ids, in their order.
    static func templates(_ ids: [TemplateID], _ database: some PostgresExecutor) async throws -> [ListedTemplate] {
        guard !ids.isEmpty else { return [] }
        return try await database.all(
            """
            SELECT \(fragment: summaryColumns)
            FROM unnest(\(ids)::uuid[]) WITH ORDINALITY AS p (id, place)
            JOIN listings AS l ON l.id = p.id
            ORDER BY p.place
            """
        ) { try ListedTemplate($0) }
    }

    /// When the oldest of an author's templates on offer was published; `nil` where none is on offer.
    static func firstPublished(by author: String, _ database: some PostgresExecutor) async throws -> Date? {
        try await database.one(
            "SELECT min(published_at) FROM listings WHERE lower(author) = \(author.lowercased())"
        ) { try $0.get(0, as: Date?.self) }
    }

    /// What `TemplateSummary` reads of listings `l`.
    static let summaryColumns: PostgresQuery = """
        l.id, l.slug, l.name, l.summary, l.game_system, l.author, l.rating, l.rating_count, l.downloads,
            l.number, l.page_count, l.license, l.language, l.tags, l.updated_at, l.kind
        """
    /// How many columns these are.
    static let summaryColumnCount = 16

    /// The order of a list: its key in the row, and its clauses.
    private struct Order {
        let key: PostgresQuery
        let column: PostgresQuery
        /// The same in `listing_words`, of what lies there.
        let wordsColumn: PostgresQuery?
        let direction: String
        private let sort: CatalogQuery.Sort

        init(_ query: CatalogQuery) {
            sort = query.sort
            switch query.sort {
            case .newest:
                key = "(extract(epoch FROM l.published_at) * 1000000)::bigint"
                column = "l.published_at"
                wordsColumn = "w.published_at"
            case .updated, .relevance:
                key = "(extract(epoch FROM l.updated_at) * 1000000)::bigint"
                column = "l.updated_at"
                wordsColumn = "w.updated_at"
            case .downloads:
                key = "l.downloads"
                column = key
                wordsColumn = nil
            case .rating:
                key = "l.rating_lower"
                column = key
                wordsColumn = nil
            case .trending:
                key = "l.trending"
                column = key
                wordsColumn = nil
            case .name:
                key = "l.name_key"
                column = key
                wordsColumn = "w.name_key"
            }
            direction = query.sort == .name ? "ASC" : "DESC"
        }

        var clause: PostgresQuery {
            "\(fragment: column) \(unsafe: direction), l.id \(unsafe: direction)"
        }

        func after(_ position: CatalogQuery.Position) -> PostgresQuery { after(position, in: "l", column) }

        func after(
            _ position: CatalogQuery.Position, in table: String, _ column: PostgresQuery
        ) -> PostgresQuery {
            let bound: PostgresQuery =
                switch position.key {
                case .integer(let value) where sort == .newest || sort == .updated:
                    "timestamptz 'epoch' + \(value) * interval '1 microsecond'"
                case .integer(let value): "\(value)"
                case .number(let value): "\(value)"
                case .text(let value): "\(value)"
                }
            return direction == "DESC"
                ? "(\(fragment: column), \(ident: table).id) < (\(fragment: bound), \(position.id))"
                : "(\(fragment: column), \(ident: table).id) > (\(fragment: bound), \(position.id))"
        }

        /// The letter of the lexemes that tell the month of the key.
        var months: String? {
            switch sort {
            case .updated: "u"
            case .newest: "d"
            case .relevance, .downloads, .rating, .trending, .name: nil
            }
        }

        /// The time where a page begins.
        func date(_ position: CatalogQuery.Position?) -> Date? {
            guard months != nil, case .integer(let microseconds)? = position?.key else { return nil }
            return Date(timeIntervalSince1970: Double(microseconds) / 1e6)
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
