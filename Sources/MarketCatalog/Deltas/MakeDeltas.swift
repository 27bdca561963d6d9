// SPDX-License-Identifier: Apache-2.0
import DictionaryCoding
import Foundation
import MarketPlatform
import MarketWire
import NIOCore
import Postgres
import SheetCore

/// Makes what differs between a new version's file and those before it, so that updates need not bring all of it again. What
/// saves less than half is not kept.
package struct MakeDeltas: JobHandler {
    package let kind = JobKind.makeDeltas
    private let platform: Platform

    /// How many attempts; clients fetch the whole file without.
    static let attempts = 3

    package init(platform: Platform) {
        self.platform = platform
    }

    /// Enters the job for a version that was just published, in that transaction.
    static func enqueue(_ version: VersionID, at now: Date, in connection: some PostgresExecutor) async throws {
        guard try await DeltaStore.hasOlder(version, in: connection) else { return }
        try await JobQueue.enqueue(
            .makeDeltas, subject: version.rawValue, maximumAttempts: attempts, at: now, in: connection)
    }

    package func run(_ lease: JobLease) async throws -> String {
        let pairs = try await DeltaStore.wanted(for: VersionID(rawValue: lease.subject), in: platform.database)
        var made: [DeltaStore.Made] = []
        for pair in pairs { if let object = try await make(pair) { made.append(.init(pair: pair, object: object)) } }
        try await platform.database.withTransaction { connection in
            try await JobQueue.complete(lease, in: connection)
            try await StorageGarbageCollection.blockGarbageCollection(in: connection)
            try await DeltaStore.insert(made, in: connection)
        }
        return made.isEmpty ? "skipped" : "made"
    }

    /// Nothing to do: files are had whole.
    package func deadLetter(_ lease: JobLease, in connection: PostgresConnection) async throws {}

    private func make(_ pair: DeltaStore.Pair) async throws -> StoredObject? {
        let header = DictionaryCompression.header(of: pair.base)
        let limit = pair.targetBytes / 2 - header.count
        guard limit > 0 else { return nil }
        let storage = platform.storage
        let coded: Data?
        do {
            coded = try await storage.withLocalFile(pair.target) { target in
                try await storage.withLocalFile(pair.base) { base in
                    try await Self.encode(target, base, limit)
                }
            }
        } catch StorageError.missing {
            // A lost file is for the check of the storage to tell.
            return nil
        }
        guard let coded else { return nil }
        let writer = try await storage.makeWriter()
        do {
            try await writer.write(ByteBuffer(bytes: header + coded))
            return try await writer.finish()
        } catch {
            await writer.abandon()
            throw error
        }
    }

    /// Seconds of computing, kept off the threads that answer requests.
    private static func encode(_ target: URL, _ base: URL, _ limit: Int) async throws -> Data? {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .utility).async {
                continuation.resume(
                    with: Result {
                        try DictionaryEncoder.encode(
                            try Data(contentsOf: target, options: .alwaysMapped),
                            dictionary: try Data(contentsOf: base, options: .alwaysMapped), limit: limit)
                    })
            }
        }
    }
}
