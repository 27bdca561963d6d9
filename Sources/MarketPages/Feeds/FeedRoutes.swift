// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketCommunity
import MarketHTTP
import MarketPlatform
import MarketSearch
import MarketWire
import NIOCore
import SheetCore

/// What is new, for readers of feeds (RFC 4287).
package struct FeedRoutes: Sendable {
    private let features: Features
    private let siteName: String

    /// `siteName` is what people call the market.
    package init(features: Features, siteName: String) {
        self.features = features
        self.siteName = siteName
    }

    package func register(on routes: APIRoutes) {
        routes.get(PagePaths.newestFeed, access: .optionalAuthentication) { request, context in
            try await answer(request, context) { features in
                (
                    title: "\(siteName): new sheets", path: PagePaths.newestFeed, page: "/?sort=newest",
                    entries: try await FeedStore.templates(.all, features.database)
                )
            }
        }
        routes.get("/feeds/systems/{slug}.atom", access: .optionalAuthentication) { request, context in
            let slug = try context.path("slug")
            if let present = try await features.catalog.formerNames.names(features.database).gameSystems[slug] {
                return FormerNameRedirects.moved(to: PagePaths.systemFeed(present))
            }
            return try await answer(request, context) { features in
                guard let name = try await FeedStore.nameOfSystem(slug, features.database) else {
                    throw APIError.notFound("This game system")
                }
                return (
                    title: "\(siteName): new sheets for \(name)", path: PagePaths.systemFeed(slug),
                    page: "/?gameSystem=\(slug)&sort=newest",
                    entries: try await FeedStore.templates(.gameSystem(slug), features.database)
                )
            }
        }
        routes.get("/feeds/authors/{handle}.atom", access: .optionalAuthentication) { request, context in
            let handle = try context.path("handle")
            return try await answer(request, context) { features in
                guard let author = try await FeedStore.author(handle, features.database) else {
                    throw APIError.notFound("This author")
                }
                return (
                    title: "\(siteName): new sheets by \(author.name)", path: PagePaths.authorFeed(handle),
                    page: PagePaths.author(handle),
                    entries: try await FeedStore.templates(.author(author.id), features.database)
                )
            }
        }
        routes.get("/feeds/templates/{id}.atom", access: .optionalAuthentication, versions)
        // A secret that was replaced tells nothing any more.
        routes.current.get(FeedSecret.feed, access: .optionalAuthentication, following)
    }

    /// Somebody's own news, for whoever has the secret. No cache that others share keeps it.
    private func following(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        guard let secret = request.query("key").flatMap({ FeedSecret($0) }) else { throw FollowingError.noFeed }
        let news = try await FollowingService(platform: features.platform).news(by: secret)
        let systems = try await CatalogStore.gameSystems(features.database)
        let names = systems.namesBySlug
        let market = try await ChangeStore.end(features.database).feed
        let feed = AtomFeed(
            market: market, path: secret.path, title: "\(siteName): what you follow",
            page: PagePaths.following,
            entries: news.news.map { AtomFeed.Entry($0, systemName: names[$0.template.gameSystem], market: market) })
        return request.conditionalResponse(
            feed.document(site: features.publicURL),
            headers: [
                .contentType: "application/atom+xml; charset=utf-8", .cacheControl: "private, no-cache",
                .referrerPolicy: "no-referrer",
            ])
    }

    private func versions(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let key = try context.template
        do {
            return try await answer(request, context) { features in
                guard let found = try await FeedStore.versions(of: key, features.database) else {
                    // Throws why there is none, where that may be said.
                    _ = try await VersionReader(database: features.database).detail(key)
                    throw APIError.notFound("This template")
                }
                return (
                    title: "\(siteName): versions of \(found.name)", path: PagePaths.templateFeed(found.slug),
                    page: PagePaths.sheet(found.slug), entries: found.entries
                )
            }
        } catch  where APIError.mapping(error).error.status == .notFound {
            guard case .slug(let slug) = key, let present = try await SlugStore.present(of: slug, features.database),
                present != slug
            else { throw error }
            return Response(
                status: .permanentRedirect,
                headers: [.location: PagePaths.templateFeed(present.text), .cacheControl: "max-age=300"])
        }
    }

    private typealias Parts = (title: String, path: String, page: String, entries: [AtomFeed.Entry])

    private func answer(
        _ request: Request, _ context: MarketRequestContext,
        _ make: @escaping @Sendable (Features) async throws -> Parts
    ) async throws -> Response {
        try await features.catalog.responses.response(to: request, context: context) { [features] in
            let parts = try await make(features)
            let feed = AtomFeed(
                market: try await ChangeStore.end(features.database).feed, path: parts.path, title: parts.title,
                page: parts.page, entries: parts.entries)
            return .init(
                body: feed.document(site: features.publicURL),
                headers: [.contentType: "application/atom+xml; charset=utf-8"])
        }
    }
}
