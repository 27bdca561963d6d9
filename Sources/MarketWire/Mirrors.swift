// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// What a static mirror (docs/formats.md) has of one template, in `catalog/<id>.json`. Not signed: files, slugs and states
/// are, by the metadata beside it.
public struct MirrorEntry: Sendable, Codable, Equatable {
    /// A picture of a page, in `pictures/<sha256>`.
    public struct Picture: Sendable, Codable, Equatable {
        /// From 0.
        @Limited<PageIndexes> public var page: Int
        /// SHA-256 of the bytes.
        public var sha256: ContentHash

        public init(page: Int, sha256: ContentHash) {
            self.page = page
            self.sha256 = sha256
        }
    }

    /// What a version has besides its detail.
    public struct Extras: Sendable, Codable, Equatable {
        /// The version that is meant.
        public var version: SemanticVersion
        /// Zoom regions by page.
        public var regions: [RegionList.Page]
        /// Of a kind without pages.
        public var outline: ContentOutline?
        /// Pictures of pages.
        public var pictures: [Picture]

        public init(
            version: SemanticVersion, regions: [RegionList.Page] = [], outline: ContentOutline? = nil,
            pictures: [Picture] = []
        ) {
            self.version = version
            self.regions = regions
            self.outline = outline
            self.pictures = pictures
        }
    }

    /// A version that is not on offer.
    public struct Withdrawn: Sendable, Codable, Equatable {
        /// The version that is meant.
        public var version: SemanticVersion
        /// Where it stands.
        public var state: VersionState
        /// SHA-256 of the bytes.
        public var sha256: ContentHash
        /// Why it was withdrawn, if somebody said.
        public var reason: String?
        /// Why it was taken down, as a stable word.
        public var reasonCode: String?

        public init(
            version: SemanticVersion, state: VersionState, sha256: ContentHash, reason: String?, reasonCode: String?
        ) {
            self.version = version
            self.state = state
            self.sha256 = sha256
            self.reason = reason
            self.reasonCode = reasonCode
        }
    }

    /// As `GET /templates/{id}` answers; `nil` while none of its versions is on offer.
    public var template: TemplateDetail?
    /// Then as `GET /templates/{id}?offered=false` answers, with the newest version that can be had by its number; of mirrors
    /// of before there was this, `nil`.
    public var withheld: TemplateDetail?
    /// As `GET /templates/{id}/versions` answers.
    public var versions: [VersionDetail]
    /// What is there of each version besides.
    public var extras: [Extras]
    /// Versions that were withdrawn or taken down.
    public var withdrawn: [Withdrawn]

    public init(
        template: TemplateDetail?, withheld: TemplateDetail? = nil, versions: [VersionDetail], extras: [Extras],
        withdrawn: [Withdrawn]
    ) {
        self.template = template
        self.withheld = withheld
        self.versions = versions
        self.extras = extras
        self.withdrawn = withdrawn
    }

    /// Where the summaries of all templates on offer are, a line each.
    public static let namesPath = "catalog/names.jsonl"

    /// Where those are of templates with a version that can be had by its number, and none on offer.
    public static let withheldPath = "catalog/withheld.jsonl"

    /// Where a template's entry is.
    public static func path(_ id: TemplateID) -> String { "catalog/\(id).json" }

    /// Where a picture is.
    public static func picturePath(_ hash: ContentHash) -> String { "pictures/\(hash)" }
}
