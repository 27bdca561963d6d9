// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// What a foreign file became: everything that a moderator and later the catalog need to know of it.
public struct SubmissionDraft: Sendable, Equatable {
    /// Name of the importer that made it.
    public var importer: String
    /// What the reader says of the artifact; of a kind without pages, what its importer says.
    public var report: CheckedReport
    /// Proposals for what the uploader left open.
    public var suggestedName: String?
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
