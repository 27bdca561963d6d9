// SPDX-License-Identifier: Apache-2.0
import Foundation
import Moderation
import Postgres
import SheetCore

/// Cases as other parts of the market open and close them, all in the caller's transaction.
package enum CaseLifecycle {
    /// Opens the case of a submission that came to await review. A submission has one case however often this is
    /// called. A revised file ends the waiting for it.
    @discardableResult
    package static func open(
        _ connection: PostgresConnection, submission: SubmissionID, at now: Date = Date(),
        sla: CaseSLA = CaseSLA()
    ) async throws -> CaseID {
        let previous = try await closeWaiting(for: submission, at: now, in: connection)
        return try await connection.one(
            """
            INSERT INTO cases (id, submission_id, opened_at, template_id, respondent_id, excluded_moderators, track, due_at,
                reach, previous_id)
            SELECT \(CaseID.make(at: now)), s.id, \(now), s.template_id, s.uploader_id,
                ARRAY(
                    SELECT s.uploader_id UNION SELECT t.owner_id
                    UNION SELECT a.user_id FROM template_authors AS a WHERE a.template_id = t.id),
                k.track,
                \(now)::timestamptz + make_interval(secs => CASE WHEN k.track = 'trusted'
                    THEN \(sla.trustedUpdate)::float8 ELSE \(sla.upload)::float8 END),
                t.downloads, \(previous)
            FROM submissions AS s JOIN templates AS t ON t.id = s.template_id
            CROSS JOIN LATERAL (
                SELECT CASE
                    WHEN NOT EXISTS (SELECT FROM versions AS v WHERE v.template_id = t.id) THEN 'first'
                    WHEN (SELECT count(*) FROM submissions AS p
                        WHERE p.uploader_id = s.uploader_id AND p.state = 'published') >= \(sla.trustedApprovals)
                        THEN 'trusted'
                    ELSE 'update' END AS track
            ) AS k
            WHERE s.id = \(submission)
            ON CONFLICT (submission_id) DO UPDATE SET submission_id = EXCLUDED.submission_id
            RETURNING id
            """
        ) { try $0.get("id") }
    }

    /// Closes the case of a submission that its uploader took back; does nothing when there is none, or it is over.
    package static func close(
        _ connection: PostgresConnection, submission: SubmissionID, at now: Date = Date()
    ) async throws {
        let found = try await connection.first("SELECT id FROM cases WHERE submission_id = \(submission)") {
            try $0.get("id", as: CaseID.self)
        }
        guard let found, let locked = try await LockedCase.fetch(found, in: connection),
            // Refused when the case is over: then nothing is left to close.
            let outcome = try? locked.file.after(.withdraw, by: .system, at: now)
        else { return }
        try await locked.set(outcome.status, at: now, in: connection)
        if outcome.actions.contains(.dropProposal) { try await CaseStore.deleteProposal(found, in: connection) }
    }

    /// Puts a report into the open case on its subject, or opens one. `weight` is what the report counts for the place
    /// in the queue.
    @discardableResult
    static func gather(
        report: ReportID, subject: CaseSubject, weight: Double = 1, at now: Date = Date(),
        sla: CaseSLA = CaseSLA(), in connection: PostgresConnection
    ) async throws -> CaseID {
        let id = try await open(on: subject, at: now, sla: sla, in: connection)
        try await connection.execute("UPDATE reports SET case_id = \(id) WHERE id = \(report)")
        try await connection.execute(
            """
            UPDATE cases SET report_count = report_count + 1, report_weight = report_weight + \(weight)
            WHERE id = \(id)
            """)
        return id
    }

    /// The open case on a subject, new if there is none: what reports gather in, and what moderators open themselves.
    package static func open(
        on subject: CaseSubject, at now: Date, sla: CaseSLA = CaseSLA(),
        in connection: PostgresConnection
    ) async throws -> CaseID {
        guard let found = try await CaseStore.subject(subject, in: connection) else { throw CaseError.noSuchSubject }
        return try await connection.one(
            """
            INSERT INTO cases (id, kind, subject_kind, subject_id, opened_at, template_id, respondent_id, excluded_moderators, track,
                due_at, reach)
            VALUES (\(CaseID.make(at: now)), 'report', \(found.kind), \(found.id), \(now), \(found.template),
                \(found.respondent), \(found.parties)::uuid[], 'report',
                \(now.addingTimeInterval(sla.report)), \(found.reach))
            ON CONFLICT (subject_kind, subject_id) WHERE kind = 'report' AND state IN ('open', 'claimed', 'waiting')
                DO UPDATE SET reach = EXCLUDED.reach
            RETURNING id
            """
        ) { try $0.get("id") }
    }

    /// Enters what a moderator decided about a person outside any case. A case is made for it that is decided at once,
    /// so that it can be appealed like every decision. Returns the decision's id.
    package static func enter(
        _ decision: Decision, on person: UserID, by moderator: UserID, at now: Date,
        sla: CaseSLA = CaseSLA(), in connection: PostgresConnection
    ) async throws -> UUID {
        let id = CaseID.make(at: now)
        try await connection.execute(
            """
            INSERT INTO cases (id, kind, subject_kind, subject_id, opened_at, respondent_id, excluded_moderators, track, due_at,
                state)
            VALUES (\(id), 'report', 'user', \(person), \(now), \(person), ARRAY[\(person)::uuid], 'report',
                \(now.addingTimeInterval(sla.report)), 'decided')
            """)
        return try await CaseStore.insertDecision(decision, on: id, by: moderator, at: now, in: connection)
    }

    /// Closes the cases of the same template that wait for a revised file, which this submission is. Returns the newest
    /// of them.
    private static func closeWaiting(
        for submission: SubmissionID, at now: Date, in connection: PostgresConnection
    ) async throws -> CaseID? {
        let waiting = try await connection.all(
            """
            SELECT old.id FROM submissions AS s
            JOIN cases AS old ON old.template_id = s.template_id AND old.state = 'waiting' AND old.kind = 'submission'
            WHERE s.id = \(submission) AND old.submission_id <> s.id ORDER BY old.id
            """
        ) { try $0.get("id", as: CaseID.self) }
        var last: CaseID?
        for id in waiting {
            guard let locked = try await LockedCase.fetch(id, in: connection),
                // Refused when the case waits for an answer and not for a file: then it goes on waiting.
                let outcome = try? locked.file.after(.revise, by: .system, at: now)
            else { continue }
            try await locked.set(outcome.status, at: now, in: connection)
            last = id
        }
        return last
    }
}
