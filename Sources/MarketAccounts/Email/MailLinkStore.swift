// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres
import SheetCore

/// What a link that an e-mail carries is good for.
enum MailLinkPurpose: String, Sendable {
    /// Proves that the address is its holder's; makes it the account's when it is not yet.
    case verify
    /// Sets a new password.
    case reset
}

/// Single-use links in SQL, by their hash.
enum MailLinkStore {
    /// What a link was made for.
    struct Link: Sendable {
        let user: UserID
        let email: String
    }

    /// Stores the link of an e-mail; `false` when the e-mail was dropped meanwhile.
    static func insert(
        _ secret: SessionSecret, for purpose: MailLinkPurpose, of user: UserID, email: String, in message: MailID?,
        at now: Date, until: Date, in database: some PostgresExecutor
    ) async throws -> Bool {
        try await database.execute(
            """
            WITH message AS (SELECT id FROM mail_outbox WHERE id = \(message) AND state = 'waiting' FOR SHARE)
            INSERT INTO mail_links (token_hash, user_id, purpose, email, created_at, expires_at)
            SELECT \(secret.hash), \(user), \(purpose.rawValue), \(email), \(now), \(until) FROM message
            """) == 1
    }

    /// What the link is for if it would be taken, else `nil`; looking uses nothing up.
    static func link(
        _ secret: SessionSecret, for purpose: MailLinkPurpose, at now: Date, in database: some PostgresExecutor
    ) async throws -> Link? {
        try await database.first(
            """
            SELECT user_id, email FROM mail_links
            WHERE token_hash = \(secret.hash) AND purpose = \(purpose.rawValue) AND expires_at > \(now)
            """
        ) { Link(user: try $0.get("user_id"), email: try $0.get("email")) }
    }

    /// Uses a link up, and with it all others of its account and purpose; `nil` when it holds no more.
    static func consume(
        _ secret: SessionSecret, for purpose: MailLinkPurpose, at now: Date, in database: some PostgresExecutor
    ) async throws -> Link? {
        let link = try await database.first(
            """
            DELETE FROM mail_links WHERE token_hash = \(secret.hash) AND purpose = \(purpose.rawValue)
                AND expires_at > \(now)
            RETURNING user_id, email
            """
        ) { Link(user: try $0.get("user_id"), email: try $0.get("email")) }
        if let link { try await deleteLinks(of: link.user, purpose, in: database) }
        return link
    }

    /// Makes useless every link of an account that could set its password or give it another address, also those that
    /// waiting e-mails are to carry. One that only proves the present address stays.
    static func revokeCredentialLinks(of user: UserID, in connection: PostgresConnection) async throws {
        // E-mails first: a link is made while its e-mail is held (`insert`).
        try await connection.execute(
            """
            UPDATE mail_outbox SET state = 'dropped', last_error = 'the password was set', ended_at = now(),
                details = '{}', recipient = NULL
            WHERE user_id = \(user) AND state = 'waiting' AND template = \(EmailTemplate.verify.rawValue)
                AND recipient IS NOT NULL
            """)
        try await connection.execute(
            """
            DELETE FROM mail_links AS l USING users AS u
            WHERE l.user_id = \(user) AND u.id = l.user_id
                AND (l.purpose = 'reset' OR lower(l.email) IS DISTINCT FROM lower(u.email))
            """)
    }

    /// Removes links whose time is over.
    static func deleteExpired(at now: Date, in database: some PostgresExecutor) async throws {
        try await database.execute("DELETE FROM mail_links WHERE expires_at <= \(now)")
    }

    /// Makes all links useless that went to an address.
    static func deleteLinks(address: String, in database: some PostgresExecutor) async throws {
        try await database.execute("DELETE FROM mail_links WHERE lower(email) = lower(\(address))")
    }

    /// Makes all links of an account useless: those of one purpose, or all.
    static func deleteLinks(
        of user: UserID, _ purpose: MailLinkPurpose? = nil, in database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            """
            DELETE FROM mail_links
            WHERE user_id = \(user) AND (\(purpose?.rawValue)::text IS NULL OR purpose = \(purpose?.rawValue))
            """)
    }
}
