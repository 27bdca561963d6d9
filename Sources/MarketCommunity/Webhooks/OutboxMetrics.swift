// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import Postgres

/// What `/metrics` says of e-mails and of deliveries to webhooks, read when it is asked: any server tells of what all
/// workers do.
package struct OutboxMetrics: Sendable {
    private let platform: Platform

    package init(platform: Platform) {
        self.platform = platform
    }

    package func register(with registry: PrometheusRegistry) {
        registry.describe(
            "sheetmarket_outbox_waiting", .gauge, "E-mails and deliveries that wait to be sent, or again.")
        registry.describe(
            "sheetmarket_outbox_oldest_seconds", .gauge, "How long ago the oldest that waits was entered.")
        registry.describe(
            "sheetmarket_outbox_overdue_seconds", .gauge,
            "For how long the one that is due longest could have been sent: grows when nobody sends.")
        registry.describe(
            "sheetmarket_outbox_total", .counter,
            "E-mails and deliveries sent, abandoned and dropped, and failed attempts, of all nodes together.")
        registry.addCollector { await samples() }
    }

    private struct Outbox {
        let name: String
        let waiting: Int
        let oldest: Double
        let late: Double
        let totals: [(result: String, count: Int)]
    }

    private func samples() async -> [PrometheusRegistry.Sample] {
        // Without an answer of the database these figures are missing; that it does not answer, /readyz says.
        guard let outboxes = try? await outboxes() else { return [] }
        return outboxes.flatMap { outbox in
            let label = ("outbox", outbox.name)
            return [
                PrometheusRegistry.Sample("sheetmarket_outbox_waiting", [label], Double(outbox.waiting)),
                .init("sheetmarket_outbox_oldest_seconds", [label], outbox.oldest),
                .init("sheetmarket_outbox_overdue_seconds", [label], outbox.late),
            ]
                + outbox.totals.map {
                    .init("sheetmarket_outbox_total", [label, ("result", $0.result)], Double($0.count))
                }
        }
    }

    private func outboxes() async throws -> [Outbox] {
        try await platform.database.all(
            """
            WITH waiting AS (
                SELECT 'mail' AS outbox, count(*) AS waiting, now() - min(created_at) AS oldest,
                    now() - min(next_attempt_at) AS late
                FROM mail_outbox WHERE state = 'waiting'
                UNION ALL
                SELECT 'webhooks', count(*), now() - min(d.created_at), now() - min(d.next_attempt_at)
                FROM webhook_deliveries AS d JOIN webhooks AS w ON w.id = d.webhook_id
                WHERE d.state = 'pending' AND w.disabled_at IS NULL
            )
            SELECT t.outbox, w.waiting, t.sent, t.failed, t.abandoned, t.dropped,
                greatest(0, coalesce(extract(epoch FROM w.oldest), 0))::float8 AS oldest,
                greatest(0, coalesce(extract(epoch FROM w.late), 0))::float8 AS late
            FROM outbox_totals AS t JOIN waiting AS w USING (outbox) ORDER BY t.outbox
            """
        ) { row in
            Outbox(
                name: try row.get("outbox"), waiting: try row.get("waiting"), oldest: try row.get("oldest"),
                late: try row.get("late"),
                totals: try ["sent", "failed", "abandoned", "dropped"].map { ($0, try row.get($0, as: Int.self)) })
        }
    }
}
