// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Moderation
import Postgres
import SheetCore

enum AuditStore {
    /// Names the advisory lock that puts writers in a row.
    private static let lock: Int64 = 0x5348_4545_5441_5544

    static func lock(_ connection: PostgresConnection) async throws {
        try await connection.execute("SELECT pg_advisory_xact_lock(\(lock))")
    }

    /// The last entry's number and hash.
    static func head(_ database: some PostgresExecutor) async throws -> (sequence: Int64, hash: ContentHash)? {
        try await database.first("SELECT sequence, hash FROM audit_entries ORDER BY sequence DESC LIMIT 1") {
            (sequence: try $0.get(0), hash: try $0.get(1))
        }
    }

    /// Whether somebody's call left an entry.
    static func hasEntry(
        _ requestID: String, by user: UserID, since: Date, _ database: some PostgresExecutor
    ) async throws -> Bool {
        try await database.scalar(
            """
            SELECT EXISTS (
                SELECT FROM audit_entries WHERE request_id = \(requestID) AND actor_id = \(user) AND at >= \(since))
            """)
    }

    /// Whether something was ever done to a subject.
    static func hasEntry(
        action: String, subject: String, _ database: some PostgresExecutor
    ) async throws -> Bool {
        try await database.scalar(
            "SELECT EXISTS (SELECT FROM audit_entries WHERE action = \(action) AND subject = \(subject))")
    }

    static func insert(_ record: AuditRecord, _ connection: PostgresConnection) async throws {
        try await connection.execute(
            """
            INSERT INTO audit_entries (sequence, at, actor_id, actor, action, subject, reason, details, token_id,
                request_id, previous_hash, hash, format, actor_salt, actor_hash, words_salt, words_hash)
            VALUES (\(record.sequence), \(record.at), \(record.actorID), \(record.actor), \(record.action),
                \(record.subject), \(record.reason), \(record.details), \(record.tokenID), \(record.requestID),
                \(record.previousHash), \(record.hash), \(Int16(record.format.rawValue)), \(record.actorPart.salt),
                \(record.actorPart.hash), \(record.wordsPart.salt), \(record.wordsPart.hash))
            """)
    }

    static func entries(
        before sequence: Int64?, limit: Int, _ database: some PostgresExecutor
    ) async throws -> [AuditRecord] {
        try await database.all(
            """
            SELECT \(fragment: columns) FROM audit_entries
            WHERE sequence < \(sequence ?? .max) ORDER BY sequence DESC LIMIT \(literal: limit)
            """, AuditRecord.init)
    }

    static func entries(
        after sequence: Int64, limit: Int, _ database: some PostgresExecutor
    ) async throws -> [AuditRecord] {
        try await database.all(
            """
            SELECT \(fragment: columns) FROM audit_entries
            WHERE sequence > \(sequence) ORDER BY sequence LIMIT \(literal: limit)
            """, AuditRecord.init)
    }

    /// Takes a person out; without an address none is looked for. Which entries lost the actor's name, which the words.
    static func erase(
        _ person: UserID, handle: String, email: String?, _ connection: PostgresConnection
    ) async throws -> [(sequence: Int64, actor: Bool, words: Bool)] {
        try await connection.all(
            """
            SELECT sequence, lost_actor, coalesce(lost_words, false)
            FROM erase_audit_entries(\(person), \(handle), \(email))
            """
        ) { (sequence: try $0.get(0), actor: try $0.get(1), words: try $0.get(2)) }
    }

    // MARK: Checkpoints

    static func checkpoints(_ database: some PostgresExecutor) async throws -> [AuditCheckpoint] {
        try await database.all(
            "SELECT sequence, head, at, key_id, signature FROM audit_checkpoints ORDER BY sequence"
        ) { row in
            AuditCheckpoint(
                sequence: try row.get(0), head: try row.get(1), at: try row.get(2), keyID: try row.get(3),
                signature: try row.get(4))
        }
    }

    /// The last checkpoint's number and time.
    static func lastCheckpoint(_ database: some PostgresExecutor) async throws -> (sequence: Int64, at: Date)? {
        try await database.first("SELECT sequence, at FROM audit_checkpoints ORDER BY sequence DESC LIMIT 1") {
            (sequence: try $0.get(0), at: try $0.get(1))
        }
    }

    /// Keeps a checkpoint; of two nodes that sign the same head, the first one's stays.
    static func insert(_ checkpoint: AuditCheckpoint, _ database: some PostgresExecutor) async throws {
        try await database.execute(
            """
            INSERT INTO audit_checkpoints (sequence, head, at, key_id, signature)
            VALUES (\(checkpoint.sequence), \(checkpoint.head), \(checkpoint.at), \(checkpoint.keyID),
                \(checkpoint.signature))
            ON CONFLICT DO NOTHING
            """)
    }

    private static let columns: PostgresQuery = """
        sequence, at, actor_id, actor, action, subject, reason, details, token_id, request_id, previous_hash, hash, format,
        actor_salt, actor_hash, words_salt, words_hash
        """
}

extension AuditRecord {
    package init(_ row: PostgresRow) throws {
        let actor: String? = try row.get("actor")
        let details: String? = try row.get("details")
        let reason: String? = try row.get("reason")
        // A number that is none of ours fails like any other change: by its hash.
        let format = Format(rawValue: try row.get("format", as: Int.self)) ?? .plain
        self.init(
            format: format, sequence: try row.get("sequence"), at: try row.get("at"), actorID: try row.get("actor_id"),
            actorPart: Part(
                fields: actor.map { [$0] }, salt: try row.get("actor_salt"), hash: try row.get("actor_hash")),
            action: try row.get("action"), subject: try row.get("subject"),
            wordsPart: Part(
                // A reason that is left where the details are gone is no erasure.
                fields: details == nil && reason == nil ? nil : [reason, details], salt: try row.get("words_salt"),
                hash: try row.get("words_hash")),
            tokenID: try row.get("token_id"), requestID: try row.get("request_id"),
            previousHash: try row.get("previous_hash"), hash: try row.get("hash"))
    }

    /// As the API shows it.
    package var entry: AuditEntry {
        AuditEntry(
            sequence: sequence, at: at, actor: actor ?? "erased", action: action, subject: subject,
            details: details ?? "{}", requestId: requestID, hash: hash, actorId: actorID, reason: reason,
            tokenId: tokenID, erased: actorPart.isErased || wordsPart.isErased ? true : nil)
    }
}
