// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore

/// What the library keeps of one template: enough to show, verify, open and install it again without a network.
/// One file per template, `templates/<id>.json`; the format is described in `docs/library-format.md`.
public struct LibraryRecord: Sendable, Codable, Equatable {
    /// The format that this version writes.
    public static let currentFormat = 1

    /// The format of the file.
    public var format: Int
    /// The server it came from.
    public var server: String
    /// The catalog entry as of the last installation or update.
    public var template: TemplateSummary
    /// Markdown.
    public var description: String
    /// The version that is installed; `nil` after a removal.
    public var installed: Installed?
    /// All versions that were ever installed, newest first.
    public var versions: [SavedVersion]
    /// What is installed and updated without a number; `nil` is `stable`.
    public var channel: ReleaseChannel?
    /// Says that the template should no longer be used, as of the last installation or update.
    public var deprecation: Deprecation?
    /// Whether updates and the quota leave it alone; `nil` is no.
    public var pinned: Bool?
    /// What was installed before what is installed now.
    public var before: SemanticVersion?

    /// Which version is installed, and since when.
    public struct Installed: Sendable, Codable, Equatable {
        /// The version that is installed.
        public var version: SemanticVersion
        /// SHA-256 of the bytes.
        public var sha256: ContentHash
        /// When it was installed.
        public var installedAt: Date

        public init(version: SemanticVersion, sha256: ContentHash, installedAt: Date) {
            self.version = version
            self.sha256 = sha256
            self.installedAt = installedAt
        }
    }

    /// A version with what belongs to it.
    public struct SavedVersion: Sendable, Codable, Equatable {
        /// What the server said of it.
        public var detail: VersionDetail
        /// Zoom regions by page.
        public var regions: [RegionList.Page]
        /// The first page's picture.
        public var preview: Preview?
        /// A readable rendering of a kind without pages.
        public var outline: ContentOutline?
        /// Sharper pictures of pages, kept once somebody has looked at them; `nil` is none.
        public var pictures: [PagePreview]?
        /// Whether its file was compared with what its market signed when it came; `nil` where nobody noted it.
        public var verified: Bool?

        public init(
            detail: VersionDetail, regions: [RegionList.Page], preview: Preview?, outline: ContentOutline? = nil
        ) {
            self.outline = outline
            self.detail = detail
            self.regions = regions
            self.preview = preview
        }

        /// A decoder that has this leaves out what is most of a record, and what no list of records needs.
        static let brief = CodingUserInfoKey(rawValue: "sheets.brief")

        /// Reads a version; without its regions and outline where the decoder says so.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            let isBrief = Self.brief.map { decoder.userInfo[$0] != nil } ?? false
            detail = try values.decode(VersionDetail.self, forKey: .detail)
            regions = isBrief ? [] : try values.decode([RegionList.Page].self, forKey: .regions)
            preview = try values.decodeIfPresent(Preview.self, forKey: .preview)
            outline = isBrief ? nil : try values.decodeIfPresent(ContentOutline.self, forKey: .outline)
            pictures = try values.decodeIfPresent([PagePreview].self, forKey: .pictures)
            verified = try values.decodeIfPresent(Bool.self, forKey: .verified)
        }

        /// The objects that it needs.
        var objects: Set<ContentHash> {
            Set([detail.sha256] + [preview?.sha256].compactMap { $0 } + (pictures ?? []).map(\.picture.sha256))
        }
    }

    /// A picture among the objects.
    public struct Preview: Sendable, Codable, Equatable {
        /// SHA-256 of the bytes.
        public var sha256: ContentHash
        /// Length in bytes.
        @Limited<ByteCounts> public var sizeBytes: Int
        /// Media type (RFC 9110, section 8.3).
        public var mediaType: String

        public init(sha256: ContentHash, sizeBytes: Int, mediaType: String) {
            self.sha256 = sha256
            self.sizeBytes = sizeBytes
            self.mediaType = mediaType
        }
    }

    /// A page's picture among the objects.
    public struct PagePreview: Sendable, Codable, Equatable {
        /// From 0.
        @Limited<PageIndexes> public var page: Int
        /// The stored picture.
        public var picture: Preview

        public init(page: Int, picture: Preview) {
            self.page = page
            self.picture = picture
        }
    }

    public init(
        format: Int = LibraryRecord.currentFormat, server: String, template: TemplateSummary, description: String,
        installed: Installed?, versions: [SavedVersion], channel: ReleaseChannel? = nil,
        deprecation: Deprecation? = nil
    ) {
        self.channel = channel
        self.deprecation = deprecation
        self.format = format
        self.server = server
        self.template = template
        self.description = description
        self.installed = installed
        self.versions = versions
    }

    /// The installed version in full.
    public var current: SavedVersion? {
        installed.flatMap { saved($0.version) }
    }

    /// A saved version by its number.
    public func saved(_ version: SemanticVersion) -> SavedVersion? {
        versions.first { $0.detail.version == version }
    }

    /// What an installation without a named version takes when there is no server to ask: what is installed,
    /// else the newest release, else the newest of all.
    public var preferred: SavedVersion? {
        current ?? versions.first { !$0.detail.version.isPrerelease } ?? versions.first
    }

    /// Adds a version, or puts it in the place of an older description of the same.
    mutating func save(_ saved: SavedVersion) {
        versions.removeAll { $0.detail.version == saved.detail.version }
        versions.append(saved)
        versions.sort { $0.detail.version > $1.detail.version }
    }

    /// Makes a version the installed one, unless it is.
    mutating func install(_ detail: VersionDetail, at time: Date) {
        guard installed?.version != detail.version else { return }
        before = installed?.version
        installed = .init(version: detail.version, sha256: detail.sha256, installedAt: time)
    }

    /// The objects that this record needs.
    var objects: Set<ContentHash> { versions.reduce(into: []) { $0.formUnion($1.objects) } }
}

/// What people name a template by: slug or id, and perhaps a version, as in `quest-sheet@1.2.0`.
public struct TemplateReference: Sendable, Hashable, CustomStringConvertible {
    /// Slug or id.
    public var key: String
    /// `nil` for the one on offer.
    public var version: SemanticVersion?

    public init(key: String, version: SemanticVersion? = nil) {
        self.key = key
        self.version = version
    }

    /// Reads `KEY` or `KEY@VERSION` (`latest` is no version); `nil` when either part is malformed.
    public init?(_ text: String) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let key = parts.first, Slug(key) != nil || TemplateID(key) != nil else { return nil }
        self.key = key
        if parts.count == 2, parts[1] != "latest" {
            guard let version = SemanticVersion(parts[1]) else { return nil }
            self.version = version
        }
    }

    /// The text that reads back as the same.
    public var description: String { version.map { "\(key)@\($0)" } ?? key }
}
