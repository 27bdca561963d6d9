// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import MarketPlatform
import MarketWire
import NIOCore
import Postgres
import SheetCore
import TemplateIngest

extension SubmissionStatus.Cleaned {
    /// Reads the columns `original_sha256` and `cleaning`; `nil` when nothing was cleaned.
    package init?(_ row: PostgresRow) throws {
        guard let original = try row.get("original_sha256", as: ContentHash?.self),
            let record = try row.get("cleaning", as: PostgresJSON<CleaningRecord>?.self)?.value
        else { return nil }
        self.init(
            originalSHA256: original, artifactSHA256: record.copy, removed: record.removed,
            isDeclined: record.isDeclined)
    }
}

/// Goes on with a clean copy where all that stands against a file can be taken out. The copy is made in the sandbox,
/// stored by its hash, inspected as a stranger's file, and taken only when it is proved to be the same sheet.
struct SubmissionCleaning: Sendable {
    let platform: Platform
    let inspection: InspectionDependencies
    let observer: @Sendable (PreviewStream) -> ImportObserver

    /// The copy's outcome with what was taken out as warnings; or the file's own, with why there is no copy.
    func clean(_ outcome: InspectionOutcome) async throws -> InspectionOutcome {
        guard let makeCopy = inspection.copy, SheetCleaner.canHelp(outcome.report) else { return outcome }
        let (hash, name) = (outcome.imported.hash, outcome.imported.fileName)
        let attempt = try await platform.storage.withLocalFile(hash) { location in
            try await makeCopy(.init(location: location, sha256: hash, name: name))
        }
        switch attempt {
        case .failure(let reason): return Self.without(copy: outcome, because: [reason])
        case .copy(let copy):
            let object = try await store(copy.bytes)
            let pictures = PreviewStream(storage: platform.storage)
            let (observer, inspection) = (observer(pictures), inspection)
            let judgement = try await platform.storage.withLocalFile(object.hash) { location in
                try await inspection.inspectCopy(
                    .init(location: location, sha256: object.hash, name: name), copy.original, observer)
            }
            guard judgement.report.verdict == .accepted, judgement.objections.isEmpty else {
                return Self.without(copy: outcome, because: judgement.objections)
            }
            return Self.outcome(
                of: copy, stored: object, report: judgement.report, instead: outcome,
                pictures: await pictures.stored)
        }
    }

    private func store(_ bytes: [UInt8]) async throws -> StoredObject {
        let writer = try await platform.storage.makeWriter()
        do {
            try await writer.write(ByteBuffer(bytes: bytes))
        } catch {
            await writer.abandon()
            throw error
        }
        return try await writer.finish()
    }

    private static func outcome(
        of copy: SheetCleaner.Copy, stored: StoredObject, report: ReaderReport, instead original: InspectionOutcome,
        pictures: [StoredPreview]
    ) -> InspectionOutcome {
        let removed = copy.removed
        let takenOut = original.report.findings.filter { $0.severity == .blocker }.map { finding in
            Finding(
                finding.code, .warning, page: finding.page, message: "Taken out of the copy: \(finding.message)",
                removable: true)
        }
        let summary = Finding(
            .cleaned, .info,
            message: "A clean copy goes on in place of your file: it looks the same and has the same fields. "
                + "You can decline it until a moderator has decided.")
        var report = report
        // What the importer and the reader said of the original goes for the copy, but for what was taken out.
        let still = original.report.findings.filter { finding in
            finding.severity != .blocker && !report.findings.contains(finding)
                && !removed.contains { $0.code == finding.code }
        }
        report.findings = takenOut + [summary] + still + report.findings
        // The pages look the same, so regions that came with the file, not from looking at it, hold for the copy.
        let pages = original.report.pages
        if pages.count == report.pages.count, pages.contains(where: { $0.regions.contains { $0.source != .detected } })
        {
            for place in pages.indices { report.pages[place].regions = pages[place].regions }
        }
        let record = CleaningRecord(copy: stored.hash, removed: removed, findings: original.report.findings)
        return InspectionOutcome(
            report: report, pictures: pictures, imported: original.imported,
            copy: CleanedArtifact(object: stored, record: record))
    }

    private static func without(copy outcome: InspectionOutcome, because reasons: [String]) -> InspectionOutcome {
        var outcome = outcome
        let shown = reasons.prefix(3).joined(separator: " ")
        outcome.report.findings.append(
            Finding(
                .notCleaned, .info,
                message: "What stands against the file could be taken out, but a copy would not do: "
                    + (shown.isEmpty ? "it is not the same sheet." : String(shown.prefix(400)))))
        return outcome
    }
}
