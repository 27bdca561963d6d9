// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A clock that nobody sets. Swift's own brings its scheduler along, which takes each start longer.
enum MonotonicClock {
    static var milliseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
