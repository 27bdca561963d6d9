// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import Postgres
import SheetCore

/// A file of metadata.
package struct MetadataFile: Sendable {
    package var role: String
    package var version: Int64
    package var bytes: Data
    package var expires: Date
    package var createdAt: Date
}

/// How far the publisher is.
package struct TrustState: Sendable, Equatable {
    package var binCount: Int
    package var feed: UUID?
    package var position: Int64
    package var isSyncing: Bool
    package var syncedUntil: UUID?
    package var pendingRoot: Data?
    package var pendingTargets: Data?
}

/// SQL of metadata and of the publisher's state.
package enum TrustStore {
    /// Whether this transaction alone publishes, on whatever node. It ends with the transaction, and with the
    /// connection.
    static func tryLock(_ connection: PostgresConnection) async throws -> Bool {
        try await connection.scalar("SELECT pg_try_advisory_xact_lock(\(Int64(0x5348_4545_5454_5255)))")
    }

    /// `nil` where no keys were ever made.
    package static func state(_ database: some PostgresExecutor, locking: Bool = false) async throws -> TrustState? {
        let lock: PostgresQuery = locking ? "FOR UPDATE" : ""
        return try await database.first(
            """
            SELECT bin_count, feed_id, position, is_syncing, synced_until, pending_root, pending_targets
            FROM trust_state \(fragment: lock)
            """
        ) { row in
            TrustState(
                binCount: try row.get(0), feed: try row.get(1), position: try row.get(2), isSyncing: try row.get(3),
                syncedUntil: try row.get(4), pendingRoot: try row.get(5), pendingTargets: try row.get(6))
        }
    }

    /// Enters the state and empty bins; `false` when they are there.
    static func begin(binCount: Int, _ connection: PostgresConnection) async throws -> Bool {
        let count = try await connection.execute(
            "INSERT INTO trust_state (bin_count) VALUES (\(literal: binCount)) ON CONFLICT DO NOTHING")
        try await connection.execute(
            "INSERT INTO trust_bins (number) SELECT generate_series(0, \(literal: binCount - 1)) ON CONFLICT DO NOTHING"
        )
        return count == 1
    }

    static func save(_ state: TrustState, _ connection: some PostgresExecutor) async throws {
        try await connection.execute(
            """
            UPDATE trust_state SET feed_id = \(state.feed), position = \(state.position),
                is_syncing = \(state.isSyncing), synced_until = \(state.syncedUntil),
                pending_root = \(state.pendingRoot),
                pending_targets = \(state.pendingTargets)
            """)
    }

    // MARK: - Files

    package static func file(_ role: String, version: Int64, _ database: some PostgresExecutor) async throws
        -> MetadataFile?
    {
        try await files("role = \(role) AND version = \(version)", database).first
    }

    /// Those of many that there are.
    package static func files(
        _ wanted: [(role: String, version: Int64)], _ database: some PostgresExecutor
    ) async throws -> [MetadataFile] {
        try await files(
            """
            (role, version) IN (
                SELECT * FROM unnest(\(wanted.map(\.role))::text[], \(wanted.map { Int($0.version) })::bigint[]))
            ORDER BY role, version
            """, database)
    }

    /// The one that counts now.
    package static func newest(_ role: String, _ database: some PostgresExecutor) async throws -> MetadataFile? {
        try await files("role = \(role) AND superseded_at IS NULL ORDER BY version DESC LIMIT 1", database).first
    }

    private static func files(_ condition: PostgresQuery, _ database: some PostgresExecutor) async throws
        -> [MetadataFile]
    {
        try await database.all(
            "SELECT role, version, bytes, expires_at, created_at FROM trust_metadata WHERE \(fragment: condition)"
        ) { row in
            MetadataFile(
                role: try row.get(0), version: try row.get(1), bytes: try row.get(2), expires: try row.get(3),
                createdAt: try row.get(4))
        }
    }

    static func insert(_ file: MetadataFile, _ connection: some PostgresExecutor) async throws {
        try await connection.execute(
            """
            INSERT INTO trust_metadata (role, version, bytes, expires_at, created_at)
            VALUES (\(file.role), \(file.version), \(file.bytes), \(file.expires), \(file.createdAt))
            """)
    }

    /// Earlier versions of the role are superseded. Roots never are: clients go through all of them.
    static func supersede(_ role: String, before version: Int64, at now: Date, _ connection: some PostgresExecutor)
        async throws
    {
        try await connection.execute(
            """
            UPDATE trust_metadata SET superseded_at = \(now)
            WHERE role = \(role) AND version < \(version) AND superseded_at IS NULL
            """)
    }

    static func prune(before date: Date, _ connection: some PostgresExecutor) async throws {
        try await connection.execute(
            "DELETE FROM trust_metadata WHERE superseded_at < \(date) AND role NOT IN ('root', 'targets')")
    }

    // MARK: - Whether there is anything to do

    /// Asked every few seconds, so it is one statement.
    static func isDue(_ settings: TrustSettings, at now: Date, _ database: some PostgresExecutor) async throws -> Bool {
        let oldTimestamp = now.addingTimeInterval(-settings.timestampAge)
        let snapshotEnd = now.addingTimeInterval(settings.snapshotSeconds * settings.leastPart)
        let binEnd = now.addingTimeInterval(settings.binSeconds * settings.leastPart)
        return try await database.first(
            """
            SELECT s.is_syncing OR s.pending_root IS NOT NULL OR s.pending_targets IS NOT NULL
                OR EXISTS (
                    SELECT FROM change_feed AS f WHERE f.id IS DISTINCT FROM s.feed_id OR f.last_position > s.position)
                OR EXISTS (SELECT FROM trust_bins AS b WHERE b.is_dirty OR b.expires_at < \(binEnd))
                OR NOT EXISTS (
                    SELECT FROM trust_metadata AS m
                    WHERE m.role = 'timestamp' AND m.superseded_at IS NULL AND m.created_at > \(oldTimestamp))
                OR NOT EXISTS (
                    SELECT FROM trust_metadata AS m
                    WHERE m.role = 'snapshot' AND m.superseded_at IS NULL AND m.expires_at > \(snapshotEnd))
            FROM trust_state AS s
            """
        ) { try $0.get(0) } ?? false
    }

    /// When the newest file of each role ends.
    package static func ends(_ database: some PostgresExecutor) async throws -> [(
        role: String, version: Int64, end: Date
    )] {
        try await database.all(
            """
            SELECT DISTINCT ON (role) role, version, expires_at FROM trust_metadata
            WHERE role IN ('root', 'targets', 'snapshot', 'timestamp') AND superseded_at IS NULL
            ORDER BY role, version DESC
            """
        ) { (role: try $0.get(0), version: try $0.get(1), end: try $0.get(2)) }
    }
}
