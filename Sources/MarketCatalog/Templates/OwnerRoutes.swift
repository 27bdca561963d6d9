// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketPlatform
import MarketWire

/// What owners do with their published templates.
package struct OwnerRoutes: Sendable {
    package let catalog: CatalogDependencies

    package init(catalog: CatalogDependencies) {
        self.catalog = catalog
    }

    package func register(on routes: APIRoutes) {
        let routes = routes.wrapping(MovedTemplates(database: catalog.database).redirectingMovedSlugs)
        routes.conditional.patch("/templates/{id}", access: .user(.templatesWrite), edit)
        routes.conditional.post("/templates/{id}/versions/{v}/yank", access: .user(.templatesWrite), yank)
        routes.conditional.post("/templates/{id}/versions/{v}/unyank", access: .user(.templatesWrite), unyank)
        routes.conditional.put("/templates/{id}/versions/{v}/regions", access: .user(.templatesWrite), replaceRegions)
        routes.conditional.put("/templates/{id}/versions/{v}/channel", access: .user(.templatesWrite), setChannel)
        routes.conditional.put("/templates/{id}/deprecation", access: .user(.templatesWrite), deprecate)
        routes.get("/templates/{id}/training", access: .user(.read), trainingConsent)
        routes.put("/templates/{id}/training", access: .user(.templatesWrite), setTrainingConsent)
        routes.conditional.delete("/templates/{id}/deprecation", access: .user(.templatesWrite), undeprecate)
    }

    private var service: OwnerService { OwnerService(catalog: catalog) }

    @Sendable private func edit(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let key = try context.template
        let patch = try await request.json(TemplatePatch.self)
        return try .json(
            try await service.edit(
                key, patch, if: Precondition(request), by: try context.requireIdentity()))
    }

    @Sendable private func yank(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let key = try context.template
        let version = try context.version(request)
        let reason = request.hasBody ? try await request.json(YankRequest.self).reason : nil
        return try .json(
            try await service.yank(
                version, of: key, reason: reason, if: Precondition(request), by: try context.requireIdentity(),
                requestID: context.requestID))
    }

    @Sendable private func unyank(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let key = try context.template
        let version = try context.version(request)
        return try .json(
            try await service.unyank(
                version, of: key, if: Precondition(request), by: try context.requireIdentity(),
                requestID: context.requestID))
    }

    @Sendable private func setChannel(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let key = try context.template
        let version = try context.version(request)
        let channel = try await request.json(ChannelRequest.self).channel
        return try .json(
            try await service.setChannel(
                of: version, of: key, to: channel, if: Precondition(request), by: try context.requireIdentity()))
    }

    @Sendable private func deprecate(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let key = try context.template
        let wish = try await request.json(DeprecationRequest.self)
        return try .json(
            try await service.deprecate(
                key, wish, if: Precondition(request), by: try context.requireIdentity(),
                requestID: context.requestID))
    }

    @Sendable private func undeprecate(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try .json(
            try await service.undeprecate(
                try context.template, if: Precondition(request), by: try context.requireIdentity(),
                requestID: context.requestID))
    }

    @Sendable private func trainingConsent(
        _ request: Request, _ context: MarketRequestContext
    ) async throws -> Response {
        let consent = try await service.trainingConsent(try context.template, by: try context.requireIdentity())
        return request.conditionalResponse(try .json(consent), headers: [.cacheControl: "private, no-cache"])
    }

    @Sendable private func setTrainingConsent(
        _ request: Request, _ context: MarketRequestContext
    ) async throws -> Response {
        let key = try context.template
        try await service.set(
            try await request.json(TrainingConsent.self), of: key, by: try context.requireIdentity())
        return .empty()
    }

    @Sendable private func replaceRegions(
        _ request: Request, _ context: MarketRequestContext
    ) async throws -> Response {
        let key = try context.template
        let version = try context.version(request)
        let list = try await request.json(RegionList.self)
        return try .json(
            try await service.replaceRegions(
                of: version, of: key, with: list, if: Precondition(request), by: try context.requireIdentity(),
                requestID: context.requestID))
    }
}

extension Request {
    /// Whether a body comes with the request (RFC 9112, section 6.3).
    var hasBody: Bool {
        headers[.transferEncoding] != nil || (headers[.contentLength].flatMap { Int($0) } ?? 0) > 0
    }
}
