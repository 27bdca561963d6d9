// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Postgres
import SheetCore

/// What a moderator wrote to an uploader who has not answered.
package struct OpenQuestion: Sendable {
    package var submission: SubmissionID
    package var name: String
    package var version: SemanticVersion
    package var text: String
    package var asked: Date
}

package enum ConversationStore {
    @discardableResult
    static func insertNote(
        _ text: String, on id: CaseID, by author: UserID, at now: Date, in connection: some PostgresExecutor
    ) async throws -> UUID {
        let key = UUID.version7(at: now)
        try await connection.execute(
            """
            INSERT INTO case_notes (id, case_id, author_id, text, created_at)
            VALUES (\(key), \(id), \(author), \(text), \(now))
            """)
        return key
    }

    /// The newest notes, oldest first.
    static func notes(_ id: CaseID, in database: some PostgresExecutor) async throws -> [CaseNote] {
        try await database.all(
            """
            SELECT n.id, u.handle, n.text, n.created_at FROM (
                SELECT * FROM case_notes WHERE case_id = \(id) ORDER BY id DESC LIMIT 200
            ) AS n JOIN users AS u ON u.id = n.author_id ORDER BY n.created_at, n.id
            """
        ) { row in
            CaseNote(
                id: try row.get("id", as: UUID.self).lowercaseText, by: try row.get("handle"),
                text: try row.get("text"), createdAt: try row.get("created_at"))
        }
    }

    static func insertMessage(
        _ text: String, on id: CaseID, by author: UserID, side: CaseMessage.Side, isHidden: Bool, at now: Date,
        in connection: some PostgresExecutor
    ) async throws -> UUID {
        let key = UUID.version7(at: now)
        try await connection.execute(
            """
            INSERT INTO case_messages (id, case_id, author_id, side, is_hidden, text, created_at)
            VALUES (\(key), \(id), \(author), \(side), \(isHidden), \(text), \(now))
            """)
        return key
    }

    /// The thread, oldest first, beginning after a message. Moderators who hide their name are named only when
    /// `revealing`.
    static func messages(
        _ id: CaseID, after: UUID?, limit: Int, revealing: Bool, in database: some PostgresExecutor
    ) async throws -> [CaseMessage] {
        let rest: PostgresQuery = after.map { "AND m.id > \($0)" } ?? ""
        return try await messages(
            of: id, "\(fragment: rest) ORDER BY m.id LIMIT \(literal: limit)", revealing: revealing, in: database)
    }

    /// The same, newest first, beginning before a message.
    static func newestMessages(
        _ id: CaseID, before: UUID?, limit: Int, revealing: Bool, in database: some PostgresExecutor
    ) async throws -> [CaseMessage] {
        let rest: PostgresQuery = before.map { "AND m.id < \($0)" } ?? ""
        return try await messages(
            of: id, "\(fragment: rest) ORDER BY m.id DESC LIMIT \(literal: limit)", revealing: revealing, in: database)
    }

    private static func messages(
        of id: CaseID, _ part: PostgresQuery, revealing: Bool, in database: some PostgresExecutor
    ) async throws -> [CaseMessage] {
        try await database.all(
            """
            SELECT m.id, m.side, m.text, m.created_at,
                CASE WHEN m.is_hidden AND NOT \(revealing) THEN NULL ELSE u.handle END AS handle
            FROM case_messages AS m JOIN users AS u ON u.id = m.author_id
            WHERE m.case_id = \(id) \(fragment: part)
            """
        ) { row in
            CaseMessage(
                id: try row.get("id", as: UUID.self).lowercaseText, side: try row.get("side"),
                by: try row.get("handle"), text: try row.get("text"), createdAt: try row.get("created_at"))
        }
    }

    /// When a moderator last wrote or decided in a case: what the uploader wrote later is new.
    static func lastWord(_ id: CaseID, in database: some PostgresExecutor) async throws -> Date? {
        try await database.scalar(
            """
            SELECT greatest(
                (SELECT max(created_at) FROM case_messages WHERE case_id = \(id) AND side = 'moderator'),
                (SELECT max(decided_at) FROM decisions WHERE case_id = \(id)))
            """, as: Date?.self)
    }

    /// Those of the cases in which the uploader wrote something that no moderator has answered.
    static func unanswered(_ cases: [CaseID], in database: some PostgresExecutor) async throws -> Set<CaseID> {
        if cases.isEmpty { return [] }
        return Set(
            try await database.all(
                """
                SELECT m.case_id FROM case_messages AS m WHERE m.case_id = ANY(\(cases)) GROUP BY m.case_id
                HAVING max(m.created_at) FILTER (WHERE m.side = 'uploader') > coalesce(greatest(
                    max(m.created_at) FILTER (WHERE m.side = 'moderator'),
                    (SELECT max(d.decided_at) FROM decisions AS d WHERE d.case_id = m.case_id)), '-infinity')
                """
            ) { try $0.get("case_id", as: CaseID.self) })
    }

    /// What moderators asked about uploads and was not answered yet: case, submission, text and time, in brackets.
    package static func questions(to uploader: UserID) -> PostgresQuery {
        """
        (SELECT c.id AS case_id, c.submission_id, m.text, m.created_at
            FROM cases AS c CROSS JOIN LATERAL (
                SELECT m.side, m.text, m.created_at FROM case_messages AS m WHERE m.case_id = c.id
                ORDER BY m.id DESC LIMIT 1) AS m
            WHERE c.respondent_id = \(uploader) AND c.submission_id IS NOT NULL
                AND c.state IN ('open', 'claimed', 'waiting') AND m.side = 'moderator')
        """
    }

    /// The newest message of a moderator in each open case on somebody's upload where the uploader has not answered.
    static func questions(
        to uploader: UserID, limit: Int, in database: some PostgresExecutor
    ) async throws -> [OpenQuestion] {
        try await database.all(
            """
            SELECT s.id, coalesce(s.metadata ->> 'name', '') AS name, s.version, last.text, last.created_at
            FROM \(fragment: questions(to: uploader)) AS last JOIN submissions AS s ON s.id = last.submission_id
            ORDER BY last.created_at DESC, last.case_id LIMIT \(literal: limit)
            """
        ) { row in
            OpenQuestion(
                submission: try row.get("id"), name: try row.get("name"), version: try row.get("version"),
                text: try row.get("text"), asked: try row.get("created_at"))
        }
    }

    /// Whether a case is neither decided nor over. `decided_at` does not say so: it is also set where changes are
    /// wanted, and where an appeal undid a refusal.
    static func isOpen(_ id: CaseID, in database: some PostgresExecutor) async throws -> Bool {
        try await database.scalar(
            "SELECT EXISTS (SELECT FROM cases WHERE id = \(id) AND state IN ('open', 'claimed', 'waiting'))",
            as: Bool.self)
    }

    /// The case of a submission.
    static func caseID(of submission: SubmissionID, in database: some PostgresExecutor) async throws -> CaseID? {
        try await database.first("SELECT id FROM cases WHERE submission_id = \(submission)") { try $0.get("id") }
    }
}
