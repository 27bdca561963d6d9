// SPDX-License-Identifier: Apache-2.0
import Crypto
import Glibc
import SheetCore

/// The one file to be read, mapped into memory as far as its size allows.
struct InputFile {
    let bytes: Int
    let sha256: ContentHash
    /// The bytes; `nil` when there are none or more than allowed.
    let content: UnsafeRawBufferPointer?

    /// `nil` when the descriptor is not a regular file or cannot be read.
    init?(descriptor: Int32, maximumBytes: Int) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        bytes = Int(status.st_size)
        guard bytes > 0, bytes <= maximumBytes else {
            content = nil
            guard let hash = Self.hashInPieces(descriptor) else { return nil }
            sha256 = hash
            return
        }
        guard let start = mmap(nil, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED else {
            return nil
        }
        let mapped = UnsafeRawBufferPointer(start: start, count: bytes)
        content = mapped
        var hasher = SHA256()
        hasher.update(bufferPointer: mapped)
        sha256 = ContentHash(hasher.finalize())
    }

    /// Gives the memory back; `content` is gone then.
    func unmap() {
        guard let content else { return }
        munmap(UnsafeMutableRawPointer(mutating: content.baseAddress), content.count)
    }

    /// Hashes a file of any size in constant memory.
    static func hashInPieces(_ descriptor: Int32) -> ContentHash? {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { return nil }
        var hasher = SHA256()
        var piece = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = piece.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { return ContentHash(hasher.finalize()) }
            if count < 0 {
                if errno == EINTR { continue }
                return nil
            }
            piece.withUnsafeBytes { hasher.update(bufferPointer: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
    }
}
