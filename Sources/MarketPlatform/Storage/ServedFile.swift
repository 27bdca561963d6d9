// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import SheetCore
import Synchronization

/// A file of the operator's that is handed out as it is, such as a program. Its hash is made when it is first asked
/// for, and anew when the file was replaced.
package final class ServedFile: Sendable {
    /// What the file was when it was looked at.
    package struct Facts: Sendable, Equatable {
        package let sizeBytes: Int
        package let sha256: ContentHash
        fileprivate let changed: Date
    }

    private static let pieceBytes = 256 << 10

    private let file: URL
    private let known = Mutex<Facts?>(nil)

    package init(_ file: URL) {
        self.file = file
    }

    /// The file's size and hash; `nil` when there is none.
    package func facts() async -> Facts? {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: file.resolvingSymlinksInPath().path),
            attributes[.type] as? FileAttributeType == .typeRegular, let size = attributes[.size] as? Int,
            let changed = attributes[.modificationDate] as? Date
        else { return nil }
        if let facts = known.withLock({ $0 }), facts.sizeBytes == size, facts.changed == changed { return facts }
        var digest = SHA256()
        do {
            try await read { digest.update(data: $0) }
        } catch {
            return nil
        }
        let facts = Facts(sizeBytes: size, sha256: ContentHash(digest.finalize()), changed: changed)
        known.withLock { $0 = facts }
        return facts
    }

    /// Hands the bytes over, piece by piece. Programs are read so often that they are in memory: this does not wait.
    package func read(_ body: (Data) async throws -> Void) async throws {
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        while let piece = try handle.read(upToCount: Self.pieceBytes), !piece.isEmpty {
            try Task.checkCancellation()
            try await body(piece)
        }
    }
}
