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
/// Functions and views are stated in `repeatable/<3 digits>_<noun>.sql`, by statements that may run again (`CREATE OR
/// REPLACE`). These files are applied after the numbered ones, in order, each in a transaction of its own, whenever they
/// have changed. The table remembers every state of such a file: an older program is refused instead of putting its own
/// functions back. A file that is no longer there is not asked after; what it made is dropped by a numbered one.
///
/// Migrations have no statement timeout, but a `lock_timeout`: one that cannot get a table's lock gives way before the
/// program's own queries pile up behind it, and is tried again after a pause, a number of times. The timeout is shorter
/// than the server's `deadlock_timeout`, so that a deadlock mostly ends with the migration giving way. A node that waited
/// first may still lose; its transaction is tried again. A file may set its own by `SET LOCAL lock_timeout`.
///
/// A file whose first line is `-- no-transaction` holds one statement and runs outside a transaction and without a
/// lock timeout. It should be repeatable (`IF NOT EXISTS`): if the server dies between it and its row, it runs again. An
/// index that was given up half way is refused, since `IF NOT EXISTS` would take it for a good one.
package struct PostgresMigrator: Sendable {
    private let directory: URL
    private let lockTimeout: Duration
    private let attempts: Int

    /// Names the folder, how long a migration may wait for a lock at most, and how often it is begun when others hold it.
    package init(directory: URL, lockTimeout: Duration = .seconds(2), attempts: Int = 15) {
        self.directory = directory
        self.lockTimeout = lockTimeout
        self.attempts = attempts
    }

    /// Applies what is pending and gives what it applied.
    @discardableResult
    package func migrate(_ client: PostgresClient, logger: Logger) async throws -> [AppliedMigration] {
        let folder = try MigrationFolder(directory)
        return try await client.withConnection { connection in
            // Whatever the files do to their session ends with it, the lock included.
            connection.discardAfterUse()
            let milliseconds = Int64(clamping: lockTimeout.nanosecondsClamped / 1_000_000)
            try await connection.executeScript(
                "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0"
            )
            try await connection.execute(
                """
                SELECT set_config('lock_timeout', greatest(1, least(\(milliseconds), setting::bigint * 8 / 10))::text, false)
                FROM pg_settings WHERE name = 'deadlock_timeout'
                """)
            let ledger = try await MigrationLedger(connection)
            try await ledger.lock(logger)
            try await ledger.create()
            let history = try await ledger.history()
            let checksums = try await ledger.checksums(of: folder)
            try history.check(folder, checksums)
            var applied: [AppliedMigration] = []
            for file in folder.numbered + folder.repeatable where history.isPending(file, checksums) {
                let migration = try await apply(file, checksums[file], ledger, logger)
                applied.append(migration)
                logger.info(
                    "migration applied",
                    metadata: ["migration": "\(file.name)", "milliseconds": "\(migration.milliseconds)"]
                )
            }
            return applied
        }
    }

    private func apply(
        _ file: MigrationFile, _ checksum: String, _ ledger: MigrationLedger, _ logger: Logger
    ) async throws -> AppliedMigration {
        var attempt = 1
        while true {
            do {
                return try await ledger.apply(file, checksum: checksum)
            } catch let error as PostgresMigrationError
                where error.isOfLocks && !file.isOutsideTransaction && attempt < attempts
            {
                logger.notice(
                    "migration gave way to others' locks; it is tried again",
                    metadata: ["migration": "\(file.name)", "attempt": "\(attempt)"]
                )
                attempt += 1
                try await Task.sleep(for: .milliseconds(500))
            }
        }
    }

    /// Tells what is applied and what is pending; changes nothing.
    package func status(_ client: PostgresClient) async throws -> [MigrationStatus] {
        let folder = try MigrationFolder(directory)
        return try await client.withConnection { connection in
            connection.discardAfterUse()
            let ledger = try await MigrationLedger(connection)
            let history = try await ledger.exists() ? ledger.history() : MigrationHistory()
            let checksums = try await ledger.checksums(of: folder)
            func status(_ file: MigrationFile) -> MigrationStatus {
                MigrationStatus(version: file.version, name: file.name, state: history.state(of: file, checksums))
            }
            let versions = Set(folder.numbered.map(\.version))
            let unknown = history.numbered.values.filter { !versions.contains($0.version) }.map {
                MigrationStatus(version: $0.version, name: $0.name, state: .unknown(appliedAt: $0.appliedAt))
            }
            return (folder.numbered.map(status) + unknown).sorted { $0.version < $1.version }
                + folder.repeatable.map(status)
        }
    }
}
