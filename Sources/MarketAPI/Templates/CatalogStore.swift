// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Postgres
import SheetCore

/// SQL of browsing and searching.
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
            SELECT g.slug, g.name, g.publisher, g.aliases, coalesce(c.count, 0) AS count
            FROM game_systems AS g
            LEFT JOIN (
                SELECT t.game_system, count(*) FROM templates AS t WHERE t.latest_version_id IS NOT NULL GROUP BY 1
            ) AS c ON c.game_system = g.slug
            ORDER BY lower(g.name), g.slug
            """
        ) { row in
            GameSystem(
                slug: try row.get("slug"), name: try row.get("name"), publisher: try row.get("publisher"),
                aliases: try row.get("aliases"), templateCount: try row.get("count"))
        }
    }

    /// One line more than the query's limit, so that the caller knows whether another page follows.
    static func lines(_ query: CatalogQuery, _ database: some PostgresExecutor) async throws -> [Line] {
        let order = Order(query)
        var conditions: PostgresQuery = "t.latest_version_id IS NOT NULL"
        for condition in conditionsOf(query) + (query.position.map { [order.after($0)] } ?? []) {
            conditions = "\(fragment: conditions) AND \(fragment: condition)"
        }
        return try await database.all(
            """
            SELECT t.id, t.slug, t.name, t.summary, t.game_system, u.handle, t.rating, t.rating_count, t.downloads,
                v.number, t.page_count, t.license, t.language, t.tags, t.updated_at, t.kind,
                \(fragment: order.key) AS sort_key
            FROM \(fragment: source(query))
            JOIN users AS u ON u.id = t.owner_id
            JOIN versions AS v ON v.id = t.latest_version_id
            WHERE \(fragment: conditions)
            ORDER BY \(fragment: order.clause)
            LIMIT \(query.limit + 1)
            """
        ) { row in
            let summary = try TemplateSummary(row)
            return Line(summary: summary, position: .init(key: try order.read(row, at: 16), id: summary.id))
        }
    }

    private static func conditionsOf(_ query: CatalogQuery) -> [PostgresQuery] {
        var conditions: [PostgresQuery] = []
        if let words = query.words, !query.isByLikeness {
            conditions.append("t.search @@ \(fragment: words.query)")
        }
        if let slug = query.gameSystem { conditions.append("t.game_system = \(slug)") }
        if !query.tags.isEmpty { conditions.append("t.tags @> \(query.tags)") }
        if let handle = query.author {
            conditions.append("t.owner_id = (SELECT a.id FROM users AS a WHERE a.handle = lower(\(handle)))")
        }
        if let license = query.license { conditions.append("lower(t.license) = lower(\(license))") }
        if let language = query.language {
            // `en` finds `en-GB` as well (RFC 4647, section 3.3.1).
            conditions.append(
                "(lower(t.language) = lower(\(language)) OR starts_with(lower(t.language), lower(\(language)) || '-'))")
        }
        if let kind = query.kind { conditions.append("t.kind = \(kind)") }
        if let rating = query.minRating { conditions.append("t.rating >= \(rating)") }
        if let count = query.minPages { conditions.append("t.page_count >= \(count)") }
        if let count = query.maxPages { conditions.append("t.page_count <= \(count)") }
        if query.sort == .newest { conditions.append("t.published_at IS NOT NULL") }
        return conditions
    }

    /// Most templates that are considered when words are compared by likeness.
    private static let maximumResembling = 1000

    private static func source(_ query: CatalogQuery) -> PostgresQuery {
        guard query.isByLikeness, let words = query.words else { return "templates AS t" }
        return """
            templates_resembling(
                ARRAY(SELECT market_text(lower(word)) FROM unnest(\(words.words)::text[]) AS word ORDER BY length(word) DESC),
                \(Int32(maximumResembling))) AS r
            JOIN templates AS t ON t.id = r.id
            """
    }

    /// The order of a list: its key in the row, and its clauses.
    private struct Order {
        let key: PostgresQuery
        private let column: PostgresQuery
        private let descends: Bool
        private let sort: CatalogQuery.Sort

        init(_ query: CatalogQuery) {
            sort = query.sort
            switch query.sort {
            case .relevance:
                // Whole numbers survive the way through a cursor. Nothing but the text counts: what changes
                // while somebody turns the pages, such as downloads, would make lines appear twice or never.
                let rank: PostgresQuery =
                    query.words.map { words in
                        query.isByLikeness
                            ? "r.likeness"
                            : "(ts_rank('{0.1, 0.2, 0.5, 1.0}', t.search, \(fragment: words.query)) * 1000000)::integer"
                    } ?? "0"
                key = rank
                column = rank
            case .newest:
                key = "(extract(epoch FROM t.published_at) * 1000000)::bigint"
                column = "t.published_at"
            case .updated:
                key = "(extract(epoch FROM t.updated_at) * 1000000)::bigint"
                column = "t.updated_at"
            case .downloads:
                key = "t.downloads"
                column = key
            case .rating:
                key = "t.rating"
                column = key
            case .name:
                key = "lower(t.name)"
                column = key
            }
            descends = query.sort != .name
        }

        var clause: PostgresQuery {
            descends
                ? "\(fragment: column) DESC, t.id DESC"
                : "\(fragment: column), t.id"
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
            return descends
                ? "(\(fragment: column), t.id) < (\(fragment: bound), \(position.id))"
                : "(\(fragment: column), t.id) > (\(fragment: bound), \(position.id))"
        }

        func read(_ row: PostgresRow, at column: Int) throws -> CatalogQuery.Position.Key {
            switch sort {
            case .relevance, .newest, .updated, .downloads: .integer(try row.get(column))
            case .rating: .number(try row.get(column))
            case .name: .text(try row.get(column))
            }
        }
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
