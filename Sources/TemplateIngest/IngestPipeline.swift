// SPDX-License-Identifier: Apache-2.0
import IngestWire
import SheetCore
import SystemPackage

/// What the pipeline made of a file.
public struct IngestOutcome: Sendable, Equatable {
    /// The judgement.
    public var verdict: ReaderReport.Verdict { draft.report.value.verdict }
    /// Everything that was seen, in order.
    public var findings: [Finding] { draft.report.value.findings }
    /// What the file became. Also a refused file has one: its report says what could be read.
    public var draft: SubmissionDraft
}

/// Turns an uploaded file into a draft submission: recognize, read in the sandbox, check, draft.
public struct IngestPipeline: Sendable {
    private let importers: [any ImporterPlugin]
    /// Takes what nobody recognizes, to say why it is refused.
    private let fallback: any ImporterPlugin

    /// With the importers that are built in.
    public init(reader: SheetReader, request: ReaderRequest = ReaderRequest(), others: [any ImporterPlugin] = []) {
        let pdf = PDFImporter(reader: reader, request: request)
        importers = [pdf] + others
        fallback = pdf
    }

    /// The importer that takes a file: the surest, then the first by name.
    public func importer(for file: QuarantinedFile) -> any ImporterPlugin {
        let claims = importers.map { (importer: $0, confidence: $0.confidence(in: file)) }
        let best = claims.filter { $0.confidence > 0 }.min { left, right in
            left.confidence != right.confidence
                ? left.confidence > right.confidence : left.importer.name < right.importer.name
        }
        return best?.importer ?? fallback
    }

    /// Runs a file through all stages. Throws when the machine is at fault or the task is cancelled; the file's own
    /// faults are findings.
    public func ingest(
        _ file: QuarantinedFile,
        observer: ImportObserver = ImportObserver()
    ) async throws -> IngestOutcome {
        let draft = try await importer(for: file).draft(from: file, observer: observer)
        return IngestOutcome(draft: draft)
    }
}
