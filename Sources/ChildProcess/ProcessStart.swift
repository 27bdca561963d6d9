// SPDX-License-Identifier: Apache-2.0
import Foundation

extension Process {
    /// Starts it with no signal blocked: `run()` hands on the mask of the calling thread, and the threads of Swift's
    /// concurrency block nearly all signals. Such a child could be ended by neither SIGTERM nor Ctrl-C.
    /// Throws what `run()` throws.
    package func start() throws {
        var none = sigset_t()
        var mask = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &mask)
        defer { pthread_sigmask(SIG_SETMASK, &mask, nil) }
        try run()
    }
}
