// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres
import SheetCore

/// Second factors, recovery codes and tickets in SQL.
enum SecondFactorStore {
    /// An account's second factor as it is stored.
    struct Record: Sendable {
        let sealed: Data
        let isConfirmed: Bool
        let lastStep: Int64
    }

    static func record(of user: UserID, in database: some PostgresExecutor) async throws -> Record? {
        try await database.first(
            """
            SELECT secret, confirmed_at IS NOT NULL AS confirmed, last_step
            FROM second_factors WHERE user_id = \(user)
            """
        ) {
            Record(
                sealed: try $0.get("secret"), isConfirmed: try $0.get("confirmed"), lastStep: try $0.get("last_step"))
        }
    }

    /// How many accounts have unused recovery codes that were marked with the scheme of an older release.
    static func accountsWithOldCodes(in database: some PostgresExecutor) async throws -> Int {
        try await database.scalar(
            """
            SELECT count(DISTINCT user_id) FROM recovery_codes WHERE keyed_by = 'secret_keys' AND used_at IS NULL
            """)
    }

    /// Begins to set one up, anew if that was begun before; `false` when there is one already.
    static func begin(
        _ sealed: Data, of user: UserID, at now: Date, in database: some PostgresExecutor
    ) async throws -> Bool {
        try await database.execute(
            """
            INSERT INTO second_factors (user_id, secret, created_at) VALUES (\(user), \(sealed), \(now))
            ON CONFLICT (user_id) DO UPDATE SET secret = EXCLUDED.secret, created_at = EXCLUDED.created_at, last_step = 0
            WHERE second_factors.confirmed_at IS NULL
            """) > 0
    }

    /// From now on it counts; `false` when it does already, or another was begun meanwhile.
    static func confirm(
        _ record: Record, of user: UserID, step: Int64, at now: Date, in database: some PostgresExecutor
    ) async throws -> Bool {
        try await database.execute(
            """
            UPDATE second_factors SET confirmed_at = \(now), last_step = \(step)
            WHERE user_id = \(user) AND confirmed_at IS NULL AND secret = \(record.sealed)
            """) > 0
    }

    /// Uses a step up; `false` when it, or a later one, was used before.
    static func use(step: Int64, of user: UserID, in database: some PostgresExecutor) async throws -> Bool {
        try await database.execute(
            """
            UPDATE second_factors SET last_step = \(step)
            WHERE user_id = \(user) AND confirmed_at IS NOT NULL AND last_step < \(step)
            """) > 0
    }

    /// Removes it with its recovery codes; `false` when there is none.
    static func delete(of user: UserID, in database: some PostgresExecutor) async throws -> Bool {
        try await database.execute("DELETE FROM recovery_codes WHERE user_id = \(user)")
        return try await database.execute("DELETE FROM second_factors WHERE user_id = \(user)") > 0
    }

    // MARK: Recovery codes

    static func replaceCodes(
        _ marks: [Data], of user: UserID, in connection: PostgresConnection
    ) async throws {
        try await connection.execute("DELETE FROM recovery_codes WHERE user_id = \(user)")
        try await connection.execute(
            """
            INSERT INTO recovery_codes (user_id, code_hash, keyed_by)
            SELECT \(user), unnest(\(marks)::bytea[]), 'second_factor'
            """)
    }

    /// Uses a code up; `false` when none of the marks is one that is left.
    static func consumeRecoveryCode(
        _ marks: [Data], of user: UserID, at now: Date, in database: some PostgresExecutor
    ) async throws -> Bool {
        try await database.execute(
            """
            UPDATE recovery_codes SET used_at = \(now)
            WHERE user_id = \(user) AND code_hash = ANY(\(marks)::bytea[]) AND used_at IS NULL
            """) > 0
    }

    static func codesLeft(of user: UserID, in database: some PostgresExecutor) async throws -> Int {
        try await database.scalar(
            "SELECT count(*) FROM recovery_codes WHERE user_id = \(user) AND used_at IS NULL")
    }

    // MARK: Tickets

    static func insertTicket(
        _ secret: SessionSecret, of user: UserID, until: Date, in database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            "INSERT INTO sign_in_tickets (token_hash, user_id, expires_at) VALUES (\(secret.hash), \(user), \(until))")
    }

    /// Whose ticket it is.
    static func ticket(
        _ secret: SessionSecret, at now: Date, in database: some PostgresExecutor
    ) async throws -> UserID? {
        try await database.first(
            "SELECT user_id FROM sign_in_tickets WHERE token_hash = \(secret.hash) AND expires_at > \(now)"
        ) { try $0.get("user_id") }
    }

    /// Uses a ticket up; `false` when somebody else just did.
    static func consumeTicket(_ secret: SessionSecret, in database: some PostgresExecutor) async throws -> Bool {
        try await database.execute("DELETE FROM sign_in_tickets WHERE token_hash = \(secret.hash)") > 0
    }

    static func deleteTickets(of user: UserID, in database: some PostgresExecutor) async throws {
        try await database.execute("DELETE FROM sign_in_tickets WHERE user_id = \(user)")
    }

    /// Counts a wrong code; after `limit` of them the ticket is gone.
    static func failTicket(
        _ secret: SessionSecret, limit: Int, in database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            "UPDATE sign_in_tickets SET failures = failures + 1 WHERE token_hash = \(secret.hash)")
        try await database.execute(
            "DELETE FROM sign_in_tickets WHERE token_hash = \(secret.hash) AND failures >= \(limit)")
    }
}
