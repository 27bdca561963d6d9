// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketHTTP
import MarketIngest
import MarketPages
import MarketPlatform
import MarketWire
import ModerationService
import SheetCore

/// The page of an upload, which shows live how far it has come.
struct SubmissionPages: Sendable {
    let features: Features
    let pages: WebPages
    let caseService: CaseService

    func register(on routes: APIRoutes) {
        routes.get("/submissions/{id}", access: .user(.read), show)
        routes.post("/submissions/{id}/withdraw", access: .user(.templatesWrite), withdraw)
        routes.post("/submissions/{id}/decline-cleaning", access: .user(.templatesWrite), declineCleaning)
        routes.post("/submissions/{id}/messages", access: .user(.templatesWrite), answer)
    }

    private var service: SubmissionService { SubmissionService(ingest: features.ingest) }

    private func show(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await page(request, context)
    }

    private func page(
        _ request: Request, _ context: MarketRequestContext, problem: FormProblem? = nil,
        form: QueryParameters = QueryParameters(nil)
    ) async throws -> Response {
        let identity = try context.requireIdentity()
        let status = try await service.submission(try context.submission, for: identity)
        let sheetPages = try await SubmissionStore.pages(status.id, in: features.database)
        let outline = status.kind.hasPages ? nil : try await SubmissionStore.outline(status.id, in: features.database)
        let cursor = request.query("messages")
        let messages = try await conversation(status.caseId, from: cursor)
        let uploader = try await SubmissionStore.fetch(status.id, in: features.database)?.uploaderID
        let thread = ThreadView(
            messages, of: status, isUploader: uploader == identity.userID,
            acceptsMessages: try await caseService.acceptsMessages(status.caseId), cursor: cursor, problem: problem,
            form: form,
            now: features.now())
        let part = try await AuthorStore.part(of: identity.userID, in: status.templateId, features.database)
        let fates = try await SubmissionStore.withdrawnVersions(of: [status.id], in: features.database)
        let view = SubmissionView(
            status, fate: fates[status.id], pages: sheetPages, outline: outline, thread: thread,
            told: try await decision(status, for: identity), viewer: identity,
            mayManage: TemplatePermissions(identity, author: part).mayManage, now: features.now())
        return try pages.answer(
            .submission, view,
            head: PageHead(
                title: "\(status.templateName) \(status.version)", place: .account, viewer: identity,
                scripts: ["regions.js", "submission.js"], styles: ["regions.css"]),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }

    /// The decision as the caller may see it, with the way to appeal it; `nil` when it is not theirs.
    private func decision(_ status: SubmissionStatus, for identity: Identity) async throws -> UserDecision? {
        guard status.decision != nil, let id = status.caseId else { return nil }
        return try await OwnDecisionService(moderation: features.moderation).last(of: id, for: identity.userID)
    }

    private func conversation(_ id: CaseID?, from cursor: String?) async throws -> MessageList {
        try await caseService.threadFromItsEnd(
            id, PageRequest(cursor: cursor, limit: ThreadView.shown, parameter: "messages"), revealing: false)
    }

    private func answer(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let identity = try context.requireIdentity()
        let submission = try await service.submission(try context.submission, for: identity)
        let form = try await request.form()
        do {
            _ = try await caseService.answer(
                submission.id, MessageRequest(text: form["text"] ?? ""), by: identity, requestID: context.requestID)
        } catch {
            return try await page(request, context, problem: try FormProblem(error), form: form)
        }
        return .seeOther("/submissions/\(submission.id)#messages")
    }

    private func withdraw(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let id = try context.submission
        _ = try await service.withdraw(id, by: try context.requireIdentity(), requestID: context.requestID)
        return .seeOther("/submissions/\(id)")
    }

    private func declineCleaning(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let id = try context.submission
        _ = try await service.declineCleaning(
            id, by: try context.requireIdentity(), requestID: context.requestID)
        return .seeOther("/submissions/\(id)")
    }
}

/// A finding in words.
package struct FindingView: Sendable {
    package let label: StateLabel
    package let message: Phrase
    package let place: Phrase
    package let code: String

    package init(_ finding: Finding) {
        label = StateLabel(finding.severity)
        message = Phrase(told: finding.message)
        place = finding.page.map { "page \($0 + 1)" } ?? "whole file"
        code = finding.code.rawValue
    }

    /// The worst first.
    package static func sorted(_ findings: [Finding]) -> [FindingView] {
        findings.enumerated().sorted {
            ($1.element.severity, $0.offset) < ($0.element.severity, $1.offset)
        }.map { FindingView($0.element) }
    }
}

/// What was taken out of a file, in words.
struct CleanedView: Sendable {
    /// `Scripts (12)`.
    let removed: [Phrase]
    let originalSHA256: String
    let isDeclined: Bool
    let canDecline: Bool

