// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging

/// Brings a schema forward by plain SQL files, `<14-digit UTC time>_<verb_noun>.sql`, in the order of their names.
///
/// Each file runs in a transaction of its own and is recorded with its SHA-256 in `schema_migrations`; all of it under
/// one advisory lock, so that many nodes may start at once. A file whose first line is `-- no-transaction` runs outside
/// one and must bear being begun again.
public struct PostgresMigrator: Sendable {
    private let directory: URL
    /// The lock that migrating nodes share, of no other meaning.
    private static let lockKey: Int64 = 0x7368_6565_746D_6967
    private static let noTransaction = "-- no-transaction"

    /// Reads the files of `directory`.
    public init(directory: URL) {
        self.directory = directory
    }

    /// Applies what is pending and tells what that was. Throws `MigrationError`, or the server's error for a bad file,
    /// of which nothing remains then.
    @discardableResult
    public func migrate(_ client: PostgresClient, logger: Logger) async throws -> [AppliedMigration] {
        let files = try readFiles()
        return try await client.withConnection { connection in
            // The lock belongs to the session: it outlives each file's transaction and goes with the connection.
            // Waiting for it is waiting for another node's migrations, however long they take.
            try await connection.executeScript("SET statement_timeout = 0; SET lock_timeout = 0")
            try await connection.execute("SELECT pg_advisory_lock(\(Self.lockKey))")
            connection.discardAfterUse()
            try await connection.executeScript(Self.table)
            let applied = try await Self.applied(in: connection)
            let pending = try await pending(of: files, after: applied, in: connection)
            var done: [AppliedMigration] = []
            for file in pending {
                logger.info("migrating", metadata: ["migration": "\(file.name)"])
                try await Self.apply(file, in: connection)
                done.append(AppliedMigration(name: file.name, appliedAt: Date()))
            }
            return done
        }
    }

    /// Every known migration in order. Changes nothing; throws `MigrationError` when the files cannot be read.
    public func status(_ client: PostgresClient) async throws -> [MigrationStatus] {
        let files = try readFiles()
        return try await client.withConnection { connection in
            let exists = try await connection.scalar(
                "SELECT to_regclass('schema_migrations') IS NOT NULL", as: Bool.self)
            let applied = exists ? try await Self.applied(in: connection) : []
            let byName = Dictionary(applied.map { ($0.name, $0) }) { first, _ in first }
            var rows: [MigrationStatus] = []
            for file in files {
                guard let record = byName[file.name] else {
                    rows.append(MigrationStatus(name: file.name, appliedAt: nil, problem: nil))
                    continue
                }
                let same = try await Self.checksum(of: file, in: connection) == record.checksum
                rows.append(
                    MigrationStatus(
                        name: file.name, appliedAt: record.appliedAt,
                        problem: same ? nil : "the file has changed since it was applied"))
            }
            let known = Set(files.map(\.name))
            for record in applied where !known.contains(record.name) {
                rows.append(
                    MigrationStatus(name: record.name, appliedAt: record.appliedAt, problem: "its file is missing"))
            }
            return rows.sorted { $0.name < $1.name }
        }
    }

    private struct File: Sendable {
        let name: String
        let sql: String
    }

    private struct Record {
        let name: String
        let checksum: Data
        let appliedAt: Date
    }

    private static let table = """
        SET client_min_messages = warning;
        CREATE TABLE IF NOT EXISTS schema_migrations (
            name       text PRIMARY KEY,
            checksum   bytea NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now()
        );
        COMMENT ON TABLE schema_migrations IS 'Migrations that were applied, with the SHA-256 of their files.';
        """

    private func readFiles() throws -> [File] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        } catch {
            throw MigrationError("The migrations' folder \(directory.path) cannot be read.")
        }
        return try names.filter { $0.hasSuffix(".sql") }.sorted().map { file in
            let name = String(file.dropLast(4))
            guard name.wholeMatch(of: /\d{14}_[a-z0-9_]+/) != nil else {
                throw MigrationError("\(file) is not named like 20260131120000_add_thing.sql.")
            }
            guard let sql = try? String(contentsOf: directory.appendingPathComponent(file), encoding: .utf8) else {
                throw MigrationError("\(file) cannot be read as UTF-8 text.")
            }
            return File(name: name, sql: sql)
        }
    }

    private static func applied(in connection: PostgresConnection) async throws -> [Record] {
        try await connection.all("SELECT name, checksum, applied_at FROM schema_migrations ORDER BY name") { row in
            Record(name: try row.get("name"), checksum: try row.get("checksum"), appliedAt: try row.get("applied_at"))
        }
    }

    /// The server hashes, so that this module needs no cryptography of its own.
    private static func checksum(of file: File, in connection: PostgresConnection) async throws -> Data {
        try await connection.scalar("SELECT sha256(convert_to(\(file.sql), 'UTF8'))")
    }

    private func pending(
        of files: [File], after applied: [Record], in connection: PostgresConnection
    ) async throws -> [File] {
        let byName = Dictionary(files.map { ($0.name, $0) }) { first, _ in first }
        for record in applied {
            guard let file = byName[record.name] else {
                throw MigrationError(
                    "\(record.name) was applied to this database, but its file is not here: this program is older than "
                        + "the database. Install the version that knows it.")
            }
            guard try await Self.checksum(of: file, in: connection) == record.checksum else {
                throw MigrationError(
                    "\(record.name).sql has changed since it was applied. Restore the file, and write a new migration.")
            }
        }
        let done = Set(applied.map(\.name))
        let pending = files.filter { !done.contains($0.name) }
        if let first = pending.first, let last = applied.last, first.name < last.name {
            throw MigrationError(
                "\(first.name) is older than \(last.name), which was applied already. Give it a later time.")
        }
        return pending
    }

    private static func apply(_ file: File, in connection: PostgresConnection) async throws {
        let record: PostgresQuery =
            "INSERT INTO schema_migrations (name, checksum) VALUES (\(file.name), sha256(convert_to(\(file.sql), 'UTF8')))"
        if file.sql.hasPrefix(noTransaction) {
            try await connection.executeScript(file.sql)
            try await connection.execute(record)
            return
        }
        try await connection.executeScript("BEGIN")
        do {
            try await connection.executeScript(file.sql)
            try await connection.execute(record)
            try await connection.executeScript("COMMIT")
        } catch {
            try? await connection.executeScript("ROLLBACK")
            throw error
        }
    }
}

/// A migration that was applied just now.
public struct AppliedMigration: Sendable, Equatable {
    /// The file's name without `.sql`.
    public let name: String
    /// When.
    public let appliedAt: Date
}

/// How one migration stands.
public struct MigrationStatus: Sendable, Equatable {
    /// The file's name without `.sql`.
    public let name: String
    /// `nil` while it is pending.
    public let appliedAt: Date?
    /// What is wrong with it, in words for an operator.
    public let problem: String?
}

/// Why migrations cannot be applied; the text is for the operator.
public struct MigrationError: Error, Sendable, CustomStringConvertible {
    /// What is wrong and what to do about it.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
