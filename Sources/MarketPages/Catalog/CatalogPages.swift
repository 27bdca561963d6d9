// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketCommunity
import MarketHTTP
import MarketPlatform
import MarketWire
import SheetCore

/// Browsing and searching, and the page of one sheet.
struct CatalogPages: Sendable {
    /// Cards on a page: fills rows of two, three and four.
    static let pageSize = 24
    /// Reviews on a sheet's page.
    static let reviewsShown = 10
    /// Versions on a sheet's page.
    static let versionsShown = 50
    /// Days of downloads on a sheet's page, for its authors.
    static let daysShown = 14

    let features: Features
    let pages: WebPages

    func register(on routes: APIRoutes) {
        routes.get("/", access: .optionalAuthentication, home)
        routes.wrapping(MovedTemplates(database: features.database).redirectingMovedSlugs)
            .get("/sheets/{id}", access: .optionalAuthentication, sheet)
    }

    private func home(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let query = try CatalogQuery(request, usually: Self.pageSize)
        let viewer = context.identity
        return try await pages.cached(request, context, by: features.catalog.responses) { [features, pages, query] in
            async let systems = CatalogStore.gameSystems(features.database)
            async let shelves = CollectionPages.shelves(features, beside: query)
            let list = try await CatalogSearch(database: features.database, cache: features.catalog.searches).page(
                query)
            let view = HomeView(
                list: list, query: query, wording: request.queryParameters, systems: try await systems,
                shelves: try await shelves, now: features.now())
            let head = PageHead(
                title: view.title, place: .browse, viewer: viewer, feeds: Self.feeds(query, try await systems))
            return try pages.render(.home, view, head: head)
        }
    }

    private func sheet(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let key = try context.template
        let viewer = context.identity
        var page = ReviewService.Page()
        page.pageRequest = PageRequest(cursor: request.query("reviews"), limit: Self.reviewsShown)
        page.sort = request.query("reviewSort").flatMap { ReviewStore.Sort(rawValue: $0) } ?? .newest
        let shown = PageRequest(cursor: request.query("versions"), limit: Self.versionsShown)
        return try await pages.cached(request, context, by: features.catalog.responses) { [features, pages, page] in
            let reader = VersionReader(database: features.database)
            async let systems = CatalogStore.gameSystems(features.database)
            async let versions = reader.list(key, shown)
            async let regions = reader.regions(.latest, of: key)
            let detail = try await reader.detail(key)
            let outline =
                detail.summary.kind.hasPages ? nil : try await VersionStore.outline(.latest, of: key, features.database)
            async let changes = VersionStore.changes(.latest, of: .id(detail.summary.id), features.database)
            async let reviews = ReviewService(platform: features.platform).list(
                of: .id(detail.summary.id), page, for: viewer?.userID)
            async let authors = AuthorStore.list(.id(detail.summary.id), features.database)
            var part: AuthorRole?
            if let viewer {
                part = try await AuthorStore.part(of: viewer.userID, in: detail.summary.id, features.database)
            }
            let days = part == nil ? [] : try await Self.lastDays(of: detail.summary.id, features)
            let system = try await systems.first { $0.slug == detail.summary.gameSystem }
            let view = SheetView(
                detail: detail, versions: try await versions, regions: try await regions.pages,
                systemName: system?.name, authors: try await authors, changes: try await changes,
                mayUpload: TemplatePermissions(author: part, role: .user).may(.uploadVersion),
                mayManage: viewer.map { [part] in TemplatePermissions($0, author: part).mayManage } ?? false,
                outline: outline?.outline, days: days,
                reviews: ReviewsView(
                    try await reviews, slug: detail.summary.slug, sort: page.sort,
                    viewer: viewer.map { [part] in .init(handle: $0.handle, isAuthor: part != nil) },
                    now: features.now()),
                now: features.now())
            let head = PageHead(
                title: detail.summary.name, place: .browse, viewer: viewer, scripts: ["regions.js"],
                summary: detail.summary.summary,
                feeds: [
                    .init(
                        title: "Versions of \(detail.summary.name)",
                        address: PagePaths.templateFeed(detail.summary.slug)),
                    .init(
                        title: "New sheets by \(detail.summary.author)",
                        address: PagePaths.authorFeed(detail.summary.author)),
                ])
            return try pages.render(.sheet, view, head: head)
        }
    }

    /// All that is new, and what of it the list is narrowed to.
    private static func feeds(_ query: CatalogQuery, _ systems: [GameSystem]) -> [PageHead.Feed] {
        var feeds = [PageHead.Feed(title: "New sheets", address: PagePaths.newestFeed)]
        if let system = systems.first(where: { $0.slug == query.gameSystem }) {
            feeds.append(.init(title: "New sheets for \(system.name)", address: PagePaths.systemFeed(system.slug)))
        }
        if let author = query.author, Slug(author) != nil {
            feeds.append(.init(title: "New sheets by \(author)", address: PagePaths.authorFeed(author)))
        }
        return feeds
    }

    /// What authors see of their downloads beside the total.
    private static func lastDays(of template: TemplateID, _ features: Features) async throws -> [DownloadTimeline.Day] {
        let today = features.now()
        let first = today.addingTimeInterval(-86_400 * Double(daysShown - 1))
        return try await DownloadStore.timeline(
            of: template, from: UTCDay(first), to: UTCDay(today), features.database
        ).days
    }
}
