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

/// Browsing and searching, and the page of one sheet.
package struct CatalogPages: Sendable {
    /// Cards on a page: fills rows of two, three and four.
    package static let pageSize = 24
    /// Reviews on a sheet's page.
    static let reviewsShown = 10
    /// Versions on a sheet's page.
    static let versionsShown = 50
    /// Similar sheets on a sheet's page: a row.
    static let similarShown = 4
    /// Days of downloads on a sheet's page, for its authors.
    static let daysShown = 14

    /// What the address of a list can say.
    private static let listParameters: Set<String> = [
        "q", "gameSystem", "author", "license", "language", "kind", "tag", "minRating", "minPages", "maxPages", "sort",
        "fillable", "literal", "facets", "limit", "cursor",
    ]

    let features: Features
    let pages: WebPages

    func register(on routes: APIRoutes) {
        let former = FormerNameRedirects(features.catalog.formerNames, database: features.database)
        routes.wrapping(former.redirectingFormerNames)
            .get("/", access: .optionalAuthentication, home)
        routes.wrapping(MovedTemplates(database: features.database).redirectingMovedSlugs)
            .get("/sheets/{id}", access: .optionalAuthentication, sheet)
    }

    private func home(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try request.queryParameters.checkSpelling(against: Self.listParameters)
        var query = try CatalogQuery(request, usually: Self.pageSize)
        query.wantsFacets = true
        let viewer = context.identity
        return try await pages.cached(request, context, by: features.catalog.responses) { [features, pages, query] in
            async let systems = CatalogStore.gameSystems(features.database)
            async let isFollowed = Self.followsSystem(query, viewer, features)
            async let shelves = CollectionPages.shelves(features, beside: query)
            let list = try await CatalogSearch(database: features.database, cache: features.catalog.searches).page(
                query)
            var view = HomeView(
                list: list, query: query, wording: request.queryParameters, systems: try await systems,
                shelves: try await shelves,
                firstSteps: query.isFront ? try await FirstStepsView.view(for: viewer, features, pages) : nil,
                now: features.now())
            if let system = try await systems.first(where: { $0.slug == query.gameSystem }) {
                view.follow = .system(
                    system.slug, named: "this game", isOn: try await isFollowed, next: request.uri.string)
            }
            let head = PageHead(
                title: view.title, place: .browse, viewer: viewer,
                scripts: ["suggest.js", "filters.js"] + (view.firstSteps == nil ? [] : ["copy.js"]),
                feeds: Self.feeds(query, try await systems), language: context.language)
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
        let hint = VisitHint.sheet.unlessClosed(request, features.platform)
        let variant = [context.site.variant, hint?.rawValue].compactMap { $0 }.joined(separator: " ")
        let answer = try await pages.cached(
            request, context, by: features.catalog.responses, variant: variant, isKept: true
        ) {
            [features, pages, page, site = context.site.text] in
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
            async let isFavorite = Self.isFavorite(detail.summary.id, of: viewer, features)
            async let similar = Self.similar(to: detail.summary.id, features)
            async let authors = AuthorStore.list(.id(detail.summary.id), features.database)
            var part: AuthorRole?
            if let viewer {
                part = try await AuthorStore.part(of: viewer.userID, in: detail.summary.id, features.database)
            }
            let days = part == nil ? [] : try await Self.days(of: detail.summary.id, features)
            let system = try await systems.first { $0.slug == detail.summary.gameSystem }
            var view = SheetView(
                detail: detail, versions: try await versions, regions: try await regions.pages,
                systemName: system?.name, authors: try await authors, changes: try await changes,
                mayUpload: TemplatePermissions(author: part, role: .user).may(.uploadVersion),
                mayManage: viewer.map { [part] in TemplatePermissions($0, author: part).mayManage } ?? false,
                outline: outline?.outline, days: days,
                reviews: ReviewsView(
                    try await reviews, slug: detail.summary.slug, sort: page.sort,
                    viewer: viewer.map { [part] in
                        .init(handle: $0.handle, isAuthor: part != nil, isModerator: $0.role >= .moderator)
                    },
                    now: features.now()),
                sharing: SheetSharing(detail.summary, site: site), now: features.now())
            view.favorite = .favorite(detail.summary.slug, isOn: try await isFavorite)
            view.collections = try await Self.collections(with: detail.summary.id, features)
            view.similar = SimilarView(try await similar, systems: try await systems, now: features.now())
            var head = Self.head(of: detail.summary, viewer, context.language)
            if view.hasRegions { head.hint = hint }
            head.canonical = view.sharing.address
            head.share = SheetSharing.card(
                detail, authorName: detail.summary.author, site: site, siteName: pages.site.name)
            return try pages.render(.sheet, view, head: head)
        }
        await countVisit(of: key, request, context)
        return answer
    }

    /// For the statistics that its authors see.
    private func countVisit(of key: TemplateKey, _ request: Request, _ context: MarketRequestContext) async {
        guard request.method == .get, !request.isAutomatic else { return }
        await features.community.interest.note(
            Visit(
                key, account: context.identity?.userID, address: context.clientAddress,
                referrer: request.headers[.referer], site: context.site.text))
    }

    private static func head(
        of template: TemplateSummary, _ viewer: Identity?, _ language: PageLanguage
    ) -> PageHead {
        PageHead(
            title: Phrase(verbatim: template.name), place: .browse, viewer: viewer,
            scripts: ["regions.js", "copy.js"], styles: ["regions.css"], summary: Phrase(verbatim: template.summary),
            feeds: [
                .init(title: "Versions of \(template.name)", address: PagePaths.templateFeed(template.slug)),
                .init(title: "New sheets by \(template.author)", address: PagePaths.authorFeed(template.author)),
            ], language: language)
    }

    /// `nil` where nobody is signed in.
    private static func isFavorite(
        _ template: TemplateID, of viewer: Identity?, _ features: Features
    ) async throws -> Bool? {
        guard let viewer else { return nil }
        return try await FollowingStore.isFavorite(template, of: viewer.userID, features.database)
    }

    /// The same of a game system, where the list is of one.
    private static func followsSystem(
        _ query: CatalogQuery, _ viewer: Identity?, _ features: Features
    ) async throws -> Bool? {
        guard let viewer, let slug = query.gameSystem else { return nil }
        return try await FollowingStore.follows(system: slug, viewer.userID, features.database)
    }

    private static func days(of id: TemplateID, _ features: Features) async throws -> [DownloadTimeline.Day] {
        let range = DayRange(last: daysShown, at: features.now())
        return try await DownloadStore.timeline(of: id, from: range.from, to: range.to, features.database).days
    }

    private static func collections(with id: TemplateID, _ features: Features) async throws -> InCollectionsView? {
        InCollectionsView(try await MemberCollectionService(catalog: features.catalog).collections(with: id))
    }

    private static func similar(to id: TemplateID, _ features: Features) async throws -> [TemplateSummary] {
        let statistics = try await features.catalog.searches.statistics(features.database)
        let found = try await SimilarStore.similar(
            to: .id(id), count: similarShown, statistics, features.database)
        return try (found ?? []).map { try $0.summary }
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
}
