// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Moderation
import Postgres
import SheetCore

/// The audit log as JSON lines, with all that is needed to verify it elsewhere: entries with their salts and hashes,
/// oldest first, then the signed checkpoints. docs/audit.md tells how the bytes are made.
package enum AuditExport {
    fileprivate struct EntryLine: Encodable {
        var type = "entry"
        var format: Int
        var sequence: Int64
        var at: Date
        var atMicroseconds: Int64
        var actorId: UserID?
        var actor: String?
        var actorSalt: String?
        var actorHash: String?
        var action: String
        var subject: String
        var reason: String?
        var details: String?
        var wordsSalt: String?
        var wordsHash: String?
        var tokenId: TokenID?
        var requestId: String?
        var previousHash: ContentHash
        var hash: ContentHash
    }

    private struct CheckpointLine: Codable {
        var type = "checkpoint"
        var sequence: Int64
        var head: ContentHash
        var at: Date
        var keyId: String
        var signature: String
    }

    /// Hands over the log line by line, each with its line feed; up to an entry, or to the end.
    package static func lines(
        of database: PostgresClient, until last: Int64 = .max, _ write: (String) async throws -> Void
    ) async throws {
        let encoder = WireJSON.encoder()
        func line(_ value: some Encodable) throws -> String {
            String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
        }
        // Read before the entries: of a checkpoint that is signed meanwhile the entry would be missing.
        let checkpoints = try await AuditStore.checkpoints(database)
        try await AuditLog.forEach(in: database, until: last) { try await write(try line(EntryLine($0))) }
        for checkpoint in checkpoints where checkpoint.sequence <= last {
            let value = CheckpointLine(
                sequence: checkpoint.sequence, head: checkpoint.head, at: checkpoint.at, keyId: checkpoint.keyID,
                signature: checkpoint.signature.base64EncodedString())
            try await write(try line(value))
        }
    }

    /// The checkpoints of an export that was kept elsewhere; other lines are passed over.
    package static func checkpoints(in text: String) -> [AuditCheckpoint] {
        let decoder = WireJSON.decoder()
        return text.split(separator: "\n").compactMap { line in
            // Entries, and what else the file holds, are no checkpoints.
            guard let value = try? decoder.decode(CheckpointLine.self, from: Data(line.utf8)),
                value.type == "checkpoint", let signature = Data(base64Encoded: value.signature)
            else { return nil }
            return AuditCheckpoint(
                sequence: value.sequence, head: value.head, at: value.at, keyID: value.keyId, signature: signature)
        }
    }
}

extension AuditExport.EntryLine {
    fileprivate init(_ record: AuditRecord) {
        format = record.format.rawValue
        sequence = record.sequence
        at = record.at
        atMicroseconds = Int64((record.at.timeIntervalSince1970 * 1_000_000).rounded())
        actorId = record.actorID
        actor = record.actor
        actorSalt = record.actorPart.salt?.base64EncodedString()
        actorHash = record.actorPart.hash?.hex
        action = record.action
        subject = record.subject
        reason = record.reason
        details = record.details
        wordsSalt = record.wordsPart.salt?.base64EncodedString()
        wordsHash = record.wordsPart.hash?.hex
        tokenId = record.tokenID
        requestId = record.requestID
        previousHash = record.previousHash
        hash = record.hash
    }
}
