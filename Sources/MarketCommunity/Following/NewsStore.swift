// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketSearch
import MarketWire
import Postgres
import SheetCore

/// SQL of the news of what people follow.
enum NewsStore {
    /// The newest news, at most `limit`; of each that is followed as many are looked at.
    static func news(of user: UserID, limit: Int, _ database: some PostgresExecutor) async throws -> [News.Item] {
        try await database.all(
            """
            WITH found (id, at, since, reason, rank) AS (
                SELECT n.id, n.published_at, f.followed_at, 'author', 1
                FROM followed_authors AS f CROSS JOIN LATERAL (
                    SELECT t.id, coalesce(t.published_at, t.created_at) AS published_at FROM templates AS t
                    WHERE t.owner_id = f.author_id AND t.latest_version_id IS NOT NULL
                    ORDER BY 2 DESC, t.id DESC LIMIT \(literal: limit)
                ) AS n
                WHERE f.user_id = \(user)
                UNION ALL
                SELECT n.id, n.published_at, f.followed_at, 'game_system', 2
                FROM followed_systems AS f CROSS JOIN LATERAL (
                    SELECT l.id, l.published_at FROM listings AS l WHERE l.game_system = f.game_system
                    ORDER BY l.published_at DESC, l.id DESC LIMIT \(literal: limit)
                ) AS n
                WHERE f.user_id = \(user)
                UNION ALL
                SELECT t.id, v.published_at, f.marked_at, 'favorite', 0
                FROM favorites AS f JOIN templates AS t ON t.id = f.template_id
                JOIN versions AS v ON v.id = t.latest_version_id
                WHERE f.user_id = \(user) AND v.published_at > f.marked_at
            ), newest AS (
                SELECT DISTINCT ON (id) id, at, since, reason FROM found ORDER BY id, at DESC, rank
            )
            SELECT \(fragment: ListedTemplate.columns), n.reason, n.at,
                n.at > greatest(n.since,
                    (SELECT r.seen_at FROM news_readers AS r WHERE r.user_id = \(user))) AS is_unread
            FROM newest AS n JOIN listings AS l ON l.id = n.id
            WHERE NOT EXISTS (SELECT FROM templates AS t WHERE t.id = n.id AND t.owner_id = \(user))
            ORDER BY n.at DESC, n.id DESC LIMIT \(literal: limit)
            """
        ) { row in
            News.Item(
                template: try TemplateSummary(row), reason: News.Reason(rawValue: try row.get("reason")),
                publishedAt: try row.get("at"), isUnread: try row.get("is_unread"))
        }
    }

    static func seenAt(of user: UserID, _ database: some PostgresExecutor) async throws -> Date? {
        try await database.first("SELECT seen_at FROM news_readers WHERE user_id = \(user)") {
            try $0.get(0, as: Date?.self)
        } ?? nil
    }

    /// Never goes back.
    static func markSeen(until: Date, by user: UserID, _ database: some PostgresExecutor) async throws {
        try await database.execute(
            """
            INSERT INTO news_readers AS r (user_id, seen_at) VALUES (\(user), \(until))
            ON CONFLICT (user_id) DO UPDATE SET seen_at = greatest(r.seen_at, excluded.seen_at)
            """)
    }

    // MARK: - E-mails

    static func wantsEmail(_ user: UserID, _ database: some PostgresExecutor) async throws -> Bool {
        try await database.first("SELECT FROM news_readers WHERE user_id = \(user) AND wants_email") { _ in true }
            ?? false
    }

    /// What came out before `now` is in no e-mail.
    static func setEmail(
        _ isWanted: Bool, for user: UserID, at now: Date, _ database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            """
            INSERT INTO news_readers AS r (user_id, wants_email, mailed_at) VALUES (\(user), \(isWanted), \(now))
            ON CONFLICT (user_id) DO UPDATE SET wants_email = excluded.wants_email,
                mailed_at = CASE WHEN r.wants_email THEN r.mailed_at ELSE excluded.mailed_at END
            """)
    }

    /// Somebody whose news was last looked at before `time`, with when that was; no other node gets them until the
    /// transaction ends.
    static func nextReader(
        before time: Date, _ connection: PostgresConnection
    ) async throws -> (user: UserID, mailedAt: Date)? {
        try await connection.first(
            """
            SELECT r.user_id, r.mailed_at FROM news_readers AS r JOIN users AS u ON u.id = r.user_id
            WHERE r.wants_email AND r.mailed_at <= \(time) AND u.disabled_at IS NULL
            ORDER BY r.mailed_at LIMIT 1 FOR NO KEY UPDATE OF r SKIP LOCKED
            """
        ) { (user: try $0.get(0), mailedAt: try $0.get(1)) }
    }

    static func setMailed(_ user: UserID, at now: Date, _ connection: PostgresConnection) async throws {
        try await connection.execute("UPDATE news_readers SET mailed_at = \(now) WHERE user_id = \(user)")
    }

    // MARK: - Feeds

    static func hasFeed(_ user: UserID, _ database: some PostgresExecutor) async throws -> Bool {
        try await database.first(
            "SELECT FROM news_readers WHERE user_id = \(user) AND feed_hash IS NOT NULL"
        ) { _ in true } ?? false
    }

    static func setFeed(_ hash: ContentHash, of user: UserID, _ database: some PostgresExecutor) async throws {
        try await database.execute(
            """
            INSERT INTO news_readers (user_id, feed_hash) VALUES (\(user), \(hash))
            ON CONFLICT (user_id) DO UPDATE SET feed_hash = excluded.feed_hash
            """)
    }

    static func removeFeed(of user: UserID, _ database: some PostgresExecutor) async throws {
        try await database.execute("UPDATE news_readers SET feed_hash = NULL WHERE user_id = \(user)")
    }

    /// Whose feed has this secret.
    static func reader(_ hash: ContentHash, _ database: some PostgresExecutor) async throws -> UserID? {
        try await database.first(
            """
            SELECT r.user_id FROM news_readers AS r JOIN users AS u ON u.id = r.user_id
            WHERE r.feed_hash = \(hash) AND u.disabled_at IS NULL
            """
        ) { try $0.get(0) }
    }
}
