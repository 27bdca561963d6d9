// SPDX-License-Identifier: Apache-2.0
import Foundation
import Moderation
import SheetCore
import Testing

/// People and cases that the tests of the machine share.
struct CaseCast: Sendable {
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    let uploader = UserID.make()
    let reporter = UserID.make()
    let ada = Moderator(id: .make(), role: .moderator)
    let bea = Moderator(id: .make(), role: .moderator)
    let root = Moderator(id: .make(), role: .administrator)
    let submission = SubmissionID.make()
    let template = TemplateID.make()

    func held(by moderator: Moderator, seconds: TimeInterval = 60) -> CaseStatus {
        .claimed(by: moderator.id, until: now.addingTimeInterval(seconds))
    }

    func upload(_ status: CaseStatus, _ state: SubmissionState = .awaitingReview) -> CaseFile {
        CaseFile(
            kind: .submission, subject: .submission(submission), status: status, submission: state,
            parties: [uploader])
    }

    func report(_ status: CaseStatus, installs: Int = 0, isTakenDown: Bool = false) -> CaseFile {
        CaseFile(
            kind: .report, subject: .template(template), status: status, parties: [uploader], reporters: [reporter],
            installs: installs, isTakenDown: isTakenDown)
    }

    func appeal(_ status: CaseStatus, decidedBy first: Moderator) -> CaseFile {
        CaseFile(
            kind: .appeal, subject: .submission(submission), status: status, submission: .rejected,
            parties: [uploader], barred: [first.id])
    }

    func decision(_ verdict: Verdict) throws -> Decision {
        try Decision(
            verdict, reasonCode: "other", message: "Because.",
            until: verdict == .suspend ? now.addingTimeInterval(86_400) : nil)
    }

    func refusal(_ file: CaseFile, _ event: CaseEvent, by actor: CaseActor) -> CaseRefusal? {
        do {
            _ = try file.after(event, by: actor, at: now)
            return nil
        } catch {
            return error
        }
    }
}

@Suite("A case's way")
struct CaseMachineTests {
    let cast = CaseCast()

    /// Where each event leads from each state when the right person makes it happen; every pair that is not named is
    /// refused. The words are those of the table in `CaseFile.after`.
    @Test("every state, every event: each leads where the table says, or is refused")
    func everyPair() throws {
        let now = cast.now
        let mine = cast.held(by: cast.ada, seconds: 900)
        let held = cast.held(by: cast.ada)
        let past = { (status: CaseStatus, verdict: Verdict, seconds: TimeInterval) in
            var file = cast.upload(status, verdict == .reject ? .rejected : .changesRequested)
            file.past = .init(verdict: verdict, at: now.addingTimeInterval(-seconds))
            return file
        }
        let states: [(name: String, file: CaseFile)] = [
            ("open", cast.upload(.open)), ("claimed", cast.upload(held)), ("waiting", cast.upload(.waiting)),
            ("wanting", past(.waiting, .requestChanges, 60)), ("decided", past(.decided, .reject, 60)),
            ("settled", past(.decided, .reject, 31 * 86_400)), ("appealed", past(.appealed, .reject, 60)),
            ("closed", cast.upload(.closed)),
        ]
        let team = CaseActor.moderator(cast.ada)
        let events: [(name: String, event: CaseEvent, actor: CaseActor)] = [
            ("claim", .claim(reason: nil), team), ("release", .release, team), ("ask", .ask, team),
            ("answer", .answer, .person(cast.uploader)), ("revise", .revise, .system),
            ("approve", .decide(try cast.decision(.approve)), team),
            ("request", .decide(try cast.decision(.requestChanges)), team),
            ("reject", .decide(try cast.decision(.reject)), team), ("confirm", .confirm, team),
            ("decline", .decline(reason: "No."), team), ("withdraw", .withdraw, .system),
            ("appeal", .appeal, .person(cast.uploader)), ("upheld", .appealEnded(isOverturned: false), .system),
            ("overturned", .appealEnded(isOverturned: true), .system), ("settle", .settle, .system),
        ]
        let ways: [String: [String: CaseStatus]] = [
            "open": ["claim": mine, "answer": .open, "withdraw": .closed],
            "claimed": [
                "claim": mine, "release": .open, "ask": .waiting, "answer": held, "approve": .decided,
                "request": .waiting, "reject": .decided, "withdraw": .closed,
            ],
            "waiting": ["claim": mine, "answer": .open, "withdraw": .closed],
            "wanting": ["answer": .open, "revise": .closed, "withdraw": .closed],
            "decided": ["appeal": .appealed],
            "settled": ["settle": .closed],
            "appealed": ["upheld": .closed, "overturned": .open],
            "closed": [:],
        ]
        for state in states {
            for event in events {
                let expected = ways[state.name]?[event.name]
                let outcome = try? state.file.after(event.event, by: event.actor, at: now)
                #expect(outcome?.status == expected, "\(state.name) after \(event.name)")
            }
        }
    }

