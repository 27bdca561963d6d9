// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import MemberPages
import Moderation
import ModerationService
import SheetCore

/// All that a decision needs.
struct CaseView: Sendable {
    let id: String
    let templateName: String
    let version: String
    let what: Phrase?
    let state: StateLabel
    let gameSystem: String
    /// `uploaded by ada`.
    let origin: Phrase
    let caseContext: CaseContextView
    let background: CaseBackgroundView
    /// Whether it is about an upload, or a version that came of one.
    let hasUpload: Bool
    let license: Phrase
    let language: Phrase
    let tags: String
    let hasTags: Bool
    let summary: Phrase
    let description: MarkdownBlocks
    let hasDescription: Bool
    let changelog: MarkdownBlocks
    let hasChangelog: Bool
    let fileName: Phrase
    /// Where the file under review is handed out.
    let fileAddress: String
    let fileSize: Phrase
    let sha256: String
    let opened: DisplayTime
    let findings: [FindingView]
    let hasFindings: Bool
    let sheetPages: [SheetPageView]
    let hasRegions: Bool
    let kind: Phrase
    let outline: OutlineView?
    let changes: ChangesView?
    let differences: DifferencesView?
    let risk: RiskView?
    let alike: [PageRow]
    let hasAlike: Bool
    /// Whether a picture of what differs is there, which has colours to be explained.
    let hasAlikeDifference: Bool
    let hasPages: Bool
    let regionsAddress: String?
    let canClaim: Bool
    /// Why the viewer has no part in it.
    let bar: Phrase?
    let canDecide: Bool
    /// Whether a decision waits for the viewer to confirm it.
    let canConfirm: Bool
    /// Whether a suspension is among the choices.
    let canSuspend: Bool
    let until: String
    let declineReason: String
    let claimEnds: DisplayTime?
    let holder: String?
    let decisions: [DecisionView]
    let verdicts: [DecisionForm.Verdict]
    let reasonGroups: [DecisionForm.ReasonGroup]
    let message: String
    let thread: ThreadView
    /// Whether nothing has to be done here for now, and another case can be taken.
    let isDone: Bool
    let problem: Phrase?
    let mistakes: [String: Phrase]

    init(
        _ detail: CaseDetail, _ standing: CaseStanding, thread: ThreadView, background: CaseBackgroundView,
        reasons: ReasonBook,
        systemName: String?,
        viewer: Identity, problem: FormProblem?, form: QueryParameters, now: Date
    ) {
        let item = detail.summary
        id = item.id.description
        templateName = item.templateName
        version = item.version?.description ?? ""
        what = QueueView.what(item)
        state = StateLabel(item, viewer: viewer.handle)
        gameSystem = systemName ?? item.gameSystem ?? ""
        origin = Self.origin(item)
        caseContext = CaseContextView(detail, viewer: viewer, now: now)
        self.background = background
        hasUpload = detail.submission != nil
        license = detail.metadata?.license.map { Phrase(verbatim: LicenceGuide.name($0)) } ?? "as before"
        language = detail.metadata?.language.map { DisplayText.language($0) } ?? "as before"
        tags = (detail.metadata?.tags ?? []).joined(separator: ", ")
        hasTags = !tags.isEmpty
        summary = detail.metadata?.summary.map { Phrase(verbatim: $0) } ?? "as before"
        description = MarkdownBlocks(detail.metadata?.description ?? "")
        hasDescription = !description.blocks.isEmpty
        changelog = MarkdownBlocks(detail.metadata?.changelog ?? "")
        hasChangelog = !changelog.blocks.isEmpty
        fileName = (detail.submission?.fileName).map { Phrase(verbatim: $0) } ?? "none"
        fileAddress = "\(Paths.moderationCase(item.id.description))/download"
        fileSize = DisplayText.size(detail.submission?.sizeBytes ?? 0)
        sha256 = detail.submission?.sha256.hex ?? ""
        opened = DisplayTime(item.openedAt, now: now)
        findings = FindingView.sorted(detail.submission?.findings ?? [])
        hasFindings = !findings.isEmpty
        sheetPages = detail.pages.map { page in
            SheetPageView(
                page, regions: detail.regions.first { $0.index == page.index }?.regions ?? [], of: item.templateName)
        }
        hasRegions = sheetPages.contains { $0.hasRegions }
        kind = Phrase(told: detail.submission?.kind.title ?? item.part?.rawValue ?? item.subject.rawValue)
        outline = detail.outline.map(OutlineView.init)
        changes = detail.submission?.changes.map(ChangesView.init)
        differences = detail.before.map {
            DifferencesView($0, pages: detail.pages, of: item.templateName, version: item.version)
        }
        risk = detail.risk.map { RiskView($0, isPast: item.kind != .submission, now: now) }
        alike = detail.risk.map { RiskView.alike($0, detail.pages, of: item.templateName) } ?? []
        hasAlike = !alike.isEmpty
        hasAlikeDifference = detail.risk?.alike.contains { $0.difference != nil } ?? false
        hasPages = !sheetPages.isEmpty
        regionsAddress = detail.submission?.regionsAddress
        self.thread = thread
        bar = standing.bar.map(Self.words)
        canClaim = standing.mayClaim
        canDecide = standing.mayDecide
        canConfirm = standing.mayConfirm
        claimEnds = item.claimExpiresAt.map { DisplayTime($0, now: now) }
        holder = item.state == .claimed && !standing.mayRelease ? item.claimedBy : nil
        isDone = !standing.mayRelease && item.state != .open && item.state != .claimed
        decisions = detail.decisions.map { DecisionView($0, now: now) }
        let choices = standing.choices
        canSuspend = choices.contains(.suspend)
        until = form["until"] ?? ""
        declineReason = form["reason"] ?? ""
        let fields = DecisionForm(
            choices, reasons: reasons.reasons(language: viewer.language?.rawValue ?? ReasonBook.fallback), form: form)
        (verdicts, reasonGroups) = (fields.verdicts, fields.reasonGroups)
        message = form["message"] ?? ""
        self.problem = problem?.summary
        mistakes = problem?.mistakes ?? [:]
    }

    private static func origin(_ item: CaseSummary) -> Phrase {
        switch item.subject {
        case .submission, .template, .version: "uploaded by \(item.uploader)"
        case .review: "written by \(item.uploader)"
        case .user:
            switch item.part {
            case .collection: "collection of \(item.uploader)"
            case .profile: "profile of \(item.uploader)"
            case nil: "account \(item.uploader)"
            }
        }
    }

    private static func words(_ bar: CaseStanding.Bar) -> Phrase {
        switch bar {
        case .ownWork: "This case is about your own work. Another moderator has to decide it."
        case .ownDecision: "This is an appeal against your own decision. Another moderator has to decide it."
        }
    }
}
