// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// A template on offer that the caller has marked.
public struct Favorite: Sendable, Codable, Equatable {
    /// The template, as lists show it.
    public var template: TemplateSummary
    /// When it was marked.
    public var markedAt: Date

    public init(template: TemplateSummary, markedAt: Date) {
        self.template = template
        self.markedAt = markedAt
    }
}

/// `GET /me/favorites`, the last marked first.
public struct FavoriteList: Sendable, Codable, Equatable {
    /// The page's favourites.
    public var favorites: [Favorite]
    /// Where the next page begins; `nil` on the last.
    @AlwaysWritten public var nextCursor: String?

    public init(favorites: [Favorite], nextCursor: String? = nil) {
        self.favorites = favorites
        self.nextCursor = nextCursor
    }
}

/// `GET /me/following`: whose and which sheets the caller wants to hear of.
public struct Following: Sendable, Codable, Equatable {
    /// An author who is followed.
    public struct Author: Sendable, Codable, Equatable {
        /// The account's name in addresses.
        public var handle: String
        /// The name that people see.
        public var displayName: String
        /// Since when it is followed.
        public var followedAt: Date

        public init(handle: String, displayName: String, followedAt: Date) {
            self.handle = handle
            self.displayName = displayName
            self.followedAt = followedAt
        }
    }

    /// A game system that is followed.
    public struct System: Sendable, Codable, Equatable {
        /// The short name in addresses.
        public var slug: String
        /// What people call it.
        public var name: String
        /// Since when it is followed.
        public var followedAt: Date

        public init(slug: String, name: String, followedAt: Date) {
            self.slug = slug
            self.name = name
            self.followedAt = followedAt
        }
    }

    /// By name.
    public var authors: [Author]
    /// By name.
    public var gameSystems: [System]

    public init(authors: [Author], gameSystems: [System]) {
        self.authors = authors
        self.gameSystems = gameSystems
    }
}

/// `GET /me/news`: the newest of what the caller follows.
public struct News: Sendable, Codable, Equatable {
    /// Why something is news to somebody.
    public struct Reason: RawRepresentable, Hashable, Sendable, Codable {
        /// The word as it stands in JSON.
        public let rawValue: String

        /// A new version of a favourite.
        public static let favorite = Self(rawValue: "favorite")
        /// A new template of a followed author.
        public static let author = Self(rawValue: "author")
        /// A new template for a followed game system.
        public static let gameSystem = Self(rawValue: "game_system")

        /// Any word, known or not.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// One piece of news.
    public struct Item: Sendable, Codable, Equatable {
        /// The template, as lists show it.
        public var template: TemplateSummary
        /// Why it is there.
        public var reason: Reason
        /// When it came out.
        public var publishedAt: Date
        /// Whether it came out since it was followed, and since news was last marked as read.
        public var isUnread: Bool

        public init(template: TemplateSummary, reason: Reason, publishedAt: Date, isUnread: Bool) {
            self.template = template
            self.reason = reason
            self.publishedAt = publishedAt
            self.isUnread = isUnread
        }
    }

    /// The newest first.
    public var news: [Item]
    /// Until when news was marked as read.
    public var seenAt: Date?
    /// Whether what is unread comes by e-mail, too.
    public var isEmailed: Bool

    public init(news: [Item], seenAt: Date? = nil, isEmailed: Bool = false) {
        self.news = news
        self.seenAt = seenAt
        self.isEmailed = isEmailed
    }

    /// How many are news.
    public var unreadCount: Int { news.count { $0.isUnread } }
}

/// `PUT /me/news/seen`: all that came out until then is read.
public struct NewsSeen: Sendable, Codable, Equatable {
    /// Up to when all is read.
    public var until: Date

    public init(until: Date) {
        self.until = until
    }
}

/// `PUT /me/news/email`: whether what is unread comes by e-mail, once a day at most.
public struct NewsEmailRequest: Sendable, Codable, Equatable {
    /// Whether it is sent.
    public var isWanted: Bool

    public init(isWanted: Bool) {
        self.isWanted = isWanted
    }
}

/// `POST /me/news/feed`: the address of the caller's own Atom feed; whoever has it can read the feed. It is told this
/// once.
public struct NewsFeed: Sendable, Codable, Equatable {
    /// Where it is sent.
    public var url: String

    public init(url: String) {
        self.url = url
    }
}
