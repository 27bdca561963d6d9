// SPDX-License-Identifier: Apache-2.0

/// The manifest of a `.sheetbundle`: a ZIP with one version of a template, complete and for itself.
public struct BundleManifest: Sendable, Codable, Equatable {
    /// A file of the bundle.
    public struct File: Sendable, Codable, Equatable {
        /// Its path in the ZIP.
        public var path: String
        /// Media type (RFC 9110, section 8.3).
        public var mediaType: String
        /// Length in bytes.
        public var sizeBytes: Int
        /// SHA-256 of the bytes.
        public var sha256: ContentHash

        public init(path: String, mediaType: String, sizeBytes: Int, sha256: ContentHash) {
            self.path = path
            self.mediaType = mediaType
            self.sizeBytes = sizeBytes
            self.sha256 = sha256
        }
    }

    /// A picture of a page, for programs that show bundles. Importing one draws the pages anew.
    public struct Picture: Sendable, Codable, Equatable {
        /// Counted from 0.
        public var page: Int
        /// The picture's file.
        public var file: File

        public init(page: Int, file: File) {
            self.page = page
            self.file = file
        }
    }

    /// `sheetbundle`.
    public var format: String
    /// 1.
    public var formatVersion: Int
    /// What kind it is of.
    public var kind: TemplateKind
    /// What the sheet says of itself.
    public var metadata: DraftMetadata
    /// Who made it, as the market says it; not used when it is imported.
    public var author: String?
    /// Where it came from.
    public var origin: String?
    /// The file that the version consists of.
    public var artifact: File
    /// What to call a saved file.
    public var fileName: String
    /// Pictures of pages.
    public var pictures: [Picture]

    /// The word that marks a manifest.
    public static let format = "sheetbundle"
    /// The version of the format that this writes.
    public static let formatVersion = 1
    /// Where the manifest lies in the archive.
    public static let path = "manifest.json"
    /// Where the regions lie in the archive.
    public static let regionsPath = "regions.json"

    public init(
        kind: TemplateKind, metadata: DraftMetadata, author: String?, origin: String?, artifact: File,
        fileName: String, pictures: [Picture]
    ) {
        format = Self.format
        formatVersion = Self.formatVersion
        self.kind = kind
        self.metadata = metadata
        self.author = author
        self.origin = origin
        self.artifact = artifact
        self.fileName = fileName
        self.pictures = pictures
    }

    /// Throws what is wrong with it first.
    public func check() throws(FormatFailure) {
        var check = FormatCheck()
        check.require(format == Self.format, "/format", "This is not '\(Self.format)'.")
        check.require(
            formatVersion == Self.formatVersion, "/formatVersion",
            "Only version \(Self.formatVersion) is read here; this bundle was made by a newer program.")
        check.require(TemplateKind.known.contains(kind), "/kind", "A kind that is not known here.")
        check.require(artifact.sizeBytes > 0, "/artifact/sizeBytes", "A file has at least one byte.")
        check.line(fileName, most: 255, "/fileName")
        check.require(pictures.count <= 2000, "/pictures", "At most 2000 pictures.")
        try check.finish()
    }
}

/// `regions.json` of a bundle, the zoom regions per page as the HTTP API gives them.
public struct BundleRegions: Sendable, Codable, Equatable {
    /// The regions of one page.
    public struct Page: Sendable, Codable, Equatable {
        /// From 0.
        public var index: Int
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

/// The manifest of a `.ttrpg` character archive, as far as it is read: what belongs to the person is not even decoded.
public struct CharacterArchiveManifest: Sendable, Decodable, Equatable {
    /// The template that the character was made on.
    public struct Template: Sendable, Decodable, Equatable {
        /// Path of its PDF in the ZIP; by default the only PDF below `template/`.
        public var path: String?
        /// Of that PDF; archives of before 1.0 do not say it.
        public var sha256: ContentHash?
        /// What the sheet says of itself.
        public var metadata: DraftMetadata

        private enum CodingKeys: String, CodingKey { case path, sha256 }

        /// Reads the flat object: path and metadata side by side.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            path = try container.decodeIfPresent(String.self, forKey: .path)
            sha256 = try container.decodeIfPresent(ContentHash.self, forKey: .sha256)
            metadata = try DraftMetadata(from: decoder)
        }
    }

    /// `ttrpg`.
    public var format: String?
    /// The version of the format that this writes.
    public var formatVersion: String?
    /// What it says of the template.
    public var template: Template?

    /// The word that marks a manifest.
    public static let format = "ttrpg"
    /// The version of the format that this writes.
    public static let formatVersion = "1.0"
    /// Where the manifest lies in the archive.
    public static let path = "manifest.json"
    /// Below this lies the template.
    public static let templateFolder = "template/"
    /// Below this lies what belongs to the person.
    public static let characterFolder = "character/"
}
