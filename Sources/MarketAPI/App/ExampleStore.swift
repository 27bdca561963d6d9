// SPDX-License-Identifier: Apache-2.0
import Postgres
import SheetCore

enum ExampleStore {
    /// A submission as the seeder looks at it.
    struct Progress {
        let id: SubmissionID
        let state: SubmissionState
        /// There once a moderator can decide.
        let caseID: CaseID?

        fileprivate init(_ row: PostgresRow) throws {
            id = try row.get("id")
            state = try row.get("state")
            caseID = try row.get("case_id")
        }
    }

    /// Enters a game system unless its slug is there.
    static func insertGameSystem(
        _ slug: String, name: String, publisher: String?, aliases: [String], in database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            """
            INSERT INTO game_systems (slug, name, publisher, aliases)
            VALUES (\(slug), \(name), \(publisher), \(aliases))
            ON CONFLICT (slug) DO NOTHING
            """)
    }

    /// The uploader's latest submission of an artifact.
    static func lastSubmission(
        of artifact: ContentHash, by uploader: UserID, in database: some PostgresExecutor
    ) async throws -> Progress? {
        try await database.first(
            """
            SELECT submissions.id, submissions.state, cases.id AS case_id
            FROM submissions LEFT JOIN cases ON cases.submission_id = submissions.id
            WHERE uploader_id = \(uploader) AND coalesce(original_sha256, artifact_sha256) = \(artifact)
            ORDER BY submissions.id DESC LIMIT 1
            """
        ) { try Progress($0) }
    }

    /// How a submission stands.
    static func submission(_ id: SubmissionID, in database: some PostgresExecutor) async throws -> Progress? {
        try await database.first(
            """
            SELECT submissions.id, submissions.state, cases.id AS case_id
            FROM submissions LEFT JOIN cases ON cases.submission_id = submissions.id WHERE submissions.id = \(id)
            """
        ) { try Progress($0) }
    }
}
