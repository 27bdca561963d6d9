// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketAccounts
import MarketHTTP
import MarketWire
import Moderation
import SheetCore

/// Copyright notices and counter-notices.
package struct CopyrightRoutes: Sendable {
    package let moderation: ModerationDependencies

    package init(moderation: ModerationDependencies) {
        self.moderation = moderation
    }

    package func register(on routes: APIRoutes) {
        // Each may bring somebody an e-mail.
        routes.withCost(.upload).post("/copyright/notices", access: .optionalAuthentication, submit)
        routes.get("/copyright/notices", access: .moderator, list)
        routes.get("/copyright/notices/{id}", access: .user(.read), show)
        routes.post("/copyright/notices/{id}/counter-notice", access: .user(.templatesWrite), counter)
        routes.post("/copyright/notices/{id}/decision", access: .moderator, decide)
    }

    private var service: CopyrightService { CopyrightService(moderation: moderation) }

    private func submit(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let wish = try await request.json(CopyrightNoticeRequest.self)
        let made = try await service.submit(
            wish, by: context.identity, language: request.emailLanguage(moderation.accounts))
        return try .json(made, status: .created, headers: [.cacheControl: "no-store"])
    }

    private func list(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let pageRequest = try request.pageRequest()
        let state = try request.word("state", of: CopyrightClaim.State.self)
        let name = "copyright.\(state?.rawValue ?? "all")"
        let found = try await service.list(
            state: state, before: try pageRequest.timePosition(in: name), limit: pageRequest.fetchLimit,
            for: try context.requireIdentity())
        let page = pageRequest.page(found, of: name) { [Cursor.key($0.receivedAt), $0.id.description] }
        return try request.listed(CopyrightNoticeList(notices: page.rows, nextCursor: page.next), next: page.next)
    }

    private func show(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let notice = try await service.notice(try Self.id(context), for: try context.requireIdentity())
        return request.conditionalResponse(try .json(notice), headers: [.cacheControl: "private, no-cache"])
    }

    private func counter(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let wish = try await request.json(CounterNoticeRequest.self)
        return try .json(
            try await service.counter(
                try Self.id(context), wish, by: try context.requireIdentity(), requestID: context.requestID))
    }

    private func decide(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let wish = try await request.json(CopyrightDecisionRequest.self)
        return try .json(
            try await service.decide(
                try Self.id(context), wish, by: try context.requireIdentity(), requestID: context.requestID))
    }

    private static func id(_ context: MarketRequestContext) throws -> CopyrightNoticeID {
        guard let id = CopyrightNoticeID(try context.path("id")) else { throw CopyrightError.noSuchNotice }
        return id
    }
}