    @Test("a claim takes an open case, renews one's own, and takes over one whose time is over")
    func claims() throws {
        let wanted = cast.held(by: cast.ada, seconds: 900)
        let team = CaseActor.moderator(cast.ada)
        let cases: [(CaseStatus, String?)] = [
            (.open, "case.claimed"), (cast.held(by: cast.ada), nil), (cast.held(by: cast.ada, seconds: -1), nil),
            (cast.held(by: cast.bea, seconds: 0), "case.taken_over"),
        ]
        for (status, action) in cases {
            let outcome = try cast.upload(status).after(.claim(reason: nil), by: team, at: cast.now)
            #expect(outcome.status == wanted)
            #expect(outcome.actions.compactMap(\.entry).map(\.action) == [action].compactMap { $0 })
        }
    }

    @Test("only an administrator takes a case out of somebody's hands, and says why")
    func takeOvers() throws {
        let file = cast.upload(cast.held(by: cast.bea))
        let until = cast.now.addingTimeInterval(60)
        let ada = CaseActor.moderator(cast.ada)
        let root = CaseActor.moderator(cast.root)
        #expect(cast.refusal(file, .claim(reason: "Please."), by: ada) == .heldByAnother(cast.bea.id, until: until))
        #expect(cast.refusal(file, .claim(reason: nil), by: root) == .reasonMissing)
        let outcome = try file.after(.claim(reason: "Bea is away."), by: root, at: cast.now)
        #expect(outcome.status == cast.held(by: cast.root, seconds: 900))
        let details = outcome.actions.compactMap(\.entry).first?.details
        #expect(details == ["from": cast.bea.id.description, "reason": "Bea is away."])
    }

    @Test("nobody works on their own upload but administrators; nobody at all on an appeal against themselves")
    func ownWork() throws {
        var own = cast.upload(.open)
        own.parties = [cast.ada.id]
        #expect(cast.refusal(own, .claim(reason: nil), by: .moderator(cast.ada)) == .ownUpload)
        own.parties = [cast.root.id]
        own.status = cast.held(by: cast.root)
        let outcome = try own.after(.decide(try cast.decision(.approve)), by: .moderator(cast.root), at: cast.now)
        #expect(outcome.actions.compactMap(\.entry).first?.details["ownUpload"] == "true")
        let user = Moderator(id: .make(), role: .user)
        #expect(cast.refusal(cast.upload(.open), .claim(reason: nil), by: .moderator(user)) == .noModerator)
        for first in [cast.ada, cast.root] {
            let appeal = cast.appeal(.open, decidedBy: first)
            #expect(cast.refusal(appeal, .claim(reason: nil), by: .moderator(first)) == .ownDecision)
        }
    }

    @Test("only who holds a case now decides it: every status, every moderator")
    func deciders() throws {
        let statuses: [CaseStatus] = [
            .open, .waiting, .decided, .appealed, .closed, cast.held(by: cast.ada), cast.held(by: cast.ada, seconds: 0),
            cast.held(by: cast.bea), cast.held(by: cast.root),
        ]
        let decision = try cast.decision(.reject)
        for status in statuses {
            let able = [cast.ada, cast.bea, cast.root].filter {
                let file = cast.upload(status)
                return (try? file.after(.decide(decision), by: .moderator($0), at: cast.now))?.status == .decided
            }
            #expect(able.map(\.id) == [status.holder(at: cast.now)].compactMap { $0 })
        }
    }

    @Test("what can be decided depends on the case: every kind, every verdict")
    func verdicts() throws {
        let held = cast.held(by: cast.ada)
        let audit = {
            var file = cast.upload(held, .published)
            file.isAudit = true
            return file
        }()
        let user = CaseFile(kind: .report, subject: .user(cast.uploader), status: held, parties: [cast.uploader])
        let cases: [(CaseFile, Set<Verdict>)] = [
            (cast.upload(held), [.approve, .requestChanges, .reject]), (audit, [.approve, .takeDown]),
            (cast.report(held), [.dismiss, .takeDown, .warn, .suspend, .ban]),
            (cast.report(held, isTakenDown: true), [.dismiss, .restore, .warn, .suspend, .ban]),
            (user, [.dismiss, .takeDown, .warn, .suspend, .ban, .lift]),
            (cast.appeal(held, decidedBy: cast.bea), [.uphold, .overturn]),
        ]
        for (file, allowed) in cases {
            for verdict in Verdict.allCases {
                let refusal = cast.refusal(
                    file, .decide(try cast.decision(verdict)), by: .moderator(cast.ada))
                #expect((refusal == nil) == allowed.contains(verdict), "\(file.kind) \(verdict)")
            }
        }
    }

