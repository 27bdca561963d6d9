// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// What the reader says of one file: the JSON object that `sheet-inspect FILE` prints (blueprint, section 5).
/// The supervisor treats it as hostile until `ReportCheck` has passed it.
package struct ReaderReport: Sendable, Codable, Equatable {
    package enum Verdict: String, Sendable, Codable {
        case accepted
        case refused
    }

    package var verdict: Verdict
    /// SHA-256 of the bytes that were read.
    package var sha256: ContentHash
    package var bytes: Int
    /// Number of pages; 0 when it could not be told.
    package var pageCount: Int
    /// What was seen; `verdict` is `refused` exactly when one of them is a blocker.
    package var findings: [Finding]
    package var pages: [Page]

    // Facts about the file; `nil` where they could not be told, and in reports from before there were any.

    /// Version of PDF that the file claims, as `1.7`.
    package var pdfVersion: String?
    /// The program that wrote the file, by its own word.
    package var producer: String?
    /// The program that the sheet was made with, by its own word.
    package var creator: String?
    /// Whether it says that its structure is tagged, for screen readers.
    package var isTagged: Bool?
    /// Whether it is laid out to be shown while it is loading.
    package var isLinearized: Bool?
    /// Whether it is encrypted, here with an empty password.
    package var isEncrypted: Bool?
    /// Fonts that text is drawn with, by name.
    package var fonts: [Font]?

    package init(
        verdict: Verdict,
        sha256: ContentHash,
        bytes: Int,
        pageCount: Int,
        findings: [Finding],
        pages: [Page]
    ) {
        self.verdict = verdict
        self.sha256 = sha256
        self.bytes = bytes
        self.pageCount = pageCount
        self.findings = findings
        self.pages = pages
    }

    /// What is said of a file that could not be read to its end: a refusal with one cause.
    package static func refused(sha256: ContentHash, bytes: Int, finding: Finding) -> ReaderReport {
        ReaderReport(verdict: .refused, sha256: sha256, bytes: bytes, pageCount: 0, findings: [finding], pages: [])
    }

    /// Most fonts that are named.
    package static let maximumFonts = 200
    /// Longest producer, creator, font name or field name, in bytes of UTF-8.
    package static let maximumNameBytes = 300
    /// Most addresses of links that are named for one page.
    package static let maximumLinkTargets = 32
    /// Longest such address, in bytes.
    package static let maximumLinkTargetBytes = 500
    /// Most fields that are listed for one page.
    package static let maximumFieldsPerPage = 4096
    /// Most words that are placed on one page.
    package static let maximumAnchors = 300
    /// Longest such word, in bytes of UTF-8.
    package static let maximumAnchorBytes = 40

    /// A font that text is drawn with.
    package struct Font: Sendable, Codable, Hashable {
        /// Its name, without the prefix of a subset; empty when it has none.
        package var name: String
        /// Its kind: `type1`, `type3`, `truetype`, `cid_type0`, `cid_truetype` or `unknown`.
        package var type: String
        /// Whether the file carries it.
        package var isEmbedded: Bool

        package init(name: String, type: String, isEmbedded: Bool) {
            self.name = name
            self.type = type
            self.isEmbedded = isEmbedded
        }
    }

    /// A form field's place on a page.
    package struct Field: Sendable, Codable, Hashable {
        package var name: String
        /// `button`, `text`, `choice`, `signature` or `unknown`.
        package var type: String
        /// Left, top, right and bottom, in points of the displayed page, rounded to a tenth.
        package var box: [Double]

        package init(name: String, type: String, box: [Double]) {
            self.name = name
            self.type = type
            self.box = box
        }
    }

    /// A word that stands on its page once.
    package struct Anchor: Sendable, Codable, Hashable {
        package var word: String
        /// Its middle, in points of the displayed page, rounded to a tenth.
        package var x: Double
        /// Likewise, from the top.
        package var y: Double

        package init(word: String, x: Double, y: Double) {
            self.word = word
            self.x = x
            self.y = y
        }
    }

    /// One page as displayed.
    package struct Page: Sendable, Codable, Equatable {
        /// From 0.
        package var index: Int
        /// Width of the displayed page (crop box, rotation applied), in points.
        package var width: Double
        /// Height of the displayed page, in points.
        package var height: Double
        /// The page's `/Rotate`: 0, 90, 180 or 270 degrees, already applied to width and height.
        package var rotation: Int
        /// Characters in the text layer.
        package var textCharacters: Int
        /// Form fields (widgets) on the page.
        package var formFields: Int
        /// Zoom regions in reading order.
        package var regions: [ZoomRegion]
        /// The text layer, bounded, for search; left out of what `sheet-inspect FILE` prints.
        package var text: String?
        /// Links on the page, to anywhere.
        package var links: Int?
        /// The `http`, `https` and `mailto` addresses among them, each once, bounded.
        package var linkTargets: [String]?
        /// What the page looks like, as 16 hexadecimal digits: pages that differ in few bits look alike
        /// (`Fingerprint`).
        package var lookHash: String?
        /// What the page says, likewise; `nil` when it says nothing.
        package var textHash: String?
        /// Its form fields, when the request asked for proofs or the layout.
        package var fields: [Field]?
        /// Words that stand on it once, when the request asked for the layout.
        package var anchors: [Anchor]?

        package init(
            index: Int,
            width: Double,
            height: Double,
            rotation: Int,
            textCharacters: Int,
            formFields: Int,
            regions: [ZoomRegion],
            text: String? = nil
        ) {
            self.index = index
            self.width = width
            self.height = height
            self.rotation = rotation
            self.textCharacters = textCharacters
            self.formFields = formFields
            self.regions = regions
            self.text = text
        }
    }
}
