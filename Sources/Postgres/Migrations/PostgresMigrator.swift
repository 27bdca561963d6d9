// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging

/// Applies a folder of plain SQL files, each once, in order, forward only.
///
/// Each file `<14-digit-utc>_<verb_noun>.sql` runs in a transaction of its own together with its row in
/// `schema_migrations`, which keeps the SHA-256 of the file. A session advisory lock lets one node migrate at a time;
/// the others wait and then find nothing to do. The lock is tried again and again instead of waited for: a waiting
/// statement would hold a snapshot, which `CREATE INDEX CONCURRENTLY` waits for in turn.
///
/// Migrations have no statement timeout, but a `lock_timeout`: one that cannot get a table's lock fails before the
/// program's own queries pile up behind it. A file may set its own by `SET LOCAL lock_timeout`.
///
/// A file whose first line is `-- no-transaction` holds one statement and runs outside a transaction and without a
/// lock timeout. It should be repeatable (`IF NOT EXISTS`): if the server dies between it and its row, it runs again.
public struct PostgresMigrator: Sendable {
    private let directory: URL
    private let lockTimeout: Duration

    /// Names the folder, and how long a migration may wait for a lock.
    public init(directory: URL, lockTimeout: Duration = .seconds(10)) {
        self.directory = directory
        self.lockTimeout = lockTimeout
    }

    /// Applies what is pending and gives what it applied.
    @discardableResult
    public func migrate(_ client: PostgresClient, logger: Logger) async throws -> [AppliedMigration] {
        let files = try MigrationFile.read(directory)
        return try await client.withConnection { connection in
            // Whatever the files do to their session ends with it, the lock included.
            connection.discardAfterUse()
            let milliseconds = max(1, lockTimeout.nanosecondsClamped / 1_000_000)
            try await connection.executeScript(
                "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; "
                    + "SET lock_timeout = \(milliseconds)"
            )
            let ledger = try await MigrationLedger(connection)
            try await ledger.lock(logger)
            try await ledger.create()
            let records = try await ledger.records()
            let checksums = try await ledger.checksums(of: files)
            try Self.check(files, checksums, against: records)
            var applied: [AppliedMigration] = []
            for (file, checksum) in zip(files, checksums) where records[file.version] == nil {
                let migration = try await ledger.apply(file, checksum: checksum)
                applied.append(migration)
                logger.info(
                    "migration applied",
                    metadata: ["migration": "\(file.name)", "milliseconds": "\(migration.milliseconds)"]
                )
            }
            return applied
        }
    }

    /// Tells what is applied and what is pending; changes nothing.
    public func status(_ client: PostgresClient) async throws -> [MigrationStatus] {
        let files = try MigrationFile.read(directory)
        return try await client.withConnection { connection in
            let ledger = try await MigrationLedger(connection)
            let records = try await ledger.exists() ? ledger.records() : [:]
            let checksums = try await ledger.checksums(of: files)
            var statuses = zip(files, checksums).map { file, checksum in
                let record = records[file.version]
                let state: MigrationStatus.State =
                    if let record, record.checksum == checksum, record.name == file.name {
                        .applied(at: record.appliedAt)
                    } else if let record {
                        .changed(appliedAt: record.appliedAt)
                    } else {
                        .pending
                    }
                return MigrationStatus(version: file.version, name: file.name, state: state)
            }
            let versions = Set(files.map(\.version))
            for (version, record) in records where !versions.contains(version) {
                let state = MigrationStatus.State.unknown(appliedAt: record.appliedAt)
                statuses.append(MigrationStatus(version: version, name: record.name, state: state))
            }
            return statuses.sorted { $0.version < $1.version }
        }
    }

    private static func check(
        _ files: [MigrationFile],
        _ checksums: [String],
        against records: [String: MigrationLedger.Record]
    ) throws {
        let versions = Set(files.map(\.version))
        if let unknown = records.filter({ !versions.contains($0.key) }).min(by: { $0.key < $1.key }) {
            throw PostgresMigrationError.unknownApplied(name: unknown.value.name)
        }
        let newest = records.max { $0.key < $1.key }
        for (file, checksum) in zip(files, checksums) {
            if let record = records[file.version] {
                guard record.checksum == checksum, record.name == file.name else {
                    throw PostgresMigrationError.checksumChanged(name: file.name)
                }
            } else if let newest, file.version < newest.key {
                throw PostgresMigrationError.outOfOrder(name: file.name, newestApplied: newest.value.name)
            }
        }
    }
}
