// SPDX-License-Identifier: Apache-2.0
import CSandbox
import FoundationEssentials
import Glibc
import IngestWire
import SheetCore

/// One reading of an open file by a child in the sandbox, waited for and judged by how it ended.
struct SandboxedChild {
    var request: ReaderRequest
    let file: Int32
    var overlayPage: Int?

    /// What keeps a child from working that is not the file's fault.
    struct Failure: Error {
        let message: String
    }

    struct Answer {
        var report: ReaderReport
        /// Whether the child came to its end as it should.
        var isWhole: Bool
        var looks: [PageLook] = []
        var cleaning: CleaningReport?
        var cleaned: [UInt8]?
        var overlay: OverlayPicture?
    }

    /// Most sheets carry their fonts: where nothing speaks against it, it is tried without those of the machine first.
    func read() throws(Failure) -> Answer {
        var full = self
        if steps == 1, !FontNeed.isLikely(file) {
            let began = MonotonicClock.milliseconds
            var attempt = self
            attempt.request.limits.cpuSeconds = Self.attemptSeconds
            attempt.request.limits.wallSeconds = Self.attemptSeconds
            let end = try attempt.run(withFonts: false)
            if !end.isInconclusive { return try judged(end) }
            let spent = Int((MonotonicClock.milliseconds - began) / 1_000)
            full.request.limits.wallSeconds = max(1, request.limits.wallSeconds - spent)
        }
        return try full.judged(full.run(withFonts: true))
    }

    /// Longest attempt without fonts. What needs them, or more time, is read once more with what is left.
    private static let attemptSeconds = 1

    private func run(withFonts hasFonts: Bool) throws(Failure) -> End {
        guard lseek(file, 0, SEEK_SET) == 0 else { throw Failure(message: "cannot read the file") }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failure(message: "no pipe: \(String(cString: strerror(errno)))") }
        let child = sandbox_fork()
        switch child {
        case ..<0:
            throw Failure(message: "cannot fork: \(String(cString: strerror(errno)))")
        case 0:
            close(ends[0])
            Self.silence()
            var process = InspectionProcess(request: request, input: file, output: ends[1])
            process.overlayPage = overlayPage
            process.isAlone = true
            process.lacksFonts = !hasFonts
            if overlayPage != nil { OverlayDrawing()?.prepare() }
            _exit(process.run())
        default:
            close(ends[1])
            return end(of: child, answer: ends[0])
        }
    }

    /// Libraries below poppler write to standard error what nobody reads.
    private static func silence() {
        let null = open("/dev/null", O_WRONLY)
        if null >= 0 { dup2(null, STDERR_FILENO) }
    }

    /// How a child ended.
    private struct End {
        var outcome: ReaderEnd?
        var exitCode: Int32?
        var signal: Int32
        var answer: Answer?

        /// Whether an attempt without fonts says nothing of the file.
        var isInconclusive: Bool {
            if let outcome { return outcome == .overdue }
            return exitCode == ReaderEnd.fontsExitCode || signal == SIGALRM || signal == SIGXCPU || signal == SIGKILL
        }
    }

    private func end(of child: pid_t, answer: Int32) -> End {
        var collected = AnswerCollector(limits: request.limits, steps: steps)
        let outcome = collected.collect(from: answer)
        close(answer)
        if outcome != nil { kill(child, SIGKILL) }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7f
        return End(
            outcome: outcome, exitCode: signal == 0 ? (status >> 8) & 0xff : nil, signal: signal,
            answer: collected.answer)
    }

    private func judged(_ end: End) throws(Failure) -> Answer {
        if end.exitCode == ReaderEnd.unavailableExitCode { throw Failure(message: "the sandbox could not be put up") }
        if end.outcome == nil, end.exitCode == 0, let whole = end.answer { return whole }
        let cause = end.outcome ?? end.exitCode.map { $0 == 0 ? .garbled : .exited($0) } ?? .signalled(end.signal)
        guard let hash = InputFile.hashInPieces(file) else { throw Failure(message: "cannot read the file") }
        var information = stat()
        fstat(file, &information)
        let report = ReaderReport.refused(sha256: hash, bytes: Int(information.st_size), finding: cause.finding)
        return Answer(report: report, isWhole: false)
    }

    /// How many times over the wall limit may be used up; once by a report alone.
    private var steps: Int {
        1 + (request.wantsProof ? 1 : 0) + (request.clean ? 1 : 0) + (overlayPage == nil ? 0 : 1)
    }
}

/// Takes in a child's frames until it ends, within its limits.
struct AnswerCollector {
    let limits: ReaderLimits
    let steps: Int
    private(set) var answer: SandboxedChild.Answer?
    private var bytes: [UInt8] = []

    init(limits: ReaderLimits, steps: Int) {
        self.limits = limits
        self.steps = steps
    }

    /// `nil` when the child closed its output by itself.
    mutating func collect(from descriptor: Int32) -> ReaderEnd? {
        // The child's own alarm comes first; this is for a child that lost it.
        let deadline = MonotonicClock.milliseconds + Int64(limits.wallSeconds * steps + 1) * 1_000
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let left = deadline - MonotonicClock.milliseconds
            guard left > 0 else { return .overdue }
            var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&waited, 1, Int32(clamping: left))
            if ready <= 0 { continue }
            let count = piece.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 {
                finish()
                return nil
            }
            if count < 0 { if errno == EINTR { continue } else { return .garbled } }
            bytes += piece[..<count]
            if bytes.count > limits.outputBytes { return .flooded }
        }
    }

    /// Reads frames up to the first one that makes no sense: the answer is then not whole, which its reader sees.
    private mutating func finish() {
        var rest = bytes[...]
        let decoder = JSONDecoder()
        while let line = rest.prefix(ReaderFrame.maximumHeadBytes).firstIndex(of: UInt8(ascii: "\n")) {
            guard let frame = try? decoder.decode(ReaderFrame.self, from: Data(rest[..<line])),
                frame.bytes >= 0, frame.bytes <= rest.endIndex - line - 1
            else { return }
            let payload = rest[(line + 1)..<(line + 1 + frame.bytes)]
            take(frame, payload, decoder)
            rest = rest[payload.endIndex...]
        }
    }

    private mutating func take(_ frame: ReaderFrame, _ payload: ArraySlice<UInt8>, _ decoder: JSONDecoder) {
        switch frame.kind {
        case .report:
            guard let report = try? decoder.decode(ReaderReport.self, from: Data(payload)) else { return }
            answer = SandboxedChild.Answer(report: report, isWhole: false)
        case .look:
            guard let page = frame.page, let width = frame.width, let height = frame.height,
                let look = PageLook(page: page, width: width, height: height, grey: Array(payload))
            else { return }
            answer?.looks.append(look)
        case .cleaning:
            guard let report = try? decoder.decode(CleaningReport.self, from: Data(payload)), report.isPlausible
            else { return }
            answer?.cleaning = report
        case .cleaned: answer?.cleaned = Array(payload)
        case .overlay:
            answer?.overlay = OverlayPicture(width: frame.width ?? 0, height: frame.height ?? 0, pixels: Array(payload))
        case .end: answer?.isWhole = true
        case .ready, .progress, .preview, .difference, .portrait, .portraitRefused: break
        }
    }
}
