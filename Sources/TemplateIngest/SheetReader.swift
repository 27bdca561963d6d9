// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import Logging
import SheetCore
import SystemPackage

/// How readers are started.
public struct SheetReaderConfiguration: Sendable {
    /// The `sheet-inspect` program.
    public var executable: FilePath
    /// Where to say what happened to a reader.
    public var logger: Logger

    /// `sheet-inspect` at a path.
    public init(executable: FilePath, logger: Logger = Logger(label: "sheet-reader")) {
        self.executable = executable
        self.logger = logger
    }

    /// The `sheet-inspect` that lies beside the running program, where builds and packages put it.
    public static func besideThisProgram(logger: Logger = Logger(label: "sheet-reader")) -> SheetReaderConfiguration {
        let own = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments.first ?? ".")
        let folder = own.resolvingSymlinksInPath().deletingLastPathComponent()
        return SheetReaderConfiguration(
            executable: FilePath(folder.appendingPathComponent("sheet-inspect").path),
            logger: logger
        )
    }
}

/// What keeps a reader from working that is not the file's fault.
public enum SheetReaderError: Error, Equatable, CustomStringConvertible {
    /// The program could not be started.
    case cannotStart(executable: String, reason: String)
    /// The reader could not put up its sandbox.
    case noSandbox
    /// The reader did not understand the request: reader and server are not of the same build.
    case incompatibleReader
    /// The file could not be opened or hashed.
    case cannotReadFile(reason: String)

    /// A sentence for the log.
    public var description: String {
        switch self {
        case .cannotStart(let executable, let reason): "cannot start \(executable): \(reason)"
        case .noSandbox: "the reader could not put up its sandbox"
        case .incompatibleReader: "the reader did not understand the request: it is of another version"
        case .cannotReadFile(let reason): "cannot read the uploaded file: \(reason)"
        }
    }
}

/// A picture of a page.
public struct PagePreview: Sendable, Equatable {
    /// Index of the page, from 0.
    public var page: Int
    /// The width that was asked for, in pixels; the picture of a very tall page is narrower.
    public var requestedWidth: Int
    /// Width in pixels.
    public var width: Int
    /// Height in pixels.
    public var height: Int
    /// The picture.
    public var webp: [UInt8]
}

/// How far the reading of a file has come.
public struct ReadingProgress: Sendable, Equatable {
    /// What is being done.
    public enum Stage: String, Sendable {
        /// Pages are judged.
        case reading
        /// Pages are drawn.
        case drawing
    }

    /// What is being done.
    public var stage: Stage
    /// Pages done.
    public var pagesDone: Int
    /// Pages in all.
    public var pageCount: Int
}

/// Reads hostile files in a process of their own, one process a file. Whatever a file does to its reader, the caller
/// gets a report; it throws only when the machine, not the file, is at fault, or when the task is cancelled.
public struct SheetReader: Sendable {
    private let configuration: SheetReaderConfiguration

    /// Starts nothing yet.
    public init(configuration: SheetReaderConfiguration) {
        self.configuration = configuration
    }

    /// Reads a file. `sha256` is what the caller stored it under; without it the file is hashed here.
    /// Callbacks come one at a time; what they throw ends the reading.
    public func read(
        _ file: FilePath,
        sha256: ContentHash? = nil,
        request: ReaderRequest = ReaderRequest(),
        onProgress: @Sendable (ReadingProgress) async throws -> Void = { _ in },
        onPreview: @Sendable (PagePreview) async throws -> Void = { _ in }
    ) async throws -> CheckedReport {
        let input = try InputDescriptor(file, sha256: sha256)
        defer { input.close() }
        let identity = ReportCheck.Identity(sha256: input.sha256, bytes: input.bytes)
        var answer = ReaderAnswer(request: request, identity: identity)
        let run = try ReaderRun(
            executable: configuration.executable,
            request: request,
            input: input.descriptor
        )
        let end = try await withTaskCancellationHandler {
            try await follow(run, into: &answer, onProgress: onProgress, onPreview: onPreview)
        } onCancel: {
            run.cancel()
        }
        try Task.checkCancellation()
        let report = try conclude(answer, end: end, identity: identity)
        configuration.logger.debug(
            "read a file",
            metadata: [
                "sha256": "\(input.sha256)", "verdict": "\(report.value.verdict.rawValue)",
                "findings": "\(report.value.findings.map(\.code.rawValue))",
            ]
        )
        return report
    }

    private func follow(
        _ run: ReaderRun,
        into answer: inout ReaderAnswer,
        onProgress: @Sendable (ReadingProgress) async throws -> Void,
        onPreview: @Sendable (PagePreview) async throws -> Void
    ) async throws -> ReaderEnd? {
        var end: ReaderEnd?
        var failure: (any Error)?
        for await event in run.events {
            switch event {
            case .frame(let frame, let payload) where failure == nil:
                do {
                    switch try answer.take(frame, payload) {
                    case .progress(let progress)?: try await onProgress(progress)
                    case .preview(let preview)?: try await onPreview(preview)
                    case nil: break
                    }
                } catch {
                    failure = error
                    run.cancel()
                }
                run.proceed()
            case .frame: run.proceed()
            case .ended(let how): end = how
            case .failed(let error): failure = failure ?? error
            }
        }
        if failure is ReaderAnswer.Violation { return .garbled }
        if let failure { throw failure }
        return end
    }

    private func conclude(
        _ answer: ReaderAnswer,
        end: ReaderEnd?,
        identity: ReportCheck.Identity
    ) throws -> CheckedReport {
        switch end {
        case .exited(0) where answer.isComplete:
            if let report = answer.report { return answer.withUndrawnPages(report) }
        case .exited(ReaderEnd.unavailableExitCode): throw SheetReaderError.noSandbox
        case .exited(ReaderEnd.usageExitCode): throw SheetReaderError.incompatibleReader
        default: break
        }
        let how: ReaderEnd = end == .exited(0) ? .garbled : end ?? .garbled
        configuration.logger.notice(
            "a reader ended early",
            metadata: ["sha256": "\(identity.sha256)", "end": "\(how)"]
        )
        return CheckedReport(identity: identity, end: how, partial: answer.report)
    }
}

/// The file that a reader gets as its standard input.
struct InputDescriptor {
    let descriptor: FileDescriptor
    let sha256: ContentHash
    let bytes: Int

    init(_ path: FilePath, sha256: ContentHash?) throws(SheetReaderError) {
        do {
            descriptor = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        } catch {
            throw .cannotReadFile(reason: "\(error)")
        }
        do {
            bytes = Int(try descriptor.seek(offset: 0, from: .end))
            self.sha256 = try sha256 ?? Self.hash(descriptor)
            try descriptor.seek(offset: 0, from: .start)
        } catch {
            try? descriptor.close()
            throw .cannotReadFile(reason: "\(error)")
        }
    }

    func close() {
        try? descriptor.close()
    }

    private static func hash(_ descriptor: FileDescriptor) throws -> ContentHash {
        var hasher = ContentHasher()
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { piece.deallocate() }
        var offset: Int64 = 0
        while true {
            let count = try descriptor.read(fromAbsoluteOffset: offset, into: piece)
            guard count > 0 else { return hasher.finalize() }
            hasher.update(UnsafeRawBufferPointer(rebasing: piece[..<count]))
            offset += Int64(count)
        }
    }
}
