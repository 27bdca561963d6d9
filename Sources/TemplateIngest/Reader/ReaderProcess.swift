// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import Synchronization

/// One reader that reads file after file, and the thread that starts it, listens to it and reaps it: the reader asks
/// the kernel to die with the thread that started it, so that thread must live as long, and waiting must not block
/// Swift's own threads. The process is ours alone until the thread has taken its status, so no signal goes astray.
final class ReaderProcess: Sendable {
    /// Why the thread's work comes to its end.
    private enum Ending {
        /// Nobody wants it any longer.
        case retired
        /// It left, or has to.
        case early(ReaderEnd?)
        case failed(SheetReaderError)

        /// It closed its output, and its status will tell more.
        var isOwnEnd: Bool {
            if case .early(nil) = self { true } else { false }
        }
    }

    private struct State {
        /// The process, which leads a group of its own, from its start until it is reaped.
        var child: pid_t?
        var session: InspectionSession?
        var isRetired = false
        var hasEnded = false
        var filesRead = 0
        var bytesAtStart = 0
        var bytes = 0
    }

    let start: ReaderStart
    private let state = Mutex(State())
    private let wakeup: WakeupPipe

    /// How long a reader may take to put up its sandbox.
    private static let startSeconds = 15

    init(_ start: ReaderStart) throws(SheetReaderError) {
        self.start = start
        wakeup = try WakeupPipe(for: start.executable)
        let thread = Thread { [self] in live() }
        thread.name = "sheet-reader"
        thread.start()
    }

    /// How many files it has read to the end.
    var filesRead: Int { state.withLock { $0.filesRead } }

    /// Whether it may be given one more file.
    var isUsable: Bool { state.withLock { !$0.hasEnded && !$0.isRetired && $0.filesRead < start.terms.files } }

    /// How much more memory it holds than at its start, after its last file.
    var grownBytes: Int { state.withLock { max(0, $0.bytes - $0.bytesAtStart) } }

    /// Gives it a file; false when it is no longer there.
    func begin(_ session: InspectionSession) -> Bool {
        state.withLock { state in
            guard !state.hasEnded, !state.isRetired, state.session == nil else { return false }
            state.session = session
            wakeup.wake()
            return true
        }
    }

    /// Breaks a session off: kills the reader and everything it started. Too late for one that is over.
    func cancel(_ session: InspectionSession) {
        session.markCancelled()
        state.withLock { state in
            guard state.session === session else { return }
            state.isRetired = true
            if let child = state.child { kill(-child, SIGKILL) }
        }
    }

    /// Ends it, soon.
    func retire() {
        state.withLock { state in
            guard !state.hasEnded else { return }
            state.isRetired = true
            wakeup.wake()
        }
    }

    // MARK: - On the thread

    private func live() {
        var link: ReaderLink
        do throws(SheetReaderError) {
            link = try ReaderLink(start)
        } catch {
            leave(.failed(error))
            return
        }
        let isWanted = state.withLock { state in
            state.child = link.child
            return !state.isRetired
        }
        var ending: Ending? = isWanted ? awaitReady(&link) : .retired
        while ending == nil { ending = serveNext(&link) }
        let status = reap(&link, waits: ending?.isOwnEnd ?? false)
        if case .early(nil) = ending { ending = .early(status) }
        leave(ending ?? .retired)
    }

    private func awaitReady(_ link: inout ReaderLink) -> Ending? {
        var clock = ReaderClock(wallSeconds: Self.startSeconds)
        switch link.next(&clock) {
        case .frame(let frame, _) where frame.kind == .ready && frame.bytes == 0 && !link.hasMore:
            if let missing = frame.missing { start.onMissing(missing) }
            let bytes = link.residentBytes
            state.withLock { $0.bytesAtStart = bytes }
            return nil
        case .frame, .over(.garbled?), .over(.flooded?): return .failed(.incompatibleReader)
        case .over(.overdue?): return .failed(cannotStart("it is not ready after \(Self.startSeconds) seconds"))
        case .over(let end?): return .failed(cannotStart(end.summary))
        case .over(nil):
            let status = reap(&link, waits: true)
            switch status {
            case .exited(ReaderEnd.unavailableExitCode): return .failed(.noSandbox)
            case .exited(ReaderEnd.usageExitCode): return .failed(.incompatibleReader)
            default: return .failed(cannotStart("it ended at once (\(status.summary))"))
            }
        }
    }

    private func cannotStart(_ reason: String) -> SheetReaderError {
        .cannotStart(executable: start.executable, reason: reason)
    }

    /// Waits for a file and has it read. A reader that speaks or ends without being asked is done with.
    private func serveNext(_ link: inout ReaderLink) -> Ending? {
        let isQuiet = wakeup.wait(seconds: start.idleSeconds, watching: link.output)
        let (session, isRetired) = state.withLock { ($0.session, $0.isRetired) }
        if isRetired { return .retired }
        guard isQuiet else { return .early(.garbled) }
        guard let session else { return .retired }
        guard link.send(session.message, session.input) else { return .early(.garbled) }
        if let end = listen(to: &link, for: session) { return end }
        let bytes = link.residentBytes
        state.withLock { state in
            state.session = nil
            state.filesRead += 1
            state.bytes = bytes
        }
        session.finish(.answered)
        return nil
    }

    /// Hands frames over until the answer is whole; otherwise why the reader must go.
    private func listen(to link: inout ReaderLink, for session: InspectionSession) -> Ending? {
        session.markSeen()
        link.beginAnswer(maximumBytes: session.limits.outputBytes)
        var clock = ReaderClock(wallSeconds: session.limits.wallSeconds)
        while true {
            switch link.next(&clock) {
            case .over(let end): return .early(end)
            case .frame(let frame, let payload):
                session.hand(over: frame, payload)
                clock.handedOver(frame.kind)
                if session.isCancelled { return .early(.overdue) }
                guard frame.kind == .end else { continue }
                return link.hasMore ? .early(.garbled) : nil
            }
        }
    }

    /// Kills what is left of the process group and takes the reader's status. Until that is done the number is its own.
    private func reap(_ link: inout ReaderLink, waits: Bool) -> ReaderEnd {
        if waits { link.waitForExit() }
        return state.withLock { state in
            state.child = nil
            return link.reap()
        }
    }

    private func leave(_ ending: Ending) {
        let session = state.withLock { state in
            state.hasEnded = true
            wakeup.close()
            defer { state.session = nil }
            return state.session
        }
        switch ending {
        case _ where session?.isCancelled == true: session?.finish(.ended(.overdue))
        case .failed(let error): session?.finish(.failed(error))
        case .early(let end?) where session?.isSeen == true: session?.finish(.ended(end))
        default: session?.finish(.unseen)
        }
    }
}
