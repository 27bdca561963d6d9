// SPDX-License-Identifier: Apache-2.0
import SheetCore
import SystemPackage

/// The file that a reader gets a descriptor of.
struct InputDescriptor {
    let descriptor: FileDescriptor
    let sha256: ContentHash
    let bytes: Int

    init(_ path: FilePath, sha256: ContentHash?) throws(SheetReaderError) {
        do {
            descriptor = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        } catch {
            throw .cannotReadFile(reason: "\(error)")
        }
        do {
            bytes = Int(try descriptor.seek(offset: 0, from: .end))
            self.sha256 = try sha256 ?? Self.hash(descriptor)
            try descriptor.seek(offset: 0, from: .start)
        } catch {
            // Nothing was written: that it could not be read is what counts.
            try? descriptor.close()
            throw .cannotReadFile(reason: "\(error)")
        }
    }

    func close() {
        // Nothing was written, so nothing can be lost.
        try? descriptor.close()
    }

    private static func hash(_ descriptor: FileDescriptor) throws -> ContentHash {
        var hasher = ContentHasher()
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { piece.deallocate() }
        var offset: Int64 = 0
        while true {
            let count = try descriptor.read(fromAbsoluteOffset: offset, into: piece)
            guard count > 0 else { return hasher.finalize() }
            hasher.update(UnsafeRawBufferPointer(rebasing: piece[..<count]))
            offset += Int64(count)
        }
    }
}
