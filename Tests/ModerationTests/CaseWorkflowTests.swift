// SPDX-License-Identifier: Apache-2.0
import Foundation
import Moderation
import SheetCore
import Testing

@Suite("Cases and decisions")
struct CaseWorkflowTests {
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    let uploader = UserID.make()
    let ada = Moderator(id: .make(), role: .moderator)
    let bea = Moderator(id: .make(), role: .moderator)
    let root = Moderator(id: .make(), role: .administrator)

    func held(by moderator: Moderator, seconds: TimeInterval) -> CaseStatus {
        .claimed(by: moderator.id, until: now.addingTimeInterval(seconds))
    }

    @Test("a claim takes an open case, renews one's own, and takes over one whose time is over")
    func claims() throws {
        let wanted = held(by: ada, seconds: 900)
        let cases: [(CaseStatus, CaseStatus.Claim)] = [
            (.open, .taken), (held(by: ada, seconds: 1), .renewed), (held(by: ada, seconds: -1), .renewed),
            (held(by: bea, seconds: 0), .takenOver(from: bea.id)),
        ]
        for (status, claim) in cases {
            let outcome = try status.claimed(by: ada, uploader: uploader, at: now, for: 900)
            #expect(outcome.status == wanted && outcome.claim == claim)
        }
    }

    @Test("a claim is refused on a decided case, on another's, on one's own upload, and to users")
    func refusedClaims() {
        func refusal(_ status: CaseStatus, _ moderator: Moderator, uploader: UserID) -> CaseRefusal? {
            do {
                _ = try status.claimed(by: moderator, uploader: uploader, at: now, for: 900)
                return nil
            } catch {
                return error
            }
        }
        let until = now.addingTimeInterval(1)
        #expect(refusal(.decided, ada, uploader: uploader) == .decided)
        #expect(refusal(held(by: bea, seconds: 1), ada, uploader: uploader) == .heldByAnother(bea.id, until: until))
        #expect(refusal(held(by: bea, seconds: 1), root, uploader: uploader) == .heldByAnother(bea.id, until: until))
        #expect(refusal(.open, ada, uploader: ada.id) == .ownUpload)
        #expect(refusal(.open, root, uploader: root.id) == nil)
        #expect(refusal(.open, Moderator(id: .make(), role: .user), uploader: uploader) == .noModerator)
    }

    @Test("the holder gives a case back; an administrator can for anybody")
    func releases() throws {
        #expect(try held(by: ada, seconds: 1).released(by: ada, at: now) == .open)
        #expect(try held(by: ada, seconds: -1).released(by: ada, at: now) == .open)
        #expect(try held(by: ada, seconds: 1).released(by: root, at: now) == .open)
        #expect(throws: CaseRefusal.heldByAnother(ada.id, until: now.addingTimeInterval(1))) {
            try held(by: ada, seconds: 1).released(by: bea, at: now)
        }
        #expect(throws: CaseRefusal.notClaimed) { try held(by: ada, seconds: -1).released(by: bea, at: now) }
        #expect(throws: CaseRefusal.notClaimed) { try CaseStatus.open.released(by: root, at: now) }
        #expect(throws: CaseRefusal.decided) { try CaseStatus.decided.released(by: root, at: now) }
    }

    @Test("only who holds a case now decides it: every status, every moderator")
    func deciders() {
        let statuses: [CaseStatus] = [
            .open, .decided, held(by: ada, seconds: 1), held(by: ada, seconds: 0), held(by: bea, seconds: 1),
            held(by: root, seconds: 1),
        ]
        for status in statuses {
            let able = [ada, bea, root].filter {
                (try? status.decided(by: $0, uploader: uploader, at: now)) == .decided
            }
            #expect(able.map(\.id) == [status.holder(at: now)].compactMap { $0 })
        }
    }

    @Test("a decision needs a case in hand and a submission that awaits review", arguments: SubmissionState.allCases)
    func rulings(state: SubmissionState) throws {
        let outcomes: [Verdict: SubmissionState] = [
            .approve: .published, .requestChanges: .changesRequested, .reject: .rejected,
        ]
        for verdict in Verdict.allCases {
            let decision = try Decision(verdict, reasonCode: "other", message: "Because.")
            do {
                let ruling = try decision.ruling(
                    by: ada, on: held(by: ada, seconds: 1), submission: state, uploader: uploader, at: now)
                #expect(state == .awaitingReview)
                #expect(ruling.submission == outcomes[verdict])
                #expect(ruling.publishes == (verdict == .approve) && !ruling.ownUpload && ruling.status == .decided)
            } catch {
                #expect(state != .awaitingReview)
            }
            #expect(throws: RulingRefusal.ofCase(.notClaimed)) {
                try decision.ruling(by: ada, on: .open, submission: state, uploader: uploader, at: now)
            }
            #expect(throws: RulingRefusal.ofCase(.ownUpload)) {
                try decision.ruling(
                    by: ada, on: held(by: ada, seconds: 1), submission: state, uploader: ada.id, at: now)
            }
        }
    }

    @Test("an administrator's decision on their own upload says that it is one")
    func ownUpload() throws {
        let decision = try Decision(.approve, reasonCode: "meets_guidelines", message: "")
        let ruling = try decision.ruling(
            by: root, on: held(by: root, seconds: 1), submission: .awaitingReview, uploader: root.id, at: now)
        #expect(ruling.ownUpload)
    }

    @Test("all that is wrong with a decision is said at once")
    func malformedDecisions() {
        func faults(_ verdict: Verdict, _ reason: String, _ message: String) -> [Decision.Fault] {
            do {
                _ = try Decision(verdict, reasonCode: reason, message: message)
                return []
            } catch {
                return error.faults
            }
        }
        #expect(faults(.reject, "Not a code!", "  ") == [.malformedReason, .messageMissing])
        #expect(faults(.approve, "copyright", "Fine.") == [.reasonForOthers([.reject])])
        #expect(faults(.requestChanges, "other", "") == [.messageMissing])
        #expect(faults(.reject, "spam", String(repeating: "x", count: 4001)) == [.messageTooLong])
        #expect(faults(.reject, "spam", "N\u{0}o.") == [.messageNotText])
        #expect(faults(.reject, "", "No.") == [.malformedReason])
        #expect(faults(.approve, "a_word_of_our_own", "") == [])
    }

    @Test("an approval without a word gets the reason's text")
    func standardText() throws {
        let decision = try Decision(.approve, reasonCode: "meets_guidelines", message: " ")
        #expect(decision.message == StandardReason.all.first { $0.code == "meets_guidelines" }?.text)
        #expect(Set(StandardReason.all.map(\.code)).count == StandardReason.all.count)
        #expect(
            Verdict.allCases.allSatisfy { verdict in StandardReason.all.contains { $0.verdicts.contains(verdict) } })
    }
}
