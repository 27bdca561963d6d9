// SPDX-License-Identifier: Apache-2.0
import Foundation
import Moderation
import SheetCore
import Testing

/// Numbers that come again with their seed (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

@Suite("What must never happen to a case")
struct CasePropertyTests {
    /// A case as it would stand in the database, with the log of what was done.
    struct World {
        var file: CaseFile
        var now: Date
        var decisions: [(decision: Decision, by: UserID)] = []
        var entries: [AuditEntryDraft] = []
        /// Decisions since the case was last open.
        var decisionsOfRound = 0

        /// Does what the service does with an outcome.
        mutating func carryOut(_ outcome: CaseOutcome) {
            for action in outcome.actions {
                switch action {
                case .record(let decision, let moderator, _):
                    decisions.append((decision, moderator))
                    decisionsOfRound += 1
                    file.past = .init(verdict: decision.verdict, at: now)
                case .propose(let decision, let moderator): file.proposal = .init(by: moderator, decision: decision)
                case .dropProposal: file.proposal = nil
                case .moveSubmission(let state): file.submission = state
                case .takeDown: file.isTakenDown = true
                case .restore: file.isTakenDown = false
                case .undo(.reject): file.submission = try? file.submission?.after(.reinstated)
                case .openAppeal: file.past?.wasAppealed = true
                case .audit(let draft): entries.append(draft)
                default: break
                }
            }
            file.status = outcome.status
        }
    }

    @Test(
        "in any order of events nothing is published without an approval, decided twice, or decided unseen by the log",
        arguments: 0..<200)
    func randomWays(seed: UInt64) throws {
        var random = SeededNumbers(state: seed)
        let cast = CaseCast()
        let team = [cast.ada, cast.bea, cast.root, Moderator(id: cast.uploader, role: .moderator)]
        let start = Int.random(in: 0..<3, using: &random)
        let files = [
            cast.upload(.open), cast.report(.open, installs: Int.random(in: 0...1000, using: &random)),
            cast.appeal(.open, decidedBy: cast.ada),
        ]
        var world = World(file: files[start], now: cast.now)
        for _ in 0..<400 {
            world.now.addTimeInterval(Double.random(in: 0...600, using: &random))
            if Int.random(in: 0..<50, using: &random) == 0 { world.now.addTimeInterval(20 * 86_400) }
            let (event, actor) = try Self.event(cast, team, now: world.now, using: &random)
            let before = world
            guard let outcome = try? world.file.after(event, by: actor, at: world.now) else { continue }
            world.carryOut(outcome)
            try Self.check(before, world, event, actor, cast)
        }
    }

