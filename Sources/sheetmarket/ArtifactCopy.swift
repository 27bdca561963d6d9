// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import SheetCore
import Synchronization

/// Copies artifacts from one store to another, each once: what is there already is not read again.
struct ArtifactCopy: Sendable {
    /// What became of one artifact.
    enum Outcome: Sendable, Equatable {
        case present(Int)
        case copied(Int)
        /// Its bytes are not those of its name.
        case damaged
        case missing
    }

    /// What became of many.
    struct Summary: Sendable {
        /// What the target has of them.
        var list = ArtifactList()
        var copied = 0
        var damaged: [ContentHash] = []
        var missing: [ContentHash] = []

        mutating func note(_ outcome: Outcome, of hash: ContentHash) {
            switch outcome {
            case .present(let size): list.entries[hash] = size
            case .copied(let size):
                list.entries[hash] = size
                copied += 1
            case .damaged: damaged.append(hash)
            case .missing: missing.append(hash)
            }
        }
    }

    /// Each waits for the disk most of its time.
    private static let atOnce = 8

    let source: any Storage
    let target: any Storage
    /// What the target is known to have, and the sizes: it is not asked for these.
    var known: [ContentHash: Int] = [:]

    /// Copies whatever the source has.
    func everything() async throws -> Summary { try await copy(try await Self.names(in: source)) }

    func copy(_ hashes: [ContentHash]) async throws -> Summary {
        try await withThrowingTaskGroup(of: (ContentHash, Outcome).self) { group in
            var summary = Summary()
            for (index, hash) in hashes.enumerated() {
                if index >= Self.atOnce, let (done, outcome) = try await group.next() {
                    summary.note(outcome, of: done)
                }
                group.addTask { (hash, try await copy(hash)) }
            }
            for try await (done, outcome) in group { summary.note(outcome, of: done) }
            return summary
        }
    }

    func copy(_ hash: ContentHash) async throws -> Outcome {
        guard let size = try await source.size(of: hash) else { return .missing }
        if known[hash] == size { return .present(size) }
        if try await target.size(of: hash) == size { return .present(size) }
        let writer = try await target.makeWriter()
        do {
            for try await piece in try await source.read(hash, range: nil) { try await writer.write(piece) }
            let object = try await writer.finish()
            return object.hash == hash ? .copied(object.sizeBytes) : .damaged
        } catch StorageError.missing {
            // The garbage collection took it since it was listed: no row names it.
            await writer.abandon()
            return .missing
        } catch {
            await writer.abandon()
            throw error
        }
    }

    /// What a store has had since before `date`.
    static func names(in storage: any Storage, olderThan date: Date = .distantFuture) async throws -> [ContentHash] {
        let names = Mutex<[ContentHash]>([])
        try await storage.forEach { hash, storedAt in
            if storedAt < date { names.withLock { $0.append(hash) } }
        }
        return names.withLock { $0 }
    }
}
