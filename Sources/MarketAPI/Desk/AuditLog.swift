// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Moderation
import Postgres
import SheetCore

/// Who does what the audit log records.
public struct AuditActor: Sendable, Equatable {
    /// The account; `nil` for the service and its operator.
    public let id: UserID?
    /// Its handle now.
    public let name: String
    /// The token that was used, if one was.
    let token: TokenID?

    /// The service itself.
    public static let system = AuditActor(id: nil, name: "system", token: nil)
    /// Whoever runs `sheetmarket admin` on the machine.
    public static let operatorCommand = AuditActor(id: nil, name: "operator", token: nil)

    private init(id: UserID?, name: String, token: TokenID?) {
        self.id = id
        self.name = name
        self.token = token
    }

    /// A caller of the API.
    public init(_ identity: Identity) {
        id = identity.userID
        name = identity.handle
        if case .token(let token) = identity.credential { self.token = token } else { token = nil }
    }
}

/// The record of what moderators and administrators did, each entry hashed over the one before.
public enum AuditLog {
    /// Names the advisory lock that puts writers in a row.
    private static let lock: Int64 = 0x5348_4545_5441_5544

    /// Adds an entry in the caller's transaction (read committed: the entry before is read after the lock is had).
    /// Writers wait for each other from here to their commits, so append last.
    @discardableResult
    public static func append(
        _ connection: PostgresConnection, actor: AuditActor, action: String, subject: String,
        details: [String: String] = [:], requestID: String? = nil, at now: Date = Date()
    ) async throws -> AuditRecord {
        try await connection.execute("SELECT pg_advisory_xact_lock(\(lock))")
        let last = try await connection.first("SELECT sequence, hash FROM audit_entries ORDER BY sequence DESC LIMIT 1")
        {
            (sequence: try $0.get("sequence", as: Int64.self), hash: try $0.get("hash", as: ContentHash.self))
        }
        var details = details
        if let token = actor.token { details["byToken"] = token.description }
        let text = String(decoding: try WireJSON.encoder().encode(details), as: UTF8.self)
        let record = AuditRecord(
            following: last, at: wholeMilliseconds(now), actorID: actor.id, actor: actor.name, action: action,
            subject: subject, details: text, requestID: requestID)
        try await connection.execute(
            """
            INSERT INTO audit_entries (sequence, at, actor_id, actor, action, subject, details, request_id,
                previous_hash, hash)
            VALUES (\(record.sequence), \(record.at), \(record.actorID), \(record.actor), \(record.action),
                \(record.subject), \(record.details), \(record.requestID), \(record.previousHash), \(record.hash))
            """)
        return record
    }

    /// Entries with a lower number than `sequence`, newest first.
    static func entries(
        before sequence: Int64?, limit: Int, in database: some PostgresExecutor
    ) async throws -> [AuditRecord] {
        try await database.all(
            """
            SELECT \(fragment: columns) FROM audit_entries
            WHERE sequence < \(sequence ?? .max) ORDER BY sequence DESC LIMIT \(limit)
            """, AuditRecord.init)
    }

    /// Checks the whole log, some entries at a time; throws `AuditFault` at the first that is wrong. That nobody cut
    /// off the end is for whoever kept an earlier `head` to say.
    public static func verify(_ database: PostgresClient) async throws -> AuditVerifier {
        var verifier = AuditVerifier()
        var last: Int64 = .min
        while true {
            let batch = try await database.all(
                """
                SELECT \(fragment: columns) FROM audit_entries
                WHERE sequence > \(last) ORDER BY sequence LIMIT 1000
                """, AuditRecord.init)
            guard let end = batch.last else { return verifier }
            for record in batch { try verifier.check(record) }
            last = end.sequence
        }
    }

    private static let columns: PostgresQuery =
        "sequence, at, actor_id, actor, action, subject, details, request_id, previous_hash, hash"

    private static func wholeMilliseconds(_ date: Date) -> Date {
        Date(timeIntervalSince1970: (date.timeIntervalSince1970 * 1000).rounded() / 1000)
    }
}

extension AuditRecord {
    init(_ row: PostgresRow) throws {
        self.init(
            sequence: try row.get("sequence"), at: try row.get("at"), actorID: try row.get("actor_id"),
            actor: try row.get("actor"), action: try row.get("action"), subject: try row.get("subject"),
            details: try row.get("details"), requestID: try row.get("request_id"),
            previousHash: try row.get("previous_hash"), hash: try row.get("hash"))
    }

    /// As the API shows it.
    var entry: AuditEntry {
        AuditEntry(
            sequence: sequence, at: at, actor: actor, action: action, subject: subject, details: details,
            requestId: requestID, hash: hash)
    }
}
