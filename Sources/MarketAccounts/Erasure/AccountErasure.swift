// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Postgres
import SheetCore

/// A person about to be erased, whose row is locked.
package struct PersonToErase: Sendable {
    package var id: UserID
    package var handle: String
    package var displayName: String
    package var role: UserRole
    /// What their templates shall become, when they wished to go.
    package var templates: TemplatesAfterErasure?
    /// When they shall go.
    package var eraseAt: Date?
}

/// SQL of the wish to be erased, and of what an erased person leaves in the tables of accounts.
package enum AccountErasure {
    // MARK: - The wish

    /// Notes when an account shall be erased.
    package static func schedule(
        _ user: UserID, at date: Date, templates: TemplatesAfterErasure, in database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            "UPDATE users SET erase_at = \(date), erase_templates = \(templates) WHERE id = \(user) AND erased_at IS NULL"
        )
    }

    /// Forgets the wish; `false` when there was none.
    package static func cancel(_ user: UserID, in database: some PostgresExecutor) async throws -> Bool {
        try await database.execute(
            """
            UPDATE users SET erase_at = NULL, erase_templates = NULL
            WHERE id = \(user) AND erase_at IS NOT NULL AND erased_at IS NULL
            """) == 1
    }

    /// The wish, when there is one.
    package static func status(of user: UserID, in database: some PostgresExecutor) async throws -> ErasureStatus? {
        try await database.first(
            "SELECT erase_at, erase_templates FROM users WHERE id = \(user) AND erase_at IS NOT NULL"
        ) { ErasureStatus(eraseAt: try $0.get("erase_at"), templates: try $0.get("erase_templates")) }
    }

    /// Accounts whose time is up.
    package static func due(at now: Date, in database: some PostgresExecutor) async throws -> [UserID] {
        try await database.all(
            "SELECT id FROM users WHERE erase_at <= \(now) AND erased_at IS NULL ORDER BY erase_at LIMIT 100"
        ) { try $0.get("id") }
    }

    // MARK: - Erasing

    /// Locks the account; `nil` when there is none, or it is erased.
    package static func lock(_ user: UserID, in connection: PostgresConnection) async throws -> PersonToErase? {
        try await connection.first(
            """
            SELECT handle, display_name, role, erase_templates, erase_at FROM users
            WHERE id = \(user) AND erased_at IS NULL FOR UPDATE
            """
        ) { row in
            PersonToErase(
                id: user, handle: try row.get("handle"), displayName: try row.get("display_name"),
                role: try row.get("role"), templates: try row.get("erase_templates"), eraseAt: try row.get("erase_at"))
        }
    }

    /// Whether there is another administrator who can sign in.
    package static func hasOtherAdministrator(
        than user: UserID, in connection: PostgresConnection
    ) async throws -> Bool {
        try await connection.scalar(
            """
            SELECT EXISTS (SELECT FROM users WHERE role = 'administrator' AND id <> \(user) AND disabled_at IS NULL
                AND email IS DISTINCT FROM 'sheetmarket@accounts.invalid')
            """)
    }

    /// Forgets failed attempts at the second factor; those at the password are counted under no account.
    package static func deleteFailures(of user: UserID, in connection: PostgresConnection) async throws {
        try await connection.execute("DELETE FROM sign_in_failures WHERE subject = \("code:\(user)")")
    }

    /// What is left of the account: a name that says nothing.
    package static func anonymize(
        _ user: UserID, as handle: String, at now: Date, in connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            UPDATE users SET handle = \(handle), display_name = 'Former member', email = NULL,
                email_verified_at = NULL, language = NULL, password_hash = NULL, role = 'user', disabled_at = coalesce(disabled_at, \(now)), erased_at = \(now),
                erase_at = NULL, erase_templates = NULL
            WHERE id = \(user)
            """)
    }
}

extension TemplatesAfterErasure: PostgresCodable {}
