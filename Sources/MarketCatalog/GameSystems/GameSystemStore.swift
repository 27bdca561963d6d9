// SPDX-License-Identifier: Apache-2.0
import Postgres

package enum GameSystemStore {
    /// Enters a game system unless its slug is there; `false` when it is.
    @discardableResult
    package static func insert(
        _ slug: String, name: String, publisher: String?, aliases: [String], in database: some PostgresExecutor
    ) async throws -> Bool {
        try await database.execute(
            """
            INSERT INTO game_systems (slug, name, publisher, aliases)
            VALUES (\(slug), \(name), \(publisher), \(aliases))
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
}
