// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketWire
import NIOCore

/// Merging games, for moderators.
package struct GameSystemRoutes: Sendable {
    private let catalog: CatalogDependencies

    package init(catalog: CatalogDependencies) {
        self.catalog = catalog
    }

    package func register(on routes: APIRoutes) {
        routes.get("/moderation/game-systems/{slug}", access: .moderator, uses)
        routes.post("/moderation/game-systems/{slug}/merge", access: .moderator, merge)
    }

    private var service: GameSystemService { GameSystemService(platform: catalog.platform) }

    private func uses(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try .json(try await service.uses(of: try context.path("slug")))
    }

    private func merge(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let wanted = try await request.json(GameSystemMergeRequest.self)
        let merge = try await service.merge(
            try context.path("slug"), into: wanted.into, by: try context.requireIdentity(),
            requestID: context.requestID)
        catalog.catalogChanged()
        return try .json(merge)
    }
}
