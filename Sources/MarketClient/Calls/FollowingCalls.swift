// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import MarketWire
import SheetCore

extension MarketClient {
    private static var following: String { "\(Paths.base)/me/following" }

    /// The account's favourites that are on offer, the last marked first, page by page as they are read.
    public func favorites(limit: Int? = 100) -> CursorSequence<Favorite> {
        entries("\(Paths.base)/me/favorites", limit: limit, as: FavoriteList.self) { ($0.favorites, $0.nextCursor) }
    }

    /// Marks a template as a favourite, or takes it out.
    public func setFavorite(_ isFavorite: Bool, _ key: String) async throws {
        let path = "\(Paths.base)/me/favorites/\(try Self.segment(key))"
        try await requests.discard(try .send(isFavorite ? .put : .delete, path, repeatable: true))
    }

    /// Whom and what the account follows.
    public func following() async throws -> Following { try await requests.json(.get(Self.following)) }

    /// Follows an author, or no longer does.
    public func setFollowing(_ follows: Bool, author handle: String) async throws {
        let path = "\(Self.following)/authors/\(try Self.segment(handle))"
        try await requests.discard(try .send(follows ? .put : .delete, path, repeatable: true))
    }

    /// Follows a game system, or no longer does.
    public func setFollowing(_ follows: Bool, gameSystem slug: String) async throws {
        let path = "\(Self.following)/game-systems/\(try Self.segment(slug))"
        try await requests.discard(try .send(follows ? .put : .delete, path, repeatable: true))
    }

    /// The newest of what the account follows.
    public func news() async throws -> News { try await requests.json(.get("\(Paths.base)/me/news")) }

    /// Has what is unread come by e-mail, once a day at most, or no longer.
    public func setNewsEmail(_ isWanted: Bool) async throws {
        let wish = NewsEmailRequest(isWanted: isWanted)
        try await requests.discard(try .send(.put, "\(Paths.base)/me/news/email", wish, repeatable: true))
    }

    /// Whether each new review of one of the account's sheets comes by e-mail.
    public func reviewEmail() async throws -> ReviewEmailChoice {
        try await requests.json(.get("\(Paths.base)/me/reviews/email"))
    }

    /// Has each new review of one of the account's sheets come by e-mail, or no longer.
    public func setReviewEmail(_ isWanted: Bool) async throws {
        let choice = ReviewEmailChoice(isWanted: isWanted)
        try await requests.discard(try .send(.put, "\(Paths.base)/me/reviews/email", choice, repeatable: true))
    }

    /// Marks all that came out until then as read.
    public func markNewsSeen(until: Date) async throws {
        let seen = NewsSeen(until: until)
        try await requests.discard(try .send(.put, "\(Paths.base)/me/news/seen", seen, repeatable: true))
    }

    /// Makes the address of the account's own feed, with a secret in it; an earlier one is worthless.
    public func makeNewsFeed() async throws -> NewsFeed {
        try await requests.json(try .send(.post, "\(Paths.base)/me/news/feed"))
    }

    /// Makes that address worthless.
    public func removeNewsFeed() async throws {
        try await requests.discard(try .send(.delete, "\(Paths.base)/me/news/feed", repeatable: true))
    }
}
