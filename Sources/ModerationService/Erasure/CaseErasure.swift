// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres
import SheetCore

/// SQL of what an erased person leaves in the tables of moderation; in the transaction that erases them, except where
/// it says otherwise.
package enum CaseErasure {
    /// Deletes what the risk rules said of submissions.
    package static func deleteAssessments(
        of submissions: [SubmissionID], in connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            "DELETE FROM risk_assessments WHERE submission_id = ANY (\(submissions.map(\.rawValue))::uuid[])")
    }

    /// Gives back the cases that a moderator holds, and empties what the person said in cases, appeals and closed
    /// reports. An open report keeps its text: it is about somebody else.
    package static func emptyTexts(of user: UserID, in connection: PostgresConnection) async throws {
        try await connection.execute(
            """
            UPDATE cases SET state = 'open', claimed_by = NULL, claim_expires_at = NULL
            WHERE claimed_by = \(user) AND state = 'claimed'
            """)
        try await connection.execute(
            "UPDATE case_messages SET text = 'Erased.' WHERE author_id = \(user) AND side = 'uploader'")
        try await connection.execute("UPDATE appeals SET text = 'Erased.' WHERE appellant_id = \(user)")
        try await connection.execute("UPDATE reports SET text = '' WHERE reporter_id = \(user) AND state = 'closed'")
    }

    /// Empties what erased people said in copyright notices that are over. Until then, while a work is down or a legal
    /// deadline runs, the other side has a right to know who they are. So this is called with each erasure, and again
    /// later for notices that were not over then.
    package static func clearNoticeTexts(in database: some PostgresExecutor) async throws {
        try await database.execute(
            """
            UPDATE copyright_notices AS n SET name = 'Former member', email = '', address = '', phone = '',
                work = 'Erased.', explanation = 'Erased.', signature = ''
            FROM users AS u WHERE u.id = n.claimant_id AND u.erased_at IS NOT NULL AND n.signature <> ''
                AND n.state IN ('restored', 'rejected', 'withdrawn')
            """)
        try await database.execute(
            """
            UPDATE copyright_notices AS n SET counter_name = 'Former member', counter_address = '', counter_phone = '',
                counter_explanation = 'Erased.', counter_signature = ''
            FROM users AS u WHERE u.id = n.counter_by AND u.erased_at IS NOT NULL AND n.counter_signature <> ''
                AND n.state IN ('restored', 'rejected', 'withdrawn')
            """)
    }
}
