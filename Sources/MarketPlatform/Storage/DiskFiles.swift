// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

#if canImport(Glibc)
    // Where JWTKit comes along, `stat` is counted as CoreFoundation's.
    import CoreFoundation
    import Glibc
#else
    import Darwin
#endif

// System calls of `DiskStorage`. Everything here blocks and runs on its thread pool. Kept apart from files that
// import NIO, which brings its own `stat`.

/// A system call that failed.
struct SystemCallError: Error, CustomStringConvertible {
    let call: String
    let code: Int32

    /// Takes the code of the call that just failed.
    init(_ call: String) {
        self.call = call
        self.code = errno
    }

    var description: String { "\(call): \(String(cString: strerror(code)))" }

    var isMissing: Bool { code == ENOENT || code == ENOTDIR }
    var isPresent: Bool { code == EEXIST }

    /// As the users of storage know it.
    var storageError: StorageError {
        switch code {
        case ENOSPC, EDQUOT, EFBIG: .full
        default: .unavailable(description)
        }
    }
}

/// A file descriptor that is closed when its last owner lets go.
final class DiskFile: Sendable {
    let descriptor: Int32

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Makes a new file that nobody else has.
    static func creating(_ path: String) throws(SystemCallError) -> DiskFile {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else { throw SystemCallError("open") }
        return DiskFile(descriptor: descriptor)
    }

    /// Opens a file or folder for reading.
    static func reading(_ path: String) throws(SystemCallError) -> DiskFile {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw SystemCallError("open") }
        return DiskFile(descriptor: descriptor)
    }

    /// Marks the file as in use for as long as it is open, by this process or any other; `false` when it is already.
    func lock() -> Bool {
        flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(SystemCallError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = writeBytes(descriptor, rest.baseAddress, rest.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw SystemCallError("write")
            }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }

    /// Reads up to the buffer's size at `offset`; fewer bytes only at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemCallError) -> Int {
        var filled = 0
        while filled < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer.dropFirst(filled))
            let count = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + filled))
            if count < 0 {
                if errno == EINTR { continue }
                throw SystemCallError("read")
            }
            if count == 0 { break }
            filled += count
        }
        return filled
    }

    func synchronize() throws(SystemCallError) {
        while fsync(descriptor) != 0 {
            if errno != EINTR { throw SystemCallError("fsync") }
        }
    }

    /// Size and time of the last change.
    func status() throws(SystemCallError) -> (size: Int, changed: Date) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SystemCallError("fstat") }
        return (Int(status.st_size), status.changed)
    }

    /// Sets the time of the last change to now.
    func touch() {
        futimens(descriptor, nil)
    }
}

/// What `DiskStorage` does with paths.
enum DiskFolder {
    /// Makes a folder; `false` when it was there.
    @discardableResult
    static func make(_ path: String) throws(SystemCallError) -> Bool {
        if mkdir(path, 0o750) == 0 { return true }
        let error = SystemCallError("mkdir")
        guard error.isPresent else { throw error }
        return false
    }

    /// Makes what was created, renamed or removed in the folder durable.
    static func synchronize(_ path: String) throws(SystemCallError) {
        try DiskFile.reading(path).synchronize()
    }

    static func rename(_ old: String, to new: String) throws(SystemCallError) {
        guard renameFile(old, new) == 0 else { throw SystemCallError("rename") }
    }

    /// Removes a file; does nothing when there is none.
    static func unlink(_ path: String) throws(SystemCallError) {
        guard unlinkFile(path) != 0 else { return }
        let error = SystemCallError("unlink")
        guard error.isMissing else { throw error }
    }

    /// Size and time of the last change; `nil` when there is no such file.
    static func status(of path: String) throws(SystemCallError) -> (size: Int, changed: Date)? {
        var status = stat()
        guard lstat(path, &status) != 0 else { return (Int(status.st_size), status.changed) }
        let error = SystemCallError("stat")
        guard error.isMissing else { throw error }
        return nil
    }

    /// Names in the folder, in no order; empty when there is no such folder.
    static func names(in path: String) throws(SystemCallError) -> [String] {
        guard let folder = opendir(path) else {
            let error = SystemCallError("opendir")
            guard error.isMissing else { throw error }
            return []
        }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }
}

// The calls whose names our own methods take.
private func writeBytes(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(file, bytes, count) }
private func renameFile(_ old: String, _ new: String) -> Int32 { rename(old, new) }
private func unlinkFile(_ path: String) -> Int32 { unlink(path) }

extension stat {
    fileprivate var changed: Date {
        #if canImport(Glibc)
            Date(timeIntervalSince1970: Double(st_mtim.tv_sec) + Double(st_mtim.tv_nsec) * 1e-9)
        #else
            Date(timeIntervalSince1970: Double(st_mtimespec.tv_sec) + Double(st_mtimespec.tv_nsec) * 1e-9)
        #endif
    }
}
