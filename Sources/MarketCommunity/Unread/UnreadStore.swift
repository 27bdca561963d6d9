// SPDX-License-Identifier: Apache-2.0
import Foundation
import ModerationService
import Postgres
import SheetCore

/// What waits for a person to look at it.
package struct Unread: Sendable, Equatable {
    /// Reviews of their sheets.
    package var reviews = 0
    /// Messages of moderators about their uploads that they have not answered.
    package var messages = 0
    /// News of what they follow.
    package var news = 0

    package var total: Int { reviews + messages + news }

    package init() {}
}

/// A review of one of a person's sheets.
package struct ReceivedReview: Sendable {
    package var slug: String
    package var sheetName: String
    package var stars: Int
    package var text: String
    package var by: String
    package var writtenAt: Date
    package var isUnread: Bool
}

/// SQL of what is unread.
enum UnreadStore {
    /// As many reviews as are counted at most.
    private static let most = 100

    /// Reviews of sheets of `user` since they were last looked at, and messages that wait for an answer.
    static func counts(
        of user: UserID, since: Date, _ database: some PostgresExecutor
    ) async throws -> (reviews: Int, messages: Int) {
        try await database.one(
            """
            SELECT (SELECT count(*) FROM (
                    SELECT FROM \(fragment: works(of: user)) AS t
                    JOIN visible_reviews AS r ON r.template_id = t.id
                    WHERE r.created_at > \(fragment: seen(by: user, since)) LIMIT \(literal: most)) AS found),
                (SELECT count(*) FROM \(fragment: ConversationStore.questions(to: user)) AS asked)
            """
        ) { (reviews: try $0.get(0), messages: try $0.get(1)) }
    }

    /// The newest reviews of sheets of `user`.
    static func reviews(
        of user: UserID, since: Date, limit: Int, _ database: some PostgresExecutor
    ) async throws -> [ReceivedReview] {
        try await database.all(
            """
            SELECT t.slug, t.name, r.stars, r.text, u.handle, r.created_at,
                r.created_at > \(fragment: seen(by: user, since)) AS is_unread
            FROM \(fragment: works(of: user)) AS t
            JOIN visible_reviews AS r ON r.template_id = t.id JOIN users AS u ON u.id = r.user_id
            ORDER BY r.created_at DESC, r.id DESC LIMIT \(literal: limit)
            """
        ) { row in
            ReceivedReview(
                slug: try row.get("slug"), sheetName: try row.get("name"), stars: try row.get("stars"),
                text: try row.get("text"), by: try row.get("handle"), writtenAt: try row.get("created_at"),
                isUnread: try row.get("is_unread"))
        }
    }

    static func markReviewsSeen(until: Date, by user: UserID, _ database: some PostgresExecutor) async throws {
        try await database.execute(
            """
            INSERT INTO news_readers AS r (user_id, reviews_seen_at) VALUES (\(user), \(until))
            ON CONFLICT (user_id) DO UPDATE
                SET reviews_seen_at = greatest(r.reviews_seen_at, excluded.reviews_seen_at)
            """)
    }

    private static func works(of user: UserID) -> PostgresQuery {
        """
        (SELECT t.id, t.slug, t.name FROM templates AS t WHERE t.owner_id = \(user)
            UNION SELECT t.id, t.slug, t.name FROM template_authors AS a JOIN templates AS t ON t.id = a.template_id
            WHERE a.user_id = \(user))
        """
    }

    private static func seen(by user: UserID, _ since: Date) -> PostgresQuery {
        """
        coalesce((SELECT n.reviews_seen_at FROM news_readers AS n WHERE n.user_id = \(user)), \(since)::timestamptz)
        """
    }
}
