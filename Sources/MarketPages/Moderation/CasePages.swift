// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketHTTP
import MarketPlatform
import MarketWire
import Moderation
import ModerationService
import SheetCore

/// The moderators' pages.
struct CasePages: Sendable {
    let features: Features
    let pages: WebPages
    let service: CaseService

    func register(on routes: APIRoutes) {
        routes.get("/moderation", access: .moderator, queue)
        routes.get("/moderation/cases/{id}", access: .moderator, show)
        routes.post("/moderation/cases/{id}/claim", access: .moderator) {
            try await act($0, $1) { try await service.claim($0, by: $1, requestID: $2) }
        }
        routes.post("/moderation/cases/{id}/release", access: .moderator) {
            try await act($0, $1) { try await service.release($0, by: $1, requestID: $2) }
        }
        routes.post("/moderation/cases/{id}/decision", access: .moderator, decide)
        routes.post("/moderation/cases/{id}/confirm", access: .moderator) {
            try await act($0, $1) { try await service.confirm($0, by: $1, requestID: $2) }
        }
        routes.post("/moderation/cases/{id}/decline", access: .moderator, decline)
    }

    private func queue(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let identity = try context.requireIdentity()
        async let systems = CatalogStore.gameSystems(features.database)
        let list = try await CaseRoutes.queuePage(request, features.moderation, viewer: identity)
        let view = QueueView(
            list, state: request.query("state"), systems: try await systems, viewer: identity.handle,
            now: features.now())
        return try pages.answer(
            .queue, view, head: PageHead(title: "Review queue", place: .moderation, viewer: identity))
    }

    private func show(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await casePage(context)
    }

    private func act(
        _ request: Request, _ context: MarketRequestContext,
        _ act: (CaseID, Identity, String) async throws -> CaseSummary
    ) async throws -> Response {
        let id = try Self.id(context)
        do {
            _ = try await act(id, try context.requireIdentity(), context.requestID)
            return .seeOther("/moderation/cases/\(id)")
        } catch {
            return try await casePage(context, problem: try Self.problem(error))
        }
    }

    private func decide(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let id = try Self.id(context)
        let form = try await request.form()
        do {
            guard let kind = DecisionKind(rawValue: form["decision"] ?? "") else {
                throw APIError.validation([.init(pointer: "/decision", detail: "Choose one of these.")])
            }
            let until = try kind == .suspend ? Self.day(form["until"]) : nil
            let decision = DecisionRequest(
                decision: kind, reasonCode: form["reasonCode"] ?? "", message: form["message"] ?? "",
                until: until)
            _ = try await service.decide(
                id, decision, by: try context.requireIdentity(), requestID: context.requestID)
            return .seeOther("/moderation/cases/\(id)")
        } catch {
            return try await casePage(context, problem: try Self.problem(error), form: form)
        }
    }

    private func decline(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let id = try Self.id(context)
        let form = try await request.form()
        do {
            _ = try await service.decline(
                id, reason: form["reason"] ?? "", by: try context.requireIdentity(), requestID: context.requestID)
            return .seeOther("/moderation/cases/\(id)")
        } catch {
            return try await casePage(context, problem: try Self.problem(error), form: form)
        }
    }

    /// The first moment of a day as date fields send it.
    private static func day(_ text: String?) throws -> Date? {
        guard let text, !text.isEmpty else { return nil }
        guard let day = UTCDay(text) else {
            throw APIError.validation([.init(pointer: "/until", detail: "A day such as 2027-01-31.")])
        }
        return day.date
    }

    private func casePage(
        _ context: MarketRequestContext, problem: FormProblem? = nil, form: QueryParameters = QueryParameters(nil)
    ) async throws -> Response {
        let identity = try context.requireIdentity()
        async let systems = CatalogStore.gameSystems(features.database)
        guard
            let detail = try await CaseDetailReader(moderation: features.moderation).detail(
                try Self.id(context), for: identity)
        else {
            throw CaseError.noSuchCase
        }
        let system = try await systems.first { $0.slug == detail.summary.gameSystem }
        let view = CaseView(
            detail, reasons: features.moderation.reasons, systemName: system?.name, viewer: identity, problem: problem,
            form: form,
            now: features.now())
        return try pages.answer(
            .case, view,
            head: PageHead(
                title: "Case: \(view.templateName) \(view.version)", place: .moderation,
                viewer: identity, scripts: ["regions.js", "case.js"]),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }

    private static func problem(_ error: any Error) throws -> FormProblem {
        if case CaseError.noSuchCase = error { throw error }
        return try FormProblem(error)
    }

    private static func id(_ context: MarketRequestContext) throws -> CaseID {
        guard let id = CaseID(try context.path("id")) else { throw CaseError.noSuchCase }
        return id
    }
}

/// What waits for a decision.
struct QueueView: Sendable {
    struct Line: Sendable {
        let address: String
        let templateName: String
        let version: String
        /// What the case is, unless it is an upload.
        let what: String?
        let gameSystem: String
        let uploader: String
        let risk: StateLabel?
        let riskScore: Int
        let finding: StateLabel?
        let due: StateLabel?
        let opened: DisplayTime
        let state: StateLabel
    }

