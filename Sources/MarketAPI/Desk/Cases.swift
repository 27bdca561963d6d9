// SPDX-License-Identifier: Apache-2.0
import Foundation
import Moderation
import Postgres
import SheetCore

/// Cases as other parts of the market open and close them.
enum Cases {
    /// Opens the case of a submission that came to await review, in the caller's transaction. A submission has one case
    /// however often this is called.
    @discardableResult
    static func open(
        _ connection: PostgresConnection, submission: SubmissionID, at now: Date = Date()
    ) async throws -> CaseID {
        try await connection.one(
            """
            INSERT INTO cases (id, submission_id, opened_at) VALUES (\(CaseID.make(at: now)), \(submission), \(now))
            ON CONFLICT (submission_id) DO UPDATE SET submission_id = EXCLUDED.submission_id
            RETURNING id
            """
        ) { try $0.get("id") }
    }

    /// Closes the case of a submission that its uploader took back; does nothing when there is none.
    static func close(
        _ connection: PostgresConnection, submission: SubmissionID, at now: Date = Date()
    ) async throws {
        try await connection.execute(
            """
            UPDATE cases SET state = 'decided', claimed_by = NULL, claim_expires_at = NULL, decided_at = \(now)
            WHERE submission_id = \(submission) AND state <> 'decided'
            """)
    }
}

/// A case under lock, with what the rules ask about it.
struct LockedCase: Sendable {
    var id: CaseID
    var status: CaseStatus
    var submission: SubmissionID
    var submissionState: SubmissionState
    var uploader: UserID
    var template: TemplateID
    /// The template's owner and other authors.
    var authors: [UserID]

    /// Whose upload it counts as when `person` decides: an author's own, too, when another author sent it.
    func uploader(facing person: UserID) -> UserID {
        authors.contains(person) ? person : uploader
    }

    /// Locks the case, then its submission, until the transaction ends: whoever else comes waits here.
    static func fetch(_ id: CaseID, in connection: PostgresConnection) async throws -> LockedCase? {
        try await connection.first(
            """
            SELECT cases.id, cases.state, cases.claimed_by, cases.claim_expires_at, cases.submission_id,
                submissions.state AS submission_state, submissions.uploader_id, submissions.template_id,
                ARRAY(
                    SELECT owner_id FROM templates WHERE templates.id = submissions.template_id
                    UNION SELECT user_id FROM template_authors AS a WHERE a.template_id = submissions.template_id
                ) AS authors
            FROM cases JOIN submissions ON submissions.id = cases.submission_id
            WHERE cases.id = \(id)
            FOR UPDATE OF cases, submissions
            """
        ) { row in
            let holder = try row.get("claimed_by", as: UserID?.self)
            let until = try row.get("claim_expires_at", as: Date?.self)
            let status: CaseStatus =
                switch try row.get("state", as: String.self) {
                case "decided": .decided
                case "claimed": holder.flatMap { holder in until.map { .claimed(by: holder, until: $0) } } ?? .open
                default: .open
                }
            return LockedCase(
                id: try row.get("id"), status: status, submission: try row.get("submission_id"),
                submissionState: try row.get("submission_state"), uploader: try row.get("uploader_id"),
                template: try row.get("template_id"), authors: try row.get("authors"))
        }
    }

    /// Stores another status.
    func set(_ status: CaseStatus, at now: Date, in connection: PostgresConnection) async throws {
        switch status {
        case .open:
            try await connection.execute(
                "UPDATE cases SET state = 'open', claimed_by = NULL, claim_expires_at = NULL WHERE id = \(id)")
        case .claimed(let holder, let until):
            try await connection.execute(
                """
                UPDATE cases SET state = 'claimed', claimed_by = \(holder), claim_expires_at = \(until)
                WHERE id = \(id)
                """)
        case .decided:
            try await connection.execute(
                "UPDATE cases SET state = 'decided', claim_expires_at = NULL, decided_at = \(now) WHERE id = \(id)")
        }
    }
}