    /// What holds between any two moments.
    private static func check(
        _ before: World, _ after: World, _ event: CaseEvent, _ actor: CaseActor, _ cast: CaseCast
    ) throws {
        let decided = after.decisions.count - before.decisions.count
        #expect(decided <= 1)
        if after.file.submission == .published, before.file.submission != .published {
            #expect(after.decisions.last?.decision.verdict == .approve && decided == 1)
        }
        if after.file.isTakenDown != before.file.isTakenDown { #expect(decided == 1) }
        if decided == 1 {
            // Whoever decides holds the case, and the log has exactly one entry of it.
            let moderator = try #require(after.decisions.last?.by)
            #expect(before.file.status.holder(at: after.now) == moderator && actor.id == moderator)
            let fresh = after.entries.dropFirst(before.entries.count)
            #expect(fresh.count { $0.action == "case.decided" } == 1)
            #expect(!after.file.barred.contains(moderator))
            if after.file.parties.contains(moderator) { #expect(moderator == cast.root.id) }
            if after.decisions.last?.decision.verdict == .ban { #expect(before.file.proposal?.by != moderator) }
        } else if after.file.submission != before.file.submission {
            #expect(event == .answer || event == .appealEnded(isOverturned: true))
        }
        // A round between two times of being open has one decision at most.
        if case .decided = before.file.status { #expect(decided == 0) }
        if case .closed = before.file.status { #expect(Bool(false), "something happened to a closed case: \(event)") }
        // Every act of the team but the renewal of a claim is in the log.
        if case .moderator(let moderator) = actor {
            let isRenewal = Self.holder(before.file.status) == moderator.id && Self.isClaim(event)
            #expect((after.entries.count > before.entries.count) != isRenewal)
        }
    }

    private static func holder(_ status: CaseStatus) -> UserID? {
        if case .claimed(let holder, _) = status { holder } else { nil }
    }

    private static func isClaim(_ event: CaseEvent) -> Bool {
        if case .claim = event { true } else { false }
    }

    private static func event(
        _ cast: CaseCast, _ team: [Moderator], now: Date, using random: inout SeededNumbers
    ) throws -> (CaseEvent, CaseActor) {
        let moderator = CaseActor.moderator(team.randomElement(using: &random) ?? cast.ada)
        let person = CaseActor.person(
            [cast.uploader, cast.reporter, UserID.make()].randomElement(using: &random) ?? cast.uploader)
        let verdict = Verdict.allCases.randomElement(using: &random) ?? .approve
        let decision = try Decision(
            verdict, reasonCode: "other", message: "m", until: verdict == .suspend ? now.addingTimeInterval(60) : nil)
        switch Int.random(in: 0..<16, using: &random) {
        case 0...3: return (.claim(reason: Bool.random(using: &random) ? "r" : nil), moderator)
        case 4: return (.release, moderator)
        case 5: return (.ask, moderator)
        case 6: return (.answer, person)
        case 7: return (.revise, .system)
        case 8...10: return (.decide(decision), moderator)
        case 11: return (.confirm, moderator)
        case 12: return (.decline(reason: "r"), moderator)
        case 13: return (.appeal, person)
        case 14: return (.appealEnded(isOverturned: Bool.random(using: &random)), .system)
        default:
            return (Int.random(in: 0..<20, using: &random) == 0 ? .withdraw : .settle, .system)
        }
    }
}

extension CaseActor {
    fileprivate var id: UserID? {
        switch self {
        case .moderator(let moderator): moderator.id
        case .person(let person): person
        case .system: nil
        }
    }
}

@Suite("Decisions and reasons")
struct DecisionTests {
    static let book = ReasonBook(
        [
            ("meets_guidelines", "approve", "Thank you."), ("copyright", "reject", "Not yours."),
            ("spam", "reject", "Advertising."),
        ].compactMap { try? CannedReason(code: $0, language: "en", markdown: file($0, decisions: $1, text: $2)) })

    static func file(_ title: String, decisions: String, text: String) -> String {
        "---\ntitle: \(title)\ndecisions: \(decisions)\n---\n\(text)\n"
    }

    @Test("all that is wrong with a decision is said at once")
    func malformed() {
        func faults(_ verdict: Verdict, _ reason: String, _ message: String, _ evidence: [String] = []) -> [Decision
            .Issue]
        {
            do {
                _ = try Decision(
                    verdict, reasonCode: reason, message: message, evidence: evidence, reasons: Self.book)
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
        #expect(faults(.reject, "spam", "No.", ["page 2", " "]) == [.malformedEvidence])
        #expect(faults(.reject, "spam", "No.", Array(repeating: "x", count: 21)) == [.malformedEvidence])
        #expect(faults(.suspend, "other", "No.") == [.endMismatch])
    }

    @Test("an approval without a word gets the reason's text")
    func standardText() throws {
        let decision = try Decision(.approve, reasonCode: "meets_guidelines", message: " ", reasons: Self.book)
        #expect(decision.message == "Thank you.")
    }

    @Test("a reason's file says its title, its decisions and its text; what does not fit is refused")
    func files() throws {
        let reason = try CannedReason(
            code: "spam", language: "de",
            markdown: "---\r\ntitle:  Werbung \r\ndecisions: reject,take_down\r\n---\r\n\r\nDas ist Werbung.\r\n")
        #expect(
            reason.title == "Werbung" && reason.verdicts == [.reject, .takeDown] && reason.text == "Das ist Werbung.")
        for (code, text) in [
            ("Spam", Self.file("t", decisions: "reject", text: "x")), ("spam", "title: t"),
            ("spam", "---\ntitle: t\n---"),
            ("spam", Self.file("t", decisions: "applaud", text: "x")),
            ("spam", Self.file("", decisions: "reject", text: "x")),
            ("spam", Self.file("t", decisions: "reject", text: " ")), ("spam", "---\nno colon\n---\nx"), ("spam", ""),
        ] {
            #expect(throws: CannedReason.Malformed.self) {
                try CannedReason(code: code, language: "en", markdown: text)
            }
        }
    }

    @Test("reasons come in the language that is asked for, or in the nearest there is")
    func languages() throws {
        let german = try CannedReason(
            code: "spam", language: "de", markdown: Self.file("Werbung", decisions: "reject", text: "Werbung."))
        let only = try CannedReason(
            code: "lokal", language: "de", markdown: Self.file("Lokal", decisions: "reject", text: "Lokal."))
        let english = try #require(Self.book.reason("spam"))
        let book = ReasonBook([german, only, english])
        #expect(book.reason("spam", language: "de-AT") == german && book.reason("spam", language: "fr") == english)
        #expect(book.reason("lokal", language: "fr") == only && book.reason("none") == nil)
        #expect(book.reasons(language: "de").map(\.code) == ["lokal", "spam"] && book.languages == ["de", "en"])
    }
}