    @Test("a decision needs a submission that awaits review", arguments: SubmissionState.allCases)
    func submissions(state: SubmissionState) throws {
        let outcomes: [Verdict: SubmissionState] = [
            .approve: .published, .requestChanges: .changesRequested, .reject: .rejected,
        ]
        for (verdict, next) in outcomes {
            let file = cast.upload(cast.held(by: cast.ada), state)
            do {
                let outcome = try file.after(
                    .decide(try cast.decision(verdict)), by: .moderator(cast.ada), at: cast.now)
                #expect(state == .awaitingReview && outcome.actions.contains(.moveSubmission(next)))
            } catch {
                #expect(state != .awaitingReview)
            }
        }
    }

    @Test("bans and take-downs of what many have need two moderators")
    func fourEyes() throws {
        let rules = CaseRules(fourEyesInstalls: 500)
        let ban = try cast.decision(.ban)
        let takeDown = try cast.decision(.takeDown)
        let held = cast.held(by: cast.ada)
        for (file, decision, needs) in [
            (cast.report(held), ban, true), (cast.report(held, installs: 499), takeDown, false),
            (cast.report(held, installs: 500), takeDown, true),
        ] {
            let outcome = try file.after(.decide(decision), by: .moderator(cast.ada), at: cast.now, rules: rules)
            #expect((outcome.status == .open) == needs && (outcome.status == .decided) == !needs)
            #expect(outcome.actions.contains(.propose(decision, by: cast.ada.id)) == needs)
            #expect(outcome.actions.contains(.takeDown(decision)) == (decision == takeDown && !needs))
        }
        var file = cast.report(.open, installs: 500)
        file.proposal = .init(by: cast.ada.id, decision: takeDown)
        #expect(cast.refusal(file, .claim(reason: nil), by: .moderator(cast.ada)) == .ownProposal)
        file.status = try file.after(.claim(reason: nil), by: .moderator(cast.bea), at: cast.now).status
        #expect(cast.refusal(file, .decide(takeDown), by: .moderator(cast.bea)) == .proposalPending)
        let confirmed = try file.after(.confirm, by: .moderator(cast.bea), at: cast.now, rules: rules)
        #expect(confirmed.status == .decided && confirmed.actions.contains(.takeDown(takeDown)))
        #expect(confirmed.actions.contains(.record(takeDown, by: cast.bea.id, proposedBy: cast.ada.id)))
        let declined = try file.after(.decline(reason: "No."), by: .moderator(cast.bea), at: cast.now, rules: rules)
        #expect(declined.status == file.status && declined.actions.first == .dropProposal)
        file.proposal = .init(by: cast.bea.id, decision: takeDown)
        #expect(cast.refusal(file, .confirm, by: .moderator(cast.bea)) == .ownProposal)
        file.proposal = nil
        #expect(cast.refusal(file, .confirm, by: .moderator(cast.bea)) == .noProposal)
    }

    @Test("a decision is appealed once, in time, by whom it concerns")
    func appeals() throws {
        let month: TimeInterval = 30 * 86_400
        let entitled: [(CaseFile, Verdict, UserID?)] = [
            (cast.upload(.decided, .rejected), .reject, cast.uploader),
            (cast.upload(.decided, .published), .approve, nil),
            (cast.report(.decided), .dismiss, cast.reporter), (cast.report(.decided), .takeDown, cast.uploader),
            (cast.report(.decided), .warn, cast.uploader), (cast.report(.decided), .ban, cast.uploader),
            (cast.report(.decided), .restore, nil), (cast.report(.decided), .lift, nil),
        ]
        for (file, verdict, person) in entitled {
            for candidate in [cast.uploader, cast.reporter, UserID.make()] {
                var file = file
                file.past = .init(verdict: verdict, at: cast.now.addingTimeInterval(-month + 1))
                #expect((cast.refusal(file, .appeal, by: .person(candidate)) == nil) == (candidate == person))
                file.past?.at = cast.now.addingTimeInterval(-month)
                #expect(cast.refusal(file, .appeal, by: .person(candidate)) != nil)
                file.past?.at = cast.now
                file.past?.wasAppealed = true
                #expect(cast.refusal(file, .appeal, by: .person(candidate)) != nil)
            }
        }
    }

    @Test("an appeal that was right undoes what was decided; a refusal is looked at again, not published")
    func overturned() throws {
        let cases: [(Verdict, CaseStatus)] = [
            (.reject, .open), (.dismiss, .open), (.takeDown, .closed), (.warn, .closed), (.suspend, .closed),
            (.ban, .closed),
        ]
        for (verdict, status) in cases {
            var file = verdict == .reject ? cast.upload(.appealed, .rejected) : cast.report(.appealed)
            file.past = .init(verdict: verdict, at: cast.now, wasAppealed: true)
            let right = try file.after(.appealEnded(isOverturned: true), by: .system, at: cast.now)
            #expect(right == CaseOutcome(status, [.undo(verdict)]))
            let wrong = try file.after(.appealEnded(isOverturned: false), by: .system, at: cast.now)
            #expect(wrong == CaseOutcome(.closed))
        }
    }
}

extension CaseAction {
    /// The audit entry, if this is one.
    var entry: AuditEntryDraft? {
        if case .audit(let draft) = self { draft } else { nil }
    }
}
