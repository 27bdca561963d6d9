// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketClient
import SheetCore

/// Files by their hashes, of characters and of backups.
struct ObjectFolder {
    let root: String

    func path(_ hash: ContentHash) -> String { "\(root)/\(hash.hex.prefix(2))/\(hash)" }

    /// What lies under a name, whether it is that or damaged.
    func bytes(_ hash: ContentHash) -> Data? { FileManager.default.contents(atPath: path(hash)) }

    /// The file of this name, if it is intact.
    func intact(_ hash: ContentHash) -> Data? {
        bytes(hash).flatMap { ContentHash(hashing: $0) == hash ? $0 : nil }
    }

    /// Keeps a file; whether it was not there, or damaged.
    @discardableResult
    func put(_ data: Data, as hash: ContentHash) throws -> Bool {
        guard intact(hash) == nil else { return false }
        try AtomicFile.makeFolder("\(root)/\(hash.hex.prefix(2))")
        try AtomicFile.write(data, to: path(hash))
        return true
    }

    func remove(_ hash: ContentHash) { AtomicFile.discard(path(hash)) }

    func removeAll(but needed: Set<ContentHash>) {
        for shard in (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? [] {
            for name in (try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\(shard)")) ?? [] {
                if let hash = ContentHash(hex: name), !needed.contains(hash) { remove(hash) }
            }
        }
    }
}
