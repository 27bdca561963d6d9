// SPDX-License-Identifier: Apache-2.0
import Foundation
import Moderation
import Testing

@Suite("Copyright notices and their dates")
struct CopyrightTests {
    static func date(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }

    @Test("every state × every event leads where the statute says, and nowhere else")
    func table() throws {
        let now = try Self.date("2026-11-20T15:00:00Z")
        typealias State = CopyrightClaim.State
        typealias Event = CopyrightClaim.Event
        let allowed: [State: [Event: (State, [CopyrightClaim.Action])]] = [
            .received: [
                .accepted: (.takenDown, [.takeDown]), .rejected: (.rejected, []), .withdrawn: (.withdrawn, []),
            ],
            .takenDown: [.countered: (.countered, [.forwardCounterNotice]), .withdrawn: (.restored, [.restore])],
            .countered: [.suitFiled: (.suitFiled, []), .withdrawn: (.restored, [.restore])],
            .suitFiled: [.withdrawn: (.restored, [.restore])],
        ]
        for state in State.allCases {
            let claim = CopyrightClaim(state: state, counteredAt: state == .countered ? now : nil)
            for event in Event.allCases where event != .tick {
                if let (next, actions) = allowed[state]?[event] {
                    let outcome = try claim.after(event, at: now)
                    #expect(outcome.claim.state == next && outcome.actions == actions, "\(state) \(event)")
                } else {
                    #expect(throws: CopyrightClaim.Refusal(state: state, event: event)) {
                        _ = try claim.after(event, at: now)
                    }
                }
            }
            let tick = try claim.after(.tick, at: now)
            #expect(tick.claim == claim && tick.actions.isEmpty)
        }
    }

    @Test("a countered work comes back after ten business days, at most fourteen, unless there is a suit")
    func waiting() throws {
        // Friday before the week of Thanksgiving (Thursday the 26th).
        let countered = try CopyrightClaim(state: .takenDown).after(
            .countered, at: Self.date("2026-11-20T15:00:00Z")
        ).claim
        #expect(countered.restoreFrom == (try Self.date("2026-12-08T00:00:00Z")))
        #expect(countered.restoreBy == (try Self.date("2026-12-12T00:00:00Z")))
        let early = try countered.after(.tick, at: Self.date("2026-12-07T23:59:59Z"))
        #expect(early.claim.state == .countered && early.actions.isEmpty)
        let due = try countered.after(.tick, at: Self.date("2026-12-08T00:00:00Z"))
        #expect(due.claim.state == .restored && due.actions == [.restore])
        let suit = try countered.after(.suitFiled, at: Self.date("2026-12-01T00:00:00Z")).claim
        let never = try suit.after(.tick, at: Self.date("2030-01-01T00:00:00Z"))
        #expect(never.claim.state == .suitFiled && never.actions.isEmpty)
    }

    @Test(
        "weekends and legal holidays are no business days",
        arguments: [
            ("2026-11-21", false), ("2026-11-22", false), ("2026-11-23", true), ("2026-11-26", false),
            ("2026-11-11", false), ("2026-12-25", false), ("2026-07-03", false), ("2026-07-06", true),
            ("2021-12-31", false), ("2022-01-03", true), ("2023-01-02", false), ("2026-01-19", false),
            ("2026-02-16", false), ("2026-05-25", false), ("2027-05-31", false), ("2026-06-19", false),
            ("2026-09-07", false), ("2026-10-12", false), ("2024-02-29", true), ("2000-02-29", true),
        ])
    func days(day: String, isBusinessDay: Bool) throws {
        let date = try Self.date(day + "T12:00:00Z")
        #expect(BusinessCalendar.isBusinessDay(date) == isBusinessDay)
    }

    @Test("a notice and a counter-notice name what they lack")
    func elements() {
        var notice = CopyrightNoticeElements(
            name: "", email: "", address: "", phone: "", work: "", explanation: "", inGoodFaith: false,
            underPenaltyOfPerjury: false, signature: "")
        #expect(notice.missing.count == 9)
        notice = CopyrightNoticeElements(
            name: "A", email: "a@b", address: "C", phone: "1", work: "W", explanation: "E", inGoodFaith: true,
            underPenaltyOfPerjury: false, signature: "A")
        #expect(notice.missing == ["underPenaltyOfPerjury"])
        let counter = CounterNoticeElements(
            name: "A", address: "C", phone: "1", explanation: "E", underPenaltyOfPerjury: true,
            consentsToJurisdiction: false, signature: "")
        #expect(counter.missing == ["consentsToJurisdiction", "signature"])
    }
}
