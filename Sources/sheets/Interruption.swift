// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// Ctrl-C while something long is under way: it stops at its next step, and takes away what it had begun to write. A second
/// one ends the program at once.
enum Interruption {
    private static let isWanted = Atomic<Bool>(false)
    private static let isWatched = Atomic<Bool>(false)

    /// Somebody wants it to stop.
    struct Stopped: Error {}

    /// Throws if it is to stop; signals are heard from the first call on.
    static func check() throws {
        if !isWatched.exchange(true, ordering: .relaxed) {
            for number in [SIGINT, SIGTERM, SIGHUP] { watch(number) }
        }
        if isWanted.load(ordering: .relaxed) { throw Stopped() }
    }

    private static func watch(_ number: Int32) {
        let before = signal(number) { number in
            Interruption.isWanted.store(true, ordering: .relaxed)
            signal(number, SIG_DFL)
        }
        // Whoever started it may want a signal ignored, as nohup does.
        func bits(_ handler: sighandler_t?) -> Int { unsafeBitCast(handler, to: Int.self) }
        if bits(before) == bits(SIG_IGN) { signal(number, SIG_IGN) }
    }
}
