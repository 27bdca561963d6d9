// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketAccounts
import MarketHTTP
import MarketWire
import SheetCore

/// Sanctions, and what became of one's reports.
package struct EnforcementRoutes: Sendable {
    package let moderation: ModerationDependencies

    package init(moderation: ModerationDependencies) {
        self.moderation = moderation
    }

    package func register(on routes: APIRoutes) {
        routes.get("/me/sanctions", access: .user(.read), own)
        routes.get("/reports/mine", access: .user(.read), reports)
        routes.get("/moderation/users/{id}/sanctions", access: .moderator, list)
        routes.post("/moderation/users/{id}/sanctions", access: .moderator, impose)
        routes.delete("/moderation/users/{id}/sanctions/{sanction}", access: .moderator, lift)
    }

    private var service: SanctionService { SanctionService(moderation: moderation) }

    private func own(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let list = try await service.list(
            of: try context.requireIdentity().userID, try request.pageRequest(usually: PageRequest.longest),
            forModerators: false)
        return try request.listed(list, next: list.nextCursor)
    }

    private func reports(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let list = try await ReportService(moderation: moderation).mine(
            try context.requireIdentity().userID, try request.pageRequest())
        return try request.listed(list, next: list.nextCursor)
    }

    private func list(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let user = try await service.user(try context.path("id"))
        let list = try await service.list(
            of: user.id, try request.pageRequest(usually: PageRequest.longest), forModerators: true)
        return try request.listed(list, next: list.nextCursor)
    }

    private func impose(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let wish = try await request.json(SanctionRequest.self)
        let made = try await service.impose(
            wish, on: try context.path("id"), by: try context.requireIdentity(), requestID: context.requestID)
        return try .json(made, status: .created)
    }

    private func lift(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let wish = try await request.json(LiftRequest.self)
        guard let id = SanctionID(try context.path("sanction")) else { throw SanctionError.noSuchSanction }
        try await service.lift(
            id, of: try context.path("id"), wish, by: try context.requireIdentity(), requestID: context.requestID)
        return .empty()
    }
}
