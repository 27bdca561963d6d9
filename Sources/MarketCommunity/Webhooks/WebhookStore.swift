// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Postgres
import SheetCore

/// SQL of webhooks as their owners see them.
package enum WebhookStore {
    /// Of one owner, the oldest first, beginning behind `last`.
    package static func list(
        of user: UserID, after last: WebhookID?, limit: Int, _ database: some PostgresExecutor
    ) async throws -> [Webhook] {
        let start: PostgresQuery = last.map { "AND w.id > \($0)" } ?? ""
        return try await webhooks("w.user_id = \(user) \(fragment: start)", limit: limit, database)
    }

    package static func webhook(
        _ id: WebhookID, of user: UserID, _ database: some PostgresExecutor
    ) async throws -> Webhook? {
        try await webhooks("w.id = \(id) AND w.user_id = \(user)", limit: 1, database).first
    }

    /// The same; nobody else changes it until the transaction ends.
    package static func locked(
        _ id: WebhookID, of user: UserID, _ connection: PostgresConnection
    ) async throws -> Webhook? {
        try await connection.execute(
            "SELECT FROM webhooks WHERE id = \(id) AND user_id = \(user) FOR NO KEY UPDATE")
        return try await webhook(id, of: user, connection)
    }

    private static func webhooks(
        _ condition: PostgresQuery, limit: Int, _ database: some PostgresExecutor
    ) async throws -> [Webhook] {
        try await database.all(
            """
            SELECT w.id, w.url, w.events, w.covers, w.description, w.created_at, w.disabled_reason, w.failing_since
            FROM webhooks AS w WHERE \(fragment: condition) ORDER BY w.id LIMIT \(literal: limit)
            """
        ) { row in
            let reason: String? = try row.get(6)
            return Webhook(
                id: try row.get(0), url: try row.get(1),
                events: try row.get(2, as: [String].self).map { WebhookEvent(rawValue: $0) }, covers: try row.get(3),
                description: try row.get(4), createdAt: try row.get(5), isEnabled: reason == nil,
                disabledReason: reason, failingSince: try row.get(7))
        }
    }

    /// How many a person has; locks the person, so that nobody adds one meanwhile.
    static func lockedCount(of user: UserID, _ connection: PostgresConnection) async throws -> Int {
        try await connection.execute("SELECT FROM users WHERE id = \(user) FOR NO KEY UPDATE")
        return try await connection.scalar("SELECT count(*) FROM webhooks WHERE user_id = \(user)")
    }

    package static func insert(
        _ webhook: Webhook, of user: UserID, secret: Data, _ connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            INSERT INTO webhooks (id, user_id, url, events, covers, description, secret, created_at)
            VALUES (\(webhook.id), \(user), \(webhook.url), \(webhook.events.map(\.rawValue)), \(webhook.covers),
                \(webhook.description), \(secret), \(webhook.createdAt))
            """)
    }

    /// Writes what can be changed. Turned on again, it begins without its past failures.
    package static func update(_ webhook: Webhook, at now: Date, _ database: some PostgresExecutor) async throws {
        try await database.execute(
            """
            UPDATE webhooks SET url = \(webhook.url), events = \(webhook.events.map(\.rawValue)),
                description = \(webhook.description),
                disabled_at = CASE WHEN \(webhook.isEnabled) THEN NULL ELSE coalesce(disabled_at, \(now)) END,
                disabled_reason = \(webhook.disabledReason),
                failing_since = CASE WHEN \(webhook.isEnabled) AND disabled_at IS NOT NULL THEN NULL ELSE failing_since END
            WHERE id = \(webhook.id)
            """)
    }

    static func setSecret(of id: WebhookID, to secret: Data, _ database: some PostgresExecutor) async throws {
        try await database.execute("UPDATE webhooks SET secret = \(secret) WHERE id = \(id)")
    }

    package static func delete(_ id: WebhookID, _ database: some PostgresExecutor) async throws {
        try await database.execute("DELETE FROM webhooks WHERE id = \(id)")
    }

    /// Removes all webhooks of a person.
    package static func deleteAll(of user: UserID, _ database: some PostgresExecutor) async throws {
        try await database.execute("DELETE FROM webhooks WHERE user_id = \(user)")
    }

    // MARK: - Deliveries

    /// How far something is on its way.
    package enum DeliveryState: String, CaseIterable, Sendable {
        case pending, delivered, failed
    }

    /// Enters something to be told to this webhook alone.
    package static func enter(
        _ id: WebhookDeliveryID, _ event: WebhookEvent, body: String, to webhook: WebhookID,
        _ database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            """
            INSERT INTO webhook_deliveries (id, webhook_id, event, body)
            VALUES (\(id), \(webhook), \(event.rawValue), \(body))
            """)
    }

    /// Has an ended delivery tried again as if it were new; `false` when there is none such.
    package static func redeliver(
        _ id: WebhookDeliveryID, of webhook: WebhookID, _ database: some PostgresExecutor
    ) async throws -> Bool {
        try await database.execute(
            """
            WITH again AS (
                UPDATE webhook_deliveries SET state = 'pending', tries = 0, next_attempt_at = now(), ended_at = NULL,
                    lease_token = NULL
                WHERE id = \(id) AND webhook_id = \(webhook) AND state <> 'pending' RETURNING id
            )
            SELECT pg_notify('webhooks', '') FROM again
            """) == 1
    }

    /// A part of the list, the newest first, beginning behind `last`; one more than `limit`, if there is.
    package static func deliveries(
        of webhook: WebhookID, in state: DeliveryState?, after last: (at: Date, id: WebhookDeliveryID)?, limit: Int,
        _ database: some PostgresExecutor
    ) async throws -> [WebhookDelivery] {
        let only: PostgresQuery = state.map { "AND d.state = \($0.rawValue)" } ?? ""
        let start: PostgresQuery = last.map { "AND (d.created_at, d.id) < (\($0.at), \($0.id))" } ?? ""
        return try await deliveries(
            "d.webhook_id = \(webhook) \(fragment: only) \(fragment: start)", limit: limit, database)
    }

    package static func delivery(
        _ id: WebhookDeliveryID, of webhook: WebhookID, _ database: some PostgresExecutor
    ) async throws -> WebhookDelivery? {
        try await deliveries("d.webhook_id = \(webhook) AND d.id = \(id)", limit: 1, database).first
    }

    private static func deliveries(
        _ condition: PostgresQuery, limit: Int, _ database: some PostgresExecutor
    ) async throws -> [WebhookDelivery] {
        try await database.all(
            """
            SELECT d.id, d.event, d.state, d.created_at, d.next_attempt_at, d.body, a.attempts
            FROM webhook_deliveries AS d
            CROSS JOIN LATERAL (
                SELECT coalesce(jsonb_agg(jsonb_build_object(
                    -- As Foundation counts time: seconds since 2001.
                    'number', n.number, 'at', extract(epoch FROM n.at)::double precision - 978307200,
                    'milliseconds', n.duration_ms, 'status', n.status, 'error', n.error, 'answer', n.response_body
                ) ORDER BY n.number DESC), '[]') AS attempts
                FROM (SELECT * FROM webhook_attempts WHERE delivery_id = d.id ORDER BY number DESC LIMIT 20) AS n
            ) AS a
            WHERE \(fragment: condition) ORDER BY d.created_at DESC, d.id DESC LIMIT \(literal: limit)
            """
        ) { row in
            let state: String = try row.get(2)
            return WebhookDelivery(
                id: try row.get(0), event: WebhookEvent(rawValue: try row.get(1)), state: state,
                createdAt: try row.get(3), nextAttemptAt: state == "pending" ? try row.get(4) : nil,
                attempts: try row.get(6, as: PostgresJSON<[WebhookDelivery.Attempt]>.self).value,
                body: try row.get(5))
        }
    }
}

extension WebhookCover: PostgresCodable {}
