// SPDX-License-Identifier: Apache-2.0
import CSpawn
import Foundation
import IngestWire

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
    private var buriedAs: ReaderEnd?

    private static let maximumReadyBytes = 4096

    /// Starts a reader.
    init(_ start: ReaderProcess.Start) throws(SheetReaderError) {
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
        message.count <= ReaderTerms.maximumRequestBytes && cspawn_send(requests, message, message.count, file) == 0
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
        for _ in 0..<1000 where buriedAs == nil {
            if cspawn_has_ended(child) { return }
            usleep(1_000)
        }
    }

    /// Kills what is left of the process group, takes the reader's status and closes everything. Once.
    mutating func bury() -> ReaderEnd {
        if let buriedAs { return buriedAs }
        kill()
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        close(requests)
        close(output)
        let signal = status & 0x7f
        let end: ReaderEnd = signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
        buriedAs = end
        return end
    }
}

/// Wakes a thread that waits on a descriptor.
final class Bell: Sendable {
    private let ends: (hears: Int32, rings: Int32)

    init(for executable: String) throws(SheetReaderError) {
        var ends: [Int32] = [-1, -1]
        let failure = cspawn_pipe(&ends)
        guard failure == 0 else {
            throw .cannotStart(executable: executable, reason: String(cString: strerror(failure)))
        }
        self.ends = (ends[0], ends[1])
    }

    /// Never after `close`.
    func ring() {
        var one: UInt8 = 1
        _ = write(ends.rings, &one, 1)
    }

    /// Until it rings, for so many seconds, or until something stirs on `output`: false then.
    func wait(seconds: Double, watching output: Int32) -> Bool {
        let deadline = DispatchTime.now().uptimeNanoseconds + UInt64(max(0, seconds) * 1e9)
        while true {
            let now = DispatchTime.now().uptimeNanoseconds
            guard now < deadline else { return true }
            var waited = [
                pollfd(fd: ends.hears, events: Int16(POLLIN), revents: 0),
                pollfd(fd: output, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&waited, 2, Int32(clamping: (deadline - now) / 1_000_000 + 1)) > 0 else { continue }
            if waited[1].revents != 0 { return false }
            var rung = [UInt8](repeating: 0, count: 16)
            if waited[0].revents != 0, read(ends.hears, &rung, rung.count) > 0 { return true }
        }
    }

    func close() {
        Foundation.close(ends.hears)
        Foundation.close(ends.rings)
    }
}
