// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPlatform
import MarketWire
import SheetCore

/// What the page of one sheet shows.
package struct SheetView: Sendable {
    struct Version: Sendable {
        let number: String
        let downloadURL: String
        let published: DisplayTime
        /// Who withdrew it, in words.
        let withdrawn: Phrase?
        let isOffered: Bool
        let isBeta: Bool
        let needs: Phrase?
        let changelog: MarkdownBlocks
        let hasChangelog: Bool
        let facts: Phrase
    }

    struct Author: Sendable {
        let handle: String
        let part: Phrase
    }

    struct Tag: Sendable {
        let name: String
        let address: String
    }

    struct DayBar: Sendable {
        let day: String
        let dayCount: Int
        let dayMost: Int
    }

    let id: String
    let name: String
    let slug: String
    let summary: String
    let description: MarkdownBlocks
    let hasDescription: Bool
    let gameSystem: String
    let gameSystemAddress: String
    let author: String
    let authorAddress: String
    let licenceName: String
    let licenceID: String
    let licenceMeaning: Phrase
    let licenceAddress: String
    let language: Phrase
    let languageTag: String
    let tags: [Tag]
    let hasTags: Bool
    let offered: String
    let downloadURL: String
    let fileName: String
    let fileSize: Phrase
    let pageCount: Phrase
    let downloads: Phrase
    let updated: DisplayTime
    let sha256: String
    let sheetPages: [SheetPageView]
    /// Its first page, which a phone shows small before all else.
    let glance: SheetPageView?
    let hasRegions: Bool
    let versions: [Version]
    let olderVersions: String?
    let mayUpload: Bool
    /// For those who may change something of it.
    let manageAddress: String?
    let deprecation: DeprecationView?
    /// What the version on offer changed.
    let changes: ChangesView?
    /// The authors beside the owner.
    let coAuthors: [Author]
    let hasCoAuthors: Bool
    /// What it is, unless it is a sheet.
    let kind: Phrase?
    let downloadLabel: Phrase
    let outline: OutlineView?
    let hasPages: Bool
    let reviews: ReviewsView
    let sharing: SheetSharing
    /// Downloads by day, newest first; for authors.
    let days: [DayBar]
    let hasDays: Bool
    /// What is near it, where anything is.
    var similar: SimilarView?
    var favorite: FollowButton?
    /// Where it was put, where it was.
    var collections: InCollectionsView?

    init(
        detail: TemplateDetail, versions: VersionList, regions: [RegionList.Page], systemName: String?,
        authors: [TemplateAuthor], changes: VersionChanges?, mayUpload: Bool, mayManage: Bool,
        outline: ContentOutline?, days: [DownloadTimeline.Day], reviews: ReviewsView, sharing: SheetSharing, now: Date
    ) {
        self.changes = changes.map(ChangesView.init)
        let most = max(days.map(\.downloads).max() ?? 0, 1)
        self.days = days.reversed().map { DayBar(day: $0.day, dayCount: $0.downloads, dayMost: most) }
        hasDays = !days.isEmpty
        self.reviews = reviews
        self.sharing = sharing
        deprecation = detail.deprecation.map { DeprecationView($0, now: now) }
        coAuthors = authors.filter { $0.role != .owner }.map {
            Author(handle: $0.handle, part: Phrase(told: $0.role.rawValue))
        }
        hasCoAuthors = !coAuthors.isEmpty
        kind = detail.summary.kind.hasPages ? nil : Phrase(told: detail.summary.kind.title)
        downloadLabel = detail.summary.kind.hasPages ? "Download PDF" : "Download"
        self.outline = outline.map(OutlineView.init)
        hasPages = detail.latest.pageCount > 0
        let template = detail.summary
        id = template.id.description
        name = template.name
        slug = template.slug
        summary = template.summary
        description = MarkdownBlocks(detail.description)
        hasDescription = !detail.description.isEmpty
        gameSystem = systemName ?? template.gameSystem
        gameSystemAddress = PageAddress("/").with("gameSystem", template.gameSystem).text
        author = template.author
        authorAddress = PagePaths.author(template.author)
        licenceName = LicenceGuide.name(template.license)
        licenceID = template.license
        licenceMeaning = LicenceGuide.meaning(template.license)
        licenceAddress = LicenceGuide.address(template.license)
        language = DisplayText.language(template.language)
        languageTag = template.language
        tags = template.tags.map { Tag(name: $0, address: PageAddress("/").with("tag", $0).text) }
        hasTags = !tags.isEmpty
        offered = template.version.description
        downloadURL = detail.latest.downloadURL
        fileName = detail.latest.fileName
        fileSize = DisplayText.size(detail.latest.sizeBytes)
        pageCount =
            detail.summary.kind.hasPages
            ? DisplayText.count(detail.latest.pageCount, "page") : Phrase(told: detail.summary.kind.title.lowercased())
        downloads = DisplayText.count(template.downloads, "download")
        updated = DisplayTime(template.updatedAt, now: now)
        sha256 = detail.latest.sha256.hex
        sheetPages = detail.latest.pages.map { page in
            SheetPageView(page, regions: regions.first { $0.index == page.index }?.regions ?? [], of: template.name)
        }
        glance = sheetPages.first
        hasRegions = sheetPages.contains { $0.hasRegions }
        self.mayUpload = mayUpload
        manageAddress = mayManage ? PagePaths.sheet(template.slug, "manage") : nil
        olderVersions = versions.nextCursor.map {
            PageAddress(PagePaths.sheet(template.slug)).with("versions", $0).text + "#versions"
        }
        self.versions = versions.versions.map { Self.version($0, isOffered: $0.version == template.version, now: now) }
    }

    private static func version(_ version: VersionDetail, isOffered: Bool, now: Date) -> Version {
        Version(
            number: version.version.description, downloadURL: version.downloadURL,
            published: DisplayTime(version.publishedAt, now: now), withdrawn: withdrawal(version),
            isOffered: isOffered, isBeta: version.channel == .beta,
            needs: version.minimumClientVersion.map { "Needs \($0) or later of the app." },
            changelog: MarkdownBlocks(version.changelog), hasChangelog: !version.changelog.isEmpty,
            facts: [
                version.pageCount > 0 ? DisplayText.count(version.pageCount, "page") : nil,
                DisplayText.size(version.sizeBytes),
            ].compactMap { $0 }.joined(separator: ", "))
    }

    /// Who withdrew a version and why; `nil` for one that is on offer.
    package static func withdrawal(_ version: VersionDetail) -> Phrase? {
        guard version.state == .yanked else { return nil }
        let who: Phrase =
            version.yankedBy == .administrator ? "withdrawn by an administrator" : "withdrawn by its author"
        return version.yankReason.map { "\(who): \($0)" } ?? who
    }
}

