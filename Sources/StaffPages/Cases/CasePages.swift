// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketAccounts
import MarketCatalog
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketSearch
import MarketWire
import MemberPages
import Moderation
import ModerationService
import SheetCore

/// The moderators' pages.
struct CasePages: Sendable {
    let features: Features
    let pages: WebPages
    let service: CaseService

    func register(on routes: APIRoutes) {
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
        routes.post("/moderation/cases/{id}/messages", access: .moderator, write)
        routes.post("/moderation/cases/{id}/notes", access: .moderator, note)
    }

    private func show(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await casePage(request, context)
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
            return try await casePage(request, context, problem: try Self.problem(error))
        }
    }

    private func decide(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let id = try Self.id(context)
        let form = try await request.form()
        do {
            let decision = try DecisionForm.decision(in: form, reasons: features.moderation.reasons)
            _ = try await service.decide(
                id, decision, by: try context.requireIdentity(), requestID: context.requestID)
            return .seeOther("/moderation/cases/\(id)")
        } catch {
            return try await casePage(request, context, problem: try Self.problem(error), form: form)
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
            return try await casePage(request, context, problem: try Self.problem(error), form: form)
        }
    }

    /// Writes to the uploader.
    private func write(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let id = try Self.id(context)
        let form = try await request.form()
        let message = MessageRequest(
            text: form["text"] ?? "", waits: form["waits"] == "true", isHidden: form["hides"] == "true")
        do {
            _ = try await service.message(
                id, message, by: try context.requireIdentity(), requestID: context.requestID)
        } catch {
            return try await casePage(request, context, problem: try Self.problem(error), form: form, at: .thread)
        }
        return .seeOther("/moderation/cases/\(id)#messages")
    }

    /// Notes something for the team.
    private func note(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let id = try Self.id(context)
        let form = try await request.form()
        do {
            _ = try await service.note(
                id, NoteRequest(text: form["text"] ?? ""), by: try context.requireIdentity(),
                requestID: context.requestID)
            return .seeOther("/moderation/cases/\(id)#notes")
        } catch {
            return try await casePage(request, context, problem: try Self.problem(error), form: form, at: .notes)
        }
    }

    private func conversation(_ id: CaseID, from cursor: String?) async throws -> MessageList {
        try await service.threadFromItsEnd(
            id, PageRequest(cursor: cursor, limit: ThreadView.shown, parameter: "messages"), revealing: true)
    }

    /// The forms of a case.
    private enum Form {
        case decision, thread, notes
    }

    /// Shows the case; what was wrong with a form is told there.
    private func casePage(
        _ request: Request, _ context: MarketRequestContext, problem: FormProblem? = nil,
        form: QueryParameters = QueryParameters(nil), at place: Form = .decision
    ) async throws -> Response {
        let identity = try context.requireIdentity()
        let id = try Self.id(context)
        async let systems = CatalogStore.gameSystems(features.database)
        let whole = try await CaseDetailReader(moderation: features.moderation).whole(id, for: identity)
        guard let (detail, standing) = whole else { throw CaseError.noSuchCase }
        let system = try await systems.first { $0.slug == detail.summary.gameSystem }
        let cursor = request.query("messages")
        let thread = ThreadView(
            try await conversation(id, from: cursor), of: detail.summary, standing,
            lastWord: try await service.lastWord(id), cursor: cursor, problem: place == .thread ? problem : nil,
            form: form,
            now: features.now())
        let background = CaseBackgroundView(
            detail, standing, sanctions: try await sanctions(of: detail.author?.handle), viewer: identity,
            problem: place == .notes ? problem : nil, form: form, now: features.now())
        let view = CaseView(
            detail, standing, thread: thread, background: background, reasons: features.moderation.reasons,
            systemName: system?.name, viewer: identity, problem: place == .decision ? problem : nil,
            form: place == .decision ? form : QueryParameters(nil), now: features.now())
        return try pages.answer(
            .case, view,
            head: PageHead(
                title: "Case: \(view.templateName) \(view.version)", place: .moderation,
                viewer: identity, scripts: ["regions.js", "case.js", "shortcuts.js"], styles: ["regions.css"]),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }

    private func sanctions(of handle: String?) async throws -> SanctionList? {
        guard let handle, let user = try await AccountStore.user(handle: handle, in: features.database) else {
            return nil
        }
        return try await SanctionService(moderation: features.moderation).list(
            of: user.id, PageRequest(cursor: nil, limit: PageRequest.longest), forModerators: true)
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
