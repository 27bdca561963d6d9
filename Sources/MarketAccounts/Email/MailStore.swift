// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres
import SheetCore

package enum MailTag {}
/// Names an e-mail.
package typealias MailID = Identifier<MailTag>

/// An e-mail as the outbox has it.
package struct OutboxEntry: Sendable {
    package var id: MailID?
    package var template: EmailTemplate
    package var user: UserID?
    /// Where it goes whatever the account's address is.
    var recipient: String?
    package var values: [String: String]
    /// Which attempt this is, from 1.
    package var attempt = 0
    package var createdAt = Date.distantPast

    package init(template: EmailTemplate, user: UserID?, recipient: String? = nil, values: [String: String]) {
        self.template = template
        self.user = user
        self.recipient = recipient
        self.values = values
    }
}

extension OutboxEntry {
    /// The address that an e-mail goes to which is for no account.
    var stranger: String? {
        let letters: Set<EmailTemplate> = [
            .copyrightReceived, .copyrightDecided, .copyrightCountered, .copyrightClosed,
        ]
        return user == nil && letters.contains(template) ? recipient : nil
    }
}

package enum MailStore {
    /// E-mails that were sent or dropped are kept this long, without what they said.
    package static let keptSeconds = 14.0 * 86_400

    package static func insert(_ entry: OutboxEntry, at now: Date, in database: some PostgresExecutor) async throws {
        let details = String(decoding: try JSONEncoder().encode(entry.values), as: UTF8.self)
        try await database.execute(
            """
            INSERT INTO mail_outbox (id, template, user_id, recipient, details, next_at, created_at)
            VALUES (\(MailID.make(at: now)), \(entry.template.rawValue), \(entry.user), \(entry.recipient),
                \(details)::text::jsonb, \(now), \(now))
            """)
    }

    /// Takes e-mails that are due; until `lease` is over nobody else takes them.
    package static func claim(
        limit: Int, at now: Date, lease: Double, in database: some PostgresExecutor
    ) async throws -> [OutboxEntry] {
        try await database.all(
            """
            UPDATE mail_outbox SET attempts = attempts + 1, next_at = \(now.addingTimeInterval(lease))
            WHERE id IN (
                SELECT id FROM mail_outbox WHERE state = 'waiting' AND next_at <= \(now)
                ORDER BY next_at LIMIT \(literal: limit) FOR UPDATE SKIP LOCKED)
            RETURNING id, template, user_id, recipient, details::text AS details, attempts, created_at
            """
        ) { row in
            let details = try row.get("details", as: String.self)
            var entry = OutboxEntry(
                template: EmailTemplate(rawValue: try row.get("template")), user: try row.get("user_id"),
                recipient: try row.get("recipient"),
                values: (try? JSONDecoder().decode([String: String].self, from: Data(details.utf8))) ?? [:])
            entry.id = try row.get("id", as: MailID.self)
            entry.attempt = try row.get("attempts")
            entry.createdAt = try row.get("created_at")
            return entry
        }
    }

    /// Ends an e-mail, and forgets what it said. Only the attempt that is the latest may.
    package static func end(
        _ entry: OutboxEntry, as state: String, problem: String? = nil, at now: Date,
        in database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            """
            UPDATE mail_outbox SET state = \(state), problem = \(problem), ended_at = \(now), details = '{}',
                recipient = NULL
            WHERE id = \(entry.id) AND attempts = \(entry.attempt) AND state = 'waiting'
            """)
    }

    /// Puts an e-mail off after an attempt that failed.
    static func postpone(
        _ entry: OutboxEntry, until: Date, problem: String, in database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            """
            UPDATE mail_outbox SET next_at = \(until), problem = \(problem)
            WHERE id = \(entry.id) AND attempts = \(entry.attempt) AND state = 'waiting'
            """)
    }

    /// Removes e-mails that were ended long ago, and links whose time is over.
    package static func sweep(at now: Date, in database: some PostgresExecutor) async throws {
        try await database.execute(
            """
            DELETE FROM mail_outbox
            WHERE state <> 'waiting' AND ended_at <= \(now.addingTimeInterval(-keptSeconds))
            """)
        try await database.execute("DELETE FROM mail_links WHERE expires_at <= \(now)")
    }
}

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
            WITH letter AS (SELECT id FROM mail_outbox WHERE id = \(message) AND state = 'waiting' FOR SHARE)
            INSERT INTO mail_links (token_hash, user_id, purpose, email, created_at, expires_at)
            SELECT \(secret.hash), \(user), \(purpose.rawValue), \(email), \(now), \(until) FROM letter
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
    static func revokeCredentialLinks(of user: UserID, at now: Date, in connection: PostgresConnection) async throws {
        // E-mails first: a link is made while its e-mail is held (`insert`).
        try await connection.execute(
            """
            UPDATE mail_outbox SET state = 'dropped', problem = 'the password was set', ended_at = \(now),
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
