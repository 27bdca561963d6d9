// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Postgres
import SheetCore

enum AppealStore {
    /// The case whose last decision an appeal is against; `nil` when there is none.
    static func appealable(
        _ subject: AppealRequest.Subject, _ id: UUID, by person: UserID, in connection: some PostgresExecutor
    ) async throws -> CaseID? {
        let condition: PostgresQuery =
            switch subject {
            case .case: "c.id = \(id)"
            case .submission: "c.submission_id = \(id)"
            case .report: "c.id = (SELECT r.case_id FROM reports AS r WHERE r.id = \(id) AND r.reporter_id = \(person))"
            case .sanction:
                """
                c.id = (SELECT e.case_id FROM sanctions AS z JOIN decisions AS e ON e.id = z.decision_id
                    WHERE z.id = \(id) AND z.user_id = \(person))
                """
            case .template: "c.template_id = \(id) AND c.kind <> 'appeal'"
            }
        return try await connection.first(
            """
            SELECT c.id FROM cases AS c JOIN decisions AS d ON d.case_id = c.id
            WHERE \(fragment: condition) ORDER BY d.decided_at DESC, d.id DESC LIMIT 1
            """
        ) { try $0.get("id") }
    }

    /// Opens the case of an appeal, with the appeal. It is offered neither to those whose work it is about nor to those
    /// who decided first.
    static func insert(
        _ text: String, against locked: LockedCase, decision: UUID, by person: UserID, dueAt: Date, at now: Date,
        in connection: PostgresConnection
    ) async throws -> UUID {
        let key = UUID.version7(at: now)
        let id = CaseID.make(at: now)
        try await connection.execute(
            """
            INSERT INTO cases (id, kind, subject_kind, subject_id, opened_at, template_id, respondent_id, excluded_moderators, track,
                due_at, reach, risk, appeal_of)
            SELECT \(id), 'appeal', c.subject_kind, c.subject_id, \(now), c.template_id, c.respondent_id,
                ARRAY(
                    SELECT unnest(c.excluded_moderators) UNION SELECT \(person)::uuid
                    UNION SELECT d.moderator_id FROM decisions AS d WHERE d.case_id = c.id AND d.moderator_id IS NOT NULL
                    UNION SELECT d.proposed_by FROM decisions AS d WHERE d.case_id = c.id AND d.proposed_by IS NOT NULL),
                'appeal', \(dueAt), c.reach, c.risk, c.id
            FROM cases AS c WHERE c.id = \(locked.id)
            """)
        try await connection.execute(
            """
            INSERT INTO appeals (id, case_id, appealed_case, decision_id, appellant_id, text, created_at)
            VALUES (\(key), \(id), \(locked.id), \(decision), \(person), \(text), \(now))
            """)
        return key
    }

    /// Stores how the appeal of a case ended.
    static func end(
        of id: CaseID, isOverturned: Bool, at now: Date, in connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            UPDATE appeals SET outcome = \(isOverturned ? "overturned" : "upheld"), ended_at = \(now)
            WHERE case_id = \(id)
            """)
    }

    static func appeal(ofCase id: CaseID, in database: some PostgresExecutor) async throws -> Appeal? {
        try await database.first("\(fragment: selection) WHERE a.case_id = \(id)", Self.appeal)
    }

    /// One appeal, with who wrote it.
    static func appeal(
        _ id: UUID, in database: some PostgresExecutor
    ) async throws -> (appeal: Appeal, appellant: UserID)? {
        try await database.first("\(fragment: selection) WHERE a.id = \(id)") {
            (try appeal($0), try $0.get("appellant_id"))
        }
    }

    /// The one appeal of a decision, with who wrote it.
    static func appeal(
        against decision: UUID, in database: some PostgresExecutor
    ) async throws -> (appeal: Appeal, appellant: UserID)? {
        try await database.first("\(fragment: selection) WHERE a.decision_id = \(decision)") {
            (try appeal($0), try $0.get("appellant_id"))
        }
    }

    /// A person's appeals, newest first, those before `cursor`.
    static func list(
        by person: UserID, before cursor: UUID?, limit: Int, in database: some PostgresExecutor
    ) async throws -> [Appeal] {
        let rest: PostgresQuery = cursor.map { "AND a.id < \($0)" } ?? ""
        return try await database.all(
            """
            \(fragment: selection) WHERE a.appellant_id = \(person) \(fragment: rest) ORDER BY a.id DESC LIMIT \(literal: limit)
            """, Self.appeal)
    }

    private static let selection: PostgresQuery = """
        SELECT a.id, a.text, a.created_at, a.ended_at, a.outcome, a.appealed_case, a.appellant_id, u.handle,
            d.decision, d.reason_code, d.message, d.decided_at,
            COALESCE(CASE WHEN c.subject_kind = 'submission' THEN
                (SELECT s.metadata ->> 'name' FROM submissions AS s WHERE s.id = c.subject_id) END,
                t.name, r.handle, '') AS title,
            (SELECT e.message FROM decisions AS e WHERE e.case_id = a.case_id ORDER BY e.decided_at DESC LIMIT 1) AS answer
        FROM appeals AS a
        JOIN users AS u ON u.id = a.appellant_id
        JOIN decisions AS d ON d.id = a.decision_id
        JOIN cases AS c ON c.id = a.appealed_case
        LEFT JOIN templates AS t ON t.id = c.template_id
        LEFT JOIN users AS r ON r.id = c.respondent_id
        """

    private static func appeal(_ row: PostgresRow) throws -> Appeal {
        let outcome = try row.get("outcome", as: String?.self)
        return Appeal(
            id: try row.get("id", as: UUID.self).lowercaseText,
            state: outcome.flatMap { Appeal.State(rawValue: $0) } ?? .open,
            decision: SubmissionStatus.Decision(
                decision: try row.get("decision"), reasonCode: try row.get("reason_code"),
                message: try row.get("message"), decidedAt: try row.get("decided_at")),
            appealedCaseId: try row.get("appealed_case"), title: try row.get("title"), by: try row.get("handle"),
            text: try row.get("text"), createdAt: try row.get("created_at"), endedAt: try row.get("ended_at"),
            answer: try row.get("answer"))
    }
}
