// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Runs a blocking job on a thread of its own, away from Swift's cooperative ones.
func runOnOwnThread(_ job: @escaping @Sendable () -> Void) -> Bool {
    final class Box {
        let job: @Sendable () -> Void
        init(_ job: @escaping @Sendable () -> Void) { self.job = job }
    }
    let box = Unmanaged.passRetained(Box(job))
    var thread = pthread_t()
    let started = pthread_create(
        &thread,
        nil,
        { argument in
            if let argument { Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().job() }
            return nil
        },
        box.toOpaque()
    )
    guard started == 0 else {
        box.release()
        return false
    }
    pthread_detach(thread)
    return true
}
