// SPDX-License-Identifier: Apache-2.0
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import MemberPages
import Moderation
import ModerationService
import SheetCore

/// Several cases with the form of one decision on them, or with what became of each.
struct ManyCasesView: Sendable {
    struct Line: Sendable {
        let caseID: String
        let address: String
        let about: String
        let number: String
        let what: Phrase?
        let uploader: String
        let label: StateLabel
        /// What kept it from being decided.
        let obstacle: Phrase?
    }

    let navigation: StaffNavigation
    let lines: [Line]
    let hasLines: Bool
    /// Whether there is something to decide on all of them.
    let canDecide: Bool
    /// Whether kinds of cases are among them that no decision fits together.
    let isMixed: Bool
    /// How many were decided, once a decision was sent.
    let done: Phrase?
    let doneTone: String
    let choice: DecisionForm
    let message: String
    let problem: Phrase?
    let mistakes: [String: Phrase]

    init(
        _ cases: [CaseSummary], navigation: StaffNavigation, reasons: [CannedReason], viewer: String,
        result: BulkDecisionResult?, problem: FormProblem?, form: QueryParameters
    ) {
        self.navigation = navigation
        var obstacles: [CaseID: Phrase] = [:]
        for item in result?.results ?? [] {
            guard let found = item.problem else { continue }
            let details = found.errors?.map(\.detail).joined(separator: " ") ?? ""
            obstacles[item.caseId] = Phrase(told: details.isEmpty ? found.detail ?? found.title : details)
        }
        lines = cases.map { item in
            Line(
                caseID: "\(item.id)", address: "/moderation/cases/\(item.id)", about: item.templateName,
                number: item.version?.description ?? "", what: QueueView.what(item), uploader: item.uploader,
                label: StateLabel(item, viewer: viewer), obstacle: obstacles[item.id])
        }
        hasLines = !lines.isEmpty
        let kinds = Set(cases.map(\.kind))
        let choices = kinds.count == 1 ? kinds.first.flatMap { CommonDecisions.byKind[$0] } ?? [] : []
        canDecide = result == nil && !choices.isEmpty
        isMixed = result == nil && hasLines && choices.isEmpty
        let decided = (result?.results ?? []).count { $0.summary != nil }
        done = result.map { "\(decided) of \($0.results.count) decided." }
        doneTone = obstacles.isEmpty ? "good" : "wait"
        choice = DecisionForm(choices, reasons: reasons, form: form)
        message = form["message"] ?? ""
        self.problem = problem?.summary
        mistakes = problem?.mistakes ?? [:]
    }
}
