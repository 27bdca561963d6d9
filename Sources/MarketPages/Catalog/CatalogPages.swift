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
            let list = try await CatalogSearch(database: features.database, memory: features.catalog.searches).page(
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
                        address: FeedRoutes.template(detail.summary.slug)),
                    .init(
                        title: "New sheets by \(detail.summary.author)",
                        address: FeedRoutes.author(detail.summary.author)),
                ])
            return try pages.render(.sheet, view, head: head)
        }
    }

    /// All that is new, and what of it the list is narrowed to.
    private static func feeds(_ query: CatalogQuery, _ systems: [GameSystem]) -> [PageHead.Feed] {
        var feeds = [PageHead.Feed(title: "New sheets", address: FeedRoutes.newest)]
        if let system = systems.first(where: { $0.slug == query.gameSystem }) {
            feeds.append(.init(title: "New sheets for \(system.name)", address: FeedRoutes.system(system.slug)))
        }
        if let author = query.author, Slug(author) != nil {
            feeds.append(.init(title: "New sheets by \(author)", address: FeedRoutes.author(author)))
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

/// What the front page and the results of a search show.
struct HomeView: Sendable {
    struct Card: Sendable {
        let address: String
        let name: String
        let summary: String
        let previewURL: String
        let gameSystem: String
        let author: String
        let pages: String
        let downloads: String
        let downloadCount: String
        /// The stars, where somebody has given any.
        let score: String?
        let scoreLabel: String
        let updated: DisplayTime
        /// Why it is there, where somebody chose it.
        let curatorNote: String?

        init(_ template: TemplateSummary, gameSystem: String?, note: String = "", now: Date) {
            address = "/sheets/\(template.slug)"
            name = template.name
            summary = template.summary
            previewURL = template.previewURL
            self.gameSystem = gameSystem ?? template.gameSystem
            author = template.author
            pages = template.kind.hasPages ? DisplayText.count(template.pageCount, "page") : template.kind.title
            downloads = DisplayText.count(template.downloads, "download")
            downloadCount = DisplayText.number(template.downloads)
            score = template.ratingCount > 0 ? DisplayText.tenths(template.rating) : nil
            scoreLabel = "of 5 stars in \(DisplayText.count(template.ratingCount, "review"))"
            updated = DisplayTime(template.updatedAt, now: now)
            curatorNote = note.isEmpty ? nil : note
        }
    }

    /// A curated collection on the front page.
    struct Shelf: Sendable {
        let name: String
        let size: String
        let address: String
    }

    /// What narrows the list, with the address of the list without it.
    struct Filter: Sendable {
        let label: String
        let removeAddress: String
    }

    struct System: Sendable {
        let name: String
        let count: Int
        let address: String
    }

    let title: String
    let heading: String
    let isFront: Bool
    let query: String
    /// What was looked up instead, where hardly anything has the words.
    let corrected: String?
    let gameSystems: [Choice]
    let sorts: [Choice]
    let filters: [Filter]
    let hasFilters: Bool
    /// Filters that have no field of their own in the form.
    let kept: [Choice]
    let popular: [System]
    let hasPopular: Bool
    let shelves: [Shelf]
    let hasShelves: Bool
    let cards: [Card]
    let hasCards: Bool
    /// Nothing is published at all.
    let isBare: Bool
    let next: String
    let hasNext: Bool

    init(
        list: TemplateList, query: CatalogQuery, wording: QueryParameters, systems: [GameSystem],
        shelves: [TemplateCollection], now: Date
    ) {
        let names = Dictionary(systems.map { ($0.slug, $0.name) }, uniquingKeysWith: { first, _ in first })
        let system = query.gameSystem.map { names[$0] ?? $0 }
        self.query = query.words?.text ?? ""
        corrected = list.correctedQuery
        let narrowing = Self.narrowing(query, wording, system: system)
        isFront = query.isFront
        heading =
            isFront
            ? "Character sheets for your next session" : Self.heading(words: self.query, query, system: system)
        title = isFront ? "Character sheets" : heading
        gameSystems = systems.filter { $0.templateCount > 0 || $0.slug == query.gameSystem }.map {
            Choice(value: $0.slug, label: "\($0.name) (\($0.templateCount))", isSelected: $0.slug == query.gameSystem)
        }
        sorts = Self.sorts(query)
        filters = narrowing.map { item in
            let rest = narrowing.filter { $0 != item }
            let address = rest.reduce(PageAddress("/").with("q", query.words?.text).with("sort", wording["sort"])) {
                $0.with($1.name, $1.value)
            }
            return Filter(label: item.label, removeAddress: address.text)
        }
        hasFilters = !filters.isEmpty
        kept = narrowing.filter { $0.name != "gameSystem" }.map { Choice(value: $0.value, label: $0.name) }
        popular = systems.filter { $0.templateCount > 0 }.sorted { $0.templateCount > $1.templateCount }.prefix(8).map {
            System(
                name: $0.name, count: $0.templateCount, address: PageAddress("/").with("gameSystem", $0.slug).text)
        }
        hasPopular = isFront && popular.count > 1
        self.shelves = shelves.map {
            Shelf(
                name: $0.title, size: DisplayText.count($0.templateCount, "sheet"), address: "/collections/\($0.slug)")
        }
        hasShelves = isFront && !shelves.isEmpty
        cards = list.templates.map { Card($0, gameSystem: names[$0.gameSystem], now: now) }
        hasCards = !cards.isEmpty
        isBare = cards.isEmpty && isFront
        let all = narrowing.reduce(PageAddress("/").with("q", query.words?.text).with("sort", wording["sort"])) {
            $0.with($1.name, $1.value)
        }
        next = list.nextCursor.map { all.with("cursor", $0).text } ?? ""
        hasNext = list.nextCursor != nil
    }

    /// What the list is of, by what narrows it most.
    private static func heading(words: String, _ query: CatalogQuery, system: String?) -> String {
        if !words.isEmpty { return "Results for “\(words)”" }
        if let author = query.author { return "Sheets by \(author)" }
        if let system { return system }
        return query.tags.count == 1 ? "Sheets tagged “\(query.tags[0])”" : "Character sheets"
    }

    private struct Narrowing: Equatable {
        let name: String
        let value: String
        let label: String
    }

    private static func narrowing(_ query: CatalogQuery, _ wording: QueryParameters, system: String?) -> [Narrowing] {
        var found: [Narrowing] = []
        func add(_ name: String, _ value: String?, _ label: String) {
            if let value { found.append(Narrowing(name: name, value: value, label: label)) }
        }
        add("gameSystem", query.gameSystem, system ?? "")
        for tag in query.tags { add("tag", tag, "Tag: \(tag)") }
        add("author", query.author, "By \(query.author ?? "")")
        add("license", query.license, "Licence: \(query.license ?? "")")
        add("language", query.language, query.language.map(DisplayText.language) ?? "")
        add("kind", query.kind?.rawValue, query.kind?.title ?? "")
        add("minRating", wording["minRating"], "From \(wording["minRating"] ?? "") stars")
        add("minPages", wording["minPages"], "From \(wording["minPages"] ?? "") pages")
        add("maxPages", wording["maxPages"], "Up to \(wording["maxPages"] ?? "") pages")
        return found
    }

    private static func sorts(_ query: CatalogQuery) -> [Choice] {
        let labels: [(CatalogQuery.Sort, String)] = [
            (.relevance, "Best match"), (.updated, "Recently updated"), (.newest, "Newest"),
            (.downloads, "Most downloads"), (.trending, "Trending"), (.rating, "Best rated"), (.name, "Name"),
        ]
        return labels.filter { $0.0 != .relevance || query.words != nil }.map {
            Choice(value: $0.0.rawValue, label: $0.1, isSelected: $0.0 == query.sort)
        }
    }
}
