// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketWire
import SheetCore

/// Browsing and searching, and the page of one sheet.
struct CatalogPages: Sendable {
    /// Cards on a page: fills rows of two, three and four.
    static let pageSize = 24

    let market: Market
    let pages: WebPages

    func register(on routes: APIRoutes) {
        routes.get("/", access: .anyone, home)
        routes.wrapping(MovedTemplates(database: market.database).following)
            .get("/sheets/{id}", access: .anyone, sheet)
    }

    private func home(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        var query = try CatalogQuery(request)
        if request.query("limit") == nil { query.limit = Self.pageSize }
        let viewer = context.identity
        return try await cached(request, context) { [market, pages, query] in
            async let systems = CatalogStore.gameSystems(market.database)
            let list = try await CatalogSearch(database: market.database).page(query)
            let view = HomeView(
                list: list, query: query, wording: request.queryParameters, systems: try await systems,
                now: market.now())
            let head = PageHead(title: view.title, place: .browse, viewer: viewer)
            return try pages.render(.home, view, head: head)
        }
    }

    private func sheet(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let key = try context.template
        let viewer = context.identity
        return try await cached(request, context) { [market, pages] in
            let reader = VersionReader(database: market.database)
            async let systems = CatalogStore.gameSystems(market.database)
            async let versions = reader.list(key)
            async let regions = reader.regions(.latest, of: key)
            let detail = try await reader.detail(key)
            let outline =
                detail.summary.kind.hasPages ? nil : try await VersionStore.outline(.latest, of: key, market.database)
            async let changes = VersionStore.changes(.latest, of: .id(detail.summary.id), market.database)
            async let authors = AuthorStore.list(.id(detail.summary.id), market.database)
            var part: AuthorRole?
            if let viewer {
                part = try await AuthorStore.part(of: viewer.userID, in: detail.summary.id, market.database)
            }
            let system = try await systems.first { $0.slug == detail.summary.gameSystem }
            let view = SheetView(
                detail: detail, versions: try await versions.versions, regions: try await regions.pages,
                systemName: system?.name, authors: try await authors, changes: try await changes,
                mayUpload: TemplateStanding(author: part, role: .user).may(.uploadVersion), outline: outline?.outline,
                now: market.now())
            let head = PageHead(
                title: detail.summary.name, place: .browse, viewer: viewer, scripts: ["regions.js"],
                summary: detail.summary.summary)
            return try pages.render(.sheet, view, head: head)
        }
    }

