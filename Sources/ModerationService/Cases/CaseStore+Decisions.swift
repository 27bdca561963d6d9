// SPDX-License-Identifier: Apache-2.0
import Foundation
import Moderation
import Postgres
import SheetCore

// What is decided in a case, and proposed.
extension CaseStore {
    /// Keeps a decision for good, and returns its id; a `nil` moderator is the service itself.
    @discardableResult
    static func insertDecision(
        _ decision: Decision, on id: CaseID, by moderator: UserID?, proposedBy: UserID? = nil, at now: Date,
        in connection: PostgresConnection
    ) async throws -> UUID {
        let key = UUID.version7(at: now)
        try await connection.execute(
            """
            WITH noted AS (UPDATE cases SET decided_at = \(now) WHERE id = \(id))
            INSERT INTO decisions (id, case_id, moderator_id, decision, reason_code, message, decided_at, evidence,
                ends_at, proposed_by)
            VALUES (\(key), \(id), \(moderator), \(decision.verdict), \(decision.reasonCode), \(decision.message),
                \(now), \(PostgresJSON(decision.evidence)), \(decision.until), \(proposedBy))
            """)
        return key
    }

    static func insertProposal(
        _ decision: Decision, on id: CaseID, by moderator: UserID, at now: Date, in connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            INSERT INTO case_proposals (case_id, moderator_id, decision, reason_code, message, evidence, ends_at,
                proposed_at)
            VALUES (\(id), \(moderator), \(decision.verdict), \(decision.reasonCode), \(decision.message),
                \(PostgresJSON(decision.evidence)), \(decision.until), \(now))
            """)
    }

    static func deleteProposal(_ id: CaseID, in connection: PostgresConnection) async throws {
        try await connection.execute("DELETE FROM case_proposals WHERE case_id = \(id)")
    }

    /// Who made a decision; `nil` for the service itself.
    static func decider(of decision: UUID, in connection: PostgresConnection) async throws -> UserID? {
        try await connection.first("SELECT moderator_id FROM decisions WHERE id = \(decision)") {
            try $0.get("moderator_id", as: UserID?.self)
        } ?? nil
    }

    /// Marks a decision as undone.
    static func setOverturned(_ decision: UUID, at now: Date, in connection: PostgresConnection) async throws {
        try await connection.execute("UPDATE decisions SET overturned_at = \(now) WHERE id = \(decision)")
    }
}
