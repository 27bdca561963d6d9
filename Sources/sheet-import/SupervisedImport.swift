// SPDX-License-Identifier: Apache-2.0
import CSandbox
import Foundation
import IngestWire
import SheetCore

/// One request, answered behind the walls.
struct SupervisedImport {
    /// The program's.
    let version: String

    /// All importers of this program.
    static let importers: [any FormatImporter] =
        [BundleImporter(), CharacterArchiveImporter()]
        + [
            JSONImporter<SkillLibrary>(
                name: "fstemplate", suffixes: ["fstemplate"], marks: ["formatVersion", "templates"]),
            JSONImporter<RegionPreset>(name: "region-preset", suffixes: [], marks: ["templateID", "regions"]),
            JSONImporter<VocabularyPack>(
                name: "vocabulary", suffixes: [], marks: [], anyMark: ["korean_words", "phrase_structures"]),
        ]

    /// Exit code of the process.
    func run() -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        guard let text = Descriptor.read(STDIN_FILENO, most: ImportProtocol.maximumRequestBytes),
            let request = try? JSONDecoder().decode(ImportRequest.self, from: text),
            request.protocolVersion == ImportProtocol.version
        else { return ReaderEnd.usageExitCode }
        var walls = sandbox_limits(
            memory_bytes: UInt64(clamping: request.limits.memoryBytes),
            cpu_seconds: UInt32(clamping: request.limits.cpuSeconds),
            cpu_seconds_at_most: UInt32(clamping: request.limits.cpuSeconds),
            wall_seconds: UInt32(clamping: request.limits.wallSeconds),
            dies_with_parent: true,
            takes_files: false)
        if let failed = sandbox_enter(&walls) {
            Descriptor.write(Array("sheet-import: no sandbox: \(String(cString: failed))\n".utf8), to: STDERR_FILENO)
            return ReaderEnd.unavailableExitCode
        }
        return answer(request)
    }

    private func answer(_ request: ImportRequest) -> Int32 {
        guard request.request != .hello else {
            Lines.send(.hello(.init(name: "sheet-import", version: version)))
            return 0
        }
        guard let file = request.file else { return ReaderEnd.usageExitCode }
        guard let bytes = Descriptor.read(Int32(clamping: file.descriptor), most: request.limits.fileBytes) else {
            Lines.send(.finding(Finding(.tooLarge, .blocker, message: "The file is too large, or cannot be read.")))
            return 0
        }
        let input = ImportInput(bytes: bytes, name: file.name, limits: request.limits)
        switch request.request {
        case .hello: break
        case .recognize:
            for importer in Self.importers {
                let confidence = importer.confidence(in: input)
                if confidence > 0 { Lines.send(.claim(.init(importer: importer.name, confidence: confidence))) }
            }
        case .import:
            guard let importer = Self.importers.first(where: { $0.name == request.importer }) else {
                return ReaderEnd.usageExitCode
            }
            draft(input, by: importer, to: request.artifact)
        }
        return 0
    }

    private func draft(_ input: ImportInput, by importer: any FormatImporter, to output: ImportRequest.Output?) {
        do throws(ImportRefusal) {
            var draft = try importer.draft(of: input)
            if let written = draft.written {
                guard let output, written.count <= output.maximumBytes else {
                    throw ImportRefusal(.tooLarge, "The file in it is larger than what is taken here.")
                }
                guard Descriptor.write(Array(written), to: Int32(clamping: output.descriptor)) else { return }
                draft.result.artifact.bytes = written.count
                draft.result.artifact.sha256 = ContentHash(hashing: written)
            }
            for finding in draft.findings { Lines.send(.finding(finding)) }
            Lines.send(.result(draft.result))
        } catch {
            for finding in error.findings { Lines.send(.finding(finding)) }
        }
    }
}
