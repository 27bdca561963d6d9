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
        let limit = try request.limit()
        var before: UUID?
        if let text = request.query("cursor") {
            before = UUID(uuidString: try Cursor(text, list: Self.listName, count: 1).keys[0])
            if before == nil { throw APIError(.badRequest, .badCursor, "This cursor is not from this list.") }
        }
        let found = try await AppealStore.list(
            by: try context.requireIdentity().userID, before: before, limit: limit + 1, in: market.database)
        let page = Array(found.prefix(limit))
        var next: String?
        if found.count > limit, let last = page.last { next = Cursor(list: Self.listName, keys: [last.id]).text }
        var headers = request.linkToNext(next)
        headers[.cacheControl] = DeskRoutes.teamOnly
        return request.revalidated(try .json(AppealList(appeals: page, nextCursor: next)), headers: headers)
    }
}
