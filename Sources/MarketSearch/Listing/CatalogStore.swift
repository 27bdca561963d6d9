// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketWire
import Postgres
import SheetCore

/// SQL of browsing: lists sorted by a key of each template.
package enum CatalogStore {
    /// A template as a list shows it, and where the page behind it would begin.
    package struct Line: Sendable {
        package var template: ListedTemplate
        package var position: CatalogQuery.Position
    }

    /// Every game system by name, with how many templates are on offer.
    package static func gameSystems(_ database: some PostgresExecutor) async throws -> [GameSystem] {
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
            ORDER BY market_text(lower(g.name)), g.slug
            """
        ) { row in
            GameSystem(
                slug: try row.get("slug"), name: try row.get("name"), publisher: try row.get("publisher"),
                aliases: try row.get("aliases"), templateCount: try row.get("count"))
        }
    }

    /// Most entries of its index that a list with filters is walked along in search of a page.
    private static let walkedEntries = 1 << 16
    /// How many rows a list with words is walked along. Of what is so rare that they do not hold a page, there is
    /// little enough in the whole catalog (20 in 4,000 are 5,000 in a million) to be found by index and sorted.
    static let walkedRows = 4000
    /// Words of no more uses than this are looked up at once.
    static let pickedRows = 5000

    /// One line more than the query's limit, so that the caller knows whether another page follows.
    package static func lines(_ query: CatalogQuery, _ database: some PostgresExecutor) async throws -> [Line] {
        if query.isOfAuthorAlone {
            let order = Order(query)
            return try await page(
                walk(query, order, SearchFilters(query), nil), order, query.pageRequest.fetchLimit, database)
        }
        return try await lines(query, words: nil, database)
    }

    /// The same of what has some words.
    package static func lines(
        _ query: CatalogQuery, _ words: SearchTermStore.TermLookup, _ statistics: CatalogStatistics,
        _ database: some PostgresExecutor
    ) async throws -> [Line] {
        if let found = try await newest(query, words, statistics, database) { return found }
        return try await lines(query, words: words, database)
    }

    private static func lines(
        _ query: CatalogQuery, words: SearchTermStore.TermLookup?, _ database: some PostgresExecutor
    ) async throws -> [Line] {
        let order = Order(query)
        let filters = SearchFilters(query)
        let count = query.pageRequest.fetchLimit
        // What is rare is found at once; so are the templates of one author.
        var isRare = query.author != nil || words?.rarest.map { $0 <= pickedRows } ?? false
        var left = query.author == nil ? [] : filters.rangeTerms
        var reach = walkedRows
        if !isRare, !filters.facets.isEmpty {
            let estimate = try await FilterEstimate(filters, system: query.gameSystem, database)
            left = estimate.left
            if words != nil {
                isRare = estimate.count() <= Double(pickedRows)
            } else if let entries = estimate.walk(to: count, atMost: walkedEntries) {
                reach = entries
            } else {
                isRare = true
            }
        }
        if !isRare {
            let found = try await page(walk(query, order, filters, words, reach: reach), order, count, database)
            let isWhole = words == nil && filters.lexemesBesideSystem == nil && filters.residual.isEmpty
            if isWhole || found.count == count { return found }
        }
        let picked = pick(query, order, filters, words, leaving: left, count: count)
        return try await page(picked, order, count, database)
    }

    /// Words of so many uses are too rare to be met on a walk through the newest templates, and too common to sort all
    /// that has them: what is newer than some time is found by two indexes, and sorted.
    private static let searchedByTime = 2000...30_000
    /// How many pages' matches are expected of that time: words come in waves. A second try looks further.
    private static let expectedPages = [1.75, 12.0]

    /// The page out of the newest matches of words, when these hold one.
    private static func newest(
        _ query: CatalogQuery, _ words: SearchTermStore.TermLookup, _ statistics: CatalogStatistics,
        _ database: some PostgresExecutor
    ) async throws -> [Line]? {
        let order = Order(query)
        let filters = SearchFilters(query)
        guard order.isByTime, filters.lexemes == nil, filters.residual.isEmpty, !words.query.isEmpty,
            let uses = words.rarest, searchedByTime.contains(uses)
        else { return nil }
        let count = query.pageRequest.fetchLimit
        let last = order.seconds(query.position)
        // A bound on both sides lets one plan serve all values: the planner takes it for a small part.
        let until = last.map { $0 + 1 } ?? .infinity
        for pages in expectedPages {
            let share = Double(count) * pages / Double(uses)
            let first = statistics.time(of: order.name, behind: share, before: last)
            guard let first else { return nil }
            let picked = pick(
                query, order, filters, words, leaving: [], count: count,
                among: "w.\(ident: order.name) BETWEEN to_timestamp(\(first)) AND to_timestamp(\(until))")
            let found = try await page(picked, order, count, database)
            if found.count == count { return found }
        }
        return nil
    }

    /// Rows that a list is made of: listings called `l`, what else must hold of them, and what is sorted.
    private struct Rows {
        var source: PostgresQuery
        var wanted: PostgresQuery = "true"
        var sorted = "l"
    }

    /// Goes along the list's index from the page's beginning and keeps what the query asks for.
    private static func walk(
        _ query: CatalogQuery, _ order: Order, _ filters: SearchFilters, _ words: SearchTermStore.TermLookup?,
        reach: Int = walkedRows
    ) -> Rows {
        var start: PostgresQuery = "true"
        if let system = query.gameSystem { start = "\(fragment: start) AND l.game_system = \(system)" }
        if query.isOfAuthorAlone, let author = query.author {
            start = "\(fragment: start) AND lower(l.author) = \(author.lowercased())"
        }
        if let position = query.position { start = "\(fragment: start) AND \(fragment: order.after(position))" }
        if let words { return walk(from: start, order, filters, words) }
        let isFiltered = filters.lexemesBesideSystem != nil && !query.isOfAuthorAlone
        if filters.residual.isEmpty, !isFiltered { return Rows(source: "listings AS l", wanted: start) }
        // The index itself tells what does not fit; only what may is looked up.
        let split = filters.split(leaving: filters.rangeTerms)
        let marks = filters.marks
        let marked: PostgresQuery =
            marks.isEmpty
            ? "true"
            : """
            (SELECT listing_bloom_filter(\(marks), 0)) & ~bloom_low = 0 AND (SELECT listing_bloom_filter(\(marks), 1)) & ~bloom_high = 0
            """
        return Rows(
            source: """
                (SELECT e.id, e.\(ident: order.name)
                    FROM (SELECT l.id, l.\(ident: order.name), l.bloom_low, l.bloom_high, l.rating, l.page_count
                        FROM listings AS l WHERE \(fragment: start)
                        ORDER BY \(fragment: order.clause()) LIMIT \(literal: reach)) AS e
                    WHERE \(fragment: marked)\(fragment: split.comparisons)) AS e
                CROSS JOIN LATERAL (SELECT * FROM listings AS l WHERE l.id = e.id OFFSET 0) AS l
                """,
            wanted: split.lexemes.map { "l.filters @@ \($0)::tsquery" } ?? "true", sorted: "e")
    }

    private static func walk(
        from start: PostgresQuery, _ order: Order, _ filters: SearchFilters, _ words: SearchTermStore.TermLookup
    ) -> Rows {
        var wanted: PostgresQuery = "w.words @@ \(words.query)::tsquery\(fragment: filters.andResidual)"
        if let lexemes = filters.lexemesBesideSystem {
            wanted = "\(fragment: wanted) AND l.filters @@ \(lexemes)::tsquery"
        }
        // OFFSET keeps the planner from reading the whole table of words.
        return Rows(
            source: """
                (SELECT l.* FROM listings AS l WHERE \(fragment: start)
                    ORDER BY \(fragment: order.clause()) LIMIT \(literal: walkedRows)) AS l
                CROSS JOIN LATERAL (SELECT w.words FROM listing_words AS w WHERE w.id = l.id OFFSET 0) AS w
                """, wanted: wanted)
    }

    /// Finds everything that the query asks for, by index; without words some of it may be left to the rows.
    private static func pick(
        _ query: CatalogQuery, _ order: Order, _ filters: SearchFilters, _ words: SearchTermStore.TermLookup?,
        leaving left: Set<String>, count: Int, among bounds: PostgresQuery = "true"
    ) -> Rows {
        let behind: PostgresQuery = query.position.map { " AND \(fragment: order.after($0))" } ?? ""
        guard let words else { return Rows(source: picked(filters, leaving: left, behind: behind)) }
        let asked = words.asking(filters)
        if order.isBesideWords, filters.residual.isEmpty {
            // The keys lie beside the words: only the page's own listings are looked up.
            let behind: PostgresQuery = query.position.map { " AND \(fragment: order.after($0, in: "w"))" } ?? ""
            return Rows(
                source: """
                    (SELECT w.id FROM (SELECT * FROM listing_words AS w
                            WHERE w.words @@ \(fragment: .inlined(asked)) AND \(fragment: bounds)\(fragment: behind) OFFSET 0) AS w
                        ORDER BY \(fragment: order.clause(in: "w")) LIMIT \(literal: count)) AS w
                    JOIN listings AS l ON l.id = w.id
                    """)
        }
        return Rows(
            source: """
                (SELECT w.id FROM listing_words AS w
                    WHERE w.words @@ \(fragment: .inlined(asked)) OFFSET 0) AS w
                CROSS JOIN LATERAL (SELECT * FROM listings AS l WHERE l.id = w.id OFFSET 0) AS l
                """, wanted: "true\(fragment: filters.andResidual)\(fragment: behind)")
    }

    /// Listings `l` that fit filters, found by index.
    static func picked(
        _ query: CatalogQuery, _ filters: SearchFilters, _ database: some PostgresExecutor
    ) async throws -> PostgresQuery {
        let left =
            query.author == nil
            ? try await FilterEstimate(filters, system: query.gameSystem, database).left : filters.rangeTerms
        return picked(filters, leaving: left)
    }

    private static func picked(
        _ filters: SearchFilters, leaving left: Set<String>, behind: PostgresQuery = ""
    ) -> PostgresQuery {
        var split = filters.split(leaving: left)
        if split.lexemes == nil { split = filters.split(leaving: []) }
        let found: PostgresQuery = split.lexemes.map { "l.filters @@ \(fragment: .inlined($0))" } ?? "true"
        let fits: PostgresQuery = split.others.map { "WHERE l.filters @@ \($0)::tsquery" } ?? ""
        return """
            (SELECT l.* FROM (SELECT * FROM listings AS l
                    WHERE \(fragment: found)\(fragment: split.comparisons)\(fragment: behind) OFFSET 0) AS l
                \(fragment: fits)) AS l
            """
    }

    private static func page(
        _ rows: Rows, _ order: Order, _ count: Int, _ database: some PostgresExecutor
    ) async throws -> [Line] {
        try await database.all(
            """
            SELECT \(fragment: ListedTemplate.columns), \(fragment: order.key)
            FROM \(fragment: rows.source)
            WHERE \(fragment: rows.wanted)
            ORDER BY \(fragment: order.clause(in: rows.sorted)) LIMIT \(literal: count)
            """
        ) { row in
            let template = try ListedTemplate(row)
            let key = try order.read(row, at: ListedTemplate.columnCount)
            return Line(template: template, position: .init(key: key, id: template.id))
        }
    }

    /// The templates with these ids, in their order.
    package static func templates(_ ids: [TemplateID], _ database: some PostgresExecutor) async throws
        -> [ListedTemplate]
    {
        guard !ids.isEmpty else { return [] }
        return try await database.all(
            """
            SELECT \(fragment: ListedTemplate.columns)
            FROM unnest((SELECT \(ids)::uuid[])) WITH ORDINALITY AS p (id, place)
            JOIN listings AS l ON l.id = p.id
            ORDER BY p.place
            """
        ) { try ListedTemplate($0) }
    }

    /// When the oldest of an author's templates on offer was published; `nil` where none is on offer.
    package static func firstPublished(by author: String, _ database: some PostgresExecutor) async throws -> Date? {
        try await database.one(
            "SELECT min(published_at) FROM listings WHERE lower(author) = \(author.lowercased())"
        ) { try $0.get(0, as: Date?.self) }
    }

    /// The order of a list: its key in the row, and its clauses.
    private struct Order {
        /// The column of `listings`; its key in the row of `l`.
        let name: String
        let key: PostgresQuery
        let direction: String
        private let sort: CatalogQuery.Sort

        init(_ query: CatalogQuery) {
            sort = query.sort
            name =
                switch query.sort {
                case .newest: "published_at"
                case .updated, .relevance: "updated_at"
                case .downloads: "downloads"
                case .rating: "rating_lower"
                case .trending: "trending"
                case .name: "name_key"
                }
            key =
                switch query.sort {
                case .newest, .updated, .relevance: "(extract(epoch FROM l.\(ident: name)) * 1000000)::bigint"
                case .downloads, .rating, .trending, .name: "l.\(ident: name)"
                }
            direction = query.sort == .name ? "ASC" : "DESC"
        }

        /// Whether `listing_words` has the column, too.
        var isBesideWords: Bool {
            switch sort {
            case .newest, .updated, .relevance, .name: true
            case .downloads, .rating, .trending: false
            }
        }

        func clause(in table: String = "l") -> PostgresQuery {
            "\(ident: table).\(ident: name) \(unsafe: direction), \(ident: table).id \(unsafe: direction)"
        }

        func after(_ position: CatalogQuery.Position, in table: String = "l") -> PostgresQuery {
            let bound: PostgresQuery =
                switch position.key {
                case .integer(let value) where sort == .newest || sort == .updated:
                    "timestamptz 'epoch' + \(value) * interval '1 microsecond'"
                case .integer(let value): "\(value)"
                case .number(let value): "\(value)"
                case .text(let value): "\(value)"
                }
            let sign = direction == "DESC" ? "<" : ">"
            return """
                (\(ident: table).\(ident: name), \(ident: table).id) \(unsafe: sign) (\(fragment: bound), \(position.id))
                """
        }

        /// Whether the key is a time of which `listing_words` has an index.
        var isByTime: Bool { sort == .updated || sort == .newest }

        /// The time where a page begins, in seconds since 1970.
        func seconds(_ position: CatalogQuery.Position?) -> Double? {
            guard isByTime, case .integer(let microseconds)? = position?.key else { return nil }
            return Double(microseconds) / 1e6
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

extension SearchTermStore.TermLookup {
    /// The words together with the filters, as one `tsquery`.
    package func asking(_ filters: SearchFilters) -> String {
        filters.lexemes.map { query.isEmpty ? $0 : "(\(query)) & \($0)" } ?? query
    }
}
