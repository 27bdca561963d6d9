// SPDX-License-Identifier: Apache-2.0
import CSandbox
import Foundation
import IngestWire
import SheetCore

/// `sheet-inspect FILE`: a child in the sandbox reads, this process waits, judges how the child ended, and prints.
struct DirectRun {
    let options: Invocation.FileOptions

    /// Somebody waits at a terminal: shorter than what a server grants.
    private static let patienceSeconds = 13

    func run() -> Int32 {
        let file = open(options.path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            return fail("cannot open \(options.path): \(String(cString: strerror(errno)))")
        }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return fail("\(options.path) is not a regular file")
        }
        var request = ReaderRequest(wantsText: options.withText, previewWidths: [])
        request.limits.wallSeconds = Self.patienceSeconds
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return fail("no pipe: \(String(cString: strerror(errno)))") }
        let child = sandbox_fork()
        switch child {
        case ..<0:
            return fail("cannot fork: \(String(cString: strerror(errno)))")
        case 0:
            close(ends[0])
            Self.silence()
            exit(ReadingProcess(request: request, input: file, output: ends[1]).run())
        default:
            close(ends[1])
            return judge(child, request: request, file: file, answer: ends[0])
        }
    }

    /// Libraries below poppler write to standard error what nobody reads.
    private static func silence() {
        let null = open("/dev/null", O_WRONLY)
        if null >= 0 { dup2(null, STDERR_FILENO) }
    }

    private func fail(_ message: String) -> Int32 {
        Output.write("sheet-inspect: \(message)\n", to: STDERR_FILENO)
        return 66
    }

    private func judge(_ child: pid_t, request: ReaderRequest, file: Int32, answer: Int32) -> Int32 {
        var collected = AnswerCollector(limits: request.limits)
        let outcome = collected.collect(from: answer)
        close(answer)
        if outcome != nil { kill(child, SIGKILL) }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        let exitCode = status & 0x7f == 0 ? (status >> 8) & 0xff : nil
        if exitCode == ReaderEnd.unavailableExitCode { return fail("the sandbox could not be put up") }
        if let report = collected.report, outcome == nil, exitCode == 0 { return show(report) }
        let end = outcome ?? exitCode.map { $0 == 0 ? .garbled : .exited($0) } ?? .signalled(status & 0x7f)
        guard let hash = InputFile.hashInPieces(file) else { return fail("cannot read \(options.path)") }
        var information = stat()
        fstat(file, &information)
        return show(.refused(sha256: hash, bytes: Int(information.st_size), finding: end.finding))
    }

    private func show(_ report: ReaderReport) -> Int32 {
        guard let json = try? ReportEncoding.encoder(isPretty: options.isPretty).encode(report) else {
            return fail("cannot write the report")
        }
        return Output.write(Array(json) + [UInt8(ascii: "\n")], to: STDOUT_FILENO) ? 0 : 74
    }
}

/// Takes in a child's frames until it ends, within its limits.
struct AnswerCollector {
    let limits: ReaderLimits
    private(set) var report: ReaderReport?
    private var bytes: [UInt8] = []

    /// Largest report: an honest one has a few kilobytes a page.
    private static let maximumBytes = 64 << 20

    init(limits: ReaderLimits) {
        self.limits = limits
    }

    /// `nil` when the child closed its output by itself.
    mutating func collect(from descriptor: Int32) -> ReaderEnd? {
        // The child's own alarm comes first; this is for a child that lost it.
        let deadline = DispatchTime.now().uptimeNanoseconds + UInt64(limits.wallSeconds + 1) * 1_000_000_000
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let now = DispatchTime.now().uptimeNanoseconds
            guard now < deadline else { return .overdue }
            var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&waited, 1, Int32(clamping: (deadline - now) / 1_000_000 + 1))
            if ready <= 0 { continue }
            let count = piece.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { return finish() }
            if count < 0 { if errno == EINTR { continue } else { return .garbled } }
            bytes += piece[..<count]
            if bytes.count > Self.maximumBytes { return .flooded }
        }
    }

    private mutating func finish() -> ReaderEnd? {
        var rest = bytes[...]
        let decoder = JSONDecoder()
        while let line = rest.firstIndex(of: UInt8(ascii: "\n")) {
            guard let frame = try? decoder.decode(ReaderFrame.self, from: Data(rest[..<line])),
                frame.bytes >= 0, frame.bytes <= rest.endIndex - line - 1
            else { return nil }
            let payload = rest[(line + 1)..<(line + 1 + frame.bytes)]
            if frame.kind == .report { report = try? decoder.decode(ReaderReport.self, from: Data(payload)) }
            rest = rest[payload.endIndex...]
        }
        return nil
    }
}
