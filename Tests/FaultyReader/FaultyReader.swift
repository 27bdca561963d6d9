// SPDX-License-Identifier: Apache-2.0
import CSandbox
import Foundation
import IngestWire
import SheetCore

/// Stands in for `sheet-inspect --serve` as one that a file has taken over: in the same sandbox, speaking the same
/// protocol, it does what the file's first word says. Any other file is a sheet of one page to it.
@main
struct FaultyReader {
    static func main() {
        guard CommandLine.arguments.count == 3, CommandLine.arguments[1] == "--serve",
            let terms = try? JSONDecoder().decode(ReaderStartOptions.self, from: Data(CommandLine.arguments[2].utf8))
        else { exit(ReaderEnd.usageExitCode) }
        var walls = sandbox_limits(
            memory_bytes: UInt64(terms.limits.memoryBytes),
            cpu_seconds: UInt32(terms.limits.cpuSeconds),
            cpu_seconds_at_most: UInt32(terms.limits.cpuSeconds * terms.files),
            wall_seconds: 0,
            dies_with_parent: true,
            takes_files: true
        )
        guard sandbox_enter(&walls) == nil else { exit(ReaderEnd.unavailableExitCode) }
        send(ReaderFrame(kind: .ready))
        while let (request, file) = receive() {
            sandbox_set_cpu_seconds(UInt32(request.limits.cpuSeconds))
            sandbox_set_alarm(UInt32(request.limits.wallSeconds))
            serve(file)
            sandbox_set_alarm(0)
        }
    }

    private static func receive() -> (ReaderRequest, Data)? {
        var bytes = [UInt8](repeating: 0, count: ReaderStartOptions.maximumRequestBytes)
        var descriptor: Int32 = -1
        let count = sandbox_receive(STDIN_FILENO, &bytes, bytes.count, &descriptor)
        guard count > 0, let request = try? JSONDecoder().decode(ReaderRequest.self, from: Data(bytes[..<count])) else {
            return nil
        }
        var content = Data(count: 1 << 16)
        let length = content.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        close(descriptor)
        return (request, content.prefix(max(0, length)))
    }

    private static func serve(_ file: Data) {
        switch String(decoding: file.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self) {
        case "crash": kill(getpid(), SIGSEGV); raise(SIGSEGV)
        case "abort": abort()
        case "hang": while true { usleep(100_000) }
        case "compute": _ = sandbox_attempt(sandbox_try_cpu)
        case "ponder":
            sandbox_limit_step(1_000)
            _ = sandbox_attempt(sandbox_try_cpu)
        case "flood": while true { send(ReaderFrame(kind: .progress, page: 0, pageCount: 1), Data(count: 1 << 16)) }
        case "eat": if !sandbox_attempt(sandbox_try_memory) { exit(ReaderEnd.memoryExitCode) }
        case "fork": attempt(sandbox_try_fork)
        case "exec": attempt(sandbox_try_exec)
        case "socket": attempt(sandbox_try_socket)
        case "read": attempt(sandbox_try_read_file)
        case "write": attempt(sandbox_try_write_file)
        case "signal": attempt(sandbox_try_signal_parent)
        case "later":
            answer(file)
            raise(SIGKILL)
        case "chatter":
            answer(file)
            usleep(20_000)
            send(ReaderFrame(kind: .end))
        default: answer(file)
        }
    }

    /// Whoever got out would pretend that nothing happened.
    private static func attempt(_ kind: sandbox_attempt_kind) {
        if sandbox_attempt(kind) { send(ReaderFrame(kind: .ready)) }
        exit(3)
    }

    private static func answer(_ file: Data) {
        let page = ReaderReport.Page(
            index: 0, width: 612, height: 792, rotation: 0, textCharacters: 0, formFields: 0, regions: [])
        let report = ReaderReport(
            verdict: .accepted, sha256: ContentHash(hashing: file), bytes: file.count, pageCount: 1, findings: [],
            pages: [page])
        send(ReaderFrame(kind: .report), (try? JSONEncoder().encode(report)) ?? Data())
        send(ReaderFrame(kind: .end))
    }

    private static func send(_ frame: ReaderFrame, _ payload: Data = Data()) {
        var frame = frame
        frame.bytes = payload.count
        guard let head = try? JSONEncoder().encode(frame) else { return }
        var rest = head + Data("\n".utf8) + payload
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 else { exit(1) }
            rest = Data(rest.dropFirst(count))
        }
    }
}
