// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// What the reader says of one file: the JSON object that `sheet-inspect FILE` prints (blueprint, section 5).
/// The supervisor treats it as hostile until `ReportCheck` has passed it.
public struct ReaderReport: Sendable, Codable, Equatable {
    /// The judgement.
    public enum Verdict: String, Sendable, Codable {
        case accepted
        case refused
    }

    /// The judgement.
    public var verdict: Verdict
    /// SHA-256 of the bytes that were read.
    public var sha256: ContentHash
    /// Their count.
    public var bytes: Int
    /// Number of pages; 0 when it could not be told.
    public var pageCount: Int
    /// What was seen; `verdict` is `refused` exactly when one of them is a blocker.
    public var findings: [Finding]
    /// Pages in order.
    public var pages: [Page]

    /// All parts as they are.
    public init(
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
    public static func refused(sha256: ContentHash, bytes: Int, finding: Finding) -> ReaderReport {
        ReaderReport(verdict: .refused, sha256: sha256, bytes: bytes, pageCount: 0, findings: [finding], pages: [])
    }

    /// One page as displayed.
    public struct Page: Sendable, Codable, Equatable {
        /// From 0.
        public var index: Int
        /// Width of the displayed page (crop box, rotation applied), in points.
        public var width: Double
        /// Height of the displayed page, in points.
        public var height: Double
        /// The page's `/Rotate`: 0, 90, 180 or 270 degrees, already applied to width and height.
        public var rotation: Int
        /// Characters in the text layer.
        public var textCharacters: Int
        /// Form fields (widgets) on the page.
        public var formFields: Int
        /// Zoom regions in reading order.
        public var regions: [ZoomRegion]
        /// The text layer, bounded, for search; left out of what `sheet-inspect FILE` prints.
        public var text: String?

        /// All parts as they are.
        public init(
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
