// SPDX-License-Identifier: Apache-2.0
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

#if DEBUG
    import Synchronization
#endif

/// A step between two changes of a library, at which a test may end the process as a power cut would. Whatever changes
/// files goes through `AtomicFile`, `PartialFile` and `FileLock`, and so through here. Release builds have none of it.
package enum FaultPoint {
    /// The variable with the number of the step to die at, from 1.
    package static let variable = "SHEETS_FAULT_AT"
    /// The variable with the name of a file that gets a line for each step that was passed.
    package static let logVariable = "SHEETS_FAULT_LOG"

    #if DEBUG
        private static let passed = Mutex(0)
        private static let deadly = ProcessInfo.processInfo.environment[variable].flatMap { Int($0) }
        private static let log = ProcessInfo.processInfo.environment[logVariable]

        /// Passes a step, or ends the process there.
        package static func pass(_ step: @autoclosure () -> String) {
            guard deadly != nil || log != nil else { return }
            passed.withLock { passed in
                passed += 1
                if let log, let file = fopen(log, "a") {
                    fputs(step() + "\n", file)
                    fclose(file)
                }
                // Not `exit`: nothing may be tidied up on the way out.
                if passed == deadly { kill(getpid(), SIGKILL) }
            }
        }

        /// Passes a step, if it is one: that of making a file which may be there.
        static func passMaking(_ path: String) {
            if access(path, F_OK) != 0 { pass("make \(path)") }
        }
    #else
        @inline(__always)
        package static func pass(_ step: @autoclosure () -> String) {}
        @inline(__always)
        static func passMaking(_ path: String) {}
    #endif
}
