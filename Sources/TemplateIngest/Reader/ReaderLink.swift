// SPDX-License-Identifier: Apache-2.0
import CSpawn
import Foundation
import IngestWire

/// What a reader is started with.
struct ReaderStart: Sendable {
    var executable: String
    var terms: ReaderStartOptions
    /// How long it may stand idle before it is ended.
    var idleSeconds: Double
    /// Is told what the kernel refused the sandbox.
    var onMissing: @Sendable ([String]) -> Void
}

/// The supervisor's side of a reader process: its socket for files, its output, its number. Used on one thread.
struct ReaderLink {
    /// What came next.
    enum Arrival {
        case frame(ReaderFrame, [UInt8])
        /// Nothing more will come: the reader closed its output by itself, or the reason why it must go.
        case over(ReaderEnd?)
    }

    let child: pid_t
    let output: Int32
    private let requests: Int32
    private var parser = FrameParser(maximumBytes: Self.maximumReadyBytes)
    private var piece = [UInt8](repeating: 0, count: 1 << 16)
    private var reapedAs: ReaderEnd?

    private static let maximumReadyBytes = 4096

    init(_ start: ReaderStart) throws(SheetReaderError) {
        guard let terms = try? JSONEncoder().encode(start.terms) else { throw .incompatibleReader }
        var sockets: [Int32] = [-1, -1]
        var pipes: [Int32] = [-1, -1]
        var failure = cspawn_socket_pair(&sockets)
        if failure == 0 { failure = cspawn_pipe(&pipes) }
        var child: pid_t = 0
        if failure == 0 {
            failure = ChildSession.start(
                [start.executable, "--serve", String(decoding: terms, as: UTF8.self)],
                [sockets[1], pipes[1], -1], &child)
        }
        for theirs in [sockets[1], pipes[1]] where theirs >= 0 { close(theirs) }
        guard failure == 0 else {
            for ours in [sockets[0], pipes[0]] where ours >= 0 { close(ours) }
            throw .cannotStart(executable: start.executable, reason: String(cString: strerror(failure)))
        }
        self.child = child
        requests = sockets[0]
        output = pipes[0]
    }

    /// Hands a file to the reader; false when the reader is gone.
    func send(_ message: [UInt8], _ file: Int32) -> Bool {
        message.count <= ReaderStartOptions.maximumRequestBytes
            && cspawn_send(requests, message, message.count, file) == 0
    }

    /// From here on frames belong to a new answer of at most so many bytes.
    mutating func beginAnswer(maximumBytes: Int) {
        parser = FrameParser(maximumBytes: maximumBytes)
    }

    /// Whether there is more than the frames that were taken.
    var hasMore: Bool { !parser.isEmpty }

    /// The next whole frame, however long it takes while the clock has time.
    mutating func next(_ clock: inout ReaderClock) -> Arrival {
        while true {
            do {
                if let message = try parser.next() { return .frame(message.frame, message.payload) }
                guard let count = receive(&clock) else { return .over(.overdue) }
                if count == 0 { return .over(nil) }
                if count < 0 { return .over(.garbled) }
                try parser.append(piece[..<count])
            } catch {
                return .over(error == .flooded ? .flooded : .garbled)
            }
        }
    }

    /// Reads a piece: its size, 0 at the end, negative on failure, `nil` when time is up.
    private mutating func receive(_ clock: inout ReaderClock) -> Int? {
        while clock.hasTime {
            var waited = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            let ready = poll(&waited, 1, 100)
            clock.tick()
            if ready <= 0 {
                // Somebody else may hold the output open after the reader is gone.
                if cspawn_has_ended(child) { Foundation.kill(-child, SIGKILL) }
                continue
            }
            let count = piece.withUnsafeMutableBytes { read(output, $0.baseAddress, $0.count) }
            if count >= 0 || errno != EINTR { return count }
        }
        return nil
    }

    /// Memory that the reader holds right now, or 0 where that cannot be told.
    var residentBytes: Int {
        guard let text = try? String(contentsOfFile: "/proc/\(child)/statm", encoding: .utf8) else { return 0 }
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return 0 }
        return pages * Int(getpagesize())
    }

    /// Kills the reader and everything it started.
    func kill() {
        Foundation.kill(-child, SIGKILL)
    }

    /// A reader that closed its output is about to exit; one that does not is killed after a moment.
    func waitForExit() {
        for _ in 0..<1000 where reapedAs == nil {
            if cspawn_has_ended(child) { return }
            usleep(1_000)
        }
    }

    /// Kills what is left of the process group, takes the reader's status and closes everything. Once.
    mutating func reap() -> ReaderEnd {
        if let reapedAs { return reapedAs }
        kill()
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        close(requests)
        close(output)
        let signal = status & 0x7f
        let end: ReaderEnd = signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
        reapedAs = end
        return end
    }
}
