// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import SheetCore
import SystemPackage
import TemplateIngest

/// Judges a file. A seam: the pipeline with its sandboxed reader in the service, what a test needs in a test.
package struct InspectionDependencies: Sendable {
    /// The file to be judged.
    package struct File: Sendable {
        /// Where it lies, for as long as it is judged.
        package var location: URL
        /// What it is stored under.
        package var sha256: ContentHash
        /// What its uploader calls it.
        package var name: String

        package init(location: URL, sha256: ContentHash, name: String) {
            self.location = location
            self.sha256 = sha256
            self.name = name
        }

        package var path: FilePath { FilePath(location.path) }
    }

    /// Makes a draft of `file`, telling `observer` of progress and of each picture. Throws when the machine is at
    /// fault; the file's own faults are findings.
    package var examine: @Sendable (_ file: File, _ observer: ImportObserver) async throws -> Inspection

    /// Makes a clean copy of a refused file; `nil` where that is not done.
    package var copy: (@Sendable (_ file: File) async throws -> SheetCleaner.Attempt)?

    /// Judges a clean copy as a stranger's file, and whether it is the same sheet as the original.
    package var inspectCopy:
        @Sendable (_ file: File, _ original: CopyProof.Side, _ observer: ImportObserver) async throws ->
            SheetCleaner.Judgement

    package static func examining(
        _ examine: @escaping @Sendable (_ file: File, _ observer: ImportObserver) async throws -> Inspection
    ) -> InspectionDependencies {
        var inspection = InspectionDependencies { file, observer in try await examine(file, observer).report }
        inspection.examine = examine
        return inspection
    }

    /// Judges sheets alone, by `inspect`, and makes no copies.
    package init(inspect: @escaping @Sendable (_ file: File, _ observer: ImportObserver) async throws -> ReaderReport) {
        examine = { file, observer in Inspection(report: try await inspect(file, observer)) }
        inspectCopy = { file, _, observer in
            SheetCleaner.Judgement(report: try await inspect(file, observer), objections: [])
        }
    }

    /// What `examine` says of the pages.
    package func inspect(_ file: File, _ observer: ImportObserver) async throws -> ReaderReport {
        try await examine(file, observer).report
    }

    /// Judges by the pipeline, and cleans what it refuses where that helps.
    package static func pipeline(_ pipeline: IngestPipeline, cleaner: SheetCleaner) -> InspectionDependencies {
        var inspection = examining { file, observer in
            let quarantined = try QuarantinedFile(path: file.path, sha256: file.sha256, name: file.name)
            let draft = try await pipeline.ingest(quarantined, observer: observer).draft
            return Inspection(
                report: draft.report.value, kind: draft.kind, artifact: draft.artifact, fileName: draft.fileName,
                metadata: draft.metadata, outline: draft.outline, preset: draft.preset)
        }
        inspection.copy = { try await cleaner.copy(of: $0.path, sha256: $0.sha256) }
        inspection.inspectCopy = { file, original, observer in
            try await cleaner.inspect(file.path, sha256: file.sha256, against: original, observer: observer)
        }
        return inspection
    }
}

/// What an inspection made of a file.
package struct Inspection: Sendable {
    /// What the reader says of the artifact.
    package var report: ReaderReport
    /// What the template is.
    package var kind = TemplateKind.sheet
    /// What is to be published, when that is not the uploaded file itself.
    package var artifact: ArtifactFile?
    /// What to call the artifact.
    package var fileName: String?
    /// What the file says of itself.
    package var metadata = DraftMetadata()
    /// A readable rendering of a kind without pages.
    package var outline: ContentOutline?
    /// What a region preset holds that says by what its pages are known.
    package var preset: RegionPreset?

    package init(
        report: ReaderReport, kind: TemplateKind = .sheet, artifact: ArtifactFile? = nil, fileName: String? = nil,
        metadata: DraftMetadata = DraftMetadata(), outline: ContentOutline? = nil, preset: RegionPreset? = nil
    ) {
        self.preset = preset
        self.report = report
        self.kind = kind
        self.artifact = artifact
        self.fileName = fileName
        self.metadata = metadata
        self.outline = outline
    }
}
