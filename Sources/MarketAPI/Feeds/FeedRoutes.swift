// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketWire
import NIOCore
import SheetCore

/// What is new, for readers of feeds (RFC 4287).
struct FeedRoutes: Sendable {
    static let newest = "/feeds/newest.atom"

    static func system(_ slug: String) -> String { "/feeds/systems/\(slug).atom" }
    static func author(_ handle: String) -> String { "/feeds/authors/\(handle).atom" }
    static func template(_ slug: String) -> String { "/feeds/templates/\(slug).atom" }

    let market: Market

    func register(on routes: APIRoutes) {
        routes.get("/feeds/newest.atom", access: .anyone) { request, context in
            try await answer(request, context) { market in
                (
                    title: "Sheetmarket: new sheets", path: Self.newest, page: "/?sort=newest",
                    entries: try await FeedStore.templates(.all, market.database)
                )
            }
        }
        routes.get("/feeds/systems/{slug}.atom", access: .anyone) { request, context in
            let slug = try context.path("slug")
            return try await answer(request, context) { market in
                guard let name = try await FeedStore.nameOfSystem(slug, market.database) else {
                    throw APIError.notFound("This game system")
                }
                return (
                    title: "Sheetmarket: new sheets for \(name)", path: Self.system(slug),
                    page: "/?gameSystem=\(slug)&sort=newest",
                    entries: try await FeedStore.templates(.gameSystem(slug), market.database)
                )
            }
        }
        routes.get("/feeds/authors/{handle}.atom", access: .anyone) { request, context in
            let handle = try context.path("handle")
            return try await answer(request, context) { market in
                guard let author = try await FeedStore.author(handle, market.database) else {
                    throw APIError.notFound("This author")
                }
                return (
                    title: "Sheetmarket: new sheets by \(author.name)", path: Self.author(handle),
                    page: AuthorPages.address(handle),
                    entries: try await FeedStore.templates(.author(author.id), market.database)
                )
            }
        }
        routes.get("/feeds/templates/{id}.atom", access: .anyone, versions)
    }

    private func versions(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let key = try context.template
        do {
            return try await answer(request, context) { market in
                guard let found = try await FeedStore.versions(of: key, market.database) else {
                    // Says why, where it can.
                    _ = try await VersionReader(database: market.database).detail(key)
                    throw APIError.notFound("This template")
                }
                return (
                    title: "Sheetmarket: versions of \(found.name)", path: Self.template(found.slug),
                    page: "/sheets/\(found.slug)", entries: found.entries
                )
            }
        } catch let error as APIError where error.status == .notFound {
            guard case .slug(let slug) = key, let present = try await SlugStore.present(of: slug, market.database),
                present != slug
            else { throw error }
            return Response(
                status: .permanentRedirect,
                headers: [.location: Self.template(present.text), .cacheControl: "max-age=300"])
        }
    }

    private typealias Parts = (title: String, path: String, page: String, entries: [AtomFeed.Entry])

    private func answer(
        _ request: Request, _ context: MarketRequestContext, _ make: @escaping @Sendable (Market) async throws -> Parts
    ) async throws -> Response {
        try await market.responses.response(to: request, context: context) { [market] in
            let parts = try await make(market)
            let feed = AtomFeed(
                market: try await ChangeStore.end(market.database).feed, path: parts.path, title: parts.title,
                page: parts.page, entries: parts.entries)
            return .init(
                body: feed.document(site: market.publicURL),
                headers: [.contentType: "application/atom+xml; charset=utf-8"])
        }
    }
}
