// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// What waits for a person to look at it, for the mark on every page and the inbox behind it.
package struct UnreadService: Sendable {
    /// What is older than this is not new to anybody, in seconds.
    private static let oldestSeconds = 30.0 * 86_400
    private static let reviewsShown = 20

    private let platform: Platform

    package init(platform: Platform) {
        self.platform = platform
    }

    private var since: Date { platform.now().addingTimeInterval(-Self.oldestSeconds) }

    package func unread(of user: UserID) async throws -> Unread {
        try await unread(of: user, news: FollowingService(platform: platform).news(of: user))
    }

    /// The same for whom the news is at hand already.
    package func unread(of user: UserID, news: News) async throws -> Unread {
        var unread = Unread()
        (unread.reviews, unread.messages) = try await UnreadStore.counts(of: user, since: since, platform.database)
        unread.news = news.unreadCount
        return unread
    }

    /// The newest reviews of a person's sheets.
    package func reviews(of user: UserID) async throws -> [ReceivedReview] {
        try await UnreadStore.reviews(of: user, since: since, limit: Self.reviewsShown, platform.database)
    }

    /// All reviews and news until then are read. What comes from now on cannot be.
    package func markSeen(until: Date, by user: UserID) async throws {
        let until = min(until, platform.now())
        try await UnreadStore.markReviewsSeen(until: until, by: user, platform.database)
        try await FollowingService(platform: platform).markSeen(until: until, by: user)
    }
}
