// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketHTTP
import MarketPlatform
import MarketWire

/// The numbers of moderation: for everybody, as JSON and as a page, and for the team.
package struct TransparencyRoutes: Sendable {
    package let moderation: ModerationDependencies

    package init(moderation: ModerationDependencies) {
        self.moderation = moderation
    }

    package func register(on routes: APIRoutes) {
        routes.get("/transparency", access: .optionalAuthentication, report)
        routes.get("/moderation/statistics", access: .moderator, statistics)
    }

    private var service: TransparencyService { TransparencyService(platform: moderation.platform) }

    private func report(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let service = self.service
        return try await moderation.catalog.responses.response(to: request, context: context) {
            .init(body: try .json(try await service.report()))
        }
    }

    private func statistics(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        request.conditionalResponse(
            try .json(try await service.statistics()), headers: [.cacheControl: "private, no-cache"])
    }
}
