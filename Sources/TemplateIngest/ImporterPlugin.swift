// SPDX-License-Identifier: Apache-2.0
import IngestWire
import SheetCore
import SystemPackage

/// A file that somebody uploaded, in quarantine: stored and hashed, not yet judged.
public struct QuarantinedFile: Sendable {
    /// Where it lies.
    public var path: FilePath
    /// Its hash, taken while it was stored.
    public var sha256: ContentHash
    /// What the uploader called it, if anything; only a hint.
    public var name: String?
    /// Its first bytes, up to `headBytes`.
    public var head: [UInt8]

    /// How many first bytes are looked at to recognize a file.
    public static let headBytes = 4096

    /// A file with known first bytes.
    public init(path: FilePath, sha256: ContentHash, name: String? = nil, head: [UInt8]) {
        self.path = path
        self.sha256 = sha256
        self.name = name
        self.head = head
    }

    /// Reads the first bytes from disk.
    public init(path: FilePath, sha256: ContentHash, name: String? = nil) throws {
        let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        let head = try file.closeAfter {
            try [UInt8](unsafeUninitializedCapacity: Self.headBytes) { buffer, count in
                count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
        }
        self.init(path: path, sha256: sha256, name: name, head: head)
    }
}

/// What a foreign file became: everything that a moderator and later the catalog need to know of it.
public struct SubmissionDraft: Sendable, Equatable {
    /// Name of the importer that made it.
    public var importer: String
    /// What the reader says of the artifact; of a kind without pages, what its importer says.
    public var report: CheckedReport
    /// Proposals for what the uploader left open.
    public var suggestedName: String?
    /// What the template is.
    public var kind: TemplateKind
    /// What is to be published, when that is not the uploaded file itself.
    public var artifact: ArtifactFile?
    /// What to call the artifact.
    public var fileName: String?
    /// What the file says of itself, cleaned.
    public var metadata: DraftMetadata
    /// A readable rendering of a kind without pages.
    public var outline: ContentOutline?
    /// What a region preset holds that says by what its pages are known.
    public var preset: RegionPreset?

    /// A draft.
    public init(
        importer: String, report: CheckedReport, suggestedName: String? = nil, kind: TemplateKind = .sheet,
        artifact: ArtifactFile? = nil, fileName: String? = nil, metadata: DraftMetadata = DraftMetadata(),
        outline: ContentOutline? = nil, preset: RegionPreset? = nil
    ) {
        self.preset = preset
        self.importer = importer
        self.report = report
        self.suggestedName = suggestedName
        self.kind = kind
        self.artifact = artifact
        self.fileName = fileName
        self.metadata = metadata
        self.outline = outline
    }
}

/// An importer's word that a file is of its kind.
public struct ImportClaim: Sendable, Equatable {
    /// Which importer.
    public var importer: String
    /// 0 not at all, 1 beyond doubt.
    public var confidence: Double

    /// Both parts.
    public init(importer: String, confidence: Double) {
        self.importer = importer
        self.confidence = confidence
    }
}

/// Whom an importer tells what comes up while it works. Callbacks come one at a time.
public struct ImportObserver: Sendable {
    /// How far it has come.
    public var onProgress: @Sendable (ReadingProgress) async throws -> Void
    /// A picture of a page.
    public var onPreview: @Sendable (PagePreview) async throws -> Void
    /// How far an importer's program is.
    public var onImport: @Sendable (ImportLine.Progress) async throws -> Void

    /// By default nobody listens.
    public init(
        onProgress: @escaping @Sendable (ReadingProgress) async throws -> Void = { _ in },
        onPreview: @escaping @Sendable (PagePreview) async throws -> Void = { _ in },
        onImport: @escaping @Sendable (ImportLine.Progress) async throws -> Void = { _ in }
    ) {
        self.onImport = onImport
        self.onProgress = onProgress
        self.onPreview = onPreview
    }
}

/// Code that turns a foreign file into a draft submission. Built in or an outside program: the pipeline sees no
/// difference.
public protocol ImporterPlugin: Sendable {
    /// A stable name, for logs.
    var name: String { get }
    /// Whether the file is of a kind that it knows, the content first, the name second; with findings of what went
    /// wrong while it looked.
    func recognize(_ file: QuarantinedFile) async throws -> Recognition
    /// Turns the file into a draft, as the claim of that name promised. What is wrong with the file becomes a finding;
    /// an error is the machine's fault.
    func draft(from file: QuarantinedFile, claim: String, observer: ImportObserver) async throws -> SubmissionDraft
}

/// What an importer says of a file that it was shown.
public struct Recognition: Sendable, Equatable {
    /// None when the file is not its.
    public var claims: [ImportClaim]
    /// What went wrong; never blockers.
    public var findings: [Finding]

    /// Both parts.
    public init(claims: [ImportClaim] = [], findings: [Finding] = []) {
        self.claims = claims
        self.findings = findings
    }
}

/// The importer for PDF files.
public struct PDFImporter: ImporterPlugin {
    /// Its name.
    public let name = "pdf"
    private let reader: SheetReader
    private let request: ReaderRequest

    /// Reads with `reader`.
    public init(reader: SheetReader, request: ReaderRequest = ReaderRequest()) {
        self.reader = reader
        self.request = request
    }

    /// The header within the first kilobyte; a name alone is a weak hint, whose file the reader will refuse.
    public func confidence(in file: QuarantinedFile) -> Double {
        let header = Array("%PDF-".utf8)
        if file.head.starts(with: header) { return 1 }
        let reach = file.head.prefix(1024 + header.count)
        let isWithin = reach.indices.contains { reach[$0...].starts(with: header) }
        // A sheet in a ZIP without compression has its header near the ZIP's beginning.
        if isWithin { return file.mediaType == "application/octet-stream" ? 0.8 : 0.1 }
        return file.name?.lowercased().hasSuffix(".pdf") == true ? 0.2 : 0
    }

    /// Claims what looks like a PDF.
    public func recognize(_ file: QuarantinedFile) -> Recognition {
        let confidence = confidence(in: file)
        return Recognition(claims: confidence > 0 ? [ImportClaim(importer: name, confidence: confidence)] : [])
    }

    /// Reads the file in its sandbox.
    public func draft(
        from file: QuarantinedFile, claim: String, observer: ImportObserver
    ) async throws -> SubmissionDraft {
        let report = try await reader.read(
            file.path,
            sha256: file.sha256,
            request: request,
            onProgress: observer.onProgress,
            onPreview: observer.onPreview
        )
        return SubmissionDraft(importer: name, report: report, suggestedName: Self.title(from: file.name))
    }

    /// The file's name without its suffix, as far as it can be shown.
    private static func title(from name: String?) -> String? {
        guard let name, let stem = FilePath(name).lastComponent?.stem else { return nil }
        let shown = stem.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned: false
            default: true
            }
        }
        let title = String(String.UnicodeScalarView(shown)).replacing("_", with: " ")
        return title.isEmpty ? nil : String(title.prefix(120))
    }
}
