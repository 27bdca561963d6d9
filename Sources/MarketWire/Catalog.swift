// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// A ruleset that sheets are for.
public struct GameSystem: Sendable, Codable, Equatable {
    /// `dnd5e`, `call-of-cthulhu`, …
    public var slug: String
    /// What people call it.
    public var name: String
    /// Who publishes it.
    public var publisher: String?
    /// Other names that people use.
    public var aliases: [String]
    /// Templates on offer for it.
    public var templateCount: Int

    public init(slug: String, name: String, publisher: String?, aliases: [String], templateCount: Int) {
        self.slug = slug
        self.name = name
        self.publisher = publisher
        self.aliases = aliases
        self.templateCount = templateCount
    }
}

/// `GET /game-systems`.
public struct GameSystemList: Sendable, Codable, Equatable {
    /// All of them, by name.
    public var gameSystems: [GameSystem]

    public init(gameSystems: [GameSystem]) {
        self.gameSystems = gameSystems
    }
}

/// A template as lists show it (blueprint, section 4). All of it holds for the version that is offered.
public struct TemplateSummary: Sendable, Codable, Equatable {
    /// Its identifier.
    public var id: TemplateID
    /// The short name in addresses.
    public var slug: String
    /// What people call it.
    public var name: String
    /// One sentence about it.
    public var summary: String
    /// The game system's slug.
    public var gameSystem: String
    /// The owner's handle.
    public var author: String
    /// 0…5; 0 while nobody has rated it.
    public var rating: Double
    /// How many people rated it.
    public var ratingCount: Int
    /// How often it was downloaded.
    public var downloads: Int
    /// Address of the first page's picture, relative to the server.
    public var previewURL: String
    /// Address that answers with a signed download, relative to the server.
    public var downloadURL: String
    /// The version that is meant.
    public var version: SemanticVersion
    /// How many pages it has.
    public var pageCount: Int
    /// SPDX identifier.
    public var license: String
    /// BCP 47 tag.
    public var language: String
    /// Words to find it by.
    public var tags: [String]
    /// When it changed last.
    public var updatedAt: Date
    /// What it is; a sheet where a server does not say.
    public var kind: TemplateKind

    public init(
        id: TemplateID, slug: String, name: String, summary: String, gameSystem: String, author: String,
        rating: Double, ratingCount: Int, downloads: Int, previewURL: String, downloadURL: String,
        version: SemanticVersion, pageCount: Int, license: String, language: String, tags: [String], updatedAt: Date,
        kind: TemplateKind = .sheet
    ) {
        self.id = id
        self.slug = slug
        self.name = name
        self.summary = summary
        self.gameSystem = gameSystem
        self.author = author
        self.rating = rating
        self.ratingCount = ratingCount
        self.downloads = downloads
        self.previewURL = previewURL
        self.downloadURL = downloadURL
        self.version = version
        self.pageCount = pageCount
        self.license = license
        self.language = language
        self.tags = tags
        self.updatedAt = updatedAt
        self.kind = kind
    }
}

/// `GET /templates`.
public struct TemplateList: Sendable, Codable, Equatable {
    /// The page's templates.
    public var templates: [TemplateSummary]
    /// Where the next page begins; `nil` on the last.
    @AlwaysWritten public var nextCursor: String?
    /// What was searched for instead, when nearly nothing has the words as they were typed.
    public var correctedQuery: String?
    /// What the list is made of; only where it was asked for.
    public var facets: Facets?

    public init(
        templates: [TemplateSummary], nextCursor: String?, correctedQuery: String? = nil, facets: Facets? = nil
    ) {
        self.templates = templates
        self.nextCursor = nextCursor
        self.correctedQuery = correctedQuery
        self.facets = facets
    }
}

/// `GET /templates/{id}`: everything of the summary and the offered version in full.
public struct TemplateDetail: Sendable, Codable, Equatable {
    /// What lists show of it.
    public var summary: TemplateSummary
    /// Markdown.
    public var description: String
    /// When it was made.
    public var createdAt: Date
    /// The version that is offered; while none is, the newest that can be had, to who deprecates the template or asks for it.
    public var latest: VersionDetail
    /// Says that it should no longer be used, and what to use instead.
    public var deprecation: Deprecation?
    /// What the rating is made of; absent where a server does not say.
    public var ratings: RatingSummary?

