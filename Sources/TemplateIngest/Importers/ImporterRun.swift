// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import IngestWire
import Synchronization
import SystemPackage

/// One run of an importer program. A thread of its own starts it, listens to it and reaps it: the program asks the
/// kernel to die with the thread that started it, and waiting must not block Swift's own threads.
final class ImporterRun: Sendable {
    /// What happens, in order; `ended` or `failed` is the last.
    enum Event: Sendable {
        /// A whole line of standard output, without its line feed.
        case line([UInt8])
        /// The program is gone. `complaints` is the end of what it wrote to standard error.
        case ended(ReaderEnd, artifact: ArtifactFile?, complaints: String)
        case failed(reason: String)
    }

    let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private let process = Mutex(ProcessState())

    private struct ProcessState {
        var group: pid_t?
        var isCancelled = false
    }

    /// Grace after the program's own alarm, which tells more than being killed.
    private static let graceSeconds = 1.0
    private static let complaintBytes = 2048

    /// `wantsArtifact` says whether what is written to descriptor 4 is kept; `raw` is sent in the request's place.
    init(
        command: [String], request: ImportRequest, input: FileDescriptor, wantsArtifact: Bool,
        raw: [UInt8]? = nil
    ) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let text = try (raw ?? Array(encoder.encode(request))) + [UInt8(ascii: "\n")]
        (events, continuation) = AsyncStream.makeStream()
        let thread = Thread { [self] in
            live(command, text, input: input.rawValue, limits: request.limits, wantsArtifact: wantsArtifact)
        }
        thread.name = "importer"
        thread.start()
    }

    /// Kills the program and everything it started; `events` then comes to its end.
    func cancel() {
        process.withLock { state in
            state.isCancelled = true
            // Under the lock the process is not yet reaped, so the number is still its own.
            if let group = state.group { kill(-group, SIGKILL) }
        }
    }

    // MARK: - On the thread

    private func live(
        _ command: [String], _ request: [UInt8], input: Int32, limits: ImportLimits, wantsArtifact: Bool
    ) {
        defer { continuation.finish() }
        let child: ImporterChild
        do {
            child = try ImporterChild(command, input: input)
        } catch {
            continuation.yield(
                .failed(reason: "\(command.first ?? ""): \(String(cString: strerror(error.number)))"))
            return
        }
        let isWanted = process.withLock { state in
            state.group = child.process
            return !state.isCancelled
        }
        if !isWanted { kill(-child.process, SIGKILL) }
        // A request fits a pipe, so this neither waits nor tears: the program may be gone, and then there is no answer.
        _ = request.withUnsafeBytes { write(child.request, $0.baseAddress, $0.count) }
        close(child.request)
        // Without a file to write to, a program that writes an artifact is killed; see `append`.
        var listening = Listening(child: child, limits: limits, sink: wantsArtifact ? try? ArtifactFile() : nil)
        let early = listening.listen(grace: Self.graceSeconds) { [continuation] in continuation.yield(.line($0)) }
        let end = reap(child, early: early)
        for descriptor in [child.answer, child.artifact, child.complaints] { close(descriptor) }
        let complaints = String(decoding: listening.complaints.suffix(Self.complaintBytes), as: UTF8.self)
        continuation.yield(.ended(end, artifact: listening.finishedArtifact(), complaints: complaints))
    }

    /// Kills what is left of the process group and takes the program's exit status.
    private func reap(_ child: ImporterChild, early: ReaderEnd?) -> ReaderEnd {
        if early == nil { waitForExit(child) }
        kill(-child.process, SIGKILL)
        var status: Int32 = 0
        process.withLock { state in
            while waitpid(child.process, &status, 0) < 0, errno == EINTR {}
            state.group = nil
        }
        if let early { return early }
        let signal = status & 0x7f
        return signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
    }

    /// A program that closed its output is about to exit; one that does not is killed after a moment.
    private func waitForExit(_ child: ImporterChild) {
        for _ in 0..<1000 {
            if child.hasEnded { return }
            usleep(1_000)
        }
    }
}

/// Reads a program's three outputs until they end or it misbehaves.
private struct Listening {
    let child: ImporterChild
    let limits: ImportLimits
    let sink: ArtifactFile?
    private var line: [UInt8] = []
    private var taken = 0
    private(set) var complaints: [UInt8] = []
    private var artifactBytes = 0

    private static let mostComplaints = 64 << 10

    init(child: ImporterChild, limits: ImportLimits, sink: ArtifactFile?) {
        self.child = child
        self.limits = limits
        self.sink = sink
    }

    /// The artifact, if any byte of one came. One that cannot be closed counts as none, which the result contradicts.
    func finishedArtifact() -> ArtifactFile? {
        guard let sink, artifactBytes > 0, (try? sink.finish()) != nil else { return nil }
        return sink
    }

    /// A reason to kill the program, or `nil` when it closed its outputs by itself.
    mutating func listen(grace: Double, _ take: ([UInt8]) -> Void) -> ReaderEnd? {
        let deadline = DispatchTime.now().uptimeNanoseconds + UInt64((Double(limits.wallSeconds) + grace) * 1e9)
        var open = [child.answer, child.artifact, child.complaints]
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while open.contains(child.answer) || open.contains(child.artifact) {
            guard DispatchTime.now().uptimeNanoseconds < deadline else { return .overdue }
            var waited = open.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let ready = poll(&waited, nfds_t(waited.count), 100)
            if ready <= 0 {
                // Somebody else may hold the outputs open after the program is gone.
                if child.hasEnded { kill(-child.process, SIGKILL) }
                continue
            }
            for source in waited where source.revents != 0 {
                let count = piece.withUnsafeMutableBytes { Foundation.read(source.fd, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    open.removeAll { $0 == source.fd }
                    continue
                }
                if let end = append(piece[..<count], from: source.fd, take) { return end }
            }
        }
        if !line.isEmpty { take(line) }
        return nil
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>, from source: Int32, _ take: ([UInt8]) -> Void)
        -> ReaderEnd?
    {
        switch source {
        case child.answer: return appendLines(bytes, take)
        case child.artifact:
            artifactBytes += bytes.count
            guard artifactBytes <= limits.artifactBytes else { return .flooded }
            guard let sink else { return .garbled }
            do { try sink.append(bytes) } catch { return .garbled }
        default:
            if complaints.count < Self.mostComplaints { complaints.append(contentsOf: bytes) }
        }
        return nil
    }

    private static func endOfLine(_ bytes: ArraySlice<UInt8>) -> Int? {
        bytes.withUnsafeBytes { buffer -> Int? in
            guard let base = buffer.baseAddress, let found = memchr(base, 10, buffer.count) else { return nil }
            return bytes.startIndex + (found - UnsafeMutableRawPointer(mutating: base))
        }
    }

    private mutating func appendLines(_ bytes: ArraySlice<UInt8>, _ take: ([UInt8]) -> Void) -> ReaderEnd? {
        taken += bytes.count
        guard taken <= limits.outputBytes else { return .flooded }
        var rest = bytes
        while let end = Self.endOfLine(rest) {
            line.append(contentsOf: rest[..<end])
            guard line.count <= limits.lineBytes else { return .flooded }
            if !line.isEmpty { take(line) }
            line.removeAll(keepingCapacity: true)
            rest = rest[(end + 1)...]
        }
        line.append(contentsOf: rest)
        return line.count <= limits.lineBytes ? nil : .flooded
    }
}
