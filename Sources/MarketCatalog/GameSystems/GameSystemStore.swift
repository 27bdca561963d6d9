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
}
