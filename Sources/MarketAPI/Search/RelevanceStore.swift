// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Postgres
import SheetCore

/// SQL of lists by relevance: the sections that `RelevancePlace` tells of.
enum RelevanceStore {
    /// Most popular matches that are ranked together.
    static let blockSize = 300
    /// Most matches that are ranked together where few are popular.
    static let fewSize = 500

    /// What is asked of a block: the best lines behind a place of it.
    struct Ask: Sendable {
        /// The `tsquery`, filters included.
        var query: String
        /// The `tsquery` that matches are ranked by.
        var rankedBy: String
        /// The `tsquery` whose matches rank before all others.
        var preferred: String?
        var filters: SearchFilters
        var behind: RelevancePlace
        var count: Int
    }

    /// A match in a block.
    struct Match: Sendable {
        var id: TemplateID
        var rank: Int
    }

    /// The lines that were asked for, and what the block they are of is like.
    struct Block: Sendable {
        /// Whose block it is; `nil` when there is no generation at all.
        var generation: Int?
        /// How many matches it has.
        var size = 0
        /// The last place in it.
        var to = 0
        /// The oldest id in it.
        var least: TemplateID?
        var matches: [Match] = []
    }

    /// How well a template fits, in millionths: the words, and a little for each time that the downloads treble.
    /// Whole numbers survive the way through a cursor.
    private static func rank(_ ask: Ask, magnitude: PostgresQuery) -> PostgresQuery {
        let rank: PostgresQuery = """
            (ts_rank('{0.05, 0.2, 0.5, 1.0}', m.words, \(ask.rankedBy)::tsquery) * 1000000)::integer
                + 10000 * \(fragment: magnitude)
            """
        guard let preferred = ask.preferred else { return rank }
        return "\(fragment: rank) + 2000000 * (m.words @@ \(preferred)::tsquery)::integer"
    }

    /// The templates that are called exactly what was typed, the most downloaded first.
    static func named(
        _ words: SearchTermStore.Looked, _ filters: SearchFilters, _ database: some PostgresExecutor
    ) async throws -> [TemplateID] {
        let wanted: PostgresQuery = filters.lexemes.map { " AND l.filters @@ \($0)::tsquery" } ?? ""
        // The name itself is compared outside, lest two indexes be combined and all of that name sorted.
        return try await database.all(
            """
            SELECT l.id FROM (
                SELECT * FROM listings WHERE hashtext(name_key) = hashtext(\(words.nameKey))
                ORDER BY downloads DESC, id DESC LIMIT 200
            ) AS l
            WHERE l.name_key = \(words.nameKey)\(fragment: wanted)\(fragment: filters.andRest)
            LIMIT \(NamedSection.most)
            """
        ) { try $0.get(0) }
    }

    /// The block behind place `from`: up to place `to`, or as many as a block has. `former` asks the generation before.
    static func popular(
        _ ask: Ask, from: Int, to: Int?, former: Bool = false, _ database: some PostgresExecutor
    ) async throws -> Block {
        let table = former ? "former_popular_listings" : "popular_listings"
        let bounds: PostgresQuery =
            to.map { "m.place > \(Int32(from)) AND m.place <= \(Int32($0))" } ?? "m.place > \(Int32(from))"
        // Without ORDER BY they come as they are stored, which is by place, and reading ends with the block.
        let stored: PostgresQuery = """
            SELECT * FROM \(ident: table) AS m
            WHERE m.words @@ \(ask.query)::tsquery AND \(fragment: bounds)\(fragment: ask.filters.andRest(of: "m"))
            """
        let limit = to == nil ? blockSize : Int(Int32.max)
        let (block, isInOrder) = try await block(ask, "\(fragment: stored) LIMIT \(limit)", table: table, database)
        if isInOrder { return block }
        // Nobody promised that it does: several scans of one table may share their way through it.
        return try await self.block(
            ask, "\(fragment: stored) ORDER BY m.place LIMIT \(limit)", table: table, database
        ).block
    }

