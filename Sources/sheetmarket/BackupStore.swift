// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres
import SheetCore

/// What backups ask the database.
enum BackupStore {
    struct Server: Sendable {
        let system: String
        let database: String
        /// Where its log goes on, as the names of the log's files begin.
        let timeline: String
        let now: Date
    }

    static func server(_ database: some PostgresExecutor) async throws -> Server {
        try await database.one(
            """
            SELECT (SELECT system_identifier::text FROM pg_control_system()) AS system, current_database()::text AS database,
                left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline, clock_timestamp() AS now
            """
        ) {
            Server(
                system: try $0.get("system"), database: try $0.get("database"), timeline: try $0.get("timeline"),
                now: try $0.get("now"))
        }
    }

    /// Whether the server has thrown away what the receiver of its log still needs.
    static func hasLostLog(_ slot: String, _ database: some PostgresExecutor) async throws -> Bool {
        try await database.scalar(
            "SELECT EXISTS (SELECT FROM pg_replication_slots WHERE slot_name = \(slot) AND wal_status = 'lost')")
    }

    static func dropSlot(_ slot: String, _ database: some PostgresExecutor) async throws {
        _ = try await database.query("SELECT pg_drop_replication_slot(\(slot))")
    }

    /// Artifacts whose rows are younger than `date`; all without one.
    static func artifacts(since date: Date? = nil, _ database: some PostgresExecutor) async throws -> [ContentHash] {
        try await database.all(
            "SELECT sha256 FROM artifacts WHERE \(date)::timestamptz IS NULL OR created_at >= \(date)::timestamptz"
        ) { try $0.get("sha256") }
    }
}
