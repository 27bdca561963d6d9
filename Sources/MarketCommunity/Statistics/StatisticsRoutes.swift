// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketHTTP
import MarketPlatform
import MarketWire
import SheetCore

/// `GET /templates/{id}/statistics`, for those who work on the template.
package struct StatisticsRoutes: Sendable {
    private let platform: Platform

    package init(platform: Platform) {
        self.platform = platform
    }

    package func register(on routes: APIRoutes) {
        routes.wrapping(MovedTemplates(database: platform.database).redirectingMovedSlugs)
            .get("/templates/{id}/statistics", access: .user(.read), statistics)
    }

    @Sendable private func statistics(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let caller = try context.requireIdentity()
        let days = try DayRange(request, now: platform.now())
        guard let found = try await DownloadStore.part(in: try context.template, of: caller.userID, platform.database)
        else { throw APIError.notFound("This template") }
        let permissions = TemplatePermissions(caller, author: found.part)
        guard permissions.author != nil || permissions.role >= .moderator else {
            throw APIError(.forbidden, .forbidden, "Only the template's authors see its statistics.")
        }
        let statistics = try await StatisticsService(database: platform.database).statistics(
            of: found.template, from: days.from, to: days.to)
        return request.conditionalResponse(try .json(statistics), headers: [.cacheControl: "private, no-cache"])
    }
}
