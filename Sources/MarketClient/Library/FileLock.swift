// SPDX-License-Identifier: Apache-2.0
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// An exclusive lock on a file that is never deleted. The system frees it when the process ends, however it ends.
package final class FileLock: Sendable {
    private let file: Int32

    private init(file: Int32) {
        self.file = file
    }

    deinit {
        close(file)
    }

    /// Takes the lock if nobody has it.
    static func take(_ path: String) throws -> FileLock? {
        FaultPoint.passMaking(path)
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw AtomicFile.failure("open", path) }
        while flock(file, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            let busy = errno == EWOULDBLOCK
            let failure = AtomicFile.failure("lock", path)
            close(file)
            if busy { return nil }
            throw failure
        }
        return FileLock(file: file)
    }

    /// Shares a file that is there with others who hold it; `nil` where there is none. Needs no right to write.
    static func share(_ path: String) -> FileLock? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        while flock(file, LOCK_SH) != 0 {
            // A file system without locks has nobody clean it, either.
            if errno != EINTR { break }
        }
        return FileLock(file: file)
    }

    /// Whether somebody shares the file.
    static func isShared(_ path: String) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// Waits for the lock without holding up a thread; `onWait` is told once when it takes more than a moment.
    package static func wait(
        for path: String, atMost limit: Duration, onWait: @Sendable () -> Void = {}
    ) async throws -> FileLock {
        let start = ContinuousClock.now
        var told = false
        var pause = Duration.milliseconds(1)
        while true {
            if let lock = try take(path) { return lock }
            let waited = ContinuousClock.now - start
            guard waited < limit else { throw LibraryError.busy(path: path) }
            if !told && waited > .milliseconds(500) {
                told = true
                onWait()
            }
            try await Task.sleep(for: pause)
            // Most locks are held for a moment only, a few for as long as a download takes.
            pause = min(pause * 2, .milliseconds(25))
        }
    }
}
