// SPDX-License-Identifier: Apache-2.0
import MarketWire
import Postgres

/// SQL of tags as a whole.
enum TagStore {
    /// How many have a tag, or had it.
    struct Uses: Sendable {
        /// Templates, also those not on offer.
        var templates: Int
        /// Submissions on which nobody has decided yet.
        var submissions: Int

        init(_ row: PostgresRow) throws {
            templates = try row.get("templates")
            submissions = try row.get("submissions")
        }
    }

    /// Those that templates on offer have, the most used first, beginning behind `last`.
    static func list(
        having part: String, after last: TagCount?, limit: Int, _ database: some PostgresExecutor
    ) async throws -> [TagCount] {
        let start: PostgresQuery =
            last.map {
                "AND (-k.count, k.value) > (-\($0.templateCount)::bigint, \($0.tag)::text COLLATE \"C\")"
            } ?? ""
        return try await database.all(
            """
            SELECT k.value, k.count FROM (
                SELECT f.value, sum(f.count)::bigint AS count FROM (
                    SELECT value, count FROM facet_counts WHERE game_system = '' AND facet = 't'
                    UNION ALL SELECT value, change FROM facet_changes WHERE game_system = '' AND facet = 't'
                ) AS f
                WHERE strpos(f.value, \(part)) > 0
                GROUP BY f.value
            ) AS k
            WHERE k.count > 0 \(fragment: start)
            ORDER BY k.count DESC, k.value LIMIT \(literal: limit)
            """
        ) { TagCount(tag: try $0.get(0), templateCount: try $0.get(1)) }
    }

    /// How many templates on offer have a tag.
    static func offered(with tag: String, _ database: some PostgresExecutor) async throws -> Int {
        try await database.one(
            """
            SELECT coalesce(sum(f.count), 0)::bigint FROM (
                SELECT count FROM facet_counts WHERE game_system = '' AND facet = 't' AND value = \(tag)
                UNION ALL SELECT change FROM facet_changes WHERE game_system = '' AND facet = 't' AND value = \(tag)
            ) AS f
            """
        ) { try $0.get(0) }
    }

    static func uses(of tag: String, _ database: some PostgresExecutor) async throws -> Uses {
        try await database.one("SELECT templates, submissions FROM tag_uses(\(tag))") { try Uses($0) }
    }

    /// Puts another tag in the place of one, or none; how many changed.
    static func replace(_ tag: String, by other: String?, _ connection: PostgresConnection) async throws -> Uses {
        // Longer than a request may take otherwise.
        try await connection.execute("SET LOCAL statement_timeout = 0")
        return try await connection.one("SELECT templates, submissions FROM replace_tag(\(tag), \(other))") {
            try Uses($0)
        }
    }
}
