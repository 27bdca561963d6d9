// SPDX-License-Identifier: Apache-2.0
import Postgres
import SheetCore

/// Who wants letters about reviews, and what goes into one.
enum ReviewEmailStore {
    /// What an author is told of a review.
    struct Letter: Sendable {
        let recipient: UserID
        let sheet: String
        let slug: String
        let reviewer: String
        let stars: Int
    }

    static func areWanted(by user: UserID, _ database: some PostgresExecutor) async throws -> Bool {
        try await database.first(
            "SELECT FROM news_readers WHERE user_id = \(user) AND wants_review_emails"
        ) { _ in true } ?? false
    }

    static func set(_ areWanted: Bool, for user: UserID, _ database: some PostgresExecutor) async throws {
        try await database.execute(
            """
            INSERT INTO news_readers (user_id, wants_review_emails) VALUES (\(user), \(areWanted))
            ON CONFLICT (user_id) DO UPDATE SET wants_review_emails = excluded.wants_review_emails
            """)
    }

    /// One for each author of the sheet who wants it; none of a review that nobody is shown.
    static func letters(about review: ReviewID, _ connection: PostgresConnection) async throws -> [Letter] {
        try await connection.all(
            """
            SELECT n.user_id, t.name, t.slug, u.handle, r.stars
            FROM visible_reviews AS r
            JOIN templates AS t ON t.id = r.template_id
            JOIN users AS u ON u.id = r.user_id
            CROSS JOIN LATERAL (
                SELECT t.owner_id AS user_id
                UNION SELECT a.user_id FROM template_authors AS a WHERE a.template_id = t.id
            ) AS w
            JOIN news_readers AS n ON n.user_id = w.user_id AND n.wants_review_emails
            WHERE r.id = \(review)
            """
        ) { row in
            Letter(
                recipient: try row.get(0), sheet: try row.get(1), slug: try row.get(2), reviewer: try row.get(3),
                stars: try row.get(4))
        }
    }
}
