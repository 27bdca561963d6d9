// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Postgres
import SheetCore

/// A sign-in on its way to a provider and back.
struct SignInFlow: Sendable {
    var provider: String
    var redirectURI: String
    var next: String
    /// Whose account the identity is to be linked to; `nil` for signing in.
    var linkTo: UserID?
}

/// An identity that a provider vouched for and that waits for its person's word: a name for a new account, or their
/// consent to be linked.
package struct PendingIdentity: Sendable, Equatable {
    package var issuer: String
    package var subject: String
    package var email: String?
    var isEmailVerified: Bool
    package var suggestedName: String?
    package var next: String
    package var linkTo: UserID?

    package init(
        issuer: String, subject: String, email: String? = nil, isEmailVerified: Bool, suggestedName: String? = nil,
        next: String, linkTo: UserID? = nil
    ) {
        self.issuer = issuer
        self.subject = subject
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.suggestedName = suggestedName
        self.next = next
        self.linkTo = linkTo
    }
}

/// An identity that an account can be entered with.
package struct IdentityRecord: Sendable {
    package var id: IdentityID
    package var issuer: String
    package var email: String?
    package var linkedAt: Date
    package var lastUsedAt: Date?
}

/// Sign-ins with providers in SQL. State and ticket are found by their hashes, which are all there is of them.
package enum SignInStore {
    /// How long a person may take at the provider, in seconds.
    static let flowSeconds = 900.0
    /// How long they may take to choose a name, in seconds.
    static let pendingIdentitySeconds = 1800.0

    // MARK: - On the way

    static func insertFlow(
        _ flow: SignInFlow, state: SessionSecret, browser: SessionSecret, at now: Date,
        in database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            """
            INSERT INTO sign_in_flows (state_hash, browser_hash, provider, redirect_uri, next, link_to, expires_at)
            VALUES (\(state.hash), \(browser.hash), \(flow.provider), \(flow.redirectURI), \(flow.next), \(flow.linkTo),
                \(now.addingTimeInterval(flowSeconds)))
            """)
    }

    /// Uses a flow up; `nil` when this browser began none with this state at this provider. Somebody else's stays.
    static func consumeFlow(
        state: SessionSecret, browser: SessionSecret, provider: String, at now: Date,
        in database: some PostgresExecutor
    ) async throws -> SignInFlow? {
        try await database.first(
            """
            DELETE FROM sign_in_flows
            WHERE state_hash = \(state.hash) AND browser_hash = \(browser.hash) AND provider = \(provider)
                AND expires_at > \(now)
            RETURNING provider, redirect_uri, next, link_to
            """
        ) { row in
            SignInFlow(
                provider: try row.get("provider"), redirectURI: try row.get("redirect_uri"), next: try row.get("next"),
                linkTo: try row.get("link_to"))
        }
    }

    // MARK: - Back, and waiting for a word

    static func insertPendingIdentity(
        _ identity: PendingIdentity, ticket: SessionSecret, at now: Date, in database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            """
            INSERT INTO pending_identities (ticket_hash, issuer, subject, email, is_email_verified, suggested_name,
                next, link_to, expires_at)
            VALUES (\(ticket.hash), \(identity.issuer), \(identity.subject), \(identity.email),
                \(identity.isEmailVerified), \(identity.suggestedName), \(identity.next), \(identity.linkTo),
                \(now.addingTimeInterval(pendingIdentitySeconds)))
            """)
    }

    package static func pendingIdentity(
        _ ticket: SessionSecret, at now: Date, in database: some PostgresExecutor
    ) async throws -> PendingIdentity? {
        try await database.first(
            """
            SELECT issuer, subject, email, is_email_verified, suggested_name, next, link_to FROM pending_identities
            WHERE ticket_hash = \(ticket.hash) AND expires_at > \(now)
            """, PendingIdentity.init)
    }

    /// Uses a ticket up.
    static func consumePendingIdentity(
        _ ticket: SessionSecret, at now: Date, in database: some PostgresExecutor
    ) async throws -> PendingIdentity? {
        try await database.first(
            """
            DELETE FROM pending_identities WHERE ticket_hash = \(ticket.hash) AND expires_at > \(now)
            RETURNING issuer, subject, email, is_email_verified, suggested_name, next, link_to
            """, PendingIdentity.init)
    }

    // MARK: - Identities

    /// Whose identity it is, noting that it was used.
    static func recordIdentityUse(
        issuer: String, subject: String, at now: Date, in database: some PostgresExecutor
    ) async throws -> UserID? {
        try await database.first(
            """
            UPDATE identities SET last_used_at = \(now) WHERE issuer = \(issuer) AND subject = \(subject)
            RETURNING user_id
            """
        ) { try $0.get("user_id") }
    }

    /// Gives an account another way in; throws `ProviderSignInError.taken`.
    static func insertIdentity(
        _ identity: PendingIdentity, of user: UserID, at now: Date, in connection: PostgresConnection
    ) async throws {
        let count = try await connection.execute(
            """
            INSERT INTO identities (id, user_id, issuer, subject, email, linked_at, last_used_at)
            VALUES (\(IdentityID.make(at: now)), \(user), \(identity.issuer), \(identity.subject), \(identity.email),
                \(now), \(now))
            ON CONFLICT (issuer, subject) DO UPDATE SET last_used_at = EXCLUDED.last_used_at
                WHERE identities.user_id = EXCLUDED.user_id
            """)
        guard count == 1 else { throw ProviderSignInError.taken }
    }

    package static func identities(of user: UserID, in database: some PostgresExecutor) async throws -> [IdentityRecord]
    {
        try await database.all(
            """
            SELECT id, issuer, email, linked_at, last_used_at FROM identities WHERE user_id = \(user) ORDER BY linked_at, id
            """
        ) { row in
            IdentityRecord(
                id: try row.get("id"), issuer: try row.get("issuer"), email: try row.get("email"),
                linkedAt: try row.get("linked_at"), lastUsedAt: try row.get("last_used_at"))
        }
    }

    /// Takes a way in from an account whose row is locked, and answers its issuer; `nil` when it has none such. Throws
    /// `ProviderSignInError.lastWayIn` where nothing would be left.
    static func deleteIdentity(
        _ id: IdentityID, of user: UserID, in connection: PostgresConnection
    ) async throws -> String? {
        let hasPassword = try await connection.first(
            "SELECT password_hash IS NOT NULL FROM users WHERE id = \(user) FOR UPDATE"
        ) { try $0.get(0, as: Bool.self) }
        let all = try await identities(of: user, in: connection)
        guard let doomed = all.first(where: { $0.id == id }) else { return nil }
        guard hasPassword == true || all.count > 1 else { throw ProviderSignInError.lastWayIn }
        try await connection.execute("DELETE FROM identities WHERE id = \(id) AND user_id = \(user)")
        return doomed.issuer
    }

    /// Takes all ways in by a provider from an account.
    static func deleteIdentities(of user: UserID, in connection: PostgresConnection) async throws {
        try await connection.execute("DELETE FROM identities WHERE user_id = \(user)")
    }

    /// Removes what nobody came back for.
    package static func deleteExpired(at now: Date, in database: some PostgresExecutor) async throws {
        try await database.execute("DELETE FROM sign_in_flows WHERE expires_at <= \(now)")
        try await database.execute("DELETE FROM pending_identities WHERE expires_at <= \(now)")
    }
}

extension PendingIdentity {
    package init(_ row: PostgresRow) throws {
        self.init(
            issuer: try row.get("issuer"), subject: try row.get("subject"), email: try row.get("email"),
            isEmailVerified: try row.get("is_email_verified"), suggestedName: try row.get("suggested_name"),
            next: try row.get("next"), linkTo: try row.get("link_to"))
    }
}
