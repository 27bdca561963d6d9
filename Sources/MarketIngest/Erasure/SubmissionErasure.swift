// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import Postgres
import SheetCore

/// SQL of what an erased person leaves in the tables of submissions; in the transaction that erases them.
package enum SubmissionErasure {
    /// Submissions that were never published, in the order in which they are locked.
    package static func unpublished(of user: UserID, in connection: PostgresConnection) async throws -> [SubmissionID] {
        try await connection.all(
            """
            SELECT s.id FROM submissions AS s
            WHERE s.uploader_id = \(user) AND NOT EXISTS (SELECT FROM versions AS v WHERE v.submission_id = s.id)
            ORDER BY s.id
            """
        ) { try $0.get("id") }
    }

    /// Ends what is under way.
    package static func withdraw(
        _ submissions: [SubmissionID], at now: Date, in connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            UPDATE submissions SET state = 'withdrawn', step = 'withdrawn', updated_at = \(now)
            WHERE id = ANY (\(submissions.map(\.rawValue))::uuid[])
                AND state IN ('received', 'inspecting', 'awaiting_review', 'changes_requested')
            """)
    }

    /// The files and pictures that submissions name.
    package static func files(
        of submissions: [SubmissionID], in connection: PostgresConnection
    ) async throws -> [ContentHash] {
        let ids = submissions.map(\.rawValue)
        return try await connection.all(
            """
            SELECT artifact_sha256 AS hash FROM submissions WHERE id = ANY (\(ids)::uuid[])
            UNION SELECT original_sha256 FROM submissions WHERE id = ANY (\(ids)::uuid[]) AND original_sha256 IS NOT NULL
            UNION SELECT sha256 FROM previews WHERE submission_id = ANY (\(ids)::uuid[])
            UNION SELECT sha256 FROM page_differences
                WHERE submission_id = ANY (\(ids)::uuid[]) OR other_submission_id = ANY (\(ids)::uuid[])
            """
        ) { try $0.get("hash") }
    }

    /// Deletes what was read of their pages.
    package static func deletePages(of submissions: [SubmissionID], in connection: PostgresConnection) async throws {
        let ids = submissions.map(\.rawValue)
        try await connection.execute("DELETE FROM previews WHERE submission_id = ANY (\(ids)::uuid[])")
        try await connection.execute(
            """
            DELETE FROM page_differences
            WHERE submission_id = ANY (\(ids)::uuid[]) OR other_submission_id = ANY (\(ids)::uuid[])
            """)
        try await connection.execute("DELETE FROM submission_pages WHERE submission_id = ANY (\(ids)::uuid[])")
    }

    /// Empties submissions of what was in them; their file becomes `placeholder`, whose artifact there is.
    package static func empty(
        _ submissions: [SubmissionID], placeholder: StoredObject, in connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            UPDATE submissions SET artifact_sha256 = \(placeholder.hash), size_bytes = \(placeholder.sizeBytes),
                file_name = 'erased', findings = '[]', page_count = NULL, outline = NULL, changes = NULL,
                original_sha256 = NULL, original_size_bytes = NULL, cleaning = NULL,
                metadata = jsonb_build_object('name', 'Erased', 'version', version)
            WHERE id = ANY (\(submissions.map(\.rawValue))::uuid[])
            """)
    }
}
