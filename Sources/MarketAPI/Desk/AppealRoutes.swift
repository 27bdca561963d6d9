// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketWire
import SheetCore

/// `/appeals`: those whom a decision concerns may have it looked at again.
struct AppealRoutes: Sendable {
    let market: Market

    private static let listName = "appeals.newest"
    private var service: AppealService { AppealService(market: market) }

    func register(on routes: APIRoutes) {
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
        let part = try request.part()
        let before = try part.place(in: Self.listName, keys: 1) { UUID(uuidString: $0[0]) }
        let found = try await AppealStore.list(
            by: try context.requireIdentity().userID, before: before, limit: part.sought, in: market.database)
        let page = part.page(found, of: Self.listName) { [$0.id] }
        return try request.listed(AppealList(appeals: page.rows, nextCursor: page.next), next: page.next)
    }
}