    public init(
        summary: TemplateSummary, description: String, createdAt: Date, latest: VersionDetail,
        deprecation: Deprecation? = nil, ratings: RatingSummary? = nil
    ) {
        self.summary = summary
        self.description = description
        self.createdAt = createdAt
        self.latest = latest
        self.deprecation = deprecation
        self.ratings = ratings
    }

    private enum CodingKeys: String, CodingKey { case description, createdAt, latest, deprecation, ratings }

    /// Reads the flat object: the summary's members stand beside the others.
    public init(from decoder: any Decoder) throws {
        summary = try TemplateSummary(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        description = try container.decode(String.self, forKey: .description)
        createdAt = try container.decode(Date.self, forKey: .createdAt)
        latest = try container.decode(VersionDetail.self, forKey: .latest)
        deprecation = try container.decodeIfPresent(Deprecation.self, forKey: .deprecation)
        ratings = try container.decodeIfPresent(RatingSummary.self, forKey: .ratings)
    }

    /// Writes the flat object.
    public func encode(to encoder: any Encoder) throws {
        try summary.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(description, forKey: .description)
        try container.encode(createdAt, forKey: .createdAt)
        try container.encode(latest, forKey: .latest)
        try container.encodeIfPresent(deprecation, forKey: .deprecation)
        try container.encodeIfPresent(ratings, forKey: .ratings)
    }
}

/// One release of a template.
public struct VersionDetail: Sendable, Codable, Equatable {
    /// The version that is meant.
    public var version: SemanticVersion
    /// Where it stands.
    public var state: VersionState
    /// Markdown.
    public var changelog: String
    /// SHA-256 of the artifact.
    public var sha256: ContentHash
    /// Size of the artifact, in bytes.
    @Limited<ByteCounts> public var sizeBytes: Int
    /// What to call a saved file.
    public var fileName: String
    /// How many pages it has.
    public var pageCount: Int
    /// Its pages, in order; none where a kind has no pages.
    public var pages: [PageSummary]
    /// Address that answers with a signed download, relative to the server.
    public var downloadURL: String
    /// When it came out.
    public var publishedAt: Date
    /// Why it was withdrawn, when `state` is `yanked`.
    public var yankReason: String?
    /// Who withdrew it, when `state` is `yanked`.
    public var yankedBy: Withdrawer?
    /// Whom it is offered to; `stable` where a server does not say.
    public var channel: ReleaseChannel
    /// The first version of a client that can use it; `nil` when any can.
    public var minimumClientVersion: SemanticVersion?
    /// What changed since the version before it; only where one version is asked for.
    public var changes: VersionChanges?

    public init(
        version: SemanticVersion, state: VersionState, changelog: String, sha256: ContentHash, sizeBytes: Int,
        fileName: String, pageCount: Int, pages: [PageSummary], downloadURL: String, publishedAt: Date,
        yankReason: String? = nil, yankedBy: Withdrawer? = nil, channel: ReleaseChannel = .stable,
        minimumClientVersion: SemanticVersion? = nil, changes: VersionChanges? = nil
    ) {
        self.changes = changes
        self.yankedBy = yankedBy
        self.channel = channel
        self.minimumClientVersion = minimumClientVersion
        self.version = version
        self.state = state
        self.changelog = changelog
        self.sha256 = sha256
        self.sizeBytes = sizeBytes
        self.fileName = fileName
        self.pageCount = pageCount
        self.pages = pages
        self.downloadURL = downloadURL
        self.publishedAt = publishedAt
        self.yankReason = yankReason
    }
}

/// One page of a version, without its regions.
public struct PageSummary: Sendable, Codable, Equatable {
    /// From 0.
    @Limited<PageIndexes> public var index: Int
    /// Width as displayed, in points.
    @Limited<PageSides> public var width: Double
    /// Height as displayed, in points.
    @Limited<PageSides> public var height: Double
    /// How many fields can be filled in.
    public var formFields: Int
    /// How many zoom regions it has.
    public var regionCount: Int
    /// Address of the page's picture, relative to the server.
    public var previewURL: String
    /// Width of its sharpest picture in pixels, to be asked for by `?width=`; `nil` until that is drawn.
    public var previewWidth: Int?

