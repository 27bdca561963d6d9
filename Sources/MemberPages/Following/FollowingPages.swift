// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketCommunity
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketSearch
import MarketWire
import SheetCore

/// A person's favourites, whom and what they follow, and the news of that.
struct FollowingPages: Sendable {
    private static let home = PagePaths.following

    let features: Features
    let pages: WebPages

    func register(on routes: APIRoutes) {
        routes.get(Self.home, access: .user(.read), show)
        routes.post("\(Self.home)/seen", access: .user(.reviewsWrite), seen)
        routes.post("\(Self.home)/email", access: .user(.account), setEmail)
        routes.post("\(Self.home)/feed", access: .user(.account), makeFeed)
        routes.post("\(Self.home)/feed/remove", access: .user(.account), removeFeed)
        routes.post("/sheets/{id}/favorite", access: .user(.reviewsWrite)) { request, context in
            let key = try context.template
            return try await change(request, context) { isWanted, user in
                if isWanted { try await service.mark(key, by: user) } else { try await service.unmark(key, by: user) }
            }
        }
        routes.post("/authors/{handle}/follow", access: .user(.reviewsWrite)) { request, context in
            let handle = try context.path("handle")
            return try await change(request, context) { isWanted, user in
                if isWanted { return try await service.follow(author: handle, by: user) }
                try await service.unfollow(author: handle, by: user)
            }
        }
        routes.post("/games/{slug}/follow", access: .user(.reviewsWrite)) { request, context in
            let slug = try context.path("slug")
            return try await change(request, context) { isWanted, user in
                if isWanted { return try await service.follow(system: slug, by: user) }
                try await service.unfollow(system: slug, by: user)
            }
        }
    }

    private var service: FollowingService { FollowingService(platform: features.platform) }

    private func change(
        _ request: Request, _ context: MarketRequestContext, _ change: (Bool, UserID) async throws -> Void
    ) async throws -> Response {
        let form = try await request.form()
        try await change(form["on"] != "no", try context.requireIdentity().userID)
        return .seeOther(ReturnPath(form["next"]).text)
    }

    private func show(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await page(request, context)
    }

    private func page(
        _ request: Request, _ context: MarketRequestContext, newFeed: FeedSecret? = nil
    ) async throws -> Response {
        let identity = try context.requireIdentity()
        let part = PageRequest(cursor: request.query("favorites"), limit: CatalogPages.pageSize, parameter: "favorites")
        async let systems = CatalogStore.gameSystems(features.database)
        async let following = service.following(of: identity.userID)
        async let favorites = service.favorites(of: identity.userID, part)
        async let hasFeed = service.hasFeed(identity.userID)
        let news = try await service.news(of: identity.userID)
        let view = FollowingView(
            news: news, following: try await following, favorites: try await favorites, systems: try await systems,
            hasFeed: try await hasFeed, newFeed: newFeed.map { FeedAddress(path: $0.path, site: features.publicURL) },
            now: features.now())
        return try pages.answer(
            .following, view, head: PageHead(title: "Favourites and following", place: .account, viewer: identity))
    }

    private func seen(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let until = try FollowingView.seen(try await request.form())
        try await service.markSeen(until: until ?? features.now(), by: try context.requireIdentity().userID)
        return .seeOther(Self.home)
    }

    private func setEmail(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let form = try await request.form()
        try await service.setEmail(form["on"] != "no", for: try context.requireIdentity().userID)
        return .seeOther("\(Self.home)#email")
    }

    private func makeFeed(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let secret = try await service.makeFeed(of: try context.requireIdentity().userID)
        // Not by a redirect: this answer is the only place where the secret ever stands.
        return try await page(request, context, newFeed: secret)
    }

    private func removeFeed(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await service.removeFeed(of: try context.requireIdentity().userID)
        return .seeOther("\(Self.home)#feed")
    }
}