    private static func block(
        _ ask: Ask, _ stored: PostgresQuery, table: String, _ database: some PostgresExecutor
    ) async throws -> (block: Block, isInOrder: Bool) {
        var block = Block()
        var isInOrder = true
        let query: PostgresQuery = """
            WITH block AS MATERIALIZED (
                SELECT m.id, m.place, lag(m.place) OVER () AS before,
                    \(fragment: rank(ask, magnitude: "download_magnitude(m.downloads)")) AS rank
                FROM (\(fragment: stored)) AS m
            )
            SELECT (SELECT generation FROM \(ident: table) LIMIT 1) AS generation, size.*, best.*
            FROM (SELECT count(*) AS size, max(place) AS last, bool_and(place > coalesce(before, 0)) AS in_order FROM block)
                AS size
            LEFT JOIN (
                SELECT id, rank FROM block AS m WHERE \(fragment: wanted(ask.behind))
                ORDER BY rank DESC, id DESC LIMIT \(ask.count)
            ) AS best ON true
            """
        for row in try await database.query(query.plannedForItsValues) {
            block.generation = try row.get(0, as: Int?.self)
            block.size = try row.get(1)
            block.to = try row.get(2, as: Int?.self) ?? 0
            isInOrder = try row.get(3, as: Bool?.self) ?? true
            guard let id = try row.get(4, as: TemplateID?.self) else { break }
            block.matches.append(Match(id: id, rank: try row.get(5)))
        }
        return (block, isInOrder)
    }

    /// Lines of a block that come behind a place of it.
    private static func wanted(_ place: RelevancePlace) -> PostgresQuery {
        var wanted: PostgresQuery = "true"
        if !place.named.isEmpty { wanted = "m.id <> ALL (\(place.named)::uuid[])" }
        if let rank = place.rank, let id = place.id {
            wanted = "\(fragment: wanted) AND (m.rank, m.id) < (\(Int32(clamping: rank)), \(id))"
        }
        return wanted
    }

    /// The newest matches, popular or not, down to the id `least`.
    static func few(_ ask: Ask, least: TemplateID?, _ database: some PostgresExecutor) async throws -> Block {
        let bound: PostgresQuery = least.map { " AND w.id >= \($0)" } ?? ""
        var block = Block()
        for row in try await database.query(
            """
            WITH block AS MATERIALIZED (
                SELECT m.id, \(fragment: rank(ask, magnitude: "m.magnitude")) AS rank
                FROM (
                    SELECT w.id, w.words, w.magnitude
                    FROM (SELECT * FROM listing_words AS w
                        WHERE w.words @@ \(fragment: .onceForAll(ask.query))\(fragment: bound) OFFSET 0) AS w
                    WHERE true\(fragment: ask.filters.andRest(of: "w"))
                    ORDER BY w.id DESC LIMIT \(fewSize)
                ) AS m
            )
            SELECT size.*, best.*
            FROM (SELECT count(*) AS size, (SELECT id FROM block ORDER BY id LIMIT 1) AS least FROM block) AS size
            LEFT JOIN (
                SELECT id, rank FROM block AS m WHERE \(fragment: wanted(ask.behind))
                ORDER BY rank DESC, id DESC LIMIT \(ask.count)
            ) AS best ON true
            """)
        {
            block.size = try row.get(0)
            block.least = try row.get(1, as: TemplateID?.self)
            guard let id = try row.get(2, as: TemplateID?.self) else { break }
            block.matches.append(Match(id: id, rank: try row.get(3)))
        }
        return block
    }

    /// The matches behind all blocks, newest first, at most `count`.
    static func rest(
        _ ask: Ask, before: TemplateID?, generation: Int?, _ database: some PostgresExecutor
    ) async throws -> [TemplateID] {
        let bound: PostgresQuery = before.map { "w.id < \($0)" } ?? "true"
        let (asked, filters, count) = (ask.query, ask.filters, ask.count)
        // Which of the two tables has the generation is seen by its rows.
        let unseen: PostgresQuery =
            generation.map {
                """
                NOT EXISTS (SELECT FROM popular_listings AS p WHERE p.id = w.id AND p.generation = \(Int32($0)))
                    AND NOT EXISTS (SELECT FROM former_popular_listings AS p WHERE p.id = w.id AND p.generation = \(Int32($0)))
                """
            } ?? "true"
        let fits = filters.andRest(of: "w")
        let walked = try await database.all(
            """
            SELECT w.id FROM (
                SELECT * FROM listing_words AS w WHERE \(fragment: bound) ORDER BY w.id DESC
                LIMIT \(CatalogStore.walkedRows)
            ) AS w
            WHERE w.words @@ \(asked)::tsquery AND \(fragment: unseen)\(fragment: fits)
            ORDER BY w.id DESC LIMIT \(count)
            """
        ) { try $0.get(0, as: TemplateID.self) }
        if walked.count == count { return walked }
        return try await database.all(
            """
            SELECT w.id FROM (SELECT * FROM listing_words AS w WHERE w.words @@ \(fragment: .onceForAll(asked)) OFFSET 0) AS w
            WHERE \(fragment: bound) AND \(fragment: unseen)\(fragment: fits)
            ORDER BY w.id DESC LIMIT \(count)
            """
        ) { try $0.get(0) }
    }
}

/// Templates that are called exactly what was typed.
enum NamedSection {
    /// Most of them that come first; others of that name are ranked with everything else.
    static let most = 5
}
