// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres
import SheetCore

// The reports that a case answers.
extension CaseStore {
    /// Closes the reports of a case that are open.
    static func closeReports(
        of id: CaseID, upheld: Bool, at now: Date, in connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            UPDATE reports SET state = 'closed', closed_at = \(now), outcome = \(upheld ? "upheld" : "dismissed")
            WHERE case_id = \(id) AND state = 'open'
            """)
    }

    /// Opens the reports of a case again, but for those whose writer has reported the same again meanwhile.
    static func reopenReports(of id: CaseID, in connection: PostgresConnection) async throws {
        try await connection.execute(
            """
            UPDATE reports AS r SET state = 'open', closed_at = NULL, outcome = NULL
            WHERE r.case_id = \(id) AND r.state = 'closed' AND NOT EXISTS (
                SELECT FROM reports AS o WHERE o.state = 'open' AND o.reporter_id = r.reporter_id
                    AND o.subject_kind = r.subject_kind AND o.subject_id = r.subject_id)
            """)
    }

    /// The open case that new reports on the same subject as this case's gather in.
    static func openCase(
        onSubjectOf id: CaseID, in connection: PostgresConnection
    ) async throws -> CaseID? {
        try await connection.first(
            """
            SELECT o.id FROM cases AS c
            JOIN cases AS o ON o.kind = 'report' AND o.subject_kind = c.subject_kind AND o.subject_id = c.subject_id
                AND o.state IN ('open', 'claimed', 'waiting')
            WHERE c.id = \(id)
            """
        ) { try $0.get("id") }
    }

    /// Hands a case's reports over to another case.
    static func moveReports(of id: CaseID, to other: CaseID, in connection: PostgresConnection) async throws {
        try await connection.execute("UPDATE reports SET case_id = \(other) WHERE case_id = \(id)")
    }
}
