// SPDX-License-Identifier: Apache-2.0
import Foundation
import NIOCore
import NIOPosix
import SheetCore
import Synchronization

/// Objects as files in one folder. Several processes may share the folder.
///
/// A crash at any moment leaves either a whole object or a file in `incoming/`, which a later start removes.
package final class DiskStorage: Storage {
    /// Bytes per piece when reading.
    package static let pieceBytes = 128 << 10
    /// File work never runs on Swift's cooperative threads. Apart from NIO's own pool, so that slow disks hold up
    /// nothing else.
    private static let sharedPool: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: 4)
        pool.start()
        return pool
    }()

    private let layout: DiskLayout
    private let pool: NIOThreadPool
    /// The path under which the proxy in front serves the folder of the objects, without a last slash.
    private let proxyPath: String?

    private init(layout: DiskLayout, pool: NIOThreadPool, proxyPath: String?) {
        self.layout = layout
        self.pool = pool
        self.proxyPath = proxyPath
    }

    /// Opens the store in `folder`, making it when it is not there, and removes what dead writers left more than
    /// `staleHours` ago. `pool` must be started and outlive the store; by default the process has one for all stores.
    /// Under `proxyPath` the proxy in front serves the folder `objects` to us alone.
    package static func open(
        _ folder: URL, staleHours: Double = 24, proxyPath: String? = nil, pool: NIOThreadPool? = nil
    ) async throws -> DiskStorage {
        let storage = DiskStorage(
            layout: DiskLayout(root: folder), pool: pool ?? sharedPool, proxyPath: proxyPath)
        try await storage.run { layout in try layout.prepare() }
        _ = try await storage.deleteStaleUploads(staleHours: staleHours)
        return storage
    }

    /// Removes what dead writers left more than `staleHours` ago; answers how many files that were.
    package func deleteStaleUploads(staleHours: Double) async throws -> Int {
        try await run { layout in try layout.deleteStaleUploads(olderThan: staleHours * 3600) }
    }

    package func makeWriter() async throws -> any StorageWriter {
        DiskWriter(storage: self, draft: try await makeDraft())
    }

    // MARK: - Drafts, also for a store elsewhere

    func makeDraft() async throws -> DiskDraft { try await run { layout in try layout.makeDraft() } }

    func append(_ bytes: ByteBuffer, to draft: DiskDraft) async throws {
        try await run { _ in try bytes.withUnsafeReadableBytes { try draft.write($0) } }
    }

    func bytes(of draft: DiskDraft, _ range: Range<Int>) async throws -> [UInt8] {
        try await run { _ in try draft.bytes(in: range) }
    }

    func discard(_ draft: DiskDraft) async {
        // What stays behind is removed later, as the file of a writer that no longer lives.
        _ = try? await run { _ in draft.discard() }
    }

    // MARK: - Objects

    package func size(of hash: ContentHash) async throws -> Int? {
        try await run { layout in try DiskFolder.status(of: layout.path(of: hash))?.size }
    }

    package func read(_ hash: ContentHash, range: Range<Int>? = nil) async throws -> StorageBytes {
        let (file, size) = try await run { layout in
            let file = try Self.open(hash, in: layout)
            return (file, try file.status().size)
        }
        let wanted = (range ?? 0..<size).clamped(to: 0..<size)
        guard !wanted.isEmpty else { return StorageBytes { nil } }
        @Sendable func end(from begin: Int) -> Int { min(begin + Self.pieceBytes, wanted.upperBound) }
        // At once, so that a disk that cannot be read is known before anything is answered.
        let first = try await piece(of: file, wanted.lowerBound..<end(from: wanted.lowerBound))
        let state = Mutex<(ahead: ByteBuffer?, position: Int)>((first, end(from: wanted.lowerBound)))
        // Unfolding: a piece is read when it is asked for, so a slow reader holds one piece and no more.
        return StorageBytes { [self] in
            let (ahead, begin) = state.withLock { state in
                let now = state
                state = (nil, now.ahead == nil ? end(from: now.position) : now.position)
                return now
            }
            if let ahead { return ahead }
            guard begin < wanted.upperBound else { return nil }
            try Task.checkCancellation()
            return try await piece(of: file, begin..<end(from: begin))
        }
    }

    package func withLocalFile<T: Sendable>(
        _ hash: ContentHash, _ body: @Sendable (URL) async throws -> T
    ) async throws -> T {
        let path = try await run { layout in
            _ = try Self.open(hash, in: layout)
            return layout.path(of: hash)
        }
        return try await body(URL(filePath: path))
    }

    package func remove(_ hash: ContentHash) async throws {
        try await run { layout in try DiskFolder.unlink(layout.path(of: hash)) }
    }

    package func forEach(_ body: @Sendable (ContentHash, Date) async throws -> Void) async throws {
        for shard in try await run({ layout in try layout.shards() }) {
            for (hash, date) in try await run({ layout in try layout.objects(in: shard) }) {
                try await body(hash, date)
            }
        }
    }

    package func check() async throws {
        try await run { layout in try layout.probe() }
    }

    package func delivery(of hash: ContentHash, as file: ServedAs) async throws -> DirectDelivery? {
        proxyPath.map { .proxy(path: "\($0)/\(DiskLayout.place(of: hash))") }
    }

    private func piece(of file: DiskFile, _ range: Range<Int>) async throws -> ByteBuffer {
        try await run { _ in
            var buffer = ByteBufferAllocator().buffer(capacity: range.count)
            let count = try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: range.count) { bytes in
                try file.read(
                    into: UnsafeMutableRawBufferPointer(rebasing: bytes.prefix(range.count)), at: range.lowerBound)
            }
            guard count == range.count else { throw StorageError.unavailable("An object ended before its size.") }
            return buffer
        }
    }

    private static func open(_ hash: ContentHash, in layout: DiskLayout) throws -> DiskFile {
        do {
            return try DiskFile.reading(layout.path(of: hash))
        } catch  where error.isMissing {
            throw StorageError.missing(hash)
        }
    }

    /// Runs blocking work on the pool. It is short, so cancellation does not stop it: what was begun is tidied up.
    fileprivate func run<T: Sendable>(_ work: @escaping @Sendable (DiskLayout) throws -> T) async throws -> T {
        let layout = self.layout
        return try await withCheckedThrowingContinuation { continuation in
            pool.submit { state in
                guard state == .active else {
                    return continuation.resume(throwing: StorageError.unavailable("Storage is shut down."))
                }
                continuation.resume(
                    with: Result { try work(layout) }.mapError { error in
                        (error as? SystemCallError)?.storageError ?? error
                    })
            }
        }
    }
}

/// Writes one object.
private struct DiskWriter: StorageWriter {
    let storage: DiskStorage
    let draft: DiskDraft

    func write(_ bytes: ByteBuffer) async throws { try await storage.append(bytes, to: draft) }

    func finish() async throws -> StoredObject {
        let draft = self.draft
        return try await storage.run { layout in try draft.finish(in: layout) }
    }

    func abandon() async { await storage.discard(draft) }
}
