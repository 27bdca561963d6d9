// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import MarketWire
import Postgres

/// The numbers of moderation, for the public and for the team.
package struct TransparencyService: Sendable {
    /// Counts below this are left out, since they could tell something of single persons.
    static let fewest = 5
    /// How many months the report covers.
    static let months = 12
    /// How many days moderators' own numbers cover.
    static let personDays = 90.0
    /// How many days the forecast is made from.
    static let forecastDays = 14.0

    private let platform: Platform

    package init(platform: Platform) {
        self.platform = platform
    }

    /// The numbers of each month, the newest first.
    package func report() async throws -> TransparencyReport {
        let names = Self.monthNames(platform.now(), count: Self.months)
        guard let first = names.last, let from = UTCDay("\(first)-01")?.date else {
            return TransparencyReport(months: [])
        }
        let lines = try await TransparencyStore.lines(from: from, platform.database)
        let byMonth = Dictionary(grouping: lines, by: \.month)
        return TransparencyReport(months: names.map { Self.month($0, byMonth[$0] ?? []) })
    }

    /// The months up to now, newest first: `2026-11`, ….
    package static func monthNames(_ now: Date, count: Int) -> [String] {
        let parts = UTCDay(now).text.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3 else { return [] }
        return (0..<count).map { back in
            let number = parts[0] * 12 + parts[1] - 1 - back
            let month = number % 12 + 1
            return "\(number / 12)-\(month < 10 ? "0" : "")\(month)"
        }
    }

    package static func month(_ name: String, _ lines: [TransparencyStore.Line]) -> TransparencyReport.Month {
        var month = TransparencyReport.Month(month: name)
        func tallies(_ topic: String) -> [TransparencyReport.Tally] {
            lines.filter { $0.topic == topic }.map {
                .init(code: $0.code, reasonCode: $0.reason, count: Int($0.value) < fewest ? nil : Int($0.value))
            }
        }
        func value(_ topic: String, _ code: String) -> Double? {
            lines.first { $0.topic == topic && $0.code == code }?.value
        }
        month.submissions = Int(value("submissions", "") ?? 0)
        month.decisions = tallies("decisions")
        month.medianHours = value("times", "median").map(hours)
        month.p90Hours = value("times", "p90").map(hours)
        let (automatic, human) = (value("approvals", "automatic") ?? 0, value("approvals", "human") ?? 0)
        if automatic + human >= Double(fewest) {
            month.automaticShare = (automatic / (automatic + human) * 1000).rounded() / 1000
        }
        month.appeals = tallies("appeals")
        month.reports = tallies("reports")
        month.takeDowns = tallies("takeDowns")
        month.sanctions = tallies("sanctions")
        month.copyright = tallies("copyright")
        return month
    }

    private static func hours(_ seconds: Double) -> Double { (seconds / 360).rounded() / 10 }

    /// What was promised and kept of late, by kind of case.
    package func kept() async throws -> [KeptPromises] {
        try await TransparencyStore.kept(
            since: platform.now().addingTimeInterval(-Self.personDays * 86_400), platform.database)
    }

    package func statistics() async throws -> ModerationStatistics {
        let now = platform.now()
        let since = now.addingTimeInterval(-Self.personDays * 86_400)
        async let queue = TransparencyStore.queue(at: now, platform.database)
        async let people = TransparencyStore.people(since: since, platform.database)
        async let audits = TransparencyStore.audits(since: since, platform.database)
        let flow = try await TransparencyStore.flow(
            since: now.addingTimeInterval(-Self.forecastDays * 86_400), platform.database)
        let waiting = try await queue
        let audited = try await audits
        return ModerationStatistics(
            queue: waiting, moderators: try await people,
            automatic: .init(audited: audited.all, agreed: audited.agreed),
            forecast: .init(
                arrivalsPerDay: Double(flow.came) / Self.forecastDays,
                decisionsPerDay: Double(flow.decided) / Self.forecastDays, waiting: waiting.waiting))
    }
}
