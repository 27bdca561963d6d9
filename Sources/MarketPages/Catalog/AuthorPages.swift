// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketHTTP
import MarketPlatform
import MarketWire
import SheetCore

/// The page of somebody who publishes.
struct AuthorPages: Sendable {
    let features: Features
    let pages: WebPages

    func register(on routes: APIRoutes) {
        routes.get("/authors/{handle}", access: .optionalAuthentication, show)
    }

    private func show(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        guard let handle = Slug(try context.path("handle"))?.text else { throw APIError.notFound("This author") }
        let query = try CatalogQuery(author: handle, try request.pageRequest(usually: CatalogPages.pageSize))
        let viewer = context.identity
        return try await pages.cached(request, context, by: features.catalog.responses) { [features, pages] in
            async let systems = CatalogStore.gameSystems(features.database)
            async let oldest = CatalogStore.firstPublished(by: handle, features.database)
            let name = try await FeedStore.author(handle, features.database)?.name
            let list = try await CatalogSearch(database: features.database, cache: features.catalog.searches).page(
                query)
            // Without anything on offer an account has no public page. A closed account whose sheets are still on
            // offer has one, but shows neither name nor feed.
            guard let since = try await oldest else {
                throw APIError(.notFound, .notFound, "No author of this name has anything on offer.")
            }
            let view = AuthorView(
                handle: handle, name: name, since: since, list: list, systems: try await systems, now: features.now())
            var head = PageHead(
                title: view.authorName, place: .browse, viewer: viewer, summary: "Sheets by \(view.authorName).")
            if name != nil {
                head.feeds = [.init(title: "New sheets by \(view.authorName)", address: PagePaths.authorFeed(handle))]
            }
            return try pages.render(.author, view, head: head)
        }
    }
}

/// What the page of an author shows: what lists, feeds and suggestions tell anybody, and nothing else.
struct AuthorView: Sendable {
    let authorName: String
    let authorHandle: String
    /// Whether the name is another word than the handle.
    let hasName: Bool
    /// When the oldest of their sheets came out.
    let since: DisplayTime
    let feedAddress: String?
    let searchAddress: String
    let cards: [HomeView.Card]
    let hasCards: Bool
    let next: String
    let hasNext: Bool

    init(
        handle: String, name: String?, since: Date, list: TemplateList, systems: [GameSystem], now: Date
    ) {
        let names = Dictionary(systems.map { ($0.slug, $0.name) }, uniquingKeysWith: { first, _ in first })
        authorName = name ?? handle
        authorHandle = handle
        hasName = authorName != handle
        self.since = DisplayTime(since, now: now)
        feedAddress = name == nil ? nil : PagePaths.authorFeed(handle)
        searchAddress = PageAddress("/").with("author", handle).text
        cards = list.templates.map { HomeView.Card($0, gameSystem: names[$0.gameSystem], now: now) }
        hasCards = !cards.isEmpty
        next = PageAddress(PagePaths.author(handle)).with("cursor", list.nextCursor).text
        hasNext = list.nextCursor != nil
    }
}
