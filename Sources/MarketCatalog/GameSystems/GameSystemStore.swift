// SPDX-License-Identifier: Apache-2.0
import MarketWire
import Postgres

package enum GameSystemStore {
    /// Enters a game system unless its slug is there, or leads to another; `false` when it is.
    @discardableResult
    package static func insert(
        _ slug: String, name: String, publisher: String?, aliases: [String], in database: some PostgresExecutor
    ) async throws -> Bool {
        try await database.execute(
            """
            INSERT INTO game_systems (slug, name, publisher, aliases)
            SELECT \(slug)::text, \(name)::text, \(publisher)::text, \(aliases)::text[]
            WHERE NOT EXISTS (SELECT FROM merged_game_systems WHERE slug = \(slug))
            ON CONFLICT (slug) DO NOTHING
            """) == 1
    }

    /// The name of a game system that nobody else changes until the transaction ends.
    static func lockedName(of slug: String, _ connection: PostgresConnection) async throws -> String? {
        try await connection.first("SELECT name FROM game_systems WHERE slug = \(slug) FOR NO KEY UPDATE") {
            try $0.get(0)
        }
    }

    static func isAnothers(_ name: String, than slug: String, _ connection: PostgresConnection) async throws -> Bool {
        try await connection.first(
            "SELECT FROM game_systems WHERE lower(name) = lower(\(name)) AND slug <> \(slug)"
        ) { _ in true } ?? false
    }

    static func update(
        _ slug: String, name: String, publisher: String?, aliases: [String], _ connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            UPDATE game_systems SET name = \(name), publisher = \(publisher), aliases = \(aliases)
            WHERE slug = \(slug)
            """)
    }

    // MARK: - Merging

    /// What a game is called.
    struct Names: Sendable {
        var name: String
        var aliases: [String]
    }

    /// Games by their slugs, which nobody else changes or refers to until the transaction ends.
    static func lockedNames(of slugs: [String], _ connection: PostgresConnection) async throws -> [String: Names] {
        let found = try await connection.all(
            """
            SELECT slug, name, aliases FROM game_systems WHERE slug = ANY (\(slugs)::text[])
            ORDER BY slug FOR UPDATE
            """
        ) { row -> (String, Names) in
            (try row.get(0), Names(name: try row.get(1), aliases: try row.get(2)))
        }
        return Dictionary(found, uniquingKeysWith: { first, _ in first })
    }

    static func uses(of slug: String, _ database: some PostgresExecutor) async throws -> GameSystemUses? {
        try await database.first(
            """
            SELECT g.slug, g.name, u.templates, u.followers, u.submissions
            FROM game_systems AS g CROSS JOIN LATERAL game_system_uses(g.slug) AS u WHERE g.slug = \(slug)
            """
        ) { row in
            GameSystemUses(
                slug: try row.get(0), name: try row.get(1), templateCount: try row.get(2),
                followerCount: try row.get(3), submissionCount: try row.get(4))
        }
    }

    /// Gives everything of a game to another; how much there was.
    static func move(
        _ slug: String, to other: String, _ connection: PostgresConnection
    ) async throws -> GameSystemMerge {
        // Longer than a request may take otherwise.
        try await connection.execute("SET LOCAL statement_timeout = 0")
        return try await connection.one(
            "SELECT templates, followers, submissions FROM move_game_system(\(slug), \(other))"
        ) { row in
            GameSystemMerge(
                slug: slug, into: other, templateCount: try row.get(0), followerCount: try row.get(1),
                submissionCount: try row.get(2))
        }
    }

    static func delete(_ slug: String, _ connection: PostgresConnection) async throws {
        try await connection.execute("DELETE FROM game_systems WHERE slug = \(slug)")
    }

    static func setAliases(of slug: String, to aliases: [String], _ connection: PostgresConnection) async throws {
        try await connection.execute("UPDATE game_systems SET aliases = \(aliases) WHERE slug = \(slug)")
    }
}
