// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketWire
import NIOCore

/// The tags of all templates, for moderators.
package struct TagRoutes: Sendable {
    private let service: TagService

    package init(catalog: CatalogDependencies) {
        service = TagService(catalog: catalog)
    }

    package func register(on routes: APIRoutes) {
        routes.get("/moderation/tags", access: .moderator, list)
        routes.get("/moderation/tags/{tag}", access: .moderator, detail)
        routes.post("/moderation/tags/{tag}/rename", access: .moderator, rename)
        routes.delete("/moderation/tags/{tag}", access: .moderator, remove)
    }

    private func list(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let list = try await service.list(having: request.query("q"), try request.pageRequest())
        return try request.listed(list, next: list.nextCursor)
    }

    private func detail(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try .json(try await service.detail(try context.path("tag")))
    }

    private func rename(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let wanted = try await request.json(TagRenameRequest.self)
        return try .json(
            try await service.rename(
                try context.path("tag"), to: wanted.to, by: try context.requireIdentity(),
                requestID: context.requestID))
    }

    private func remove(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try .json(
            try await service.remove(
                try context.path("tag"), by: try context.requireIdentity(), requestID: context.requestID))
    }
}
