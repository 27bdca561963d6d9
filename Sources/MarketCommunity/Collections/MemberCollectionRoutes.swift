// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketHTTP
import MarketPlatform
import MarketWire
import NIOCore
import SheetCore

/// Collections of people: `/member-collections`, a person's, one's own, and those that a template is in.
package struct MemberCollectionRoutes: Sendable {
    package let catalog: CatalogDependencies

    package init(catalog: CatalogDependencies) {
        self.catalog = catalog
    }

    package func register(on routes: APIRoutes) {
        routes.get("/me/collections", access: .user(.read), own)
        routes.get("/users/{handle}/collections", access: .optionalAuthentication, listed)
        routes.post("/member-collections", access: .user(.reviewsWrite), make)
        routes.get("/member-collections/{id}", access: .optionalAuthentication, show)
        routes.conditional.put("/member-collections/{id}", access: .user(.reviewsWrite), put)
        routes.conditional.delete("/member-collections/{id}", access: .user(.reviewsWrite), delete)
        routes.put("/member-collections/{id}/templates/{template}", access: .user(.reviewsWrite), add)
        routes.delete("/member-collections/{id}/templates/{template}", access: .user(.reviewsWrite), remove)
        let moving = routes.wrapping(MovedTemplates(database: catalog.database).redirectingMovedSlugs)
        moving.get("/templates/{id}/collections", access: .optionalAuthentication, ofTemplate)
    }

    private var service: MemberCollectionService { MemberCollectionService(catalog: catalog) }

    private static func id(_ context: MarketRequestContext) throws -> MemberCollectionID {
        guard let id = MemberCollectionID(try context.path("id")) else {
            throw MemberCollectionError.noSuchCollection
        }
        return id
    }

    private func own(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let list = try await service.own(try context.requireIdentity().userID)
        return request.conditionalResponse(try .json(list), headers: [.cacheControl: "private, no-cache"])
    }

    private func listed(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        guard let handle = Slug(try context.path("handle")) else { throw MemberCollectionError.noSuchPerson }
        return try await catalog.responses.response(to: request, context: context) { [service] in
            .init(body: try .json(try await service.listed(of: handle.text)))
        }
    }

    private func ofTemplate(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let key = try context.template
        return try await catalog.responses.response(to: request, context: context) { [service] in
            .init(body: try .json(try await service.collections(with: key)))
        }
    }

    private func make(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let edit = try await request.json(MemberCollectionEdit.self)
        return try .json(
            try await service.make(edit, by: try context.requireIdentity().userID), status: .created)
    }

    private func show(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let id = try Self.id(context)
        let viewer = context.identity?.userID
        return try await catalog.responses.response(to: request, context: context) { [service] in
            // Read first: a change that comes between is found when it is sent back.
            var state: String?
            if let viewer { state = try await service.state(of: id, for: viewer) }
            let body = try ByteBuffer.json(try await service.detail(id, for: viewer))
            return .init(body: body, tag: state.map { EntityTag.of(body, state: $0) })
        }
    }

    private func put(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let edit = try await request.json(MemberCollectionEdit.self)
        return try .json(
            try await service.put(
                try Self.id(context), edit, if: Precondition(request), by: try context.requireIdentity().userID))
    }

    private func delete(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await service.delete(
            try Self.id(context), if: Precondition(request), by: try context.requireIdentity().userID)
        return .empty()
    }

    private func add(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await service.add(
            try TemplateKey(try context.path("template")), to: try Self.id(context),
            by: try context.requireIdentity().userID)
        return .empty()
    }

    private func remove(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await service.remove(
            try TemplateKey(try context.path("template")), from: try Self.id(context),
            by: try context.requireIdentity().userID)
        return .empty()
    }
}
