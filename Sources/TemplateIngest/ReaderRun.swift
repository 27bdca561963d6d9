// SPDX-License-Identifier: Apache-2.0
import CReaderProcess
import Dispatch
import Foundation
import IngestWire
import Synchronization
import SystemPackage

/// One reader process. A thread of its own starts it, listens to it and buries it: the reader asks the kernel to die
/// with the thread that started it, so that thread must live as long, and waiting must not block Swift's own threads.
final class ReaderRun: Sendable {
    /// What happens, in order; `ended` or `failed` is the last.
    enum Event: Sendable {
        /// A whole frame. Nothing more is read before `proceed()`.
        case frame(ReaderFrame, [UInt8])
        case ended(ReaderEnd)
        case failed(SheetReaderError)
    }

    let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private let handedOver = DispatchSemaphore(value: 0)
    private let process = Mutex(ProcessState())

    private struct ProcessState {
        var group: pid_t?
        var isCancelled = false
    }

    /// How often a picture may take the whole wall time; together they bound a reader's life.
    private static let drawingFactor = 12
    /// Grace after the reader's own alarm, which tells more than being killed.
    private static let graceSeconds = 1.0

    init(executable: FilePath, request: ReaderRequest, input: FileDescriptor) throws {
        let argument = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
        (events, continuation) = AsyncStream.makeStream()
        let thread = Thread { [self] in
            live(executable: executable.string, argument: argument, input: input.rawValue, limits: request.limits)
        }
        thread.name = "sheet-reader"
        thread.start()
    }

    /// Lets the thread read on after a frame was dealt with.
    func proceed() {
        handedOver.signal()
    }

    /// Kills the reader and everything it started; `events` then comes to its end.
    func cancel() {
        process.withLock { state in
            state.isCancelled = true
            // Under the lock the process is not yet buried, so the number is still its own.
            if let group = state.group { kill(-group, SIGKILL) }
        }
    }

    // MARK: - On the thread

    private func live(executable: String, argument: String, input: Int32, limits: ReaderLimits) {
        defer { continuation.finish() }
        var output: Int32 = -1
        switch spawn(executable, argument: argument, input: input, output: &output) {
        case .failure(let error):
            continuation.yield(.failed(error))
        case .success(let child):
            let isWanted = process.withLock { state in
                state.group = child
                return !state.isCancelled
            }
            if !isWanted { kill(-child, SIGKILL) }
            let early = listen(to: output, child: child, limits: limits)
            close(output)
            continuation.yield(.ended(bury(child, early: early)))
        }
    }

    /// Kills what is left of the process group and takes the reader's exit status.
    private func bury(_ child: pid_t, early: ReaderEnd?) -> ReaderEnd {
        if early == nil { waitForExit(child) }
        kill(-child, SIGKILL)
        var status: Int32 = 0
        process.withLock { state in
            while waitpid(child, &status, 0) < 0, errno == EINTR {}
            state.group = nil
        }
        if let early { return early }
        let signal = status & 0x7f
        return signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
    }

    /// A reader that closed its output is about to exit; one that does not is killed after a moment.
    private func waitForExit(_ child: pid_t) {
        for _ in 0..<1000 {
            if reader_has_ended(child) { return }
            usleep(1_000)
        }
    }

    /// Reads frames until the output ends; a reason to kill the reader when it does not behave.
    private func listen(to output: Int32, child: pid_t, limits: ReaderLimits) -> ReaderEnd? {
        var parser = FrameParser(maximumBytes: limits.outputBytes)
        var clock = ReaderClock(limits: limits, grace: Self.graceSeconds, drawingFactor: Self.drawingFactor)
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            guard clock.hasTime else { return .overdue }
            var waited = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            let ready = poll(&waited, 1, 100)
            clock.tick()
            if ready == 0 {
                // Somebody else may hold the output open after the reader is gone.
                if reader_has_ended(child) { kill(-child, SIGKILL) }
                continue
            }
            let count = piece.withUnsafeMutableBytes { Foundation.read(output, $0.baseAddress, $0.count) }
            if count == 0 { return nil }
            if count < 0 {
                if errno == EINTR { continue }
                return .garbled
            }
            do {
                try parser.append(piece[..<count])
                while let message = try parser.next() {
                    continuation.yield(.frame(message.frame, message.payload))
                    handedOver.wait()
                    clock.handedOver(message.frame.kind)
                    if process.withLock({ $0.isCancelled }) { return .overdue }
                }
            } catch {
                return error == .flooded ? .flooded : .garbled
            }
        }
    }

    private func spawn(
        _ executable: String,
        argument: String,
        input: Int32,
        output: inout Int32
    ) -> Result<pid_t, SheetReaderError> {
        var child: pid_t = 0
        let code = reader_spawn(executable, argument, input, &child, &output)
        guard code == 0 else {
            return .failure(.cannotStart(executable: executable, reason: String(cString: strerror(code))))
        }
        return .success(child)
    }
}

/// A reader's time: the wall limit until its report, then anew for each picture, and a bound on the sum.
/// Time that the supervisor itself takes with a frame does not count.
struct ReaderClock {
    private let limit: Double
    private let limitOfAll: Double
    private var stretch = 0.0
    private var all = 0.0
    private var last = ReaderClock.now

    init(limits: ReaderLimits, grace: Double, drawingFactor: Int) {
        limit = Double(limits.wallSeconds) + grace
        limitOfAll = Double(limits.wallSeconds * drawingFactor) + grace
    }

    private static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

    var hasTime: Bool { stretch < limit && all < limitOfAll }

    mutating func tick() {
        let now = Self.now
        stretch += now - last
        all += now - last
        last = now
    }

    mutating func handedOver(_ kind: ReaderFrame.Kind) {
        last = Self.now
        if kind == .report || kind == .preview { stretch = 0 }
    }
}
