// SPDX-License-Identifier: Apache-2.0
import IngestWire
import SheetCore

/// What the pipeline made of a file.
package struct IngestOutcome: Sendable, Equatable {
    package var verdict: ReaderReport.Verdict { draft.report.value.verdict }
    /// Everything that was seen, in order.
    package var findings: [Finding] { draft.report.value.findings }
    /// What the file became. Also a refused file has one: its report says what could be read.
    package var draft: SubmissionDraft
}

/// Turns an uploaded file into a draft submission: recognize, read in the sandbox, check, draft.
package struct IngestPipeline: Sendable {
    private let importers: [any ImporterPlugin]
    /// Takes what nobody recognizes, to say why it is refused.
    private let fallback: PDFImporter

    /// With the importer of PDFs and `others`.
    package init(reader: SheetReader, request: ReaderRequest = ReaderRequest(), others: [any ImporterPlugin] = []) {
        let pdf = PDFImporter(reader: reader, request: request)
        importers = [pdf] + others
        fallback = pdf
    }

    /// Who takes a file.
    struct Choice: Sendable {
        var importer: any ImporterPlugin
        var claim: ImportClaim
        /// What is to be told of the choice.
        var findings: [Finding]
    }

    /// The importer that takes a file: the surest, then the first by name. `nil` when none recognizes it.
    func choose(for file: QuarantinedFile) async throws -> (choice: Choice?, findings: [Finding]) {
        var claims: [(importer: any ImporterPlugin, claim: ImportClaim)] = []
        var findings: [Finding] = []
        for importer in importers {
            let recognition = try await importer.recognize(file)
            claims += recognition.claims.filter { $0.confidence > 0 }.map { (importer, $0) }
            findings += recognition.findings
        }
        claims.sort { left, right in
            left.claim.confidence != right.claim.confidence
                ? left.claim.confidence > right.claim.confidence : left.claim.importer < right.claim.importer
        }
        guard let best = claims.first else { return (nil, findings) }
        // A plain PDF that nobody else wants needs no word.
        if claims.count > 1 || best.claim.importer != fallback.name {
            findings.append(Self.finding(on: claims.map(\.claim)))
        }
        return (Choice(importer: best.importer, claim: best.claim, findings: findings), findings)
    }

    private static func finding(on claims: [ImportClaim]) -> Finding {
        func shown(_ claim: ImportClaim) -> String {
            "'\(claim.importer)' (\((claim.confidence * 100).rounded() / 100))"
        }
        let others = claims.dropFirst().prefix(5).map(shown).joined(separator: ", ")
        let rest = others.isEmpty ? "" : "; it could also have been \(others)"
        return Finding(
            .importerChosen, .info, message: "The file was taken by the importer \(shown(claims[0]))\(rest).")
    }

    /// Runs a file through all stages. Throws when the machine is at fault or the task is cancelled; the file's own
    /// faults are findings.
    package func ingest(
        _ file: QuarantinedFile,
        observer: ImportObserver = ImportObserver()
    ) async throws -> IngestOutcome {
        let (choice, findings) = try await choose(for: file)
        var draft: SubmissionDraft
        if let choice {
            draft = try await choice.importer.draft(from: file, claim: choice.claim.importer, observer: observer)
        } else if let type = file.foreignType {
            draft = SubmissionDraft(
                importer: "none", report: try CheckedReport(unread: file, [Self.unrecognized(type)]))
        } else {
            draft = try await fallback.draft(from: file, claim: fallback.name, observer: observer)
        }
        draft.report = draft.report.preceded(by: findings)
        return IngestOutcome(draft: draft)
    }

    private static func unrecognized(_ type: String) -> Finding {
        Finding(
            .unrecognized, .blocker,
            message: "This is \(type), but of none of the formats that are taken here. docs/formats.md lists them.")
    }
}

extension QuarantinedFile {
    /// In words, a type that is no PDF and yet not just anything.
    fileprivate var foreignType: String? {
        switch mediaType {
        case "application/zip": "a ZIP archive"
        case "application/json": "a JSON file"
        default: nil
        }
    }
}
