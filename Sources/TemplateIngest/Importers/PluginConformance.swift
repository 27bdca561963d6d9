// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import Logging
import SheetCore
import SystemPackage

/// Tries an outside importer the way the pipeline uses it, and the ways hostile files use it: what an author runs
/// before an operator does. Everything happens behind the same walls.
package struct PluginConformance: Sendable {
    /// One thing that was tried.
    package struct Check: Sendable, Equatable {
        package enum Verdict: Sendable, Equatable {
            case passed
            case failed
            /// There was nothing to try it on.
            case skipped
        }

        package let name: String
        package let verdict: Verdict
        /// What was seen; for people.
        package let detail: String

        /// A line of the report.
        package var line: String {
            let word =
                switch verdict {
                case .passed: "ok  "
                case .failed: "FAIL"
                case .skipped: "skip"
                }
            return detail.isEmpty ? "\(word)  \(name)" : "\(word)  \(name): \(detail)"
        }
    }

    private let folder: PluginFolder
    private let launcher: FilePath
    private let reader: SheetReader
    private let limits: ImportLimits
    private let program: ImporterProgram
    private let importer: ProgramImporter

    /// Samples that the author gives along; a name that begins with `refused-` says that the file is to be refused.
    package static let samplesFolder = "samples"
    private static let refusedPrefix = "refused-"

    /// For the plugin in `folder`.
    package init(
        folder: PluginFolder, launcher: FilePath = ImporterProgram.besideThisProgram, reader: SheetReader,
        limits: ImportLimits = ImportLimits()
    ) {
        let silent = Logger(label: "plugin-test") { _ in SwiftLogNoOpLogHandler() }
        self.folder = folder
        self.launcher = launcher
        self.reader = reader
        self.limits = limits
        program = ImporterProgram(
            name: folder.manifest.name, command: folder.command(launcher: launcher, limits: limits), limits: limits,
            logger: silent)
        importer = .outside(
            folder, launcher: launcher, reader: reader, request: ReaderRequest(previewWidths: []), limits: limits,
            logger: silent)
    }

    /// Tries everything; `report` is told of each check as it is done. Throws when the task is cancelled.
    package func run(_ report: (Check) -> Void) async throws -> [Check] {
        var checks: [Check] = []
        func add(_ check: Check) {
            checks.append(check)
            report(check)
        }
        guard PluginFolder.hasSandbox else {
            add(Check(name: "walls", verdict: .failed, detail: "/usr/bin/bwrap is missing; install bubblewrap"))
            return checks
        }
        let handshake = try await handshake()
        add(handshake)
        guard handshake.verdict == .passed else { return checks }
        add(try await otherProtocolVersion())
        add(try await unknownMembers())
        for sample in samples() {
            for check in try await tries(of: sample) { add(check) }
        }
        if samples().isEmpty {
            add(Check(name: "samples", verdict: .skipped, detail: "put files into \(Self.samplesFolder)/ to try them"))
        }
        for (name, bytes) in hostileInputs() { add(try await survives(name, bytes)) }
        add(try await cancellation())
        return checks
    }

    // MARK: - The protocol

    private func handshake() async throws -> Check {
        let outcome = try await program.answer(ImportRequest(.hello), file: nil)
        if let fault = outcome.fault { return failed("handshake", fault, outcome) }
        guard let hello = outcome.answer.hello, hello.name == folder.manifest.name,
            hello.version == folder.manifest.version.description
        else {
            return Check(
                name: "handshake", verdict: .failed,
                detail: "'hello' names another program or version than \(PluginManifest.fileName)")
        }
        return Check(name: "handshake", verdict: .passed, detail: "\(hello.name) \(hello.version)")
    }

    private func otherProtocolVersion() async throws -> Check {
        let name = "a protocol version that it does not speak"
        var request = ImportRequest(.hello)
        request.protocolVersion = 9999
        let outcome = try await program.answer(request, file: nil)
        guard outcome.answer.hello == nil, case .ended(.exited(let code))? = outcome.fault, code != 0 else {
            return Check(
                name: name, verdict: .failed, detail: "it should say nothing and exit with another code than 0")
        }
        return Check(name: name, verdict: .passed, detail: "refused with exit code \(code)")
    }

    private func unknownMembers() async throws -> Check {
        let name = "members that a later version may add"
        let text = #"{"protocolVersion":1,"request":"hello","later":{"a":[1]},"limits":{"later":1}}"#
        let outcome = try await program.answer(ImportRequest(.hello), file: nil, raw: Array(text.utf8))
        if let fault = outcome.fault { return failed(name, fault, outcome) }
        return Check(name: name, verdict: .passed, detail: "")
    }

    // MARK: - Files

    private func samples() -> [FilePath] {
        let path = folder.path.appending(Self.samplesFolder)
        // A plugin without the folder has no samples.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path.string)) ?? []
        return names.filter { !$0.hasPrefix(".") }.sorted().map { path.appending($0) }
    }

    private func tries(of sample: FilePath) async throws -> [Check] {
        let name = sample.lastComponent?.string ?? ""
        guard let bytes = FileManager.default.contents(atPath: sample.string) else {
            return [Check(name: "sample \(name)", verdict: .failed, detail: "it cannot be read")]
        }
        let file = try quarantined(sample, bytes, name: name)
        let isRefused = name.hasPrefix(Self.refusedPrefix)
        var checks = [try await recognizes(file, name, isRefused: isRefused)]
        let start = ContinuousClock.now
        let draft = try await importer.draft(from: file, claim: folder.manifest.name, observer: ImportObserver())
        let seconds = start.duration(to: .now) / .seconds(1)
        checks.append(judged(draft, name, isRefused: isRefused, seconds: seconds))
        if !isRefused, bytes.count > 1 {
            checks.append(try await survives("\(name), cut in half", bytes.prefix(bytes.count / 2)))
        }
        return checks
    }

    private func recognizes(_ file: QuarantinedFile, _ name: String, isRefused: Bool) async throws -> Check {
        let title = "recognizing \(name)"
        guard folder.manifest.wants(file) else {
            return Check(
                name: title, verdict: .failed,
                detail: "neither its suffix nor its content (\(file.mediaType)) is named in \(PluginManifest.fileName)")
        }
        let recognition = try await importer.recognize(file)
        if let problem = recognition.findings.first {
            return Check(name: title, verdict: .failed, detail: problem.message)
        }
        let confidence = recognition.claims.map(\.confidence).max() ?? 0
        if confidence == 0, !isRefused {
            return Check(name: title, verdict: .failed, detail: "it claims none of it")
        }
        return Check(name: title, verdict: .passed, detail: "confidence \(confidence)")
    }

    private func judged(_ draft: SubmissionDraft, _ name: String, isRefused: Bool, seconds: Double) -> Check {
        let report = draft.report.value
        let blockers = report.findings.filter { $0.severity == .blocker }
        let broken = blockers.first { $0.code == .importerFailed || $0.code == .timeLimit || $0.code == .tooComplex }
        let time = "\((seconds * 100).rounded() / 100) s"
        if isRefused {
            let isFine = !blockers.isEmpty && broken == nil
            return Check(
                name: "refusing \(name)", verdict: isFine ? .passed : .failed,
                detail: blockers.first.map { "\($0.code.rawValue): \($0.message)" } ?? "it was taken")
        }
        guard blockers.isEmpty else {
            let reasons = blockers.map { "\($0.code.rawValue): \($0.message)" }.joined(separator: " ")
            return Check(name: "importing \(name)", verdict: .failed, detail: reasons)
        }
        let what =
            draft.kind.hasPages
            ? "\(report.pageCount) pages, \(report.pages.reduce(0) { $0 + $1.regions.count }) regions"
            : draft.outline?.summary ?? ""
        return Check(
            name: "importing \(name)", verdict: seconds < Double(limits.wallSeconds) / 2 ? .passed : .failed,
            detail: "\(draft.kind.rawValue), \(what), \(time) of \(limits.wallSeconds) s")
    }

    /// Files that no importer should trip over, of every sort that it wants to see.
    private func hostileInputs() -> [(name: String, bytes: Data)] {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        let noise = Data(
            (0..<(64 << 10)).map { _ in
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                return UInt8(truncatingIfNeeded: state)
            })
        let zip = Data([0x50, 0x4B, 3, 4])
        return [
            ("an empty file", Data()),
            ("noise", noise),
            ("noise that begins like a ZIP", zip + noise),
            ("noise that begins like JSON", Data("{".utf8) + noise),
            ("JSON a thousand levels deep", Data((String(repeating: "{\"a\":", count: 1000)).utf8)),
            ("the largest file that is taken", zip + Data(count: limits.fileBytes - zip.count)),
        ]
    }

    /// Both requests end within the limits and by the protocol; whether the file is taken does not matter.
    private func survives(_ name: String, _ bytes: Data) async throws -> Check {
        let scratch = try ArtifactFile()
        try scratch.append([UInt8](bytes)[...])
        try scratch.finish()
        let suffix = folder.manifest.suffixes.first.map { ".\($0)" } ?? ""
        let file = try quarantined(scratch.path, bytes, name: "input\(suffix)")
        let described = ImportRequest.File(
            name: file.name ?? "", bytes: bytes.count, sha256: file.sha256, mediaType: file.mediaType)
        let recognized = try await program.answer(ImportRequest(.recognize, file: described), file: scratch.path)
        if let fault = recognized.fault { return failed("recognizing \(name)", fault, recognized) }
        let imported = try await program.answer(
            ImportRequest(
                .import, importer: folder.manifest.name, file: described,
                artifact: .init(maximumBytes: limits.artifactBytes)),
            file: scratch.path)
        if let fault = imported.fault { return failed("importing \(name)", fault, imported) }
        let refusal = imported.answer.findings.first { $0.severity == .blocker }
        return Check(name: "surviving \(name)", verdict: .passed, detail: refusal?.code.rawValue ?? "taken")
    }

    private func cancellation() async throws -> Check {
        let task = Task { try await program.answer(ImportRequest(.hello), file: nil) }
        try await Task.sleep(for: .milliseconds(5))
        let start = ContinuousClock.now
        task.cancel()
        // Only how long it took matters.
        _ = try? await task.value
        let seconds = start.duration(to: .now) / .seconds(1)
        // A share of what a file may take, for slow machines; never under five seconds, where that is set short.
        let bound = max(5, Double(limits.wallSeconds) / 6)
        return Check(
            name: "being cancelled", verdict: seconds < bound ? .passed : .failed,
            detail: "gone after \((seconds * 100).rounded() / 100) s")
    }

    private func quarantined(_ path: FilePath, _ bytes: Data, name: String) throws -> QuarantinedFile {
        QuarantinedFile(
            path: path, sha256: ContentHash(hashing: bytes), name: name,
            head: Array(bytes.prefix(QuarantinedFile.headBytes)))
    }

    private func failed(_ name: String, _ fault: ImporterProgram.Failure, _ outcome: ImporterProgram.Outcome) -> Check {
        let complaints = PlainText.cleaned(String(outcome.complaints.suffix(400)), most: 300)
        let said = complaints.isEmpty ? "" : "; it wrote: \(complaints)"
        return Check(name: name, verdict: .failed, detail: "\(fault.summary)\(said)")
    }
}
