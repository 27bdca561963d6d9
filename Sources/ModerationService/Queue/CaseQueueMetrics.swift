// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import Postgres

/// What `/metrics` says of the moderators' queue, read when it is asked.
package struct CaseQueueMetrics {
    package let moderation: ModerationDependencies

    package init(moderation: ModerationDependencies) {
        self.moderation = moderation
    }

    package func register(with registry: PrometheusRegistry) {
        registry.describe("sheetmarket_cases", .gauge, "Cases that wait, by kind and state.")
        registry.describe(
            "sheetmarket_cases_due", .gauge,
            "Open and claimed cases whose promised time is near or past.")
        registry.describe(
            "sheetmarket_cases_oldest_seconds", .gauge, "How long the oldest has waited.")
        registry.addCollector { await samples() }
    }

    private func samples() async -> [PrometheusRegistry.Sample] {
        let terms = moderation.caseDueTimes
        let soon = terms.now.addingTimeInterval(terms.warningSeconds)
        let rows = try? await moderation.database.all(
            """
            SELECT kind, state, count(*) AS cases,
                count(*) FILTER (WHERE state <> 'waiting' AND due_at <= \(terms.now)) AS over,
                count(*) FILTER (WHERE state <> 'waiting' AND due_at > \(terms.now) AND due_at <= \(soon)) AS soon,
                extract(epoch FROM \(terms.now)::timestamptz - min(opened_at) FILTER (WHERE state <> 'waiting'))::float8
                    AS oldest
            FROM cases WHERE state IN ('open', 'claimed', 'waiting') GROUP BY kind, state ORDER BY kind, state
            """
        ) { row in
            (
                kind: try row.get("kind", as: String.self), state: try row.get("state", as: String.self),
                cases: try row.get("cases", as: Int.self), over: try row.get("over", as: Int.self),
                soon: try row.get("soon", as: Int.self), oldest: try row.get("oldest", as: Double?.self) ?? 0
            )
        }
        guard let rows else { return [] }
        var samples = rows.map { row in
            PrometheusRegistry.Sample(
                "sheetmarket_cases", [("kind", row.kind), ("state", row.state)], Double(row.cases))
        }
        let over = rows.reduce(0) { $0 + $1.over }
        let soonCount = rows.reduce(0) { $0 + $1.soon }
        samples.append(.init("sheetmarket_cases_due", [("due", "over")], Double(over)))
        samples.append(.init("sheetmarket_cases_due", [("due", "soon")], Double(soonCount)))
        samples.append(.init("sheetmarket_cases_oldest_seconds", [], rows.map(\.oldest).max() ?? 0))
        return samples
    }
}
