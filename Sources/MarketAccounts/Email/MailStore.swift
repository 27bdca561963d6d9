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
        let ownTemplates: Set<EmailTemplate> = [
            .copyrightReceived, .copyrightDecided, .copyrightCountered, .copyrightClosed,
        ]
        return user == nil && ownTemplates.contains(template) ? recipient : nil
    }
}

/// What the outbox holds, without what the e-mails say or to whom.
package struct MailSummary: Sendable {
    /// One that did not go out at once.
    package struct Troubled: Sendable {
        package let template: EmailTemplate
        package let isWaiting: Bool
        package let attempts: Int
        package let createdAt: Date
        package let problem: String?
    }

    package let waiting: Int
    /// As long as they are kept (`MailStore.keptSeconds`).
    package let sent: Int
    package let abandoned: Int
    package let troubled: [Troubled]
}

/// The outbox in SQL. Times are the database's: a node with a wrong clock neither holds e-mails up nor sends them twice.
package enum MailStore {
    /// E-mails that were sent or dropped are kept this long, without what they said.
    package static let keptSeconds = 14.0 * 86_400

    package static func insert(_ entry: OutboxEntry, in database: some PostgresExecutor) async throws {
        let details = String(decoding: try JSONEncoder().encode(entry.values), as: UTF8.self)
        try await database.execute(
            """
            INSERT INTO mail_outbox (id, template, user_id, recipient, details, next_attempt_at, created_at)
            VALUES (\(MailID.make()), \(entry.template.rawValue), \(entry.user), \(entry.recipient),
                \(details)::text::jsonb, statement_timestamp(), statement_timestamp())
            """)
    }

    /// Takes e-mails that are due; for `lease` seconds nobody else takes them.
    package static func claim(
        limit: Int, lease: Double, in database: some PostgresExecutor
    ) async throws -> [OutboxEntry] {
        try await database.all(
            """
            UPDATE mail_outbox SET attempts = attempts + 1, next_attempt_at = now() + \(lease) * interval '1 second'
            WHERE id IN (
                SELECT id FROM mail_outbox WHERE state = 'waiting' AND next_attempt_at <= now()
                ORDER BY next_attempt_at LIMIT \(literal: limit) FOR UPDATE SKIP LOCKED)
            RETURNING id, template, user_id, recipient, details::text AS details, attempts, created_at
            """
        ) { row in
            let details = try row.get("details", as: String.self)
            // Values that cannot be read are left out: one bad row must not keep the others from going out.
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
        _ entry: OutboxEntry, as state: String, problem: String? = nil, in database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            """
            UPDATE mail_outbox SET state = \(state), last_error = \(problem), ended_at = now(), details = '{}',
                recipient = NULL
            WHERE id = \(entry.id) AND attempts = \(entry.attempt) AND state = 'waiting'
            """)
    }

    /// Puts an e-mail off, by so many seconds, after an attempt that failed.
    static func postpone(
        _ entry: OutboxEntry, by seconds: Double, problem: String, in database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            """
            UPDATE mail_outbox SET next_attempt_at = now() + \(seconds) * interval '1 second', last_error = \(problem)
            WHERE id = \(entry.id) AND attempts = \(entry.attempt) AND state = 'waiting'
            """)
    }

    /// What the outbox holds, and the e-mails that did not go out at once, the latest first.
    package static func summary(in database: PostgresClient) async throws -> MailSummary {
        async let counts = database.one(
            """
            SELECT count(*) FILTER (WHERE state = 'waiting') AS waiting, count(*) FILTER (WHERE state = 'sent') AS sent,
                count(*) FILTER (WHERE state = 'dead') AS dead
            FROM mail_outbox
            """
        ) { (try $0.get("waiting", as: Int.self), try $0.get("sent", as: Int.self), try $0.get("dead", as: Int.self)) }
        async let troubled = database.all(
            """
            SELECT template, state, attempts, created_at, last_error FROM mail_outbox
            WHERE last_error IS NOT NULL AND state IN ('waiting', 'dead') ORDER BY created_at DESC, id LIMIT 20
            """
        ) { row in
            MailSummary.Troubled(
                template: EmailTemplate(rawValue: try row.get("template")),
                isWaiting: try row.get("state", as: String.self) == "waiting", attempts: try row.get("attempts"),
                createdAt: try row.get("created_at"), problem: try row.get("last_error"))
        }
        let (waiting, sent, abandoned) = try await counts
        return MailSummary(waiting: waiting, sent: sent, abandoned: abandoned, troubled: try await troubled)
    }

    /// Removes e-mails that were ended long ago.
    package static func deleteExpired(in database: some PostgresExecutor) async throws {
        try await database.execute(
            """
            DELETE FROM mail_outbox
            WHERE state <> 'waiting' AND ended_at <= now() - \(keptSeconds) * interval '1 second'
            """)
    }
}
