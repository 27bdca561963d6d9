// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import Logging
import SheetCore
import SystemPackage

/// Imports with a program, the built-in one or somebody else's. What the program makes is read as a stranger's: a PDF
/// by the sandboxed reader, JSON by the built-in importers.
package struct ProgramImporter: ImporterPlugin {
    /// The program's name.
    package var name: String { program.name }
    let program: ImporterProgram
    /// Which files are shown to it.
    let wants: @Sendable (QuarantinedFile) -> Bool
    /// Reads what it makes.
    let second: SecondLook

    /// Whether the program may claim with names of importers; else all its claims are its own.
    let hasSeveralImporters: Bool
    /// Where an uploader's regions come from, when the file does not say.
    let keepsRegionSources: Bool

    /// The built-in importers beside `reader`.
    package static func builtIn(
        executable: FilePath, reader: SheetReader, request: ReaderRequest = ReaderRequest(),
        limits: ImportLimits = ImportLimits(), logger: Logger = Logger(label: "importer")
    ) -> ProgramImporter {
        let program = ImporterProgram(
            name: "sheet-import", command: [executable.string, "--supervised"], limits: limits, logger: logger)
        return ProgramImporter(
            program: program,
            wants: { file in
                let name = file.name?.lowercased() ?? ""
                return ["application/zip", "application/json"].contains(file.mediaType)
                    || [".sheetbundle", ".ttrpg", ".fstemplate"].contains { name.hasSuffix($0) }
            },
            second: SecondLook(reader: reader, request: request, program: program), hasSeveralImporters: true,
            keepsRegionSources: true)
    }

    /// An outside importer in its folder, run by `launcher` (`sheet-import`) behind walls.
    package static func outside(
        _ folder: PluginFolder, launcher: FilePath, reader: SheetReader, request: ReaderRequest = ReaderRequest(),
        limits: ImportLimits = ImportLimits(), logger: Logger = Logger(label: "importer")
    ) -> ProgramImporter {
        let manifest = folder.manifest
        let builtIn = ImporterProgram(
            name: "sheet-import", command: [launcher.string, "--supervised"], limits: limits, logger: logger)
        return ProgramImporter(
            program: ImporterProgram(
                name: manifest.name, command: folder.command(launcher: launcher, limits: limits), limits: limits,
                logger: logger),
            wants: { manifest.wants($0) },
            second: SecondLook(reader: reader, request: request, program: builtIn), hasSeveralImporters: false,
            keepsRegionSources: false)
    }

    /// Shows the program the file, if it is of a sort that it wants to see.
    package func recognize(_ file: QuarantinedFile) async throws -> Recognition {
        guard wants(file) else { return Recognition() }
        let outcome = try await program.answer(
            ImportRequest(.recognize, file: try Self.described(file)), file: file.path)
        if let fault = outcome.fault {
            if hasSeveralImporters, fault.isOfTheMachine { throw ImporterError.unavailable(fault.summary) }
            let message = "The importer '\(name)' could not look at the file: \(fault.summary)."
            return Recognition(findings: [
                Finding(.importerFailed, .info, message: PlainText.cleaned(message, most: 300))
            ])
        }
        let claims = outcome.answer.claims.map { claim in
            ImportClaim(
                importer: hasSeveralImporters ? claim.importer ?? name : name, confidence: claim.confidence)
        }
        return Recognition(claims: claims)
    }

    /// Has the program make a draft, and reads what it made.
    package func draft(
        from file: QuarantinedFile, claim: String, observer: ImportObserver
    ) async throws -> SubmissionDraft {
        var request = ImportRequest(
            .import, importer: claim, file: try Self.described(file),
            artifact: .init(maximumBytes: program.limits.artifactBytes))
        request.limits = program.limits
        let outcome = try await program.answer(request, file: file.path, onProgress: observer.onImport)
        if let fault = outcome.fault {
            if hasSeveralImporters, fault.isOfTheMachine { throw ImporterError.unavailable(fault.summary) }
            let findings = outcome.answer.findings + [fault.finding(program: claim)]
            return SubmissionDraft(importer: claim, report: try CheckedReport(unread: file, findings))
        }
        guard let result = outcome.answer.result, !outcome.answer.findings.contains(where: { $0.severity == .blocker })
        else {
            return SubmissionDraft(importer: claim, report: try CheckedReport(unread: file, outcome.answer.findings))
        }
        do throws(ImportAnswer.Violation) {
            try Self.check(result, outcome.artifact)
        } catch {
            let finding = ImporterProgram.Failure.violation(error.what).finding(program: claim)
            return SubmissionDraft(
                importer: claim, report: try CheckedReport(unread: file, outcome.answer.findings + [finding]))
        }
        var draft = try await second.draft(
            of: result, artifact: result.artifact.source == .written ? outcome.artifact : nil, file: file,
            importer: claim, isTrusted: hasSeveralImporters, keepsRegionSources: keepsRegionSources,
            observer: observer)
        draft.report = draft.report.preceded(by: outcome.answer.findings)
        return draft
    }

    private static func described(_ file: QuarantinedFile) throws -> ImportRequest.File {
        ImportRequest.File(
            name: PlainText.cleaned(file.name ?? "", most: 255), bytes: try file.sizeBytes(), sha256: file.sha256,
            mediaType: file.mediaType)
    }

    /// Whether the result says the truth about what was written.
    private static func check(
        _ result: ImportLine.Result, _ artifact: ArtifactFile?
    ) throws(ImportAnswer.Violation) {
        switch result.artifact.source {
        case .input:
            guard artifact == nil else { throw .init("an artifact was written, and the result says it is the input") }
        case .written:
            guard let artifact else { throw .init("the result tells of an artifact, and none was written") }
            guard result.artifact.bytes.map({ $0 == artifact.sizeBytes }) ?? true,
                result.artifact.sha256.map({ $0 == artifact.sha256 }) ?? true
            else { throw .init("the artifact is not the one that the result tells of") }
        }
    }
}