    /// The same page for everybody who is not signed in is made once.
    private func cached(
        _ request: Request, _ context: MarketRequestContext,
        make: @escaping @Sendable () async throws -> ByteBuffer
    ) async throws -> Response {
        try await market.responses.response(to: request, context: context) {
            var headers = PageSecurity.headers
            headers[.cacheControl] = "private, no-cache"
            return .init(body: try await make(), headers: headers)
        }
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
        let updated: Moment
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
    let isFirstPage: Bool
    let query: String
    let gameSystems: [Choice]
    let sorts: [Choice]
    let filters: [Filter]
    let hasFilters: Bool
    /// Filters that have no field of their own in the form.
    let kept: [Choice]
    let popular: [System]
    let hasPopular: Bool
    let cards: [Card]
    let hasCards: Bool
    /// Nothing is published at all.
    let isBare: Bool
    let next: String
    let hasNext: Bool

    init(list: TemplateList, query: CatalogQuery, wording: QueryParameters, systems: [GameSystem], now: Date) {
        let names = Dictionary(systems.map { ($0.slug, $0.name) }, uniquingKeysWith: { first, _ in first })
        let system = query.gameSystem.map { names[$0] ?? $0 }
        self.query = query.words?.text ?? ""
        isFirstPage = wording["cursor"] == nil
        let narrowing = Self.narrowing(query, wording, system: system)
        isFront = self.query.isEmpty && narrowing.isEmpty && isFirstPage
        heading =
            if !self.query.isEmpty { "Results for “\(self.query)”" } else if let system { system } else {
                isFront ? "Character sheets for your next session" : "Character sheets"
            }
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
        cards = list.templates.map { template in
            Card(
                address: "/sheets/\(template.slug)", name: template.name, summary: template.summary,
                previewURL: template.previewURL, gameSystem: names[template.gameSystem] ?? template.gameSystem,
                author: template.author,
                pages: template.kind.hasPages ? Wording.count(template.pageCount, "page") : template.kind.title,
                downloads: Wording.count(template.downloads, "download"),
                downloadCount: Wording.number(template.downloads), updated: Moment(template.updatedAt, now: now))
        }
        hasCards = !cards.isEmpty
        isBare = cards.isEmpty && isFront
        let all = narrowing.reduce(PageAddress("/").with("q", query.words?.text).with("sort", wording["sort"])) {
            $0.with($1.name, $1.value)
        }
        next = list.nextCursor.map { all.with("cursor", $0).text } ?? ""
        hasNext = list.nextCursor != nil
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
        add("language", query.language, query.language.map(Wording.language) ?? "")
        add("kind", query.kind?.rawValue, query.kind?.title ?? "")
        add("minRating", wording["minRating"], "From \(wording["minRating"] ?? "") stars")
        add("minPages", wording["minPages"], "From \(wording["minPages"] ?? "") pages")
        add("maxPages", wording["maxPages"], "Up to \(wording["maxPages"] ?? "") pages")
        return found
    }

    private static func sorts(_ query: CatalogQuery) -> [Choice] {
        let labels: [(CatalogQuery.Sort, String)] = [
            (.relevance, "Best match"), (.updated, "Recently updated"), (.newest, "Newest"),
            (.downloads, "Most downloads"), (.name, "Name"),
        ]
        return labels.filter { $0.0 != .relevance || query.words != nil }.map {
            Choice(value: $0.0.rawValue, label: $0.1, isSelected: $0.0 == query.sort)
        }
    }
}

/// What the page of one sheet shows.
struct SheetView: Sendable {
    struct Version: Sendable {
        let number: String
        let downloadURL: String
        let published: Moment
        /// Who withdrew it, in words.
        let withdrawn: String?
        let isOffered: Bool
        let isBeta: Bool
        let needs: String?
        let changelog: ProseBlocks
        let hasChangelog: Bool
        let facts: String
    }

    struct Author: Sendable {
        let handle: String
        let part: String
    }

    struct Tag: Sendable {
        let name: String
        let address: String
    }

    let id: String
    let name: String
    let slug: String
    let summary: String
    let description: ProseBlocks
    let hasDescription: Bool
    let gameSystem: String
    let gameSystemAddress: String
    let author: String
    let authorAddress: String
    let license: String
    let language: String
    let tags: [Tag]
    let hasTags: Bool
    let offered: String
    let downloadURL: String
    let fileName: String
    let fileSize: String
    let pageCount: String
    let downloads: String
    let updated: Moment
    let sha256: String
    let sheetPages: [SheetPageView]
    let hasRegions: Bool
    let versions: [Version]
    let mayUpload: Bool
    let deprecation: DeprecationView?
    /// What the version on offer changed.
    let changes: ChangesView?
    /// The authors beside the owner.
    let coAuthors: [Author]
    let hasCoAuthors: Bool
    /// What it is, unless it is a sheet.
    let kind: String?
    let downloadLabel: String
    let outline: OutlineView?
    let hasPages: Bool

