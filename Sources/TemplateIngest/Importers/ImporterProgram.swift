// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import Logging
import SheetCore
import SystemPackage
import Tracing

/// A program that speaks the importers' protocol: `sheet-import` with all that is built in, or somebody else's.
package struct ImporterProgram: Sendable {
    /// What it is called in findings and logs.
    package let name: String
    /// What is run, with its arguments.
    let command: [String]
    let limits: ImportLimits
    let logger: Logger

    /// The `sheet-import` that lies beside the running program, where builds and packages put it.
    package static var besideThisProgram: FilePath {
        let own = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments.first ?? ".")
        let folder = own.resolvingSymlinksInPath().deletingLastPathComponent()
        return FilePath(folder.appendingPathComponent("sheet-import").path)
    }

    /// A program that is run by `command`.
    init(name: String, command: [String], limits: ImportLimits, logger: Logger) {
        self.name = name
        self.command = command
        self.limits = limits
        self.logger = logger
    }

    /// What came of a request.
    struct Outcome: Sendable {
        var answer: ImportAnswer
        var artifact: ArtifactFile?
        /// Why there is no whole answer.
        var fault: Failure?
        /// The end of what it wrote to standard error.
        var complaints: String
    }

    /// What a program did wrong.
    enum Failure: Sendable, Equatable {
        /// It could not be started.
        case cannotStart(String)
        /// It ended early, was killed or put up no walls.
        case ended(ReaderEnd)
        /// It said something that was not agreed.
        case violation(String)

        /// What the uploader and the moderator are told.
        func finding(program: String) -> Finding {
            switch self {
            case .cannotStart, .ended(.exited), .ended(.garbled):
                Finding(
                    .importerFailed, .blocker,
                    message: "The importer '\(program)' broke off; the file may be fine. Tell the operator.")
            case .ended(.overdue):
                Finding(.timeLimit, .blocker, message: "The importer '\(program)' took longer than allowed.")
            case .ended(.flooded):
                Finding(.tooComplex, .blocker, message: "The importer '\(program)' gave more than a sheet can be.")
            case .ended(let end):
                Finding(
                    end.finding.code == .malformed ? .importerFailed : end.finding.code, .blocker,
                    message: "The importer '\(program)' was ended by the system: \(end.summary).")
            case .violation(let what):
                Finding(
                    .importerFailed, .blocker,
                    message: "The importer '\(program)' does not keep to the protocol (\(what)).".shortened(to: 500))
            }
        }

        /// For the log and the conformance test.
        var summary: String {
            switch self {
            case .cannotStart(let reason): "it cannot be started: \(reason)"
            case .ended(let end): "it ended by \(end.summary)"
            case .violation(let what): "it broke the protocol: \(what)"
            }
        }
    }

    /// Sends a request and takes the answer. Throws only when the task is cancelled or `onProgress` throws; what the
    /// program does wrong is in the outcome.
    func answer(
        _ request: ImportRequest, file: FilePath?, raw: [UInt8]? = nil,
        onProgress: @Sendable (ImportLine.Progress) async throws -> Void = { _ in }
    ) async throws -> Outcome {
        guard ServiceContext.current != nil else {
            return try await run(request, file: file, raw: raw, onProgress: onProgress)
        }
        // Within a trace a run of the program is a span of it.
        return try await withSpan("importer \(request.request.rawValue)") { span in
            let outcome = try await run(request, file: file, raw: raw, onProgress: onProgress)
            span.attributes["sheetmarket.importer"] = name
            if outcome.fault != nil { span.setStatus(.init(code: .error)) }
            return outcome
        }
    }

    private func run(
        _ request: ImportRequest, file: FilePath?, raw: [UInt8]?,
        onProgress: @Sendable (ImportLine.Progress) async throws -> Void
    ) async throws -> Outcome {
        let input = try FileDescriptor.open(file ?? "/dev/null", .readOnly, options: .closeOnExec)
        // It was only read.
        defer { try? input.close() }
        var request = request
        request.limits = limits
        let run = try ImporterRun(
            command: command, request: request, input: input, wantsArtifact: request.request == .import,
            raw: raw)
        var outcome = Outcome(answer: ImportAnswer(request: request), complaints: "")
        try await withTaskCancellationHandler {
            try await follow(run, into: &outcome, onProgress: onProgress)
        } onCancel: {
            run.cancel()
        }
        try Task.checkCancellation()
        if let fault = outcome.fault {
            logger.notice(
                "an importer failed",
                metadata: [
                    "importer": "\(name)", "fault": "\(fault.summary)",
                    "complaints": "\(PlainText.cleaned(outcome.complaints, most: 300))",
                ])
        }
        return outcome
    }

    private func follow(
        _ run: ImporterRun, into outcome: inout Outcome,
        onProgress: @Sendable (ImportLine.Progress) async throws -> Void
    ) async throws {
        var failure: (any Error)?
        for await event in run.events {
            switch event {
            case .line(let bytes) where failure == nil && outcome.fault == nil:
                do throws(ImportAnswer.Violation) {
                    if let progress = try outcome.answer.take(bytes) {
                        do { try await onProgress(progress) } catch { failure = error }
                    }
                } catch {
                    outcome.fault = .violation(error.what)
                }
                if failure != nil || outcome.fault != nil { run.cancel() }
            case .line: break
            case .failed(let reason): outcome.fault = .cannotStart(reason)
            case .ended(let end, let artifact, let complaints):
                outcome.artifact = artifact
                outcome.complaints = complaints
                guard outcome.fault == nil else { break }
                if end != .exited(0) {
                    outcome.fault = .ended(end)
                } else {
                    do throws(ImportAnswer.Violation) {
                        try outcome.answer.checkComplete()
                    } catch {
                        outcome.fault = .violation(error.what)
                    }
                }
            }
        }
        if let failure { throw failure }
    }
}

extension String {
    /// At most so many bytes, whole characters.
    fileprivate func shortened(to most: Int) -> String {
        var text = self
        while text.utf8.count > most { text.removeLast() }
        return text
    }
}
