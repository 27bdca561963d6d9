// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketWire
import SheetCore

/// `/appeals`: those whom a decision concerns may have it looked at again.
package struct AppealRoutes: Sendable {
    package let moderation: ModerationDependencies

    package init(moderation: ModerationDependencies) {
        self.moderation = moderation
    }

    private var service: AppealService { AppealService(moderation: moderation) }

    package func register(on routes: APIRoutes) {
        routes.get("/appeals", access: .user(.read), list)
        routes.post("/appeals", access: .user(.reviewsWrite), lodge)
        routes.get("/appeals/{id}", access: .user(.read), show)
    }

    private func lodge(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let wanted = try await request.json(AppealRequest.self)
        let appeal = try await service.lodge(
            wanted, by: try context.requireIdentity(), requestID: context.requestID)
        return try .json(appeal, status: .created, headers: [.location: "\(Paths.base)/appeals/\(appeal.id)"])
    }

    private func show(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        guard let id = UUID(uuidString: try context.path("id")) else { throw APIError.notFound("This appeal") }
        let appeal = try await service.appeal(id, for: try context.requireIdentity())
        return request.revalidated(try .json(appeal), headers: [.cacheControl: DeskRoutes.teamOnly])
    }

    private func list(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let list = try await service.mine(try context.requireIdentity().userID, try request.part())
        return try request.listed(list, next: list.nextCursor)
    }
}