    init(
        detail: TemplateDetail, versions: [VersionDetail], regions: [RegionList.Page], systemName: String?,
        authors: [TemplateAuthor], changes: VersionChanges?, mayUpload: Bool, outline: ContentOutline?, now: Date
    ) {
        self.changes = changes.map(ChangesView.init)
        deprecation = detail.deprecation.map { DeprecationView($0, now: now) }
        coAuthors = authors.filter { $0.role != .owner }.map { Author(handle: $0.handle, part: $0.role.rawValue) }
        hasCoAuthors = !coAuthors.isEmpty
        kind = detail.summary.kind.hasPages ? nil : detail.summary.kind.title
        downloadLabel = detail.summary.kind.hasPages ? "Download PDF" : "Download"
        self.outline = outline.map(OutlineView.init)
        hasPages = detail.latest.pageCount > 0
        let template = detail.summary
        id = template.id.description
        name = template.name
        slug = template.slug
        summary = template.summary
        description = ProseBlocks(detail.description)
        hasDescription = !detail.description.isEmpty
        gameSystem = systemName ?? template.gameSystem
        gameSystemAddress = PageAddress("/").with("gameSystem", template.gameSystem).text
        author = template.author
        authorAddress = PageAddress("/").with("author", template.author).text
        license = template.license
        language = Wording.language(template.language)
        tags = template.tags.map { Tag(name: $0, address: PageAddress("/").with("tag", $0).text) }
        hasTags = !tags.isEmpty
        offered = template.version.description
        downloadURL = detail.latest.downloadURL
        fileName = detail.latest.fileName
        fileSize = Wording.size(detail.latest.sizeBytes)
        pageCount =
            detail.summary.kind.hasPages
            ? Wording.count(detail.latest.pageCount, "page") : detail.summary.kind.title.lowercased()
        downloads = Wording.number(template.downloads)
        updated = Moment(template.updatedAt, now: now)
        sha256 = detail.latest.sha256.hex
        sheetPages = detail.latest.pages.map { page in
            SheetPageView(page, regions: regions.first { $0.index == page.index }?.regions ?? [], of: template.name)
        }
        hasRegions = sheetPages.contains { $0.hasRegions }
        self.mayUpload = mayUpload
        self.versions = versions.map { version in
            Version(
                number: version.version.description, downloadURL: version.downloadURL,
                published: Moment(version.publishedAt, now: now), withdrawn: Self.withdrawal(version),
                isOffered: version.version == template.version, isBeta: version.channel == .beta,
                needs: version.minimumClientVersion.map { "Needs \($0) or later of the app." },
                changelog: ProseBlocks(version.changelog),
                hasChangelog: !version.changelog.isEmpty,
                facts: (version.pageCount > 0 ? "\(Wording.count(version.pageCount, "page")), " : "")
                    + Wording.size(version.sizeBytes))
        }
    }
}

/// One page of a sheet as a picture with its zoom regions over it.
struct SheetPageView: Sendable {
    /// A region in the page's own points, since the drawing over the picture has these as its units.
    struct Region: Sendable {
        let place: Int
        let regionName: String
        let x: String
        let y: String
        let width: String
        let height: String
        let labelX: String
        let labelY: String
    }

    let number: Int
    let picture: String
    let alternative: String
    let pictureWidth: Int
    let pictureHeight: Int
    let box: String
    let paper: String
    let fields: String
    let hasFields: Bool
    let regionCount: String
    /// In reading order.
    let regions: [Region]
    /// The larger ones first, so that they lie below and each can be reached.
    let drawnRegions: [Region]
    let hasRegions: Bool

    init(_ page: PageSummary, regions: [ZoomRegion], of name: String) {
        number = page.index + 1
        picture = "\(page.previewURL)?width=1200"
        alternative = "Page \(page.index + 1) of \(name)"
        let width = max(page.width, 1)
        let height = max(page.height, 1)
        pictureWidth = 1200
        pictureHeight = Int((1200 * height / width).rounded())
        box = "0 0 \(Self.text(width)) \(Self.text(height))"
        paper = Wording.paper(width: page.width, height: page.height)
        fields = Wording.count(page.formFields, "form field")
        hasFields = page.formFields > 0
        regionCount = Wording.count(regions.count, "zoom region")
        hasRegions = !regions.isEmpty
        let listed = regions.enumerated().map { place, region in
            let rect = region.rect
            return Region(
                place: place, regionName: region.name, x: Self.text(rect.x * width), y: Self.text(rect.y * height),
                width: Self.text(rect.width * width), height: Self.text(rect.height * height),
                labelX: Self.text(rect.x * width + 4), labelY: Self.text(rect.y * height + 11))
        }
        self.regions = listed
        drawnRegions = regions.indices.sorted { regions[$0].rect.area > regions[$1].rect.area }.map { listed[$0] }
    }

    private static func text(_ value: Double) -> String {
        String((value * 10).rounded() / 10)
    }
}
