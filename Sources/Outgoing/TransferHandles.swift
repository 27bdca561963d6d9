// SPDX-License-Identifier: Apache-2.0
import CCurl
import Synchronization

/// Handles of curl that nobody uses at the moment, each with the connections that it has opened.
final class TransferHandles: Sendable {
    /// curl's handles are used by one thread at a time: whoever has taken it.
    private struct Handle: @unchecked Sendable {
        let pointer: UnsafeMutableRawPointer
    }

    private let capacity: Int
    private let idle = Mutex<[Handle]>([])

    init(capacity: Int) {
        self.capacity = capacity
    }

    deinit {
        idle.withLock { handles in
            for handle in handles { curl_easy_cleanup(handle.pointer) }
        }
    }

    /// The handle that was used last: its connection is the likeliest to be open still.
    func take() -> UnsafeMutableRawPointer? {
        idle.withLock { $0.popLast() }?.pointer
    }

    /// Forgets what was asked, and keeps the connections.
    func giveBack(_ pointer: UnsafeMutableRawPointer) {
        curl_easy_reset(pointer)
        let handle = Handle(pointer: pointer)
        let isKept = idle.withLock { handles in
            guard handles.count < capacity else { return false }
            handles.append(handle)
            return true
        }
        if !isKept { curl_easy_cleanup(pointer) }
    }
}
