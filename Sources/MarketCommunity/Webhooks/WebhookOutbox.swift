// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Postgres
import SheetCore

/// SQL of deliveries for the dispatcher. Times are the database's.
package struct WebhookOutbox: Sendable {
    /// A delivery that nobody else works on for now.
    package struct Claim: Sendable {
        package var id: WebhookDeliveryID
        package var webhook: WebhookID
        package var body: String
        package var url: String
        package var secret: Data
        /// Whether its owner may still be told: everybody's events are for administrators alone, and a disabled account
        /// receives nothing.
        package var mayReceive: Bool
        /// How often it has been sent, this time included.
        package var attempt: Int
        /// The same since it was entered or last redelivered.
        var tries: Int
        package var lease: UUID
    }

    /// What came of an attempt.
    package struct Outcome: Sendable {
        package var at: Date
        package var milliseconds: Int
        package var status: Int?
        package var error: String?
        package var answer: String?

        package init(at: Date, milliseconds: Int, status: Int? = nil, error: String? = nil, answer: String? = nil) {
            self.at = at
            self.milliseconds = milliseconds
            self.status = status
            self.error = error
            self.answer = answer
        }
    }

    /// What follows from an outcome.
    package enum Verdict: Sendable {
        case delivered
        /// To be tried again after so many seconds.
        case again(Double)
        case failed
        /// Not sent, and never to be; this does not count as a failure of the receiver.
        case withheld
        /// The receiver wants nothing any more.
        case gone
    }

    package let database: PostgresClient
    package let schedule: WebhookSchedule

    /// The next delivery that is due, of a webhook to which nothing else is being sent. A worker that does not report
    /// within the lease counts as dead, and the delivery is sent again.
    package func claim() async throws -> Claim? {
        try await database.first(
            """
            WITH free AS (
                SELECT w.id, w.url, w.secret,
                    u.disabled_at IS NULL AND (w.covers = 'own' OR u.role = 'administrator') AS may_hear
                FROM webhooks AS w JOIN users AS u ON u.id = w.user_id
                WHERE w.disabled_at IS NULL AND (w.lease_expires_at IS NULL OR w.lease_expires_at < now()) AND EXISTS (
                    SELECT FROM webhook_deliveries AS d
                    WHERE d.webhook_id = w.id AND d.state = 'pending' AND d.next_attempt_at <= now())
                ORDER BY w.lease_expires_at NULLS FIRST, w.id LIMIT 1 FOR NO KEY UPDATE OF w SKIP LOCKED
            ), busy AS (
                UPDATE webhooks SET lease_expires_at = now() + \(schedule.leaseSeconds) * interval '1 second'
                FROM free WHERE webhooks.id = free.id
            ), next AS (
                SELECT d.id FROM free CROSS JOIN LATERAL (
                    SELECT id FROM webhook_deliveries
                    WHERE webhook_id = free.id AND state = 'pending' AND next_attempt_at <= now()
                    ORDER BY next_attempt_at, id LIMIT 1
                ) AS d
            )
            UPDATE webhook_deliveries AS d SET attempts = d.attempts + 1, tries = d.tries + 1,
                lease_token = gen_random_uuid(),
                next_attempt_at = now() + \(schedule.leaseSeconds) * interval '1 second'
            FROM next, free WHERE d.id = next.id
            RETURNING d.id, d.webhook_id, d.body, free.url, free.secret, d.attempts, d.tries, d.lease_token,
                free.may_hear
            """
        ) { row in
            Claim(
                id: try row.get(0), webhook: try row.get(1), body: try row.get(2), url: try row.get(3),
                secret: try row.get(4), mayReceive: try row.get(8), attempt: try row.get(5), tries: try row.get(6),
                lease: try row.get(7))
        }
    }

    /// Notes what came of an attempt and what follows, unless somebody else has taken it up meanwhile.
    package func recordOutcome(_ claim: Claim, _ outcome: Outcome, _ verdict: Verdict) async throws {
        try await database.withTransaction { connection in
            guard try await recordDeliveryResult(claim, verdict, connection) else { return }
            try await connection.execute(
                """
                INSERT INTO webhook_attempts (delivery_id, number, at, duration_ms, status, error, response_body)
                VALUES (\(claim.id), \(claim.attempt), \(outcome.at), \(outcome.milliseconds), \(outcome.status),
                    \(outcome.error), \(outcome.answer))
                """)
            try await recordWebhookResult(claim.webhook, verdict, connection)
        }
    }

    private func recordDeliveryResult(
        _ claim: Claim, _ verdict: Verdict, _ connection: PostgresConnection
    ) async throws -> Bool {
        let change: PostgresQuery =
            switch verdict {
            case .delivered: "state = 'delivered', ended_at = now()"
            case .again(let seconds): "next_attempt_at = now() + \(seconds) * interval '1 second'"
            case .failed, .withheld, .gone: "state = 'failed', ended_at = now()"
            }
        return try await connection.execute(
            """
            UPDATE webhook_deliveries SET lease_token = NULL, \(fragment: change)
            WHERE id = \(claim.id) AND lease_token = \(claim.lease)
            """) == 1
    }

    private func recordWebhookResult(
        _ webhook: WebhookID, _ verdict: Verdict, _ connection: PostgresConnection
    ) async throws {
        switch verdict {
        case .delivered:
            try await connection.execute(
                "UPDATE webhooks SET lease_expires_at = NULL, failing_since = NULL WHERE id = \(webhook)")
        case .withheld:
            try await connection.execute("UPDATE webhooks SET lease_expires_at = NULL WHERE id = \(webhook)")
        case .gone:
            try await connection.execute(
                """
                UPDATE webhooks SET lease_expires_at = NULL, disabled_at = coalesce(disabled_at, now()),
                    disabled_reason = coalesce(disabled_reason, 'gone') WHERE id = \(webhook)
                """)
        case .again, .failed:
            let isOff = try await connection.scalar(
                """
                UPDATE webhooks SET lease_expires_at = NULL, failing_since = coalesce(failing_since, now()),
                    disabled_at = CASE
                        WHEN failing_since < now() - \(schedule.disableAfterSeconds) * interval '1 second'
                        THEN coalesce(disabled_at, now()) ELSE disabled_at END,
                    disabled_reason = CASE
                        WHEN failing_since < now() - \(schedule.disableAfterSeconds) * interval '1 second'
                        THEN coalesce(disabled_reason, 'failing') ELSE disabled_reason END
                WHERE id = \(webhook) RETURNING disabled_reason IS NOT DISTINCT FROM 'failing'
                """, as: Bool.self)
            guard isOff else { return }
            // What waited is of no use when its time is over; its owner can have it sent again.
            try await connection.execute(
                """
                UPDATE webhook_deliveries SET state = 'failed', ended_at = now()
                WHERE webhook_id = \(webhook) AND state = 'pending' AND lease_token IS NULL
                """)
        }
    }

    /// Forgets deliveries that ended long ago.
    package func deleteExpired() async throws {
        try await database.execute(
            "DELETE FROM webhook_deliveries WHERE ended_at < now() - interval '30 days'")
    }
}
