// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// What the supervisor asks of a reader about one file, as JSON; the file's descriptor comes with it, opened for reading.
/// The answer goes to standard output in frames (`ReaderFrame`).
package struct ReaderRequest: Sendable, Codable, Equatable {
    /// What may be used up.
    package var limits: ReaderLimits
    /// Whether each page's text is wanted.
    package var wantsText: Bool
    /// Widths, in pixels, at which each page is to be drawn; none for no pictures.
    package var previewWidths: [Int]
    /// Whether a clean copy is wanted of a file whose every blocker is removable: frames `cleaning` and `cleaned`.
    package var clean: Bool
    /// Whether a clean copy is wanted of an accepted file too; counts only with `clean`.
    package var cleansAccepted: Bool
    /// Whether what proves that a copy is true is wanted: fields in the report, and a `look` frame for each page
    /// (`CopyProof`).
    package var wantsProof: Bool
    /// Whether it is wanted where fields and words are, for comparing versions.
    package var wantsLayout: Bool
    /// When the file is two pages' pictures and what differs between them is to be drawn: only a `difference` frame.
    package var difference: PageDifference?
    /// When the file is a person's picture that is to be redrawn: only `portrait` frames, or one that says why not.
    package var portrait: PortraitWish?

    /// Asks for everything a submission needs.
    package init(
        limits: ReaderLimits = ReaderLimits(),
        wantsText: Bool = true,
        previewWidths: [Int] = [360, 1200],
        clean: Bool = false,
        cleansAccepted: Bool = false,
        wantsProof: Bool = false,
        wantsLayout: Bool = true
    ) {
        self.wantsLayout = wantsLayout
        self.limits = limits
        self.wantsText = wantsText
        self.previewWidths = previewWidths
        self.clean = clean
        self.cleansAccepted = cleansAccepted
        self.wantsProof = wantsProof
    }

    /// Reads a request; what only newer supervisors ask for may be missing.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        limits = try container.decode(ReaderLimits.self, forKey: .limits)
        wantsText = try container.decode(Bool.self, forKey: .wantsText)
        previewWidths = try container.decode([Int].self, forKey: .previewWidths)
        clean = try container.decodeIfPresent(Bool.self, forKey: .clean) ?? false
        cleansAccepted = try container.decodeIfPresent(Bool.self, forKey: .cleansAccepted) ?? false
        wantsProof = try container.decodeIfPresent(Bool.self, forKey: .wantsProof) ?? false
        wantsLayout = try container.decodeIfPresent(Bool.self, forKey: .wantsLayout) ?? false
        difference = try container.decodeIfPresent(PageDifference.self, forKey: .difference)
        portrait = try container.decodeIfPresent(PortraitWish.self, forKey: .portrait)
    }
}

/// The head of one frame of a reader's answer: one line of JSON, ended by a line feed, then exactly `bytes` bytes.
/// Progress and the report come first; pictures follow page by page, then looks, then the clean copy; `end` tells a
/// whole answer from a cut one.
package struct ReaderFrame: Sendable, Codable, Equatable {
    package enum Kind: String, Sendable, Codable {
        /// Nothing: the sandbox stands, files may come. Once, before all else.
        case ready
        /// Nothing: a page was read, which says that the reader is alive and how far it came.
        case progress
        /// A `ReaderReport` as JSON.
        case report
        /// A WebP picture of a page.
        case preview
        /// A page in grey, one byte a pixel, rows from the top (`PageLook`), when the request wants proof.
        case look
        /// A `CleaningReport` as JSON: what was taken out of the copy, or why there is none.
        case cleaning
        /// The clean copy itself, after `cleaning`.
        case cleaned
        /// A page with its regions drawn over it, four bytes a pixel; only within `sheet-inspect --overlay`.
        case overlay
        /// A WebP picture of what differs between two pages, when the request asks for it.
        case difference
        /// A WebP picture of a person, square, when the request asks for it.
        case portrait
        /// A `PortraitRefusal`, in the place of those.
        case portraitRefused
        /// Nothing more follows.
        case end
    }

    package var kind: Kind
    /// How many bytes follow the line.
    package var bytes: Int
    /// For a picture, a look or progress: the page, from 0.
    package var page: Int?
    /// For progress: how many pages there are.
    package var pageCount: Int?
    /// For a picture, a look or a difference: its width in pixels.
    package var width: Int?
    /// For a picture, a look or a difference: its height in pixels.
    package var height: Int?
    /// For `ready`: what the kernel refused and the sandbox does without.
    package var missing: [String]?

    package init(
        kind: Kind,
        bytes: Int = 0,
        page: Int? = nil,
        pageCount: Int? = nil,
        width: Int? = nil,
        height: Int? = nil,
        missing: [String]? = nil
    ) {
        self.kind = kind
        self.bytes = bytes
        self.page = page
        self.pageCount = pageCount
        self.width = width
        self.height = height
        self.missing = missing
    }

    /// Longest head, in bytes, line feed included.
    package static let maximumHeadBytes = 256
}