    public init(
        index: Int, width: Double, height: Double, formFields: Int, regionCount: Int, previewURL: String,
        previewWidth: Int? = nil
    ) {
        self.index = index
        self.width = width
        self.height = height
        self.formFields = formFields
        self.regionCount = regionCount
        self.previewURL = previewURL
        self.previewWidth = previewWidth
    }
}

/// `GET /templates/{id}/versions`: newest first by precedence.
public struct VersionList: Sendable, Codable, Equatable {
    /// The page's versions.
    public var versions: [VersionDetail]
    /// Where the next page begins; `nil` on the last.
    @AlwaysWritten public var nextCursor: String?

    public init(versions: [VersionDetail], nextCursor: String? = nil) {
        self.versions = versions
        self.nextCursor = nextCursor
    }
}

/// `GET` and `PUT /templates/{id}/versions/{v}/regions`.
public struct RegionList: Sendable, Codable, Equatable {
    /// A page's regions.
    public struct Page: Sendable, Codable, Equatable {
        /// From 0.
        @Limited<PageIndexes> public var index: Int
        /// The page's zoom regions, in their order.
        public var regions: [ZoomRegion]

        public init(index: Int, regions: [ZoomRegion]) {
            self.index = index
            self.regions = regions
        }
    }

    /// By page, in order.
    public var pages: [Page]

    public init(pages: [Page]) {
        self.pages = pages
    }
}

extension Sequence<RegionList.Page> {
    /// The regions as they stand in a signed record.
    public var signed: [(page: Int, region: ZoomRegion)] {
        flatMap { page in page.regions.map { (page: page.index, region: $0) } }
    }
}

/// `GET …/download?redirect=false`.
public struct DownloadTicket: Sendable, Codable, Equatable {
    /// The signed address; absolute, or relative to the server.
    public var url: String
    /// The version that is meant.
    public var version: SemanticVersion
    /// What to call a saved file.
    public var fileName: String
    /// Length in bytes.
    @Limited<ByteCounts> public var sizeBytes: Int
    /// SHA-256 of the bytes.
    public var sha256: ContentHash
    /// When it ends.
    public var expiresAt: Date

    public init(
        url: String, version: SemanticVersion, fileName: String, sizeBytes: Int, sha256: ContentHash, expiresAt: Date
    ) {
        self.url = url
        self.version = version
        self.fileName = fileName
        self.sizeBytes = sizeBytes
        self.sha256 = sha256
        self.expiresAt = expiresAt
    }
}

/// `POST …/yank`.
public struct YankRequest: Sendable, Codable, Equatable {
    /// Shown to those who have the version.
    public var reason: String?

    public init(reason: String?) {
        self.reason = reason
    }
}

/// `PATCH /templates/{id}`: what is absent stays.
public struct TemplatePatch: Sendable, Codable, Equatable {
    /// A new short name for addresses; the old one goes on leading here.
    public var slug: String?
    /// What people call it; unchanged or none where absent.
    public var name: String?
    /// One sentence about it.
    public var summary: String?
    /// More about it.
    public var description: String?
    /// Words to find it by.
    public var tags: [String]?
    /// SPDX identifier.
    public var license: String?
    /// BCP 47 tag.
    public var language: String?

    public init(
        name: String? = nil, summary: String? = nil, description: String? = nil, tags: [String]? = nil,
        license: String? = nil, language: String? = nil, slug: String? = nil
    ) {
        self.slug = slug
        self.name = name
        self.summary = summary
        self.description = description
        self.tags = tags
        self.license = license
        self.language = language
    }
}

/// `GET` and `PUT /templates/{id}/training`: whether the operator may train the finding of zoom regions with a template's
/// pages and what was corrected on them.
public struct TrainingConsent: Sendable, Codable, Equatable {
    /// Whether its owner allows it.
    public var isGiven: Bool

    public init(isGiven: Bool) {
        self.isGiven = isGiven
    }
}

extension KeyedDecodingContainer {
    /// Servers and records from before there were kinds have sheets only. Decoders that the compiler writes find this.
    func decode(_ type: TemplateKind.Type, forKey key: Key) throws -> TemplateKind {
        try decodeIfPresent(type, forKey: key) ?? .sheet
    }

    /// Likewise from before there were channels.
    func decode(_ type: ReleaseChannel.Type, forKey key: Key) throws -> ReleaseChannel {
        try decodeIfPresent(type, forKey: key) ?? .stable
    }
}
