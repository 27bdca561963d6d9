// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A lock that ends with the process, however it dies.
final class BackupLock: Sendable {
    private let descriptor: Int32

    init(_ file: URL) throws {
        descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure("\(file.path) cannot be written: \(String(cString: strerror(errno)))")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw CommandFailure("Another run works on \(file.deletingLastPathComponent().path); wait for its end.")
        }
    }

    deinit { close(descriptor) }
}