/// What keeps the built-in importers from working that is not the file's fault.
package enum ImporterError: Error, Equatable, CustomStringConvertible {
    /// The program could not be started, or not put up its sandbox.
    case unavailable(String)

    /// A sentence for the log.
    package var description: String {
        switch self {
        case .unavailable(let reason): "the built-in importers do not work: \(reason)"
        }
    }
}

extension ImporterProgram.Failure {
    /// Whether the machine, not the file or the program, is at fault.
    var isOfTheMachine: Bool {
        switch self {
        case .cannotStart: true
        case .ended(.exited(let code)):
            code == ReaderEnd.unavailableExitCode || code == ReaderEnd.usageExitCode
        case .ended, .violation: false
        }
    }
}

/// Reads what an importer made as if a stranger had uploaded it.
struct SecondLook: Sendable {
    let reader: SheetReader
    let request: ReaderRequest
    let program: ImporterProgram

    /// `isTrusted` says that the importer is built in: what it says of JSON it has checked itself.
    func draft(
        of result: ImportLine.Result, artifact: ArtifactFile?, file: QuarantinedFile, importer: String,
        isTrusted: Bool, keepsRegionSources: Bool, observer: ImportObserver
    ) async throws -> SubmissionDraft {
        let path = artifact?.path ?? file.path
        let hash = artifact?.sha256 ?? file.sha256
        var draft = SubmissionDraft(
            importer: importer, report: CheckedReport(sha256: hash, bytes: 0, []), kind: result.kind,
            artifact: artifact, fileName: result.fileName, metadata: result.metadata?.cleaned ?? DraftMetadata())
        draft.suggestedName = draft.metadata.name
        if result.kind.hasPages {
            draft.report = try await reader.read(
                path, sha256: hash, request: request, onProgress: observer.onProgress,
                onPreview: observer.onPreview)
            let regions = (result.regions ?? []).map { keepsRegionSources ? $0 : $0.asPreset }
            draft.report = draft.report.placing(regions)
            return draft
        }
        let bytes = try artifact?.sizeBytes ?? file.sizeBytes()
        draft.report = CheckedReport(sha256: hash, bytes: bytes, [])
        if isTrusted, let outline = result.outline {
            draft.outline = outline
            draft.preset = result.preset
            return draft
        }
        return try await readJSON(draft, path: path, hash: hash, bytes: bytes)
    }

    /// Has the built-in importer of the kind read the JSON that somebody else's program made.
    private func readJSON(
        _ draft: SubmissionDraft, path: FilePath, hash: ContentHash, bytes: Int
    ) async throws -> SubmissionDraft {
        var draft = draft
        let names: [TemplateKind: String] = [
            .skillLibrary: "fstemplate", .regionPreset: "region-preset", .vocabulary: "vocabulary",
        ]
        let file = ImportRequest.File(name: "", bytes: bytes, sha256: hash, mediaType: "application/json")
        let outcome = try await program.answer(
            ImportRequest(
                .import, importer: names[draft.kind], file: file,
                artifact: .init(maximumBytes: program.limits.artifactBytes)),
            file: path)
        if let fault = outcome.fault, fault.isOfTheMachine { throw ImporterError.unavailable(fault.summary) }
        var findings = outcome.answer.findings
        if let fault = outcome.fault { findings.append(fault.finding(program: program.name)) }
        draft.outline = outcome.answer.result?.outline
        draft.preset = outcome.answer.result?.preset
        draft.report = CheckedReport(sha256: hash, bytes: bytes, findings)
        return draft
    }
}

extension ZoomRegion {
    /// The same, said to come from a file.
    fileprivate var asPreset: ZoomRegion {
        ZoomRegion(
            id: id, name: name, rect: rect, scale: scale, pageIndex: pageIndex, confidence: confidence, source: .preset)
    }
}

extension CheckedReport {
    /// With regions that came with the file: pages that have any get these and no detected ones. An accepted report's
    /// ids stay unique.
    func placing(_ regions: [ZoomRegion]) -> CheckedReport {
        guard !regions.isEmpty, !value.pages.isEmpty else { return self }
        var report = value
        let byPage = Dictionary(grouping: regions, by: \.pageIndex)
        var ids = Set(regions.map(\.id))
        for index in report.pages.indices {
            if let given = byPage[report.pages[index].index] {
                report.pages[index].regions = Array(given.prefix(64))
            } else {
                report.pages[index].regions = report.pages[index].regions.filter { ids.insert($0.id).inserted }
            }
        }
        let pages = Set(report.pages.map(\.index))
        let dropped = byPage.reduce(0) { $0 + (pages.contains($1.key) ? max(0, $1.value.count - 64) : $1.value.count) }
        if dropped > 0 {
            report.findings.append(
                Finding(
                    .regionDropped, .warning,
                    message: "\(dropped) zoom regions of the file were left out: they are on no page of the sheet, or "
                        + "too many."))
        }
        return CheckedReport(checked: report)
    }
}
