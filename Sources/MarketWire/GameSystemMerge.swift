// SPDX-License-Identifier: Apache-2.0
import Foundation

/// `GET /moderation/game-systems/{slug}`: a game, and what would move with it when it is merged into another.
public struct GameSystemUses: Sendable, Codable, Equatable {
    /// Its short name in addresses.
    public var slug: String
    /// What people call it.
    public var name: String
    /// Templates for it, also those not on offer.
    public var templateCount: Int
    /// People who follow it.
    public var followerCount: Int
    /// Uploads for it on which nobody has decided yet.
    public var submissionCount: Int

    public init(slug: String, name: String, templateCount: Int, followerCount: Int, submissionCount: Int) {
        self.slug = slug
        self.name = name
        self.templateCount = templateCount
        self.followerCount = followerCount
        self.submissionCount = submissionCount
    }
}

/// `POST /moderation/game-systems/{slug}/merge`.
public struct GameSystemMergeRequest: Sendable, Codable, Equatable {
    /// The slug of the game that goes on.
    public var into: String

    public init(into: String) {
        self.into = into
    }
}

/// What a game that was merged into another left to it.
public struct GameSystemMerge: Sendable, Codable, Equatable {
    /// The slug that is no game's any more. It leads to the other.
    public var slug: String
    /// The slug of the game that goes on.
    public var into: String
    /// Templates that moved.
    public var templateCount: Int
    /// People whose following moved.
    public var followerCount: Int
    /// Uploads that moved.
    public var submissionCount: Int

    public init(slug: String, into: String, templateCount: Int, followerCount: Int, submissionCount: Int) {
        self.slug = slug
        self.into = into
        self.templateCount = templateCount
        self.followerCount = followerCount
        self.submissionCount = submissionCount
    }
}
