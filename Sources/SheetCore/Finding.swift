// SPDX-License-Identifier: Apache-2.0

/// One thing that a check saw in an upload.
public struct Finding: Hashable, Sendable, Codable {
    /// How bad a finding is.
    public enum Severity: String, Sendable, Codable, CaseIterable, Comparable {
        /// Worth knowing; changes nothing.
        case info
        /// A human should look at it.
        case warning
        /// The file is refused for it.
        case blocker

        /// From `info` to `blocker`.
        public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .info: 0
            case .warning: 1
            case .blocker: 2
            }
        }
    }

    /// What was seen, as a stable word for programs.
    public let code: FindingCode
    /// How bad it is.
    public let severity: Severity
    /// Index of the page it was seen on, from 0; `nil` when it concerns the whole file.
    public let page: Int?
    /// A sentence for people: what is wrong and what to do about it.
    public let message: String
    /// Whether the cause can be taken out without touching the pages.
    public let removable: Bool

    /// A finding, by default about the whole file and not removable.
    public init(
        _ code: FindingCode, _ severity: Severity, page: Int? = nil, message: String, removable: Bool = false
    ) {
        self.code = code
        self.severity = severity
        self.page = page
        self.message = message
        self.removable = removable
    }

    /// Reads a finding; a missing `removable` means `false`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        code = try container.decode(FindingCode.self, forKey: .code)
        severity = try container.decode(Severity.self, forKey: .severity)
        page = try container.decodeIfPresent(Limited<PageIndexes>.self, forKey: .page)?.wrappedValue
        message = try container.decode(String.self, forKey: .message)
        removable = try container.decodeIfPresent(Bool.self, forKey: .removable) ?? false
    }
}

/// A stable word for what a check saw. Open: a newer server may know more words than this client.
public struct FindingCode: RawRepresentable, Hashable, Sendable, Codable {
    /// The word, in snake case.
    public let rawValue: String

    /// Any word, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

// Refusals (blueprint, section 5).
extension FindingCode {
    /// The file does not begin like a PDF.
    public static let notAPDF = Self(rawValue: "not_a_pdf")
    /// The file has no bytes, or no pages.
    public static let empty = Self(rawValue: "empty")
    /// The file cannot be read.
    public static let malformed = Self(rawValue: "malformed")
    /// The file needs a password.
    public static let encrypted = Self(rawValue: "encrypted")
    /// The file holds script.
    public static let javascript = Self(rawValue: "javascript")
    /// The file starts programs.
    public static let launchAction = Self(rawValue: "launch_action")
    /// Other files lie in the file.
    public static let embeddedFiles = Self(rawValue: "embedded_files")
    /// Sound, film or 3D lies in the file.
    public static let embeddedMedia = Self(rawValue: "embedded_media")
    /// The form is of the XFA kind, which few programs show.
    public static let xfa = Self(rawValue: "xfa")
    /// The file leads elsewhere: sends forms, or opens other files.
    public static let externalAction = Self(rawValue: "external_action")
    /// The file is larger than allowed.
    public static let tooLarge = Self(rawValue: "too_large")
    /// There are more pages than allowed.
    public static let tooManyPages = Self(rawValue: "too_many_pages")
    /// A page is larger than allowed.
    public static let pageTooLarge = Self(rawValue: "page_too_large")
    /// The file unpacks to more than allowed.
    public static let decompressionBomb = Self(rawValue: "decompression_bomb")
    /// Drawing it takes more than allowed.
    public static let tooComplex = Self(rawValue: "too_complex")
    /// The file is something else as well.
    public static let polyglot = Self(rawValue: "polyglot")
    /// Reading it took longer than allowed.
    public static let timeLimit = Self(rawValue: "time_limit")
    /// Reading it took more memory than allowed.
    public static let memoryLimit = Self(rawValue: "memory_limit")
    /// The same file is on offer already.
    public static let duplicate = Self(rawValue: "duplicate")
}

// Advice and observations, which refuse nothing.
extension FindingCode {
    /// No page has a text layer: the sheet cannot be searched and zoom regions have no names.
    public static let noText = Self(rawValue: "no_text")
    /// The sheet has no form fields to fill in.
    public static let noFormFields = Self(rawValue: "no_form_fields")
    /// Bytes before the header or after the end marker.
    public static let surroundingJunk = Self(rawValue: "surrounding_junk")
    /// Fonts that the file does not carry: it looks different on every machine.
    public static let fontsNotEmbedded = Self(rawValue: "fonts_not_embedded")
    /// Much of a page is set in letters too small to read on a tablet.
    public static let tinyType = Self(rawValue: "tiny_type")
    /// A page has a size that no printer's tray holds.
    public static let unusualPageSize = Self(rawValue: "unusual_page_size")
    /// Words of more than one game system stand on the sheet.
    public static let severalGameSystems = Self(rawValue: "several_game_systems")
    /// Metadata names a person's files or folders.
    public static let privateMetadata = Self(rawValue: "private_metadata")
    /// A clean copy took the place of the file.
    public static let cleaned = Self(rawValue: "cleaned")
    /// A clean copy could not be made, although all that stands against the file can be taken out.
    public static let notCleaned = Self(rawValue: "not_cleaned")
    /// The reader ended without a verdict; the file was refused as `malformed`.
    public static let readerFailed = Self(rawValue: "reader_failed")
}

// Of importers and archives.
extension FindingCode {
    /// Which importer took the file, and which others would have.
    public static let importerChosen = Self(rawValue: "importer_chosen")
    /// An importer ended without a result, or did not keep to the protocol.
    public static let importerFailed = Self(rawValue: "importer_failed")
    /// No importer recognizes the file.
    public static let unrecognized = Self(rawValue: "unrecognized")
    /// The file says that it is of a format, and breaks that format's rules.
    public static let invalidFormat = Self(rawValue: "invalid_format")
    /// An archive has an entry whose name would lead out of it, or that no file can have.
    public static let archivePath = Self(rawValue: "archive_path")
    /// An archive has links or other entries that are neither files nor folders.
    public static let archiveLink = Self(rawValue: "archive_link")
    /// An archive has two entries of one name.
    public static let archiveDuplicate = Self(rawValue: "archive_duplicate")
    /// An archive has too many entries, or larger ones than a sheet needs.
    public static let archiveTooLarge = Self(rawValue: "archive_too_large")
    /// A region that came with the file does not lie on its pages; it was left out.
    public static let regionDropped = Self(rawValue: "region_dropped")
    /// What belongs to a person was left out.
    public static let personalDataLeftOut = Self(rawValue: "personal_data_left_out")
    /// The template that this is a version of is of another kind.
    public static let kindChanged = Self(rawValue: "kind_changed")
    /// The author's correction of the zoom regions was kept for a page that looks the same.
    public static let correctionKept = Self(rawValue: "correction_kept")
    /// The author's correction of the zoom regions was moved with what stands on a page that changed.
    public static let correctionMoved = Self(rawValue: "correction_moved")
    /// The author's correction of the zoom regions found no place on a page that changed.
    public static let correctionLost = Self(rawValue: "correction_lost")
    /// Zoom regions were taken from another sheet, where somebody corrected them, for a page that looks the same.
    public static let correctionShared = Self(rawValue: "correction_shared")
    /// Zoom regions were taken from a preset for a page that looks like the preset's.
    public static let presetUsed = Self(rawValue: "preset_used")
    /// A page looks like one of somebody else's published template.
    public static let nearDuplicate = Self(rawValue: "near_duplicate")
}
