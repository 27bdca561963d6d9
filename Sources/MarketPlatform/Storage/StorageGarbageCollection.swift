// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres
import SheetCore

/// Removes stored objects that no row names: of uploads that broke off, of inspections that were lost.
///
/// Bytes are stored before their row is written, so an object may look abandoned while its upload is about to commit.
/// Three things guard it. Objects younger than `graceSeconds` stay (storing known bytes again makes them young). Each
/// look at the rows and the removal that follows happen under a lock that excludes the transactions that write such
/// rows. And an upload, once it has that lock, makes sure that its bytes are still there.
package struct StorageGarbageCollection: Sendable {
    /// How long an object may lie unnamed, in seconds.
    package static let graceSeconds = 86_400.0
    /// Objects per lock.
    private static let batch = 64
    /// Names the advisory lock.
    private static let lock: Int64 = 0x5348_4545_5453_5750

    private let storage: any Storage
    private let database: PostgresClient
    private let now: @Sendable () -> Date
    private let graceSeconds: Double

    /// Removes what has lain unnamed for `graceSeconds`.
    package init(
        storage: any Storage, database: PostgresClient, now: @escaping @Sendable () -> Date,
        graceSeconds: Double = StorageGarbageCollection.graceSeconds
    ) {
        self.storage = storage
        self.database = database
        self.now = now
        self.graceSeconds = graceSeconds
    }

    /// Keeps the garbage collection out until the transaction ends. To be called before rows are written that name stored objects.
    package static func blockGarbageCollection(in connection: PostgresConnection) async throws {
        try await connection.execute("SELECT pg_advisory_xact_lock_shared(\(lock))")
    }

    /// Removes them once; answers how many objects went.
    @discardableResult
    package func run() async throws -> Int {
        let oldest = now().addingTimeInterval(-graceSeconds)
        let candidates = CandidateList()
        var removed = 0
        try await storage.forEach { hash, storedAt in
            if storedAt < oldest { await candidates.append(hash) }
        }
        let all = await candidates.hashes
        for start in stride(from: 0, to: all.count, by: Self.batch) {
            try Task.checkCancellation()
            removed += try await remove(Array(all[start..<min(start + Self.batch, all.count)]))
        }
        return removed
    }

    private func remove(_ hashes: [ContentHash]) async throws -> Int {
        // Most objects are named: those are sorted out without the lock.
        let suspects = try await unnamed(hashes, in: database)
        guard !suspects.isEmpty else { return 0 }
        return try await database.withTransaction { connection in
            // Whoever is stopped half way must keep the lock: somebody could store anew what is removed afterwards.
            try await connection.mayBeIdle()
            try await connection.execute("SELECT pg_advisory_xact_lock(\(Self.lock))")
            let doomed = try await unnamed(suspects, in: connection)
            for hash in doomed { try await storage.remove(hash) }
            return doomed.count
        }
    }

    private func unnamed(_ hashes: [ContentHash], in database: some PostgresExecutor) async throws -> [ContentHash] {
        try await database.all(
            """
            SELECT sha256 FROM unnest(\(hashes.map { Data($0.bytes) })::bytea[]) AS stored (sha256)
            WHERE NOT EXISTS (SELECT FROM artifacts WHERE artifacts.sha256 = stored.sha256)
            """
        ) { try $0.get("sha256") }
    }
}

/// Hashes: 32 bytes each, so a million unnamed objects are no burden.
private actor CandidateList {
    private(set) var hashes: [ContentHash] = []

    func append(_ hash: ContentHash) { hashes.append(hash) }
}
