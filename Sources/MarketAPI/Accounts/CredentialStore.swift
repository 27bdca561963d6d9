// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Postgres
import SheetCore

/// Whose a credential is and how long it holds.
struct CredentialRecord: Sendable {
    var identity: Identity
    var expiresAt: Date
    var isRevoked: Bool
    var isDisabled: Bool
    var lastUsedAt: Date?
}

/// Sessions and tokens in SQL. Secrets are found by their hash; the hash is all there is of them.
enum CredentialStore {
    /// Most tokens that an account has at once.
    static let maximumTokens = 200

    // MARK: Sessions

    /// Keeps a browser signed in.
    static func insertSession(
        _ id: SessionID, of user: UserID, secret: SessionSecret, userAgent: String?, at now: Date, until: Date,
        in database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            """
            INSERT INTO sessions (id, user_id, token_hash, user_agent, created_at, expires_at)
            VALUES (\(id), \(user), \(secret.hash), \(userAgent), \(now), \(until))
            """)
    }

    /// Whose session a cookie belongs to.
    static func session(
        _ hash: ContentHash, in database: some PostgresExecutor
    ) async throws -> CredentialRecord? {
        try await database.first(
            """
            SELECT sessions.id, sessions.user_id, sessions.expires_at, users.handle, users.role, users.disabled_at
            FROM sessions JOIN users ON users.id = sessions.user_id
            WHERE sessions.token_hash = \(hash)
            """
        ) { row in
            CredentialRecord(
                identity: Identity(
                    userID: try row.get("user_id"), handle: try row.get("handle"), role: try row.get("role"),
                    credential: .session(try row.get("id")), scopes: Set(TokenScope.all)),
                expiresAt: try row.get("expires_at"), isRevoked: false,
                isDisabled: try row.get("disabled_at", as: Date?.self) != nil)
        }
    }

    /// Signs a browser out.
    static func deleteSession(_ id: SessionID, in database: some PostgresExecutor) async throws {
        try await database.execute("DELETE FROM sessions WHERE id = \(id)")
    }

    // MARK: Tokens

    /// Adds a token; one made with another token ends with it at the latest. `nil` when the account has too many.
    static func insertToken(
        _ id: TokenID, of user: UserID, hash: ContentHash, name: String, scopes: [TokenScope], maker: TokenID?,
        at now: Date, until: Date, in database: some PostgresExecutor
    ) async throws -> TokenInfo? {
        try await database.first(
            """
            INSERT INTO api_tokens (id, user_id, name, token_hash, scopes, created_at, expires_at)
            SELECT \(id), \(user), \(name), \(hash), \(scopes)::text[], \(now),
                LEAST(\(until), (SELECT expires_at FROM api_tokens WHERE id = \(maker)))
            WHERE (SELECT count(*) FROM api_tokens
                   WHERE user_id = \(user) AND revoked_at IS NULL AND expires_at > \(now)) < \(maximumTokens)
            RETURNING id, name, scopes, created_at, expires_at, last_used_at
            """, TokenInfo.init)
    }

    /// Whose token it is.
    static func token(_ hash: ContentHash, in database: some PostgresExecutor) async throws -> CredentialRecord? {
        try await database.first(
            """
            SELECT api_tokens.id, api_tokens.user_id, api_tokens.scopes, api_tokens.expires_at, api_tokens.revoked_at,
                api_tokens.last_used_at, users.handle, users.role, users.disabled_at
            FROM api_tokens JOIN users ON users.id = api_tokens.user_id
            WHERE api_tokens.token_hash = \(hash)
            """
        ) { row in
            CredentialRecord(
                identity: Identity(
                    userID: try row.get("user_id"), handle: try row.get("handle"), role: try row.get("role"),
                    credential: .token(try row.get("id")), scopes: Set(try row.get("scopes", as: [TokenScope].self))),
                expiresAt: try row.get("expires_at"), isRevoked: try row.get("revoked_at", as: Date?.self) != nil,
                isDisabled: try row.get("disabled_at", as: Date?.self) != nil,
                lastUsedAt: try row.get("last_used_at"))
        }
    }

    /// The account's tokens that were not revoked, newest first.
    static func tokens(of user: UserID, in database: some PostgresExecutor) async throws -> [TokenInfo] {
        try await database.all(
            """
            SELECT id, name, scopes, created_at, expires_at, last_used_at FROM api_tokens
            WHERE user_id = \(user) AND revoked_at IS NULL
            ORDER BY created_at DESC, id DESC LIMIT 1000
            """, TokenInfo.init)
    }

    /// Revokes a token of the account; `false` when it has none such, or one that may do more than `scopes`
    /// (`own` is always within reach: a program can throw its own token away).
    static func revokeToken(
        _ id: TokenID, of user: UserID, within scopes: Set<TokenScope>, own: TokenID?, at now: Date,
        in database: some PostgresExecutor
    ) async throws -> Bool {
        try await database.execute(
            """
            UPDATE api_tokens SET revoked_at = \(now)
            WHERE id = \(id) AND user_id = \(user) AND revoked_at IS NULL
                AND (id = \(own) OR scopes <@ \(scopes.map(\.rawValue))::text[])
            """) > 0
    }

    /// Notes that a token was used, once a minute at most.
    static func touchToken(_ id: TokenID, at now: Date, in database: some PostgresExecutor) async throws {
        let minuteAgo = now.addingTimeInterval(-60)
        try await database.execute(
            """
            UPDATE api_tokens SET last_used_at = \(now)
            WHERE id = \(id) AND (last_used_at IS NULL OR last_used_at <= \(minuteAgo))
            """)
    }

    /// Removes what nobody can use any more: ended sessions, and tokens a month after their end.
    static func sweep(at now: Date, in database: some PostgresExecutor) async throws {
        let monthAgo = now.addingTimeInterval(-30 * 86_400)
        try await database.execute("DELETE FROM sessions WHERE expires_at <= \(now)")
        try await database.execute(
            "DELETE FROM api_tokens WHERE expires_at <= \(monthAgo) OR revoked_at <= \(monthAgo)")
    }
}

extension TokenInfo {
    init(_ row: PostgresRow) throws {
        self.init(
            id: try row.get("id"), name: try row.get("name"), scopes: try row.get("scopes"),
            createdAt: try row.get("created_at"), expiresAt: try row.get("expires_at"),
            lastUsedAt: try row.get("last_used_at"))
    }
}
