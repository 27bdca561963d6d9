// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// What a foreign file became: everything that a moderator and later the catalog need to know of it.
package struct SubmissionDraft: Sendable, Equatable {
    /// Name of the importer that made it.
    package var importer: String
    /// What the reader says of the artifact; of a kind without pages, what its importer says.
    package var report: CheckedReport
    /// Proposals for what the uploader left open.
    package var suggestedName: String?
    package var kind: TemplateKind
    /// What is to be published, when that is not the uploaded file itself.
    package var artifact: ArtifactFile?
    /// What to call the artifact.
    package var fileName: String?
    /// What the file says of itself, cleaned.
    package var metadata: DraftMetadata
    /// A readable rendering of a kind without pages.
    package var outline: ContentOutline?
    /// What a region preset holds that says by what its pages are known.
    package var preset: RegionPreset?

    package init(
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
