// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketCommunity
import MarketHTTP
import MarketPlatform
import MarketSearch
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
            async let shown = ProfileService(catalog: features.catalog).find(handle)
            let name = try await FeedStore.author(handle, features.database)?.name
            let list = try await CatalogSearch(database: features.database, cache: features.catalog.searches).page(
                query)
            let (since, profile) = (try await oldest, try await shown)
            // Who shows nothing has no public page. A closed account whose sheets are still on offer has one, but
            // shows neither name nor feed.
            guard since != nil || profile != nil else {
                throw APIError(.notFound, .notFound, "Nobody of this name shows anything here.")
            }
            var view = AuthorView(
                handle: handle, name: name, since: since, list: list, systems: try await systems, now: features.now())
            view.isOwn = viewer?.handle == handle
            if let profile {
                view.show(profile)
                view.tiles = try await CollectionTile.tiles(of: handle, features)
            }
            if name != nil, since != nil, !view.isOwn {
                view.follow = .author(
                    handle, named: Phrase(verbatim: view.authorName),
                    isOn: try await Self.follows(handle, viewer, features),
                    next: PagePaths.author(handle))
            }
            var head = PageHead(
                title: Phrase(verbatim: view.authorName), place: .browse, viewer: viewer,
                summary: "Sheets by \(view.authorName).", language: context.language)
            head.styles = ["members.css"]
            if name != nil, since != nil {
                head.feeds = [.init(title: "New sheets by \(view.authorName)", address: PagePaths.authorFeed(handle))]
            }
            return try pages.render(.author, view, head: head)
        }
    }

    /// `nil` where nobody is signed in.
    private static func follows(_ handle: String, _ viewer: Identity?, _ features: Features) async throws -> Bool? {
        guard let viewer else { return nil }
        return try await FollowingStore.follows(author: handle, viewer.userID, features.database)
    }
}

/// What the page of an author shows: what lists, feeds and suggestions tell anybody, and nothing else.
struct AuthorView: Sendable {
    let authorName: String
    let authorHandle: String
    /// Whether the name is another word than the handle.
    let hasName: Bool
    /// When the oldest of their sheets came out; `nil` where none is on offer.
    let since: DisplayTime?
    let feedAddress: String?
    let searchAddress: String
    let cards: [HomeView.Card]
    let hasCards: Bool
    let next: String
    let hasNext: Bool
    /// Not for themselves, nor where the account is closed.
    var follow: FollowButton?
    var isOwn = false
    private(set) var disc: PersonDisc?
    private(set) var bio: String?
    private(set) var links: [Link] = []
    /// Larger than the disc.
    private(set) var picture: String?
    private(set) var hasPicture = false
    private(set) var pictureText: Phrase = ""
    private(set) var hasProfile = false
    private(set) var hasLinks = false
    /// Their collections.
    var tiles: [CollectionTile] = [] {
        didSet { hasTiles = !tiles.isEmpty }
    }
    private(set) var hasTiles = false

    /// An address of theirs elsewhere.
    struct Link: Sendable {
        let address: String
        let label: String
    }

    mutating func show(_ profile: Profile) {
        disc = PersonDisc(profile)
        bio = profile.bio.isEmpty ? nil : profile.bio
        links = profile.links.map { Link(address: $0, label: String($0.dropFirst("https://".count))) }
        hasLinks = !links.isEmpty
        picture = profile.pictureURL
        hasPicture = picture != nil
        pictureText = "Picture of \(profile.displayName)"
        hasProfile = bio != nil || hasLinks || hasPicture
    }

    init(
        handle: String, name: String?, since: Date?, list: TemplateList, systems: [GameSystem], now: Date
    ) {
        let names = systems.namesBySlug
        authorName = name ?? handle
        authorHandle = handle
        hasName = authorName.lowercased() != handle
        self.since = since.map { DisplayTime($0, now: now) }
        feedAddress = name == nil || since == nil ? nil : PagePaths.authorFeed(handle)
        searchAddress = PageAddress("/").with("author", handle).text
        cards = list.templates.map { HomeView.Card($0, gameSystem: names[$0.gameSystem], now: now) }
        hasCards = !cards.isEmpty
        next = PageAddress(PagePaths.author(handle)).with("cursor", list.nextCursor).text
        hasNext = list.nextCursor != nil
    }
}
