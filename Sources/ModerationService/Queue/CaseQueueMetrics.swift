// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform

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
        var counted: [CaseQueueStore.WaitingCount]?
        await moderation.attempt("count the cases that wait") {
            counted = try await CaseQueueStore.waitingCounts(moderation.caseDueTimes, in: moderation.database)
        }
        // Figures that are not known are left out: zeros would say that nothing waits.
        guard let counts = counted else { return [] }
        var samples = counts.map { count in
            PrometheusRegistry.Sample(
                "sheetmarket_cases", [("kind", count.kind), ("state", count.state)], Double(count.cases))
        }
        let over = counts.reduce(0) { $0 + $1.over }
        let soonCount = counts.reduce(0) { $0 + $1.soon }
        samples.append(.init("sheetmarket_cases_due", [("due", "over")], Double(over)))
        samples.append(.init("sheetmarket_cases_due", [("due", "soon")], Double(soonCount)))
        samples.append(.init("sheetmarket_cases_oldest_seconds", [], counts.map(\.oldest).max() ?? 0))
        return samples
    }
}
