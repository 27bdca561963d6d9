// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import Logging
import SheetCore
import SystemPackage
import Tracing

/// Reads hostile files in sandboxed processes, one file at a time each. Whatever a file does to its reader, the caller
/// gets a report; it throws only when the machine, not the file, is at fault, or when the task is cancelled.
package struct SheetReader: Sendable {
    private let configuration: SheetReaderConfiguration
    private let pool: ReaderPool

    /// Starts nothing yet. Copies share their readers, which end with the last copy.
    package init(configuration: SheetReaderConfiguration) {
        self.configuration = configuration
        pool = ReaderPool(configuration)
    }

    /// Starts readers for files within these limits, and keeps some ready from now on.
    package func stand(ready limits: ReaderLimits = ReaderLimits()) {
        pool.stand(ready: limits)
    }

    /// What became of readers so far.
    package var statistics: ReaderStatistics { pool.statistics }

    /// Reads a file. `sha256` is what the caller stored it under; without it the file is hashed here.
    /// Callbacks come one at a time; what they throw ends the reading. When a reader that read other files before
    /// fails, the file is read anew by a fresh one, and pages and pictures are told of again.
    package func read(
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
        let identity = FileIdentity(sha256: input.sha256, bytes: input.bytes)
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
        let identity = FileIdentity(sha256: input.sha256, bytes: input.bytes)
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

    /// Redraws the person's picture that lies in `file`; throws `PortraitRefusal` for one that is not taken.
    func redraw(_ wish: PortraitWish, of file: FilePath, limits: ReaderLimits) async throws -> [DrawnPortrait] {
        let input = try InputDescriptor(file, sha256: nil)
        defer { input.close() }
        var request = ReaderRequest(limits: limits, wantsText: false, previewWidths: [], wantsLayout: false)
        request.portrait = wish
        let identity = FileIdentity(sha256: input.sha256, bytes: input.bytes)
        var conversation = try await converse(request, input, identity, isFresh: false, { _ in }, { _ in })
        if conversation.isDoubtful {
            conversation = try await converse(request, input, identity, isFresh: true, { _ in }, { _ in })
        }
        if let portraits = conversation.portraits { return portraits }
        try Self.blameMachine(for: conversation)
        if conversation.isWhole, let refusal = conversation.answer.portraitRefusal { throw refusal }
        configuration.logger.notice(
            "a reader could not redraw a picture", metadata: ["end": "\(conversation.end ?? .garbled)"])
        throw PortraitRefusal.damaged
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

        /// The pictures of a whole answer.
        var portraits: [DrawnPortrait]? {
            isWhole && answer.isComplete && !answer.portraits.isEmpty ? answer.portraits : nil
        }

        /// Whether another file, or chance, may be to blame for how it ended. Time and output are counted for each file.
        var isDoubtful: Bool {
            guard !isWhole, isUsed else { return false }
            return end?.finding.code != .timeLimit && end?.finding.code != .tooComplex
        }
    }

    /// Within a trace a reader's work is a span of it.
    private func converse(
        _ request: ReaderRequest,
        _ input: InputDescriptor,
        _ identity: FileIdentity,
        isFresh: Bool,
        _ onProgress: @Sendable (ReadingProgress) async throws -> Void,
        _ onPreview: @Sendable (PagePreview) async throws -> Void
    ) async throws -> Conversation {
        guard ServiceContext.current != nil else {
            return try await talk(request, input, identity, isFresh: isFresh, onProgress, onPreview)
        }
        return try await withSpan("sheet-inspect") { span in
            let conversation = try await talk(request, input, identity, isFresh: isFresh, onProgress, onPreview)
            span.updateAttributes { attributes in
                attributes["process.executable.name"] = configuration.executable.lastComponent?.string
                attributes["sheetmarket.reader.file_bytes"] = identity.bytes
                attributes["sheetmarket.reader.pages"] = conversation.report?.value.pageCount
                attributes["sheetmarket.reader.verdict"] = conversation.report?.value.verdict.rawValue
                attributes["sheetmarket.reader.end"] = conversation.end?.summary
            }
            if conversation.end != nil { span.setStatus(.init(code: .error)) }
            return conversation
        }
    }

    private func talk(
        _ request: ReaderRequest,
        _ input: InputDescriptor,
        _ identity: FileIdentity,
        isFresh: Bool,
        _ onProgress: @Sendable (ReadingProgress) async throws -> Void,
        _ onPreview: @Sendable (PagePreview) async throws -> Void
    ) async throws -> Conversation {
        let session = try InspectionSession(request, input: input.descriptor.rawValue)
        let process = try pool.take(for: request.limits, isFresh: isFresh)
        var conversation = Conversation(
            answer: ReaderAnswer(request: request, identity: identity),
            isWhole: false,
            isUsed: process.filesRead > 0
        )
        var isGood = false
        defer { pool.giveBack(process, isGood: isGood) }
        guard process.begin(session) else {
            conversation.isUsed = true
            return conversation
        }
        try await withTaskCancellationHandler {
            try await follow(session, of: process, into: &conversation, onProgress, onPreview)
        } onCancel: {
            process.cancel(session)
        }
        try Task.checkCancellation()
        isGood =
            conversation.report?.value.verdict == .accepted || conversation.difference != nil
            || conversation.portraits != nil
        return conversation
    }

    private func follow(
        _ session: InspectionSession,
        of process: ReaderProcess,
        into conversation: inout Conversation,
        _ onProgress: @Sendable (ReadingProgress) async throws -> Void,
        _ onPreview: @Sendable (PagePreview) async throws -> Void
    ) async throws {
        var failure: (any Error)?
        listening: while true {
            switch await session.next() {
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
                    process.cancel(session)
                }
                session.proceed()
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

    private func conclude(_ conversation: Conversation, identity: FileIdentity) throws -> CheckedReport {
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
