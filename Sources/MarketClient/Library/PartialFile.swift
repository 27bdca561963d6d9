// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import SheetCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file that is still on its way: appended to, hashed as it grows, and moved into place once its hash is right.
///
/// `@unchecked Sendable`: one task at a time has it.
final class PartialFile: @unchecked Sendable {
    let path: String
    private let file: Int32
    private var hasher = SHA256()
    /// Bytes it has.
    private(set) var count = 0

    /// Opens what an earlier try left, or begins anew.
    init(path: String) throws {
        self.path = path
        FaultPoint.pass("open \(path)")
        var opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        if opened < 0, errno == EACCES {
            // An earlier try ended between sealing it and giving it its name.
            FaultPoint.pass("unseal \(path)")
            // Another user's cannot be written to, but where the folder is shared it can be taken away.
            if chmod(path, 0o644) != 0 { _ = unlink(path) }
            opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        }
        file = opened
        guard file >= 0 else { throw AtomicFile.failure("write", path) }
        try FileBytes.read(file, path: path) {
            hasher.update(bufferPointer: $0)
            count += $0.count
        }
    }

    deinit {
        close(file)
    }

    /// The SHA-256 of all its bytes.
    var hash: ContentHash { ContentHash(hasher.finalize()) }

    func append(_ data: Data) throws {
        try AtomicFile.writeAll(data, to: file, path: path)
        hasher.update(data: data)
        count += data.count
    }

    /// Forgets all bytes.
    func clear() throws {
        FaultPoint.pass("empty \(path)")
        guard ftruncate(file, 0) == 0, lseek(file, 0, SEEK_SET) == 0 else { throw AtomicFile.failure("empty", path) }
        hasher = SHA256()
        count = 0
    }

    /// Makes its bytes last, readable and no longer writable, so that it can be given its final name.
    func seal() throws {
        FaultPoint.pass("protect \(path)")
        guard fchmod(file, 0o444) == 0 else { throw AtomicFile.failure("write", path) }
        try AtomicFile.flush(file, path: path)
    }
}

/// Reading files in bounded pieces.
enum FileBytes {
    static let chunkBytes = 256 << 10

    static func read(_ file: Int32, path: String, _ take: (UnsafeRawBufferPointer) -> Void) throws {
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkBytes, alignment: 16)
        defer { chunk.deallocate() }
        while true {
            let count = posixRead(file, chunk)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw AtomicFile.failure("read", path) }
            if count == 0 { return }
            take(UnsafeRawBufferPointer(rebasing: chunk[..<count]))
        }
    }

    /// The SHA-256 and size of a file, or `nil` when there is none.
    static func hash(_ path: String) throws -> (hash: ContentHash, bytes: Int)? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw AtomicFile.failure("read", path)
        }
        defer { close(file) }
        var hasher = SHA256()
        var bytes = 0
        try read(file, path: path) {
            hasher.update(bufferPointer: $0)
            bytes += $0.count
        }
        return (ContentHash(hasher.finalize()), bytes)
    }

    /// What the system says of a name.
    struct Facts {
        let bytes: Int
        /// When its bytes changed last.
        let changedAt: Date
    }

    /// What the system says of a name itself, not of what it links to; `nil` where there is nothing. Foundation's
    /// attributes would cost a search for the owners' names as well.
    static func facts(_ path: String) -> Facts? {
        var info = stat()
        guard lstat(path, &info) == 0 else { return nil }
        let time = lastChange(info)
        let changedAt = Date(
            timeIntervalSince1970: TimeInterval(time.tv_sec) + TimeInterval(time.tv_nsec) / 1_000_000_000)
        return Facts(bytes: Int(info.st_size), changedAt: changedAt)
    }

    private static func lastChange(_ info: stat) -> timespec {
        #if canImport(Darwin)
            info.st_mtimespec
        #else
            info.st_mtim
        #endif
    }

    /// Device and number of a file, to tell whether two names are one file.
    static func identity(_ path: String) -> [UInt64]? {
        var info = stat()
        guard lstat(path, &info) == 0 else { return nil }
        return [UInt64(truncatingIfNeeded: info.st_dev), UInt64(info.st_ino)]
    }

    /// What changes whenever a file is replaced or written; `nil` where there is none.
    static func stamp(_ path: String) -> String? {
        var info = stat()
        guard stat(path, &info) == 0 else { return nil }
        let time = lastChange(info)
        return "\(info.st_ino)-\(info.st_size)-\(time.tv_sec).\(time.tv_nsec)"
    }

    private static func posixRead(_ file: Int32, _ chunk: UnsafeMutableRawBufferPointer) -> Int {
        #if canImport(Glibc)
            Glibc.read(file, chunk.baseAddress, chunk.count)
        #elseif canImport(Musl)
            Musl.read(file, chunk.baseAddress, chunk.count)
        #else
            Darwin.read(file, chunk.baseAddress, chunk.count)
        #endif
    }
}
