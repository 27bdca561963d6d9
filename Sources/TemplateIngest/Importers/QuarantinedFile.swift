// SPDX-License-Identifier: Apache-2.0
import SheetCore
import SystemPackage

/// A file that somebody uploaded, in quarantine: stored and hashed, not yet judged.
package struct QuarantinedFile: Sendable {
    package var path: FilePath
    /// Its hash, taken while it was stored.
    package var sha256: ContentHash
    /// What the uploader called it, if anything; only a hint.
    package var name: String?
    /// Its first bytes, up to `headBytes`.
    package var head: [UInt8]

    /// How many first bytes are looked at to recognize a file.
    package static let headBytes = 4096

    /// A file with known first bytes.
    package init(path: FilePath, sha256: ContentHash, name: String? = nil, head: [UInt8]) {
        self.path = path
        self.sha256 = sha256
        self.name = name
        self.head = head
    }

    /// Reads the first bytes from disk.
    package init(path: FilePath, sha256: ContentHash, name: String? = nil) throws {
        let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        let head = try file.closeAfter {
            try [UInt8](unsafeUninitializedCapacity: Self.headBytes) { buffer, count in
                count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
        }
        self.init(path: path, sha256: sha256, name: name, head: head)
    }
}

extension QuarantinedFile {
    /// What the first bytes look like, as a media type.
    var mediaType: String {
        if head.starts(with: Array("%PDF-".utf8)) { return "application/pdf" }
        if head.starts(with: [0x50, 0x4b, 3, 4]) || head.starts(with: [0x50, 0x4b, 5, 6]) { return "application/zip" }
        let opening = head.starts(with: [0xEF, 0xBB, 0xBF]) ? head.dropFirst(3) : head[...]
        if opening.first(where: { ![9, 10, 13, 32].contains($0) }) == UInt8(ascii: "{") { return "application/json" }
        return "application/octet-stream"
    }

    func sizeBytes() throws -> Int {
        let descriptor = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        return try descriptor.closeAfter { Int(try descriptor.seek(offset: 0, from: .end)) }
    }
}

extension CheckedReport {
    /// Of a file that no reader has seen: what can be said of it besides `findings` is its hash and size.
    init(unread file: QuarantinedFile, _ findings: [Finding]) throws {
        self.init(sha256: file.sha256, bytes: try file.sizeBytes(), findings)
    }
}