    struct Tab: Sendable {
        let label: String
        let address: String
        let isHere: Bool
    }

    let tabs: [Tab]
    let lines: [Line]
    let hasLines: Bool
    let isDecided: Bool
    let next: String
    let hasNext: Bool

    init(_ list: CaseList, state: String?, systems: [GameSystem], viewer: String, now: Date) {
        let names = Dictionary(systems.map { ($0.slug, $0.name) }, uniquingKeysWith: { first, _ in first })
        tabs = [
            ("To do", nil), ("Open", "open"), ("Claimed", "claimed"), ("Waiting", "waiting"), ("Decided", "decided"),
        ].map {
            Tab(label: $0, address: PageAddress("/moderation").with("state", $1).text, isHere: state == $1)
        }
        lines = list.cases.map { item in
            Line(
                address: "/moderation/cases/\(item.id)", templateName: item.templateName,
                version: item.version?.description ?? "", what: QueueView.what(item),
                gameSystem: item.gameSystem.map { names[$0] ?? $0 } ?? "", uploader: item.uploader,
                risk: item.kind == .submission || item.risk > 0 ? StateLabel(risk: item.risk) : nil,
                riskScore: item.risk, finding: item.severity.map { StateLabel($0) },
                due: item.due.map { StateLabel($0) }, opened: DisplayTime(item.openedAt, now: now),
                state: StateLabel(item, viewer: viewer))
        }
        hasLines = !lines.isEmpty
        isDecided = state == "decided"
        next = PageAddress("/moderation").with("state", state).with("cursor", list.nextCursor).text
        hasNext = list.nextCursor != nil
    }

    /// What a case is, unless it is a plain upload.
    static func what(_ item: CaseSummary) -> String? {
        if item.isProposed { return "Second opinion" }
        return switch item.kind {
        case .submission: item.isAudit ? "Audit" : nil
        case .report:
            item.reportCount > 1
                ? "\(item.reportCount) reports: \(item.subject.rawValue)" : "Reported \(item.subject.rawValue)"
        case .appeal: "Appeal"
        }
    }
}

/// All that a decision needs.
struct CaseView: Sendable {
    struct Reason: Sendable {
        let reasonCode: String
        let label: String
        /// The decisions that it goes with, as words of the form.
        let decisions: String
        let standardText: String
        let isSelected: Bool
    }

    struct Verdict: Sendable {
        let value: String
        let label: String
        let hint: String
        let isSelected: Bool
    }

    let id: String
    let templateName: String
    let version: String
    let what: String?
    let state: StateLabel
    let gameSystem: String
    /// `uploaded by ada`.
    let origin: String
    let caseContext: CaseContextView
    /// Whether it is about an upload, or a version that came of one.
    let hasUpload: Bool
    let license: String
    let language: String
    let tags: String
    let hasTags: Bool
    let summary: String
    let description: MarkdownBlocks
    let hasDescription: Bool
    let changelog: MarkdownBlocks
    let hasChangelog: Bool
    let fileName: String
    let fileSize: String
    let sha256: String
    let opened: DisplayTime
    let findings: [FindingView]
    let hasFindings: Bool
    let sheetPages: [SheetPageView]
    let hasRegions: Bool
    let kind: String
    let outline: OutlineView?
    let changes: ChangesView?
    let differences: DifferencesView?
    let risk: RiskView?
    let alike: [PageRow]
    let hasAlike: Bool
    let hasPages: Bool
    let canClaim: Bool
    let isOwnUpload: Bool
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
    let verdicts: [Verdict]
    let reasons: [Reason]
    let message: String
    let problem: String?
    let mistakes: [String: String]

