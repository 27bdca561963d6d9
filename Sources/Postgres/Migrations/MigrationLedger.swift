// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging

/// The table `schema_migrations` and the lock that goes with it, over one connection.
struct MigrationLedger {
    private let connection: PostgresConnection
    /// The schema the table lives in: the first of the search path at the start, whatever a migration sets later.
    private let schema: String

    init(_ connection: PostgresConnection) async throws {
        self.connection = connection
        guard let schema = try await connection.scalar("SELECT current_schema()", as: String?.self) else {
            throw PostgresError(.misuse, "no schema of the search path exists")
        }
        self.schema = schema
    }

    private var table: PostgresQuery { "\(ident: schema).schema_migrations" }

    /// Takes the lock, however long another node's migrations take. Different schemas of one database are apart.
    func lock(_ logger: Logger) async throws {
        let key = "schema_migrations \(schema)"
        var waited = false
        while !(try await connection.scalar(
            "SELECT pg_try_advisory_lock(hashtextextended(\(key), 0))",
            as: Bool.self
        )) {
            if !waited { logger.info("waiting for another node to finish migrating") }
            waited = true
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    func exists() async throws -> Bool {
        try await connection.scalar(
            """
            SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = \(schema) AND tablename = 'schema_migrations')
            """
        )
    }

    func create() async throws {
        guard try await !exists() else { return }
        try await connection.execute(
            """
            CREATE TABLE \(fragment: table) (
                version text NOT NULL,
                name text NOT NULL,
                checksum text NOT NULL,
                applied_at timestamptz NOT NULL,
                milliseconds bigint NOT NULL,
                CONSTRAINT schema_migrations_pkey PRIMARY KEY (name, checksum)
            )
            """
        )
        try await connection.execute(
            """
            COMMENT ON TABLE \(fragment: table) IS 'Which files of migrations/ this database has, by SHA-256; of a \
            repeatable file, whose version has three digits, all states that it ever had'
            """
        )
    }

    func history() async throws -> MigrationHistory {
        MigrationHistory(
            try await connection.all(
                "SELECT version, name, checksum, applied_at FROM \(fragment: table) ORDER BY applied_at"
            ) { row in
                MigrationHistory.Record(
                    version: try row.get("version"),
                    name: try row.get("name"),
                    checksum: try row.get("checksum"),
                    appliedAt: try row.get("applied_at")
                )
            }
        )
    }

    /// The server computes them, so that this module needs no library for it.
    func checksums(of folder: MigrationFolder) async throws -> MigrationChecksums {
        let files = folder.numbered + folder.repeatable
        let checksums = try await connection.all(
            """
            SELECT encode(sha256(content), 'hex')
            FROM unnest(\(files.map(\.bytes))) WITH ORDINALITY AS files (content, place) ORDER BY place
            """
        ) { try $0.get(0, as: String.self) }
        return MigrationChecksums(files, checksums)
    }

    func apply(_ file: MigrationFile, checksum: String) async throws -> AppliedMigration {
        do {
            guard !file.isOutsideTransaction else {
                let start = ContinuousClock.now
                // Such a statement waits for other transactions without holding anybody up.
                let limit = try await connection.scalar("SHOW lock_timeout", as: String.self)
                try await connection.execute("SET lock_timeout = 0")
                try await connection.execute(PostgresQuery(unsafeSQL: file.sql))
                try await connection.execute("SELECT set_config('lock_timeout', \(limit), false)")
                if let index = try await invalidIndex() {
                    throw PostgresMigrationError.invalidIndex(name: file.name, index: index)
                }
                return try await record(file, checksum, start)
            }
            return try await applyInTransaction(file, checksum)
        } catch let error as PostgresError where error.kind == .server {
            throw PostgresMigrationError.failed(name: file.name, underlying: error)
        }
    }

    private func invalidIndex() async throws -> String? {
        try await connection.first(
            """
            SELECT i.indexrelid::regclass::text FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
            WHERE NOT i.indisvalid AND c.relkind = 'i' AND c.relnamespace = to_regnamespace(quote_ident(\(schema)))
            ORDER BY 1 LIMIT 1
            """
        ) { try $0.get(0, as: String.self) }
    }

    private func applyInTransaction(_ file: MigrationFile, _ checksum: String) async throws -> AppliedMigration {
        let start = ContinuousClock.now
        try await connection.execute("BEGIN")
        do {
            let before = try await connection.scalar("SELECT pg_current_xact_id()::text", as: String.self)
            try await connection.executeScript(file.sql)
            let after = try await connection.scalar("SELECT pg_current_xact_id()::text", as: String.self)
            guard before == after else { throw PostgresMigrationError.endedTransaction(name: file.name) }
            let migration = try await record(file, checksum, start)
            try await connection.execute("COMMIT")
            return migration
        } catch {
            // The connection is closed after use in any case; this only frees the locks sooner.
            _ = try? await connection.execute("ROLLBACK")
            throw error
        }
    }

    private func record(
        _ file: MigrationFile,
        _ checksum: String,
        _ start: ContinuousClock.Instant
    ) async throws -> AppliedMigration {
        let milliseconds = Int((ContinuousClock.now - start).nanosecondsClamped / 1_000_000)
        // Later than every record before, also when the clock was set back: their order says what a repeatable file is now.
        let appliedAt = try await connection.scalar(
            """
            INSERT INTO \(fragment: table) (version, name, checksum, applied_at, milliseconds)
            SELECT \(file.version)::text, \(file.name)::text, \(checksum)::text,
                greatest(clock_timestamp(), max(applied_at) + interval '1 microsecond'), \(milliseconds)::bigint
            FROM \(fragment: table)
            RETURNING applied_at
            """,
            as: Date.self
        )
        return AppliedMigration(
            version: file.version,
            name: file.name,
            appliedAt: appliedAt,
            milliseconds: milliseconds
        )
    }
}
