// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAccounts
import MarketCatalog
import MarketHTTP
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// Favourites, following, and the news of both. All of it is the person's own: nobody else is told.
package struct FollowingService: Sendable {
    /// Most favourites of a person, and most that a person follows.
    package static let maximum = 500

    private let platform: Platform

    package init(platform: Platform) {
        self.platform = platform
    }

    private var database: PostgresClient { platform.database }

    // MARK: - Favourites

    /// Those that are on offer, the last marked first.
    package func favorites(of user: UserID, _ pageRequest: PageRequest) async throws -> FavoriteList {
        let name = "favorites"
        let last: (at: Date, id: TemplateID)? = try pageRequest.timePosition(in: name)
        let found = try await FollowingStore.favorites(
            of: user, after: last, limit: pageRequest.fetchLimit, database)
        let page = pageRequest.page(found, of: name) { [Cursor.key($0.markedAt), $0.template.id.description] }
        return FavoriteList(favorites: page.rows, nextCursor: page.next)
    }

    package func mark(_ key: TemplateKey, by user: UserID) async throws {
        guard let template = try await FollowingStore.offered(key, database) else {
            // Throws why there is none, where that may be said.
            _ = try await VersionReader(database: database).detail(key)
            throw FollowingError.noSuchTemplate
        }
        try await database.withTransaction { connection in
            _ = try await AccountStore.lock(user, in: connection)
            try await FollowingStore.mark(template, by: user, at: platform.now(), connection)
            try Self.check(try await FollowingStore.favoriteCount(of: user, connection))
        }
    }

    package func unmark(_ key: TemplateKey, by user: UserID) async throws {
        guard try await FollowingStore.exists(key, database) else { throw FollowingError.noSuchTemplate }
        try await FollowingStore.unmark(key, by: user, database)
    }

    // MARK: - Following

    package func following(of user: UserID) async throws -> Following {
        async let authors = FollowingStore.authors(of: user, database)
        async let systems = FollowingStore.systems(of: user, database)
        return Following(authors: try await authors, gameSystems: try await systems)
    }

    package func follow(author handle: String, by user: UserID) async throws {
        try await database.withTransaction { connection in
            _ = try await AccountStore.lock(user, in: connection)
            guard let author = try await FollowingStore.author(handle, connection) else {
                throw FollowingError.noSuchAuthor
            }
            try await FollowingStore.follow(author: author, by: user, at: platform.now(), connection)
            try Self.check(try await FollowingStore.followedCount(of: user, connection))
        }
    }

    package func unfollow(author handle: String, by user: UserID) async throws {
        try await FollowingStore.unfollow(author: handle, by: user, database)
    }

    package func follow(system slug: String, by user: UserID) async throws {
        try await database.withTransaction { connection in
            _ = try await AccountStore.lock(user, in: connection)
            let isThere = try await FollowingStore.follow(system: slug, by: user, at: platform.now(), connection)
            guard isThere else { throw FollowingError.noSuchSystem }
            try Self.check(try await FollowingStore.followedCount(of: user, connection))
        }
    }

    package func unfollow(system slug: String, by user: UserID) async throws {
        try await FollowingStore.unfollow(system: slug, by: user, database)
    }

    private static func check(_ count: Int) throws(FollowingError) {
        if count > maximum { throw .tooMany(maximum: maximum) }
    }

    // MARK: - News

    /// Items of news at once.
    static let newsShown = 50

    package func news(of user: UserID) async throws -> News {
        async let seen = NewsStore.seenAt(of: user, database)
        async let wantsEmail = NewsStore.wantsEmail(user, database)
        let news = try await NewsStore.news(of: user, limit: Self.newsShown, database)
        return News(news: news, seenAt: try await seen, isEmailed: try await wantsEmail)
    }

    /// All that came out until then is read. What comes out from now on cannot be.
    package func markSeen(until: Date, by user: UserID) async throws {
        try await NewsStore.markSeen(until: min(until, platform.now()), by: user, database)
    }

    package func setEmail(_ isWanted: Bool, for user: UserID) async throws {
        try await NewsStore.setEmail(isWanted, for: user, at: platform.now(), database)
    }

    package func hasFeed(_ user: UserID) async throws -> Bool { try await NewsStore.hasFeed(user, database) }

    /// The secret of the person's own feed, in place of an older one. It is told this once.
    package func makeFeed(of user: UserID) async throws -> FeedSecret {
        let secret = FeedSecret()
        try await NewsStore.setFeed(secret.hash, of: user, database)
        return secret
    }

    package func removeFeed(of user: UserID) async throws { try await NewsStore.removeFeed(of: user, database) }

    /// What the feed with this secret tells.
    package func news(by secret: FeedSecret) async throws -> News {
        guard let user = try await NewsStore.reader(secret.hash, database) else { throw FollowingError.noFeed }
        return try await news(of: user)
    }
}
