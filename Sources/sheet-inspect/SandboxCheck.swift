// SPDX-License-Identifier: Apache-2.0
import CSandbox
import Glibc
import IngestWire
import PDFObjects

/// `sheet-inspect --check-sandbox`: tries each way out in a process of its own and says what happened.
enum SandboxCheck {
    static func run() -> Int32 {
        var isTight = true
        for number in 0..<sandbox_attempts.rawValue {
            let kind = sandbox_attempt_kind(rawValue: number)
            let name = String(cString: sandbox_attempt_name(kind))
            let outcome = attempt(kind)
            let isAsExpected =
                kind == sandbox_try_nothing ? outcome == .denied : outcome != .allowed && outcome != .noSandbox
            isTight = isTight && isAsExpected
            Output.write("\(outcome.rawValue): \(name)\n", to: STDOUT_FILENO)
        }
        return isTight ? 0 : 1
    }

    private enum Outcome: String {
        case denied
        case killed
        case allowed
        case noSandbox = "no sandbox"
    }

    private static func attempt(_ kind: sandbox_attempt_kind) -> Outcome {
        let child = sandbox_fork()
        if child == 0 {
            pdf_prepare(sandbox_keep_file)
            var walls = sandbox_limits(
                memory_bytes: 512 << 20,
                cpu_seconds: 1,
                cpu_seconds_at_most: 1,
                wall_seconds: 5,
                dies_with_parent: true,
                takes_files: false
            )
            guard sandbox_enter(&walls) == nil else { exit(ReaderEnd.unavailableExitCode) }
            exit(sandbox_attempt(kind) ? 1 : 0)
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        if status & 0x7f != 0 { return .killed }
        switch (status >> 8) & 0xff {
        case 0: return .denied
        case ReaderEnd.unavailableExitCode: return .noSandbox
        default: return .allowed
        }
    }
}
