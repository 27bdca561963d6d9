// SPDX-License-Identifier: Apache-2.0
import CSpawn
import Foundation

/// Wakes a thread that waits on a descriptor.
final class WakeupPipe: Sendable {
    private let ends: (reading: Int32, writing: Int32)

    init(for executable: String) throws(SheetReaderError) {
        var ends: [Int32] = [-1, -1]
        let failure = cspawn_pipe(&ends)
        guard failure == 0 else {
            throw .cannotStart(executable: executable, reason: String(cString: strerror(failure)))
        }
        self.ends = (ends[0], ends[1])
    }

    /// Never after `close`.
    func wake() {
        var one: UInt8 = 1
        _ = write(ends.writing, &one, 1)
    }

    /// Until it is woken, for so many seconds, or until something stirs on `output`: false then.
    func wait(seconds: Double, watching output: Int32) -> Bool {
        let deadline = DispatchTime.now().uptimeNanoseconds + UInt64(max(0, seconds) * 1e9)
        while true {
            let now = DispatchTime.now().uptimeNanoseconds
            guard now < deadline else { return true }
            var waited = [
                pollfd(fd: ends.reading, events: Int16(POLLIN), revents: 0),
                pollfd(fd: output, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&waited, 2, Int32(clamping: (deadline - now) / 1_000_000 + 1)) > 0 else { continue }
            if waited[1].revents != 0 { return false }
            var drained = [UInt8](repeating: 0, count: 16)
            if waited[0].revents != 0, read(ends.reading, &drained, drained.count) > 0 { return true }
        }
    }

    func close() {
        Foundation.close(ends.reading)
        Foundation.close(ends.writing)
    }
}
