// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketWire

/// What owners do with their published templates.
struct OwnerRoutes: Sendable {
    let market: Market

    func register(on routes: APIRoutes) {
        routes.patch("/templates/{id}", access: .user(.templatesWrite), edit)
        routes.post("/templates/{id}/versions/{v}/yank", access: .user(.templatesWrite), yank)
        routes.post("/templates/{id}/versions/{v}/unyank", access: .user(.templatesWrite), unyank)
        routes.put("/templates/{id}/versions/{v}/regions", access: .user(.templatesWrite), replaceRegions)
    }

    private var service: OwnerService { OwnerService(market: market) }

    @Sendable private func edit(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let key = try context.template
        let patch = try await request.json(TemplatePatch.self)
        return try .json(try await service.edit(key, patch, by: try context.requireIdentity()))
    }

    @Sendable private func yank(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let key = try context.template
        let version = try context.version
        let reason = request.hasBody ? try await request.json(YankRequest.self).reason : nil
        return try .json(
            try await service.yank(
                version, of: key, reason: reason, by: try context.requireIdentity(), requestID: context.requestID))
    }

    @Sendable private func unyank(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let key = try context.template
        let version = try context.version
        return try .json(
            try await service.unyank(
                version, of: key, by: try context.requireIdentity(), requestID: context.requestID))
    }

    @Sendable private func replaceRegions(
        _ request: Request, _ context: MarketRequestContext
    ) async throws -> Response {
        let key = try context.template
        let version = try context.version
        let list = try await request.json(RegionList.self)
        return try .json(
            try await service.replaceRegions(
                of: version, of: key, with: list, by: try context.requireIdentity(), requestID: context.requestID))
    }
}

extension Request {
    /// Whether a body comes with the request (RFC 9112, section 6.3).
    var hasBody: Bool {
        headers[.transferEncoding] != nil || (headers[.contentLength].flatMap { Int($0) } ?? 0) > 0
    }
}
