// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketWire
import SheetCore

/// `/appeals`: people affected by a decision can have it reviewed again.
package struct AppealRoutes: Sendable {
    package let moderation: ModerationDependencies

    package init(moderation: ModerationDependencies) {
        self.moderation = moderation
    }

    private var service: AppealService { AppealService(moderation: moderation) }

    package func register(on routes: APIRoutes) {
        routes.get("/appeals", access: .user(.read), list)
        routes.post("/appeals", access: .user(.reviewsWrite), submit)
        routes.get("/appeals/{id}", access: .user(.read), show)
    }

    private func submit(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let wanted = try await request.json(AppealRequest.self)
        let appeal = try await service.submit(
            wanted, by: try context.requireIdentity(), requestID: context.requestID)
        return try .json(appeal, status: .created, headers: [.location: "\(Paths.base)/appeals/\(appeal.id)"])
    }

    private func show(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        guard let id = UUID(uuidString: try context.path("id")) else { throw AppealError.noSuchAppeal }
        let appeal = try await service.appeal(id, for: try context.requireIdentity())
        return request.conditionalResponse(try .json(appeal), headers: [.cacheControl: CaseRoutes.teamOnly])
    }

    private func list(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let list = try await service.mine(try context.requireIdentity().userID, try request.pageRequest())
        return try request.listed(list, next: list.nextCursor)
    }
}

extension AppealError: APIErrorConvertible {
    package var apiError: APIError {
        switch self {
        case .noSuchAppeal: .notFound("This appeal")
        case .nothingToAppeal:
            .validation([.init(pointer: "/id", detail: "No decision that concerns you was made on this.")])
        case .appealedBefore(let earlier): APIError(.conflict, .appealedBefore, earlier.words)
        }
    }
}
