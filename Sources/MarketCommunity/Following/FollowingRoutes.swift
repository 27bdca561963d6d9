// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketHTTP
import MarketPlatform
import MarketWire
import SheetCore

/// A person's favourites, whom and what they follow, and the news of that.
package struct FollowingRoutes: Sendable {
    package let platform: Platform

    package init(platform: Platform) {
        self.platform = platform
    }

    package func register(on routes: APIRoutes) {
        routes.get("/me/favorites", access: .user(.read), favorites)
        let moving = routes.wrapping(MovedTemplates(database: platform.database).redirectingMovedSlugs)
        moving.put("/me/favorites/{id}", access: .user(.reviewsWrite), mark)
        moving.delete("/me/favorites/{id}", access: .user(.reviewsWrite), unmark)
        routes.get("/me/following", access: .user(.read), following)
        routes.put("/me/following/authors/{handle}", access: .user(.reviewsWrite)) {
            try await change(try Self.author($1), $1) { try await service.follow(author: $0, by: $1) }
        }
        routes.delete("/me/following/authors/{handle}", access: .user(.reviewsWrite)) {
            try await change(try Self.author($1), $1) { try await service.unfollow(author: $0, by: $1) }
        }
        routes.put("/me/following/game-systems/{slug}", access: .user(.reviewsWrite)) {
            try await change(try Self.system($1), $1) { try await service.follow(system: $0, by: $1) }
        }
        routes.delete("/me/following/game-systems/{slug}", access: .user(.reviewsWrite)) {
            try await change(try Self.system($1), $1) { try await service.unfollow(system: $0, by: $1) }
        }
        routes.get("/me/news", access: .user(.read), news)
        routes.put("/me/news/seen", access: .user(.reviewsWrite), seen)
        routes.put("/me/news/email", access: .user(.account), setEmail)
        routes.post("/me/news/feed", access: .user(.account), makeFeed)
        routes.delete("/me/news/feed", access: .user(.account), removeFeed)
    }

    private var service: FollowingService { FollowingService(platform: platform) }

    private static let own: HTTPFields = [.cacheControl: "private, no-cache"]

    private func favorites(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let list = try await service.favorites(
            of: try context.requireIdentity().userID, try request.pageRequest())
        return try request.listed(list, next: list.nextCursor)
    }

    private func mark(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await service.mark(try context.template, by: try context.requireIdentity().userID)
        return .empty()
    }

    private func unmark(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await service.unmark(try context.template, by: try context.requireIdentity().userID)
        return .empty()
    }

    private func following(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let following = try await service.following(of: try context.requireIdentity().userID)
        return request.conditionalResponse(try .json(following), headers: Self.own)
    }

    private static func author(_ context: MarketRequestContext) throws -> String {
        guard let handle = Slug(try context.path("handle")) else { throw FollowingError.noSuchAuthor }
        return handle.text
    }

    private static func system(_ context: MarketRequestContext) throws -> String {
        guard let slug = Slug(try context.path("slug")) else { throw FollowingError.noSuchSystem }
        return slug.text
    }

    private func change(
        _ name: String, _ context: MarketRequestContext, _ change: (String, UserID) async throws -> Void
    ) async throws -> Response {
        try await change(name, try context.requireIdentity().userID)
        return .empty()
    }

    private func news(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let news = try await service.news(of: try context.requireIdentity().userID)
        return request.conditionalResponse(try .json(news), headers: Self.own)
    }

    private func seen(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let seen = try await request.json(NewsSeen.self)
        try await service.markSeen(until: seen.until, by: try context.requireIdentity().userID)
        return .empty()
    }

    private func setEmail(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let wish = try await request.json(NewsEmailRequest.self)
        try await service.setEmail(wish.isWanted, for: try context.requireIdentity().userID)
        return .empty()
    }

    private func makeFeed(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let secret = try await service.makeFeed(of: try context.requireIdentity().userID)
        return try .json(
            NewsFeed(url: context.site.text + secret.path), headers: [.cacheControl: "no-store"])
    }

    private func removeFeed(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await service.removeFeed(of: try context.requireIdentity().userID)
        return .empty()
    }
}
