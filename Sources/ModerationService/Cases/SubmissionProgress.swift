// SPDX-License-Identifier: Apache-2.0
import Postgres
import SheetCore

/// How far a submission has come, and the case by which it is decided.
package struct SubmissionProgress: Sendable {
    package let id: SubmissionID
    package let state: SubmissionState
    /// There once a moderator can decide.
    package let caseID: CaseID?

    private init(_ row: PostgresRow) throws {
        id = try row.get("id")
        state = try row.get("state")
        caseID = try row.get("case_id")
    }

    /// The uploader's latest submission of an artifact.
    package static func last(
        of artifact: ContentHash, by uploader: UserID, in database: some PostgresExecutor
    ) async throws -> SubmissionProgress? {
        try await database.first(
            """
            SELECT submissions.id, submissions.state, cases.id AS case_id
            FROM submissions LEFT JOIN cases ON cases.submission_id = submissions.id
            WHERE uploader_id = \(uploader) AND coalesce(original_sha256, artifact_sha256) = \(artifact)
            ORDER BY submissions.id DESC LIMIT 1
            """
        ) { try SubmissionProgress($0) }
    }

    package static func fetch(
        _ id: SubmissionID, in database: some PostgresExecutor
    ) async throws -> SubmissionProgress? {
        try await database.first(
            """
            SELECT submissions.id, submissions.state, cases.id AS case_id
            FROM submissions LEFT JOIN cases ON cases.submission_id = submissions.id WHERE submissions.id = \(id)
            """
        ) { try SubmissionProgress($0) }
    }
}
