// SPDX-License-Identifier: Apache-2.0
import CSandbox
import FoundationEssentials
import Glibc
import IngestWire

/// `sheet-inspect --serve TERMS`: a reader that stands ready in its sandbox and reads one file after the other.
struct InspectionService {
    let terms: ReaderStartOptions

    /// Exit code of the process.
    func run() -> Int32 {
        if let failed = FileCleaning.prepare() {
            Output.write("sheet-inspect: no clean copies: \(failed)\n", to: STDERR_FILENO)
            return ReaderEnd.unavailableExitCode
        }
        let files = max(1, terms.files)
        let most = files * ReaderStartOptions.cpuSecondsAtMost(terms.limits)
        let failed = InspectionProcess.enterSandbox(terms.limits, cpuSecondsAtMost: most, takesFiles: true)
        guard failed == nil else { return ReaderEnd.unavailableExitCode }
        sandbox_set_alarm(0)
        FrameWriter(descriptor: STDOUT_FILENO).send(ReaderFrame(kind: .ready, missing: Self.missing))
        for _ in 0..<files {
            switch Self.receive() {
            case .file(let request, let descriptor):
                // What the file before left behind must not be taken for this one's.
                errno = 0
                sandbox_set_cpu_seconds(UInt32(clamping: request.limits.cpuSeconds))
                sandbox_set_alarm(UInt32(clamping: request.limits.wallSeconds))
                let process = InspectionProcess(request: request, input: descriptor, output: STDOUT_FILENO)
                guard process.answer() else { return ReaderEnd.unavailableExitCode }
                close(descriptor)
                sandbox_set_alarm(0)
            case .nothingMore: return 0
            case .nonsense: return ReaderEnd.usageExitCode
            }
        }
        return 0
    }

    /// What the kernel refused; nothing on a machine that is set up well.
    private static var missing: [String]? {
        var names: [String] = []
        while let name = sandbox_missing(names.count) { names.append(String(cString: name)) }
        return names.isEmpty ? nil : names
    }

    private enum Message {
        case file(ReaderRequest, descriptor: Int32)
        case nothingMore
        case nonsense
    }

    private static func receive() -> Message {
        var bytes = [UInt8](repeating: 0, count: ReaderStartOptions.maximumRequestBytes)
        var descriptor: Int32 = -1
        let count = bytes.withUnsafeMutableBytes {
            sandbox_receive(STDIN_FILENO, $0.baseAddress, $0.count, &descriptor)
        }
        if count == 0 { return .nothingMore }
        guard count > 0, descriptor >= 0,
            let request = try? JSONDecoder().decode(ReaderRequest.self, from: Data(bytes[..<count]))
        else { return .nonsense }
        return .file(request, descriptor: descriptor)
    }
}
