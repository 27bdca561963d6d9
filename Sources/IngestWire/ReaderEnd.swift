// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// How a reader ended without a whole answer. Whatever the file did to it, the finding says so.
package enum ReaderEnd: Sendable, Equatable {
    /// It exited with this code.
    case exited(Int32)
    /// A signal ended it.
    case signalled(Int32)
    /// It was still running when its time was up, and was killed.
    case overdue
    /// It wrote more than it may, and was killed.
    case flooded
    /// What it wrote is not what was agreed.
    case garbled

    /// Exit code of a reader whose memory ran out.
    package static let memoryExitCode: Int32 = 71
    /// Exit code of a reader that could not put up its sandbox: nobody's fault but the machine's.
    package static let unavailableExitCode: Int32 = 69
    /// Exit code of a reader that was started without the fonts of the machine, and needs them for this file.
    package static let fontsExitCode: Int32 = 72
    /// Exit code of a reader that took too long for a step within which it cannot give up.
    package static let longStepExitCode: Int32 = 73
    /// Exit code for a request that was not understood.
    package static let usageExitCode: Int32 = 64

    /// The refusal that this end means for the file.
    package var finding: Finding {
        switch self {
        case .overdue: Self.time
        case .flooded:
            Finding(.tooComplex, .blocker, message: "Reading the file gave far more output than a sheet can.")
        case .garbled: Self.failed
        case .exited(Self.memoryExitCode): Self.memory
        case .exited(Self.longStepExitCode):
            Finding(.tooComplex, .blocker, message: "Reading the file takes far longer than a sheet can need.")
        case .exited: Self.failed
        case .signalled(let signal): Self.finding(forSignal: signal)
        }
    }

    private static let time = Finding(
        .timeLimit,
        .blocker,
        message: "Reading the file took longer than allowed. Simplify it and try again."
    )
    private static let memory = Finding(
        .memoryLimit,
        .blocker,
        message: "Reading the file took more memory than allowed. Simplify it and try again."
    )
    private static let failed = Finding(
        .malformed,
        .blocker,
        message: "The file could not be read to its end. Export it again and try once more."
    )

    /// Numbers as on Linux, where the reader runs.
    private static func finding(forSignal signal: Int32) -> Finding {
        switch signal {
        case 14, 24: time  // SIGALRM, SIGXCPU
        case 9: memory  // SIGKILL that the supervisor did not send: the kernel, short of memory
        default: failed
        }
    }
}
