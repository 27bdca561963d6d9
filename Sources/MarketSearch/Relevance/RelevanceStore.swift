// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Postgres
import SheetCore

/// SQL of lists by relevance: the sections that `RelevanceCursor` tells of.
package enum RelevanceStore {
    /// Most popular matches that are ranked together.
    package static let blockSize = 300
    /// Most matches that are ranked together where few are popular.
    static let fewSize = 500
    /// Popular matches that make it worth while to begin with them.
    static let worthwhile = 25

    /// No template's id is before it.
    package static let oldest = TemplateID(rawValue: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))

    /// What templates are asked for.
    package struct Criteria: Sendable {
        /// The `tsquery` of the words.
        package var words: String
        /// The `tsquery` that matches are ranked by.
        var rankedBy: String
        /// The `tsquery` whose matches rank before all others.
        var preferred: String?
        package var filters: SearchFilters
        /// How many templates have the lexemes of the words, as far as that is known.
        package var uses: [String: Int] = [:]

        /// The `tsquery` of all that is asked for.
        package var query: String { filters.lexemes.map { "(\(words)) & \($0)" } ?? words }
    }

    /// A block of matches, told by its bounds.
    struct BlockRequest: Hashable, Sendable {
        enum Bounds: Hashable, Sendable {
            /// Popular ones behind place `from`: up to place `to`, or as many as a block has. `former` asks the
            /// generation before; `generation` is the one that a list began with.
            case popular(generation: Int?, from: Int, to: Int?, former: Bool)
            /// The newest, popular or not; or of those from the id `least` on the oldest, whatever else has come since.
            case few(least: TemplateID?)

            /// Whether a block is of the generation that was asked for, if any was.
            func fit(_ block: Block) -> Bool {
                guard case .popular(let generation?, _, _, _) = self else { return true }
                return block.generation == generation
            }
        }

        var criteria: Criteria
        var bounds: Bounds
    }

    /// A match in a block.
    package struct Match: Sendable {
        package var id: TemplateID
        package var rank: Int
    }

    /// A block's matches, and what it is like.
    package struct Block: Sendable {
        /// Whose block it is; `nil` when there is no generation at all.
        package var generation: Int?
        /// The last place in it.
        package var to = 0
        /// The oldest id in it.
        package var least: TemplateID?
        /// The best first.
        package var matches: [Match] = []

        /// The best `count` that come behind a place.
        package func matches(behind place: RelevanceCursor, count: Int) -> [Match] {
            var behind = matches[...]
            if let rank = place.rank, let id = place.id {
                behind = behind.drop { ($0.rank, $0.id.rawValue) >= (rank, id.rawValue) }
            }
            return Array(behind.lazy.filter { !place.named.contains($0.id) }.prefix(count))
        }
    }

    /// The block that is asked for.
    static func block(
        _ blockRequest: BlockRequest, _ statistics: CatalogStatistics, _ database: some PostgresExecutor
    ) async throws -> Block {
        switch blockRequest.bounds {
        case .popular(_, let from, let to?, let former):
            // A cursor may claim any bounds; no block of ours has more.
            try await popular(
                blockRequest.criteria, from: from, to: to, former: former, most: fewSize,
                PopularMatchPlanner.plan(
                    to: fewSize, of: blockRequest.criteria.query, behind: from, to: to, statistics), database)
        case .popular(_, let from, nil, let former):
            try await PopularMatchPlanner.find(
                blockSize, of: blockRequest.criteria.query, behind: from, statistics, matches: { $0.matches.count },
                by: { plan in
                    try await popular(
                        blockRequest.criteria, from: from, former: former, most: blockSize, plan, database)
                })
        case .few(let least): try await few(blockRequest.criteria, least: least, statistics, database)
        }
    }

    /// How well a template fits, in millionths: the words, and a little for each time that the downloads treble.
    /// Whole numbers survive the way through a cursor.
    private static func rank(_ criteria: Criteria, magnitude: PostgresQuery) -> PostgresQuery {
        let rank: PostgresQuery = """
            (ts_rank('{0.05, 0.2, 0.5, 1.0}', m.words, \(criteria.rankedBy)::tsquery) * 1000000)::integer
                + 10000 * \(fragment: magnitude)
            """
        guard let preferred = criteria.preferred else { return rank }
        return "\(fragment: rank) + 2000000 * (m.words @@ \(preferred)::tsquery)::integer"
    }

    /// The templates that are called exactly what was typed, the most downloaded first.
    package static func named(
        _ words: SearchTermStore.TermLookup, _ filters: SearchFilters, _ database: some PostgresExecutor
    ) async throws -> [TemplateID] {
        let wanted: PostgresQuery = filters.lexemes.map { " AND l.filters @@ \($0)::tsquery" } ?? ""
        // The name itself is compared outside, lest two indexes be combined and all of that name sorted.
        return try await database.all(
            """
            SELECT l.id FROM (
                SELECT * FROM listings WHERE hashtext(name_key) = hashtext(\(words.nameKey))
                ORDER BY downloads DESC, id DESC LIMIT 200
            ) AS l
            WHERE l.name_key = \(words.nameKey)\(fragment: wanted)\(fragment: filters.andResidual)
            LIMIT \(literal: RelevanceCursor.mostNamed)
            """
        ) { try $0.get(0) }
    }

    private static func popular(
        _ criteria: Criteria, from: Int, to: Int? = nil, former: Bool, most: Int, _ plan: PopularMatchPlanner.Plan,
        _ database: some PostgresExecutor
    ) async throws -> Block {
        let table = former ? "former_popular_listings" : "popular_listings"
        let wanted = plan.condition(criteria.query, behind: from, to: to)
        let stored: PostgresQuery = """
            SELECT * FROM \(ident: table) AS m WHERE \(fragment: wanted)\(fragment: criteria.filters.andResidual(of: "m"))
            """
        let limit: PostgresQuery = "LIMIT \(literal: most)"
        let (block, isInOrder) = try await popular(
            criteria, "\(fragment: stored)\(fragment: plan.order) \(fragment: limit)", table: table, database)
        if isInOrder { return block }
        // Nobody promised that the index finds them so: several scans of one table may share their way through it.
        return try await popular(
            criteria, "\(fragment: stored) ORDER BY m.place \(fragment: limit)", table: table, database
        ).block
    }

    private static func popular(
        _ criteria: Criteria, _ stored: PostgresQuery, table: String, _ database: some PostgresExecutor
    ) async throws -> (block: Block, isInOrder: Bool) {
        try await database.one(
            """
            WITH block AS MATERIALIZED (
                SELECT m.id, m.place, lag(m.place) OVER () AS before,
                    \(fragment: rank(criteria, magnitude: "download_magnitude(m.downloads)")) AS rank
                FROM (\(fragment: stored)) AS m
            )
            SELECT array_agg(id), array_agg(rank), (SELECT generation FROM \(ident: table) LIMIT 1), max(place),
                bool_and(place > coalesce(before, 0))
            FROM (SELECT * FROM block ORDER BY rank DESC, id DESC) AS best
            """
        ) { row in
            var block = Block(matches: try matches(row))
            block.generation = try row.get(2, as: Int?.self)
            block.to = try row.get(3, as: Int?.self) ?? 0
            return (block, try row.get(4, as: Bool?.self) ?? true)
        }
    }

    private static func few(
        _ criteria: Criteria, least: TemplateID?, _ statistics: CatalogStatistics, _ database: some PostgresExecutor
    ) async throws -> Block {
        let bound: PostgresQuery = least.map { " AND w.id >= \($0)" } ?? ""
        let order: PostgresQuery = least == nil ? "w.id DESC" : "w.id"
        let fits = matching(criteria, statistics)
        return try await database.one(
            """
            WITH block AS MATERIALIZED (
                SELECT m.id, \(fragment: rank(criteria, magnitude: "m.magnitude")) AS rank
                FROM (
                    SELECT w.id, w.words, w.magnitude
                    FROM (SELECT * FROM listing_words AS w
                        WHERE \(fragment: fits)\(fragment: bound) OFFSET 0) AS w
                    WHERE true\(fragment: criteria.filters.andResidual(of: "w"))
                    ORDER BY \(fragment: order) LIMIT \(literal: fewSize)
                ) AS m
            )
            SELECT array_agg(id), array_agg(rank), (SELECT id FROM block ORDER BY id LIMIT 1)
            FROM (SELECT * FROM block ORDER BY rank DESC, id DESC) AS best
            """
        ) { row in Block(least: try row.get(2, as: TemplateID?.self), matches: try matches(row)) }
    }

    /// Which rows `w` match, by index; what makes that dearer is looked at on the rows.
    private static func matching(_ criteria: Criteria, _ statistics: CatalogStatistics) -> PostgresQuery {
        var (asked, left) = (criteria.query, String?.none)
        if let filters = criteria.filters.lexemes {
            if let system = criteria.filters.system { asked = statistics.paired(asked, of: system) }
            if asked == criteria.query, statistics.isCheaper(filters, without: criteria.words) {
                (asked, left) = (filters, criteria.words)
            }
        } else {
            (asked, left) = statistics.split(asked, uses: criteria.uses)
        }
        let fits: PostgresQuery = "w.words @@ \(fragment: .inlined(asked))"
        return left.map { "\(fragment: fits) AND (w.words @@ \(fragment: .inlined($0))) IS TRUE" } ?? fits
    }

    /// Ids and ranks, each as one value: three hundred rows would cost more than finding them.
    private static func matches(_ row: PostgresRow) throws -> [Match] {
        let ids = try row.get(0, as: [TemplateID]?.self) ?? []
        let ranks = try row.get(1, as: [Int]?.self) ?? []
        return zip(ids, ranks).map { Match(id: $0, rank: $1) }
    }

    /// What comes behind all blocks.
    package struct Tail: Hashable, Sendable {
        package var criteria: Criteria
        /// Behind this id; `nil` asks for the newest.
        package var before: TemplateID?
        /// The generation whose popular matches were in the blocks.
        package var generation: Int?
        /// How many have to be found, if there are as many.
        package var least: Int

        /// The row limit, rounded to a few steps, because each limit is a separate prepared statement.
        fileprivate var most: Int { (least + 31) / 32 * 32 }
    }

    /// The matches behind all blocks, newest first.
    static func tail(_ tail: Tail, _ database: some PostgresExecutor) async throws -> [TemplateID] {
        let bound: PostgresQuery = tail.before.map { "w.id < \($0)" } ?? "true"
        let asked = tail.criteria.query
        // Which of the two tables has the generation is seen by its rows.
        let unseen: PostgresQuery =
            tail.generation.map {
                """
                NOT EXISTS (SELECT FROM popular_listings AS p WHERE p.id = w.id AND p.generation = \(Int32($0)))
                    AND NOT EXISTS (SELECT FROM former_popular_listings AS p WHERE p.id = w.id AND p.generation = \(Int32($0)))
                """
            } ?? "true"
        let fits = tail.criteria.filters.andResidual(of: "w")
        let walked = try await database.all(
            """
            SELECT w.id FROM (
                SELECT * FROM listing_words AS w WHERE \(fragment: bound) ORDER BY w.id DESC
                LIMIT \(literal: CatalogStore.walkedRows)
            ) AS w
            WHERE w.words @@ \(fragment: .inlined(asked)) AND \(fragment: unseen)\(fragment: fits)
            ORDER BY w.id DESC LIMIT \(literal: tail.most)
            """
        ) { try $0.get(0, as: TemplateID.self) }
        if walked.count >= tail.least { return walked }
        return try await database.all(
            """
            SELECT w.id FROM (SELECT * FROM listing_words AS w WHERE w.words @@ \(fragment: .inlined(asked)) OFFSET 0) AS w
            WHERE \(fragment: bound) AND \(fragment: unseen)\(fragment: fits)
            ORDER BY w.id DESC LIMIT \(literal: tail.most)
            """
        ) { try $0.get(0) }
    }
}

// How often words are used tells how they are found, not what.
extension RelevanceStore.Criteria: Hashable {
    package static func == (one: Self, other: Self) -> Bool {
        one.words == other.words && one.rankedBy == other.rankedBy && one.preferred == other.preferred
            && one.filters == other.filters
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(words)
        hasher.combine(preferred)
        hasher.combine(filters)
    }
}
