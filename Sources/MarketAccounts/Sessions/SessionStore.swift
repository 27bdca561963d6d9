// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// Sign-ins of browsers in SQL. The cookie's secret is found by its hash; the hash is all there is of it.
enum SessionStore {
    /// How right `last_seen_at` is, in seconds.
    static let visitSeconds = 300.0
    /// How long a device that signed in is remembered, in seconds.
    static let deviceSeconds = 180.0 * 86_400

    /// Keeps a browser signed in.
    static func insert(
        _ id: SessionID, of user: UserID, hash: ContentHash, device: SignInDevice, at now: Date, until: Date,
        in database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            """
            INSERT INTO sessions (id, user_id, token_hash, user_agent, network, created_at, last_seen_at, confirmed_at,
                expires_at)
            VALUES (\(id), \(user), \(hash), \(device.userAgent), \(device.network), \(now), \(now), \(now),
                \(until))
            """)
    }

    /// Whose session a cookie belongs to.
    static func session(_ hash: ContentHash, in database: some PostgresExecutor) async throws -> CredentialRecord? {
        try await database.first(
            """
            SELECT sessions.id, sessions.user_id, sessions.expires_at, sessions.confirmed_at, sessions.last_seen_at,
                users.handle, users.role, users.disabled_at, users.language,
                \(fragment: AccountStore.hasSecondFactor) AS has_second_factor
            FROM sessions JOIN users ON users.id = sessions.user_id
            WHERE sessions.token_hash = \(hash)
            """
        ) { row in
            CredentialRecord(
                identity: Identity(
                    userID: try row.get("user_id"), handle: try row.get("handle"), role: try row.get("role"),
                    credential: .session(try row.get("id")), scopes: Set(TokenScope.all),
                    confirmedAt: try row.get("confirmed_at"),
                    language: try row.get("language", as: String?.self).flatMap { PageLanguage(rawValue: $0) }),
                expiresAt: try row.get("expires_at"), isRevoked: false,
                isDisabled: try row.get("disabled_at", as: Date?.self) != nil,
                lastUsedAt: try row.get("last_seen_at"), hasSecondFactor: try row.get("has_second_factor"))
        }
    }

    /// The account's sessions, the current one and then the newest first, beginning behind `last`. Visits
    /// move none, so that a browser that is used between two pages is not missed.
    static func list(
        of user: UserID, current: SessionID, after last: (at: Date, id: SessionID)?, limit: Int, at now: Date,
        in database: some PostgresExecutor
    ) async throws -> [SessionInfo] {
        var start: PostgresQuery = ""
        if let last {
            start = "AND id <> \(current)"
            if last.id != current {
                start = "\(fragment: start) AND (created_at, id) < (\(last.at), \(last.id))"
            }
        }
        return try await database.all(
            """
            SELECT id, user_agent, network, created_at, COALESCE(last_seen_at, created_at) AS last_seen_at, expires_at
            FROM sessions WHERE user_id = \(user) AND expires_at > \(now) \(fragment: start)
            ORDER BY id = \(current) DESC, created_at DESC, id DESC LIMIT \(literal: limit)
            """
        ) { row in
            let id = try row.get("id", as: SessionID.self)
            return SessionInfo(
                id: id, device: DeviceName(userAgent: try row.get("user_agent")).text, network: try row.get("network"),
                createdAt: try row.get("created_at"), lastSeenAt: try row.get("last_seen_at"),
                expiresAt: try row.get("expires_at"), isCurrent: id == current)
        }
    }

    /// Notes that a session's holder is here.
    static func touch(_ id: SessionID, at now: Date, in database: some PostgresExecutor) async throws {
        let before = now.addingTimeInterval(-visitSeconds)
        try await database.execute(
            """
            UPDATE sessions SET last_seen_at = \(now)
            WHERE id = \(id) AND (last_seen_at IS NULL OR last_seen_at <= \(before))
            """)
    }

    /// Notes that the holder showed again who they are.
    static func confirm(_ id: SessionID, at now: Date, in database: some PostgresExecutor) async throws {
        try await database.execute("UPDATE sessions SET confirmed_at = \(now) WHERE id = \(id)")
    }

    /// Signs a browser out; `false` when it is not of `user`, or over.
    @discardableResult
    static func delete(
        _ id: SessionID, of user: UserID? = nil, in database: some PostgresExecutor
    ) async throws -> Bool {
        try await database.execute(
            "DELETE FROM sessions WHERE id = \(id) AND (\(user)::uuid IS NULL OR user_id = \(user))") > 0
    }

    /// Signs all browsers of an account out, but one.
    @discardableResult
    static func deleteAll(
        of user: UserID, but kept: SessionID?, in database: some PostgresExecutor
    ) async throws -> Int {
        try await database.execute(
            "DELETE FROM sessions WHERE user_id = \(user) AND (\(kept)::uuid IS NULL OR id <> \(kept))")
    }

    // MARK: Sessions in waiting

    /// Whose session is kept for a link, and not over.
    static func waiting(
        _ hash: ContentHash, at now: Date, in database: some PostgresExecutor
    ) async throws -> UserID? {
        try await database.first(
            "SELECT user_id FROM sessions WHERE token_hash = \(hash) AND expires_at > \(now)"
        ) { try $0.get("user_id") }
    }

    /// Takes such a session away; `nil` when there is none, or somebody was faster.
    static func consume(
        _ hash: ContentHash, at now: Date, in database: some PostgresExecutor
    ) async throws -> UserID? {
        try await database.first(
            "DELETE FROM sessions WHERE token_hash = \(hash) AND expires_at > \(now) RETURNING user_id"
        ) { try $0.get("user_id") }
    }

    /// Ends all of an account's sessions of that device.
    static func deleteAll(of user: UserID, device: String, in database: some PostgresExecutor) async throws {
        try await database.execute("DELETE FROM sessions WHERE user_id = \(user) AND user_agent = \(device)")
    }

    // MARK: Devices

    /// Remembers a device of the account; `true` when it is new, and not the first.
    static func recognize(
        _ device: SignInDevice, of user: UserID, at now: Date, in database: some PostgresExecutor
    ) async throws -> Bool {
        let hash = device.hash(of: user)
        return try await database.scalar(
            """
            WITH before AS (
                SELECT count(*) AS devices, count(*) FILTER (WHERE device_hash = \(hash)) AS same
                FROM known_devices WHERE user_id = \(user)
            ), met AS (
                INSERT INTO known_devices (user_id, device_hash, first_seen, last_seen)
                VALUES (\(user), \(hash), \(now), \(now))
                ON CONFLICT (user_id, device_hash) DO UPDATE SET last_seen = EXCLUDED.last_seen
            )
            SELECT devices > 0 AND same = 0 FROM before
            """)
    }

    /// Removes sessions and tickets that are over, and devices long not seen.
    static func deleteExpired(at now: Date, in database: some PostgresExecutor) async throws {
        try await database.execute("DELETE FROM sessions WHERE expires_at <= \(now)")
        try await database.execute("DELETE FROM sign_in_tickets WHERE expires_at <= \(now)")
        try await database.execute(
            "DELETE FROM known_devices WHERE last_seen <= \(now.addingTimeInterval(-deviceSeconds))")
    }
}