    init(_ cleaned: SubmissionStatus.Cleaned, state: SubmissionState) {
        removed = cleaned.removed.map { "\(Phrase(told: DisplayText.sentence($0.what))) (\($0.count))" }
        originalSHA256 = cleaned.originalSHA256.hex
        isDeclined = cleaned.isDeclined
        canDecline = state == .awaitingReview && !cleaned.isDeclined
    }
}

/// What the page of an upload shows.
struct SubmissionView: Sendable {
    /// A station of the way: `done`, `now`, `failed` or `ahead`.
    struct ProgressStep: Sendable {
        let title: Phrase
        let condition: String
        let conditionText: Phrase
        let isNow: Bool
    }

    let id: String
    let state: String
    let label: StateLabel
    let templateName: String
    let version: String
    let steps: [ProgressStep]
    let isMoving: Bool
    /// Whether news can still come.
    let isLive: Bool
    let step: Phrase
    let fraction: String
    let explanation: Phrase
    let sheetAddress: String?
    /// Also of a sheet that has no page while nothing of it is on offer.
    let manageAddress: String?
    let reviseAddress: String?
    /// Where the zoom regions are corrected, while they can be.
    let regionsAddress: String?
    /// Whether those are all that is to be mended.
    let isForRegions: Bool
    let canWithdraw: Bool
    let caseAddress: String?
    let decision: DecisionView?
    /// What the uploader can do about it.
    let recourse: AppealOptions?
    let cleaned: CleanedView?
    let findings: [FindingView]
    let hasFindings: Bool
    let isRead: Bool
    let fileName: String
    let size: Phrase
    let pageCount: Phrase
    let sha256: String
    let created: DisplayTime
    let sheetPages: [SheetPageView]
    let hasPages: Bool
    /// What stands where the pages would.
    let emptiness: Phrase
    let kind: Phrase
    let outline: OutlineView?
    let changes: ChangesView?
    let thread: ThreadView

