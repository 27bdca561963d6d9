// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc

/// Writing a copy so that it is there whole or not at all.
enum AtomicCopy {
    /// A file without a name, open for reading and writing, that ends with its descriptor; -1 when there is none.
    static func nameless(holding bytes: [UInt8]) -> Int32 {
        var name = Array("\(FileManager.default.temporaryDirectory.path)/sheet-inspect-XXXXXX".utf8CString)
        let descriptor = mkstemp(&name)
        guard descriptor >= 0 else { return -1 }
        unlink(name)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        guard Output.write(bytes, to: descriptor) else {
            close(descriptor)
            return -1
        }
        return descriptor
    }

    /// True when the file is on disk under its name.
    static func write(_ bytes: [UInt8], to path: String) -> Bool {
        let partial = "\(path).partial-\(getpid())"
        let descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return false }
        let isWritten = Output.write(bytes, to: descriptor) && fsync(descriptor) == 0
        let isClosed = close(descriptor) == 0
        guard isWritten, isClosed, rename(partial, path) == 0 else {
            unlink(partial)
            return false
        }
        return true
    }
}
