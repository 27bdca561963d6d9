// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Moderation
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import ModerationService

@Suite("Public and private numbers of moderation")
struct TransparencyTests {
    private typealias Line = TransparencyStore.Line

    @Test("counts of one to four are not told, shares and times only where five or more stand behind them")
    func rounding() {
        func line(_ topic: String, _ code: String, _ value: Double, reason: String? = nil) -> Line {
            Line(month: "2026-11", topic: topic, code: code, reason: reason, value: value)
        }
        let month = TransparencyService.month(
            "2026-11",
            [
                line("submissions", "", 3), line("decisions", "approve", 7, reason: "meets_guidelines"),
                line("decisions", "reject", 4, reason: "spam"), line("sanctions", "ban", 1),
                line("approvals", "automatic", 2), line("approvals", "human", 5), line("times", "median", 5400),
                line("times", "p90", 36_000), line("appeals", "filed", 5),
            ])
        #expect(month.submissions == 3)
        #expect(
            month.decisions == [
                .init(code: "approve", reasonCode: "meets_guidelines", count: 7),
                .init(code: "reject", reasonCode: "spam", count: nil),
            ])
        #expect(month.sanctions == [.init(code: "ban", count: nil)])
        #expect(month.appeals == [.init(code: "filed", count: 5)])
        #expect(month.automaticShare == 0.286 && month.medianHours == 1.5 && month.p90Hours == 10)
        let few = TransparencyService.month("2026-11", [line("approvals", "human", 4)])
        #expect(few.automaticShare == nil && few.medianHours == nil)
    }

    @Test("months count back over the year's end")
    func months() throws {
        let now = try Date("2026-02-10T12:00:00Z", strategy: .iso8601)
        #expect(TransparencyService.monthNames(now, count: 4) == ["2026-02", "2026-01", "2025-12", "2025-11"])
    }

    @Test("a forecast says how long the queue lasts, or that it grows")
    func forecast() {
        func days(_ came: Double, _ decided: Double, _ waiting: Int) -> Double? {
            ModerationStatistics.Forecast(arrivalsPerDay: came, decisionsPerDay: decided, waiting: waiting).daysToClear
        }
        #expect(days(1, 3, 10) == 5 && days(3, 1, 10) == nil && days(1, 1, 10) == nil && days(9, 1, 0) == 0)
    }

    @Test("a share comes with what chance leaves open: much of few, little of many, nothing of none")
    func intervals() throws {
        typealias Interval = ModerationStatistics.Interval
        #expect(Interval(0, of: 0) == nil && Interval(3, of: 2) == nil)
        // Of Wilson's formula by hand.
        for (part, whole, low, high) in [(9, 10, 0.5958, 0.9821), (0, 10, 0, 0.2775), (900, 1000, 0.8799, 0.9171)] {
            let interval = try #require(Interval(part, of: whole))
            #expect(abs(interval.low - low) < 1e-3 && abs(interval.high - high) < 1e-3, "\(interval)")
        }
        #expect(
            ModerationStatistics.Forecast(arrivalsPerDay: 3, decisionsPerDay: 1, waiting: 10).waitingInSevenDays == 24)
        #expect(
            ModerationStatistics.Forecast(arrivalsPerDay: 1, decisionsPerDay: 9, waiting: 10).waitingInSevenDays == 0)
    }

    @Test("everybody sees the months as data and as a page, moderators the team's own numbers")
    func served() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            for index in 0..<6 {
                let sheet = try await scene.template("Sheet \(index)", by: ada.id)
                try await scene.takeDown(.template(sheet.id), reasonCode: "spam", message: "Advertising.")
                if index < 2 { try await scene.restore(.template(sheet.id)) }
            }
            _ = try await scene.impose(.warning, on: ada.id)
            let report = try await scene.http.get("\(Paths.base)/transparency").json(TransparencyReport.self)
            #expect(report.months.count == 12 && report.months.first?.month == "2027-01")
            #expect(
                report.months.first?.takeDowns == [
                    .init(code: "restored", count: nil), .init(code: "taken_down", reasonCode: "spam", count: 6),
                ])
            #expect(report.months.first?.sanctions == [.init(code: "warn", count: nil)])
            let page = try await scene.http.get("/transparency", headers: [("Accept", "text/html")])
            #expect(page.status == 200 && page.text.contains("January 2027") && page.text.contains("fewer than 5"))
            #expect(page.text.contains("Taken down (spam)"))

            let numbers = try await mod.http.get("\(Paths.base)/moderation/statistics").json(ModerationStatistics.self)
            #expect(numbers.queue.waiting == 0 && numbers.forecast.daysToClear == 0 && numbers.automatic.audited == 0)
            #expect(try await ada.http.get("\(Paths.base)/moderation/statistics").status == 403)
        }
    }
}