    init(
        _ status: SubmissionStatus, fate: VersionState?, pages: [(page: PageSummary, regions: [ZoomRegion])],
        outline: ContentOutline? = nil, thread: ThreadView, told: UserDecision?, viewer: Identity, mayManage: Bool,
        now: Date
    ) {
        self.thread = thread
        kind = Phrase(told: status.kind.title)
        self.outline = outline.map(OutlineView.init)
        changes = status.changes.map(ChangesView.init)
        id = status.id.description
        state = status.state.rawValue
        label = StateLabel(status.state, fate: fate)
        templateName = status.templateName
        version = status.version.description
        steps = Self.steps(status)
        isMoving = status.state == .received || status.state == .inspecting
        isLive = !status.state.isFinal
        step = Self.sentence(status.progress.step)
        fraction = String((status.progress.fraction * 100).rounded() / 100)
        explanation = Self.explanation(status, fate)
        sheetAddress = status.state == .published ? PagePaths.sheet(status.templateSlug) : nil
        manageAddress = mayManage ? sheetAddress.map { "\($0)/manage" } : nil
        let mayRevise = status.state == .changesRequested || status.state == .rejected
        reviseAddress =
            mayRevise ? PageAddress("/upload").with("template", status.templateId.description).text : nil
        regionsAddress = status.regionsAddress
        isForRegions =
            status.state == .changesRequested && status.decision?.reasonCode == "regions_need_work"
            && regionsAddress != nil
        canWithdraw = !status.state.isFinal
        caseAddress =
            viewer.role >= .moderator ? status.caseId.map { "/moderation/cases/\($0)" } : nil
        decision = status.decision.map { DecisionView($0, now: now) }
        recourse = told.map { AppealOptions($0, now: now) }
        cleaned = status.cleaned.map { CleanedView($0, state: status.state) }
        findings = FindingView.sorted(status.findings)
        hasFindings = !findings.isEmpty
        isRead = status.pageCount != nil || status.state == .rejected
        fileName = status.fileName
        size = DisplayText.size(status.sizeBytes)
        pageCount = Self.pages(status)
        sha256 = status.sha256.hex
        created = DisplayTime(status.createdAt, now: now)
        sheetPages = pages.map { SheetPageView($0.page, regions: $0.regions, of: status.templateName) }
        hasPages = !pages.isEmpty
        emptiness =
            status.state.isFinal
            ? "There are no pictures of this file." : "Pictures of the pages appear here once the file has been read."
    }

    private static func steps(_ status: SubmissionStatus) -> [ProgressStep] {
        let titles: [Phrase] = ["Uploaded", "Read in the sandbox", "Reviewed by a person", "Published"]
        let reached: Int
        var isEnd = false
        switch status.state {
        case .received, .inspecting: reached = 1
        case .awaitingReview: reached = 2
        case .published: reached = 4
        case .rejected:
            reached = status.decision == nil ? 1 : 2
            isEnd = true
        case .changesRequested, .withdrawn:
            reached = status.pageCount == nil ? 1 : 2
            isEnd = true
        }
        return titles.enumerated().map { place, title in
            let condition = place < reached ? "done" : place > reached ? "ahead" : isEnd ? "failed" : "now"
            let words: [String: Phrase] = [
                "done": "done", "ahead": "to come", "failed": "ended here", "now": "under way",
            ]
            return ProgressStep(
                title: title, condition: condition, conditionText: words[condition] ?? "", isNow: condition == "now")
        }
    }

    private static func explanation(_ status: SubmissionStatus, _ fate: VersionState?) -> Phrase {
        switch status.state {
        case .received: "The file is stored. A reader takes it up in a moment."
        case .inspecting: "A sandboxed reader looks at every page."
        case .awaitingReview: "The file is sound. A moderator looks at it next; you need not wait here."
        case .published where fate == .takenDown: "It was published, and taken down later. Nobody can find it now."
        case .published where fate == .yanked: "It was published, and withdrawn later. People who have it keep it."
        case .published: "Everybody can find and install it now."
        case .rejected where status.cleaned?.isDeclined == true:
            "You declined the clean copy, so the file stays rejected. The findings say why."
        case .rejected where status.decision == nil: "The automatic checks rejected this file. The findings say why."
        case .rejected: "A moderator rejected this upload. You can send another version."
        case .changesRequested:
            "A moderator asks for changes. Send the corrected sheet as a new upload of this version; zoom regions can "
                + "be corrected here, without sending it again."
        case .withdrawn: "You withdrew this upload. It was not published."
        }
    }

    /// A refused file may have none that could be counted.
    private static func pages(_ status: SubmissionStatus) -> Phrase {
        switch status.pageCount {
        case let count? where count > 0: DisplayText.number(count)
        case .some: "none"
        case nil: status.state.isFinal ? "not known" : "not known yet"
        }
    }

    private static func sentence(_ text: String) -> Phrase {
        Phrase(told: DisplayText.sentence(text))
    }
}
