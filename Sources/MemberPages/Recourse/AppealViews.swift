// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import ModerationService
import SheetCore

/// What was decided about somebody, and their appeals.
struct AppealsView: Sendable {
    /// A warning, suspension or ban.
    struct Penalty: Sendable {
        let what: StateLabel
        let standing: StateLabel
        let words: String
        let reason: Phrase
        let keepsFrom: Phrase?
        let imposed: DisplayTime
        let ends: DisplayTime?
        let recourse: AppealOptions?
        /// Whether it came of a copyright notice, which is objected to instead.
        let takesCounterNotice: Bool
        /// The notice's page.
        let noticeAddress: String?
    }

    /// A decision on a work.
    struct Line: Sendable {
        let what: StateLabel
        let isUndone: Bool
        let about: Phrase
        let aboutAddress: String?
        let words: String
        let reason: Phrase
        let decided: DisplayTime
        let recourse: AppealOptions
    }

    /// An appeal that the person made.
    struct Own: Sendable {
        let about: Phrase
        let standing: StateLabel
        let against: Phrase
        let words: String
        let lodged: DisplayTime
        let ended: DisplayTime?
        let answer: String?
    }

    let isLodged: Bool
    /// How much the person's strikes count now; `nil` for nothing, to one place.
    let strikes: Phrase?
    let penalties: [Penalty]
    let hasPenalties: Bool
    let olderPenalties: String?
    let lines: [Line]
    let hasLines: Bool
    let olderLines: String?
    let appeals: [Own]
    let hasAppeals: Bool
    let olderAppeals: String?

    init(
        sanctions: SanctionList, imposing: [SanctionID: UserDecision], notices: [SanctionID: CopyrightNoticeID],
        works: ListPage<UserDecision>, appeals: AppealList, isLodged: Bool, now: Date
    ) {
        self.isLodged = isLodged
        strikes = sanctions.strikes >= 0.05 ? DisplayText.tenths(sanctions.strikes) : nil
        penalties = sanctions.sanctions.map { Self.penalty($0, imposing[$0.id], notices[$0.id], now: now) }
        hasPenalties = !penalties.isEmpty
        olderPenalties = Self.older("sanctions", sanctions.nextCursor, "account")
        lines = works.rows.map { decision in
            Line(
                what: StateLabel(decision.decision.decision), isUndone: decision.isUndone, about: decision.about,
                aboutAddress: decision.submission.map { "/submissions/\($0)" }, words: decision.decision.message,
                reason: Phrase(told: decision.decision.reasonCode.replacing("_", with: " ")),
                decided: DisplayTime(decision.decision.decidedAt, now: now), recourse: AppealOptions(decision, now: now)
            )
        }
        hasLines = !lines.isEmpty
        olderLines = Self.older("decisions", works.next, "decisions")
        self.appeals = appeals.appeals.map { Self.own($0, now: now) }
        hasAppeals = !appeals.appeals.isEmpty
        olderAppeals = Self.older("appeals", appeals.nextCursor, "appeals")
    }

    private static func older(_ parameter: String, _ cursor: String?, _ place: String) -> String? {
        cursor.map { PageAddress(PagePaths.appeals).with(parameter, $0).text + "#\(place)" }
    }

    private static func penalty(
        _ sanction: SanctionInfo, _ decision: UserDecision?, _ notice: CopyrightNoticeID?, now: Date
    ) -> Penalty {
        Penalty(
            what: StateLabel(DecisionKind(rawValue: sanction.kind) ?? .warn), standing: standing(sanction),
            words: sanction.message, reason: Phrase(told: sanction.reasonCode.replacing("_", with: " ")),
            keepsFrom: keepsFrom(sanction), imposed: DisplayTime(sanction.imposedAt, now: now),
            ends: sanction.until.map { DisplayTime($0, now: now) },
            recourse: decision.map { AppealOptions($0, now: now) },
            takesCounterNotice: decision == nil && sanction.reasonCode == "copyright" && sanction.liftedAt == nil,
            noticeAddress: notice.map { "\(CopyrightPages.home)/\($0)" })
    }

    private static func standing(_ sanction: SanctionInfo) -> StateLabel {
        if sanction.liftedAt != nil { return StateLabel("Lifted", "good") }
        if sanction.inForce { return StateLabel("In force", "bad") }
        return sanction.scopes.isEmpty
            ? StateLabel("On record", "quiet") : StateLabel("Over", "quiet")
    }

    private static func keepsFrom(_ sanction: SanctionInfo) -> Phrase? {
        if sanction.scopes.isEmpty { return nil }
        if sanction.scopes.contains("all") { return "uploads, reviews, reports and all else but your own account" }
        return sanction.scopes.map { Phrase(told: $0) }.joined(separator: ", ")
    }

    private static func own(_ appeal: Appeal, now: Date) -> Own {
        let standing =
            switch appeal.state {
            case .open: StateLabel("With the moderators", "wait")
            case .upheld: StateLabel("Decision kept", "quiet")
            case .overturned: StateLabel("Decision undone", "good")
            }
        return Own(
            about: Phrase(verbatim: appeal.title), standing: standing,
            against: StateLabel(appeal.decision.decision).text,
            words: appeal.text, lodged: DisplayTime(appeal.createdAt, now: now),
            ended: appeal.endedAt.map { DisplayTime($0, now: now) },
            answer: appeal.answer.flatMap { $0.isEmpty ? nil : $0 })
    }
}

/// The form of an appeal, with the decision that it is against.
struct AppealView: Sendable {
    let about: Phrase
    let caseID: String
    let decision: DecisionView
    /// Until when it can be appealed.
    let ends: DisplayTime?
    /// Whether there is a form: also for what has just been refused, so that nothing typed is lost.
    let mayAppeal: Bool
    let isOwnAppeal: Bool
    /// What became of somebody else's appeal of it.
    let othersAppeal: Phrase?
    /// Whether there is no more to say than that it cannot be appealed.
    let isFinal: Bool
    let words: String
    let problem: Phrase?
    let mistakes: [String: Phrase]

    init(_ decision: UserDecision, problem: FormProblem?, form: QueryParameters, now: Date) {
        about = decision.about
        caseID = decision.caseID.description
        self.decision = DecisionView(decision.decision, now: now)
        ends = decision.appealEnds.map { DisplayTime($0, now: now) }
        mayAppeal = decision.appealEnds != nil || problem != nil
        isOwnAppeal = decision.appeal?.isOwn == true
        othersAppeal = decision.othersAppeal
        isFinal = decision.appeal == nil
        words = form["text"] ?? ""
        self.problem = problem?.summary
        mistakes = problem?.mistakes ?? [:]
    }
}
