// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketSearch
import MarketWire
import Postgres
import SheetCore

/// SQL of favourites, and of whom and what people follow.
package enum FollowingStore {
    // MARK: - Favourites

    /// Those on offer, the last marked first, beginning behind `last`.
    static func favorites(
        of user: UserID, after last: (at: Date, id: TemplateID)?, limit: Int, _ database: some PostgresExecutor
    ) async throws -> [Favorite] {
        let start: PostgresQuery = last.map { "AND (f.marked_at, f.template_id) < (\($0.at), \($0.id))" } ?? ""
        return try await database.all(
            """
            SELECT \(fragment: ListedTemplate.columns), f.marked_at
            FROM favorites AS f JOIN listings AS l ON l.id = f.template_id
            WHERE f.user_id = \(user) \(fragment: start)
            ORDER BY f.marked_at DESC, f.template_id DESC LIMIT \(literal: limit)
            """
        ) { Favorite(template: try TemplateSummary($0), markedAt: try $0.get("marked_at")) }
    }

    package static func isFavorite(
        _ template: TemplateID, of user: UserID, _ database: some PostgresExecutor
    ) async throws -> Bool {
        try await database.first(
            "SELECT FROM favorites WHERE user_id = \(user) AND template_id = \(template)"
        ) { _ in true } ?? false
    }

    /// A template on offer.
    static func offered(_ key: TemplateKey, _ database: some PostgresExecutor) async throws -> TemplateID? {
        try await database.first(
            "SELECT t.id FROM templates AS t WHERE \(fragment: key.condition) AND t.latest_version_id IS NOT NULL"
        ) { try $0.get(0) }
    }

    /// Whether there is such a template, on offer or not.
    static func exists(_ key: TemplateKey, _ database: some PostgresExecutor) async throws -> Bool {
        try await database.first("SELECT FROM templates AS t WHERE \(fragment: key.condition)") { _ in true } ?? false
    }

    static func mark(
        _ template: TemplateID, by user: UserID, at now: Date, _ connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            INSERT INTO favorites (user_id, template_id, marked_at) VALUES (\(user), \(template), \(now))
            ON CONFLICT DO NOTHING
            """)
    }

    static func unmark(_ key: TemplateKey, by user: UserID, _ database: some PostgresExecutor) async throws {
        try await database.execute(
            """
            DELETE FROM favorites AS f USING templates AS t
            WHERE f.user_id = \(user) AND t.id = f.template_id AND \(fragment: key.condition)
            """)
    }

    // MARK: - Following

    static func authors(of user: UserID, _ database: some PostgresExecutor) async throws -> [Following.Author] {
        try await database.all(
            """
            SELECT u.handle, u.display_name, f.followed_at
            FROM followed_authors AS f JOIN users AS u ON u.id = f.author_id
            WHERE f.user_id = \(user) ORDER BY lower(u.display_name), u.handle
            """
        ) { .init(handle: try $0.get(0), displayName: try $0.get(1), followedAt: try $0.get(2)) }
    }

    static func systems(of user: UserID, _ database: some PostgresExecutor) async throws -> [Following.System] {
        try await database.all(
            """
            SELECT g.slug, g.name, f.followed_at
            FROM followed_systems AS f JOIN game_systems AS g ON g.slug = f.game_system
            WHERE f.user_id = \(user) ORDER BY market_text(lower(g.name)), g.slug
            """
        ) { .init(slug: try $0.get(0), name: try $0.get(1), followedAt: try $0.get(2)) }
    }

    package static func follows(
        author handle: String, _ user: UserID, _ database: some PostgresExecutor
    ) async throws -> Bool {
        try await database.first(
            """
            SELECT FROM followed_authors AS f JOIN users AS u ON u.id = f.author_id
            WHERE f.user_id = \(user) AND u.handle = \(handle)
            """
        ) { _ in true } ?? false
    }

    package static func follows(
        system slug: String, _ user: UserID, _ database: some PostgresExecutor
    ) async throws -> Bool {
        try await database.first(
            "SELECT FROM followed_systems WHERE user_id = \(user) AND game_system = \(slug)"
        ) { _ in true } ?? false
    }

    /// Somebody with something on offer.
    static func author(_ handle: String, _ database: some PostgresExecutor) async throws -> UserID? {
        try await database.first(
            """
            SELECT u.id FROM users AS u WHERE u.handle = \(handle) AND u.disabled_at IS NULL
                AND EXISTS (SELECT FROM templates AS t WHERE t.owner_id = u.id AND t.latest_version_id IS NOT NULL)
            """
        ) { try $0.get(0) }
    }

    static func follow(
        author: UserID, by user: UserID, at now: Date, _ connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            INSERT INTO followed_authors (user_id, author_id, followed_at) VALUES (\(user), \(author), \(now))
            ON CONFLICT DO NOTHING
            """)
    }

    static func unfollow(author handle: String, by user: UserID, _ database: some PostgresExecutor) async throws {
        try await database.execute(
            """
            DELETE FROM followed_authors AS f USING users AS u
            WHERE f.user_id = \(user) AND u.id = f.author_id AND u.handle = \(handle)
            """)
    }

    /// `false` where there is no such system.
    static func follow(
        system slug: String, by user: UserID, at now: Date, _ connection: PostgresConnection
    ) async throws -> Bool {
        let present = try await connection.one("SELECT present_game_system(\(slug))") { try $0.get(0, as: String.self) }
        let isThere = try await connection.first("SELECT FROM game_systems WHERE slug = \(present)") { _ in true }
        guard isThere != nil else { return false }
        try await connection.execute(
            """
            INSERT INTO followed_systems (user_id, game_system, followed_at) VALUES (\(user), \(present), \(now))
            ON CONFLICT DO NOTHING
            """)
        return true
    }

    static func unfollow(system slug: String, by user: UserID, _ database: some PostgresExecutor) async throws {
        try await database.execute(
            """
            DELETE FROM followed_systems
            WHERE user_id = \(user) AND game_system = (SELECT present_game_system(\(slug)))
            """)
    }

    // MARK: - How many

    static func favoriteCount(of user: UserID, _ connection: PostgresConnection) async throws -> Int {
        try await connection.scalar("SELECT count(*) FROM favorites WHERE user_id = \(user)")
    }

    static func followedCount(of user: UserID, _ connection: PostgresConnection) async throws -> Int {
        try await connection.scalar(
            """
            SELECT (SELECT count(*) FROM followed_authors WHERE user_id = \(user))
                + (SELECT count(*) FROM followed_systems WHERE user_id = \(user))
            """)
    }
}
