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
    /// How many readers stand ready at most; more are started when more files are read at once.
    public var readers = 2
    /// How many files a reader reads before it is replaced. With 1 each file has a process of its own.
    public var filesPerReader = 32
    /// How long a reader stands ready before it is ended, in seconds.
    public var idleSeconds = 300.0
    /// By how many bytes a reader may have grown since its start before it is replaced.
    public var growthBytes = 128 << 20

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
    /// Readers were gone before they saw the file.
    case vanished
    /// The file could not be opened or hashed.
    case cannotReadFile(reason: String)

    /// A sentence for the log.
    public var description: String {
        switch self {
        case .cannotStart(let executable, let reason): "cannot start \(executable): \(reason)"
        case .noSandbox: "the reader could not put up its sandbox"
        case .incompatibleReader: "the reader did not understand the request: it is of another version"
        case .vanished: "one reader after the other was gone before it saw the file"
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

/// Reads hostile files in sandboxed processes, one file at a time each. Whatever a file does to its reader, the caller
/// gets a report; it throws only when the machine, not the file, is at fault, or when the task is cancelled.
public struct SheetReader: Sendable {
    private let configuration: SheetReaderConfiguration
    private let pool: ReaderPool

    /// Starts nothing yet. Copies share their readers, which end with the last copy.
    public init(configuration: SheetReaderConfiguration) {
        self.configuration = configuration
        pool = ReaderPool(configuration)
    }

    /// Starts readers for files within these limits, and keeps some ready from now on.
    public func stand(ready limits: ReaderLimits = ReaderLimits()) {
        pool.stand(ready: limits)
    }

    /// What became of readers so far.
    public var statistics: ReaderStatistics { pool.statistics }

    /// Reads a file. `sha256` is what the caller stored it under; without it the file is hashed here.
    /// Callbacks come one at a time; what they throw ends the reading. When a reader that read other files before
    /// fails, the file is read anew by a fresh one, and pages and pictures are told of again.
    public func read(
        _ file: FilePath,
        sha256: ContentHash? = nil,
        request: ReaderRequest = ReaderRequest(),
        onProgress: @Sendable (ReadingProgress) async throws -> Void = { _ in },
        onPreview: @Sendable (PagePreview) async throws -> Void = { _ in }
    ) async throws -> CheckedReport {
        try await examine(file, sha256: sha256, request: request, onProgress: onProgress, onPreview: onPreview).report
    }

    /// Reads a file and gives everything that the request asked for.
    func examine(
        _ file: FilePath,
        sha256: ContentHash?,
        request: ReaderRequest,
        onProgress: @Sendable (ReadingProgress) async throws -> Void,
        onPreview: @Sendable (PagePreview) async throws -> Void
    ) async throws -> Examination {
        let input = try InputDescriptor(file, sha256: sha256)
        defer { input.close() }
        let identity = ReportCheck.Identity(sha256: input.sha256, bytes: input.bytes)
        var conversation = try await converse(request, input, identity, isFresh: false, onProgress, onPreview)
        if conversation.isDoubtful {
            conversation = try await converse(request, input, identity, isFresh: true, onProgress, onPreview)
        }
        let report = try conclude(conversation, identity: identity)
        configuration.logger.debug(
            "read a file",
            metadata: [
                "sha256": "\(input.sha256)", "verdict": "\(report.value.verdict.rawValue)",
                "findings": "\(report.value.findings.map(\.code.rawValue))",
            ]
        )
        let answer = conversation.answer
        guard conversation.isWhole else { return Examination(report: report) }
        return Examination(report: report, looks: answer.looks, cleaning: answer.cleaning, copy: answer.copy)
    }

    /// Draws what differs between the two pictures that lie in `file` (`PageDifference`); `nil` when they cannot be drawn.
    func draw(_ difference: PageDifference, of file: FilePath, limits: ReaderLimits) async throws -> DrawnDifference? {
        let input = try InputDescriptor(file, sha256: nil)
        defer { input.close() }
        var request = ReaderRequest(limits: limits, wantsText: false, previewWidths: [], wantsLayout: false)
        request.difference = difference
        let identity = ReportCheck.Identity(sha256: input.sha256, bytes: input.bytes)
        var conversation = try await converse(request, input, identity, isFresh: false, { _ in }, { _ in })
        if conversation.isDoubtful {
            conversation = try await converse(request, input, identity, isFresh: true, { _ in }, { _ in })
        }
        if let picture = conversation.difference { return picture }
        try Self.blameMachine(for: conversation)
        configuration.logger.notice(
            "a reader could not draw a difference", metadata: ["end": "\(conversation.end ?? .garbled)"])
        return nil
    }

    /// Everything that a reader gave.
    struct Examination: Sendable {
        var report: CheckedReport
        var looks: [PageLook] = []
        var cleaning: CleaningReport?
        var copy: [UInt8]?
    }

    /// What one reader said of a file.
    private struct Conversation {
        var answer: ReaderAnswer
        /// How the reader ended, if it did; `nil` for a whole answer and for a reader that never saw the file.
        var end: ReaderEnd?
        var isWhole: Bool
        /// Whether the reader had read other files before, or was gone.
        var isUsed: Bool

        /// The report of a whole answer.
        var report: CheckedReport? {
            isWhole && answer.isComplete ? answer.report.map(answer.withUndrawnPages) : nil
        }

        /// The picture of a whole answer.
        var difference: DrawnDifference? { isWhole && answer.isComplete ? answer.difference : nil }

        /// Whether another file, or chance, may be to blame for how it ended. Time and output are counted for each file.
        var isDoubtful: Bool {
            guard !isWhole, isUsed else { return false }
            return end?.finding.code != .timeLimit && end?.finding.code != .tooComplex
        }
    }

    private func converse(
        _ request: ReaderRequest,
        _ input: InputDescriptor,
        _ identity: ReportCheck.Identity,
        isFresh: Bool,
        _ onProgress: @Sendable (ReadingProgress) async throws -> Void,
        _ onPreview: @Sendable (PagePreview) async throws -> Void
    ) async throws -> Conversation {
        let reading = try Reading(request, input: input.descriptor.rawValue)
        let process = try pool.take(for: request.limits, isFresh: isFresh)
        var conversation = Conversation(
            answer: ReaderAnswer(request: request, identity: identity),
            isWhole: false,
            isUsed: process.filesRead > 0
        )
        var isGood = false
        defer { pool.giveBack(process, isGood: isGood) }
        guard process.begin(reading) else {
            conversation.isUsed = true
            return conversation
        }
        try await withTaskCancellationHandler {
            try await follow(reading, of: process, into: &conversation, onProgress, onPreview)
        } onCancel: {
            process.cancel(reading)
        }
        try Task.checkCancellation()
        isGood = conversation.report?.value.verdict == .accepted || conversation.difference != nil
        return conversation
    }

    private func follow(
        _ reading: Reading,
        of process: ReaderProcess,
        into conversation: inout Conversation,
        _ onProgress: @Sendable (ReadingProgress) async throws -> Void,
        _ onPreview: @Sendable (PagePreview) async throws -> Void
    ) async throws {
        var failure: (any Error)?
        listening: while true {
            switch await reading.next() {
            case .frame(let frame, let payload):
                do {
                    if failure == nil {
                        switch try conversation.answer.take(frame, payload) {
                        case .progress(let progress)?: try await onProgress(progress)
                        case .preview(let preview)?: try await onPreview(preview)
                        case nil: break
                        }
                    }
                } catch {
                    failure = error
                    process.cancel(reading)
                }
                reading.proceed()
            case .answered:
                conversation.isWhole = conversation.answer.hasResult
                conversation.end = conversation.isWhole ? nil : .garbled
                break listening
            case .ended(let end):
                conversation.end = end
                break listening
            case .unseen:
                conversation.isUsed = true
                break listening
            case .failed(let error):
                throw failure ?? error
            }
        }
        if let violation = failure as? ReaderAnswer.Violation {
            configuration.logger.notice("a reader broke the agreement", metadata: ["by": "\(violation.what)"])
            conversation.isWhole = false
            conversation.end = .garbled
        } else if let failure {
            throw failure
        }
    }

    /// Throws when the machine, and not the file, kept a reader from answering.
    private static func blameMachine(for conversation: Conversation) throws {
        switch conversation.end {
        case nil where !conversation.isWhole: throw SheetReaderError.vanished
        case .exited(ReaderEnd.unavailableExitCode): throw SheetReaderError.noSandbox
        case .exited(ReaderEnd.usageExitCode): throw SheetReaderError.incompatibleReader
        default: break
        }
    }

    private func conclude(_ conversation: Conversation, identity: ReportCheck.Identity) throws -> CheckedReport {
        if let report = conversation.report { return report }
        try Self.blameMachine(for: conversation)
        let end: ReaderEnd = conversation.end == .exited(0) ? .garbled : conversation.end ?? .garbled
        configuration.logger.notice(
            "a reader ended early",
            metadata: ["sha256": "\(identity.sha256)", "end": "\(end)"]
        )
        return CheckedReport(identity: identity, end: end, partial: conversation.answer.report)
    }
}

/// The file that a reader gets a descriptor of.
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