/// One page of a sheet as a picture with its zoom regions over it.
package struct SheetPageView: Sendable {
    /// A region in the page's own points, since the drawing over the picture has these as its units.
    package struct Region: Sendable {
        /// From 0, in reading order.
        let place: Int
        /// From 1, likewise.
        let order: Int
        let regionName: Phrase
        let rect: Rect
        let scale: String
        let x: String
        let y: String
        let width: String
        let height: String
        let labelX: String
        let labelY: String
    }

    /// A rectangle in parts of the page, 0…1.
    package struct Rect: Sendable {
        let x: String
        let y: String
        let width: String
        let height: String

        init(_ rect: NormalizedRect) {
            x = Self.text(rect.x)
            y = Self.text(rect.y)
            width = Self.text(rect.width)
            height = Self.text(rect.height)
        }

        private static func text(_ part: Double) -> String { String((part * 100_000).rounded() / 100_000) }
    }

    package let number: Int
    package let picture: String
    /// The same, small.
    package let thumbnail: String
    /// The same as sharp as there is.
    package let sharp: String
    package let hasSharp: Bool
    package let alternative: Phrase
    package let pictureWidth: Int
    package let pictureHeight: Int
    package let box: String
    package let paper: Phrase
    package let fields: Phrase
    package let hasFields: Bool
    package let regionCount: Phrase
    /// In reading order.
    package let regions: [Region]
    /// The larger ones first, so that they lie below and each can be reached.
    package let drawnRegions: [Region]
    package let hasRegions: Bool

    package init(_ page: PageSummary, regions: [ZoomRegion], of name: String) {
        number = page.index + 1
        picture = "\(page.previewURL)?width=1200"
        thumbnail = "\(page.previewURL)?width=360"
        sharp = "\(page.previewURL)?width=\(page.previewWidth ?? 1200)"
        hasSharp = page.previewWidth != nil
        alternative = "Page \(page.index + 1) of \(name)"
        let width = max(page.width, 1)
        let height = max(page.height, 1)
        pictureWidth = 1200
        pictureHeight = Int((1200 * height / width).rounded())
        box = "0 0 \(Self.text(width)) \(Self.text(height))"
        paper = DisplayText.paper(width: page.width, height: page.height)
        fields = DisplayText.count(page.formFields, "form field")
        hasFields = page.formFields > 0
        regionCount = DisplayText.count(regions.count, "zoom region")
        hasRegions = !regions.isEmpty
        let names = RegionWords.names(regions)
        let listed = regions.enumerated().map { place, region in
            let rect = region.rect
            return Region(
                place: place, order: place + 1, regionName: names[place], rect: Rect(rect),
                scale: Self.text(region.scale), x: Self.text(rect.x * width), y: Self.text(rect.y * height),
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

/// Sheets like one.
struct SimilarView: Sendable {
    let cards: [HomeView.Card]

    /// `nil` where there are none.
    init?(_ templates: [TemplateSummary], systems: [GameSystem], now: Date) {
        guard !templates.isEmpty else { return nil }
        let names = systems.namesBySlug
        cards = templates.map { HomeView.Card($0, gameSystem: names[$0.gameSystem], now: now) }
    }
}
