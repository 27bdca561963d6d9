// SPDX-License-Identifier: Apache-2.0
import Postgres
import SheetCore

/// How far a market has come, for those who run it.
package enum MarketStateStore {
    package struct State: Sendable {
        /// Moderators and administrators who can sign in.
        let staff: Int
        /// Whether somebody other than the service itself has a sheet on offer.
        let hasOwnSheets: Bool
        let gameSystems: Int
        /// Whether the account that asks has a password or another way to come back.
        let mayReturn: Bool
    }

    /// The state as it concerns the account `viewer`. The account `sheetmarket` owns the examples; nobody signs in to it.
    package static func state(for viewer: UserID, _ database: some PostgresExecutor) async throws -> State? {
        try await database.first(
            """
            SELECT (\(fragment: staffCount)), EXISTS (
                SELECT FROM templates AS t JOIN users AS o ON o.id = t.owner_id
                WHERE t.latest_version_id IS NOT NULL AND o.handle <> 'sheetmarket'
            ), (SELECT count(*) FROM game_systems), (
                SELECT count(*) FROM users AS u WHERE u.id = \(viewer) AND \(fragment: canSignIn)
            ) > 0
            """
        ) { row in
            State(
                staff: try row.get(0), hasOwnSheets: try row.get(1), gameSystems: try row.get(2),
                mayReturn: try row.get(3))
        }
    }

    /// How many people can moderate.
    package static func staff(_ database: some PostgresExecutor) async throws -> Int {
        try await database.scalar(staffCount)
    }

    private static let staffCount: PostgresQuery =
        """
        SELECT count(*) FROM users AS u
        WHERE u.role IN ('moderator', 'administrator') AND u.disabled_at IS NULL AND \(fragment: canSignIn)
        """

    private static let canSignIn: PostgresQuery =
        """
        (u.password_hash IS NOT NULL OR EXISTS (SELECT FROM identities AS i WHERE i.user_id = u.id))
        """
}