    init(
        _ detail: CaseDetail, reasons: ReasonBook, systemName: String?, viewer: Identity, problem: FormProblem?,
        form: QueryParameters, now: Date
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
        hasUpload = detail.submission != nil
        license = detail.metadata?.license ?? "as before"
        language = (detail.metadata?.language).map(DisplayText.language) ?? "as before"
        tags = (detail.metadata?.tags ?? []).joined(separator: ", ")
        hasTags = !tags.isEmpty
        summary = detail.metadata?.summary ?? "as before"
        description = MarkdownBlocks(detail.metadata?.description ?? "")
        hasDescription = !description.blocks.isEmpty
        changelog = MarkdownBlocks(detail.metadata?.changelog ?? "")
        hasChangelog = !changelog.blocks.isEmpty
        fileName = detail.submission?.fileName ?? "none"
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
        kind = detail.submission?.kind.title ?? item.subject.rawValue
        outline = detail.outline.map(OutlineView.init)
        changes = detail.submission?.changes.map(ChangesView.init)
        differences = detail.before.map {
            DifferencesView($0, pages: detail.pages, of: item.templateName, version: item.version)
        }
        risk = detail.risk.map { RiskView($0, now: now) }
        alike = detail.risk.map { RiskView.alike($0, detail.pages, of: item.templateName) } ?? []
        hasAlike = !alike.isEmpty
        hasPages = !sheetPages.isEmpty
        isOwnUpload = item.uploader == viewer.handle && viewer.role < .administrator
        canClaim = item.state == .open && !isOwnUpload && detail.proposal?.by != viewer.handle
        let isHeld = item.state == .claimed && item.claimedBy == viewer.handle
        canDecide = isHeld && detail.proposal == nil
        canConfirm = isHeld && detail.proposal != nil
        claimEnds = item.claimExpiresAt.map { DisplayTime($0, now: now) }
        holder = item.state == .claimed && !isHeld ? item.claimedBy : nil
        decisions = detail.decisions.map { DecisionView($0, now: now) }
        let choices = detail.choices ?? []
        canSuspend = choices.contains(.suspend)
        until = form["until"] ?? ""
        declineReason = form["reason"] ?? ""
        verdicts = choices.map { Self.verdict($0, form) }
        self.reasons = reasons.reasons().compactMap { Self.reason($0, for: choices, form) }
        message = form["message"] ?? ""
        self.problem = problem?.summary
        mistakes = problem?.mistakes ?? [:]
    }

    private static func origin(_ item: CaseSummary) -> String {
        switch item.subject {
        case .submission, .template, .version: "uploaded by \(item.uploader)"
        case .review: "written by \(item.uploader)"
        case .user: "account \(item.uploader)"
        }
    }

    private static func verdict(_ decision: DecisionKind, _ form: QueryParameters) -> Verdict {
        Verdict(
            value: decision.rawValue, label: label(decision), hint: hint(decision),
            isSelected: form["decision"] == decision.rawValue)
    }

    private static func reason(
        _ reason: CannedReason, for choices: [DecisionKind], _ form: QueryParameters
    ) -> Reason? {
        let fitting = reason.verdicts.map(\.rawValue).filter {
            DecisionKind(rawValue: $0).map(choices.contains) == true
        }
        if fitting.isEmpty { return nil }
        return Reason(
            reasonCode: reason.code, label: reason.title, decisions: fitting.joined(separator: " "),
            standardText: reason.text, isSelected: form["reasonCode"] == reason.code)
    }

    private static func label(_ decision: DecisionKind) -> String {
        let words = decision.rawValue.replacing("_", with: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    private static func hint(_ decision: DecisionKind) -> String {
        switch decision {
        case .approve: "Publish it now."
        case .requestChanges: "The uploader may send it again."
        case .reject: "It cannot be taken."
        case .takeDown: "Nobody can have it any more; the message stands in its place."
        case .restore: "It is as it was before it was taken down."
        case .dismiss: "Nothing is wrong with it."
        case .warn: "Its author is told, and it counts as a strike."
        case .suspend: "Its author changes nothing for a while."
        case .ban: "For good; another moderator has to confirm it."
        case .lift: "All that is in force ends."
        case .uphold: "The decision stays as it is."
        case .overturn: "The decision was wrong and is undone."
        }
    }
}
