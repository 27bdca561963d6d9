// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Postgres
import SheetCore

enum ConversationStore {
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
        return try await database.all(
            """
            SELECT m.id, m.side, m.text, m.created_at,
                CASE WHEN m.is_hidden AND NOT \(revealing) THEN NULL ELSE u.handle END AS handle
            FROM case_messages AS m JOIN users AS u ON u.id = m.author_id
            WHERE m.case_id = \(id) \(fragment: rest) ORDER BY m.id LIMIT \(literal: limit)
            """
        ) { row in
            CaseMessage(
                id: try row.get("id", as: UUID.self).lowercaseText, side: try row.get("side"),
                by: try row.get("handle"), text: try row.get("text"), createdAt: try row.get("created_at"))
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
