// SPDX-License-Identifier: Apache-2.0
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

/// Where zoom regions are drawn, named and mended: of published versions by their authors and moderators, of uploads by
/// their uploader and moderators.
struct RegionPages: Sendable {
    private static let standardNote = "I corrected the zoom regions."

    let features: Features
    let pages: WebPages
    let caseService: CaseService

    private typealias Finding = (MarketRequestContext, Request) async throws -> RegionSubject

    func register(on routes: APIRoutes) {
        let versions = "/sheets/{id}/versions/{v}/regions"
        let submissions = "/submissions/{id}/regions"
        let moved = routes.wrapping(MovedTemplates(database: features.database).redirectingMovedSlugs)
        moved.get(versions, access: .user(.templatesWrite)) { try await page($0, $1, of: version($1, $0)) }
        moved.post(versions, access: .user(.templatesWrite)) { try await save($0, $1, version) }
        moved.post("\(versions)/training", access: .user(.templatesWrite), setConsent)
        routes.get(submissions, access: .user(.templatesWrite)) { request, context in
            try await page(request, context, of: submission(context, request))
        }
        routes.post(submissions, access: .user(.templatesWrite)) { try await save($0, $1, submission) }
    }

    private var owners: OwnerService { OwnerService(catalog: features.catalog) }
    private var submissions: SubmissionService { SubmissionService(ingest: features.ingest) }

    // MARK: What it is about

    private func version(_ context: MarketRequestContext, _ request: Request) async throws -> RegionSubject {
        RegionSubject(
            try await owners.correctable(
                try context.version(request), of: try context.template, for: try context.requireIdentity()))
    }

    private func submission(_ context: MarketRequestContext, _ request: Request) async throws -> RegionSubject {
        let identity = try context.requireIdentity()
        let status = try await submissions.submission(try context.submission, for: identity)
        if status.state == .published {
            return RegionSubject(
                try await owners.correctable(.number(status.version), of: .id(status.templateId), for: identity))
        }
        guard status.state.takesCorrections else {
            throw SubmissionError.wrongState(status.state, verb: "corrected")
        }
        let uploader = try await SubmissionStore.fetch(status.id, in: features.database)?.uploaderID
        return RegionSubject(
            status, pages: try await SubmissionStore.pages(status.id, in: features.database),
            proposal: try await SubmissionStore.proposedRegions(status.id, in: features.database),
            isUploader: uploader == identity.userID)
    }

    /// The page of the sheet that is meant: the one of the address, or the first.
    private static func page(_ request: Request, of subject: RegionSubject) throws -> PageSummary {
        let number = request.query("page").map { Int($0) ?? 0 } ?? 1
        guard let page = subject.pages.first(where: { $0.index == number - 1 }) else {
            throw APIError.notFound("This page of the sheet")
        }
        return page
    }

    // MARK: Showing and saving

    private func page(
        _ request: Request, _ context: MarketRequestContext, of subject: RegionSubject,
        after problem: FormProblem? = nil, form: QueryParameters = QueryParameters(nil)
    ) async throws -> Response {
        let view = try RegionEditorView(
            subject, page: try Self.page(request, of: subject), isSaved: problem == nil && context.done == "saved",
            problem: problem, form: form, standardNote: Self.standardNote)
        return try pages.answer(
            .editRegions, view,
            head: PageHead(
                title: "Zoom regions of \(subject.name)", viewer: try context.requireIdentity(),
                scripts: ["region-editor.js"], styles: ["regions.css", "region-editor.css"]),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }

    private func save(
        _ request: Request, _ context: MarketRequestContext, _ find: Finding
    ) async throws -> Response {
        let form = try await request.form()
        let subject = try await find(context, request)
        let page = try Self.page(request, of: subject).index
        do {
            let regions: [ZoomRegion]
            if form["act"] == "proposal" {
                guard let proposed = subject.proposal.pages.first(where: { $0.index == page }) else {
                    throw APIError(.conflict, .conflict, "Nothing else was proposed for this page.")
                }
                regions = proposed.regions
            } else {
                regions = try RegionForm(form).regions(
                    on: page, stored: subject.regions(of: page), others: subject.ids(besides: page))
            }
            let condition = Precondition(unchangedSince: form["revision"] ?? "")
            try await replace(subject, subject.list(with: regions, on: page), if: condition, context)
            if form["act"] == "send", case .submission(let id) = subject.thing {
                _ = try await caseService.answer(
                    id, MessageRequest(text: form["note"] ?? Self.standardNote), by: try context.requireIdentity(),
                    requestID: context.requestID)
                return .seeOther("/submissions/\(id)")
            }
            return .seeOther(PageAddress(subject.address).with("page", "\(page + 1)").with("done", "saved").text)
        } catch {
            // What was saved before the answer failed is part of what the page is about now.
            return try await self.page(
                request, context, of: try await find(context, request), after: try FormProblem(error), form: form)
        }
    }

    /// The owner says whether the operator may learn from the sheet.
    private func setConsent(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let form = try await request.form()
        try await owners.set(
            TrainingConsent(isGiven: form["act"] == "allow"), of: try context.template,
            by: try context.requireIdentity())
        let subject = try await version(context, request)
        let page = try Self.page(request, of: subject).index
        return .seeOther(
            PageAddress(subject.address).with("page", "\(page + 1)").text + "#training")
    }

    private func replace(
        _ subject: RegionSubject, _ list: RegionList, if condition: Precondition, _ context: MarketRequestContext
    ) async throws {
        let identity = try context.requireIdentity()
        switch subject.thing {
        case .version(let number, let template):
            _ = try await owners.replaceRegions(
                of: .number(number), of: .id(template), with: list, if: condition, by: identity,
                requestID: context.requestID)
        case .submission(let id):
            try await submissions.replaceRegions(
                of: id, with: list, if: condition, by: identity, requestID: context.requestID)
        }
    }
}
