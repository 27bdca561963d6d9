// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A tag, and how many templates on offer have it.
public struct TagCount: Sendable, Codable, Equatable {
    /// By its present name.
    public var tag: String
    /// Templates on offer that have it.
    public var templateCount: Int

    public init(tag: String, templateCount: Int) {
        self.tag = tag
        self.templateCount = templateCount
    }
}

/// `GET /moderation/tags`.
public struct TagList: Sendable, Codable, Equatable {
    /// The page's tags, those of most templates first.
    public var tags: [TagCount]
    /// Where the next page begins; `nil` on the last.
    @AlwaysWritten public var nextCursor: String?

    public init(tags: [TagCount], nextCursor: String?) {
        self.tags = tags
        self.nextCursor = nextCursor
    }
}

/// `GET /moderation/tags/{tag}`: a tag, and what would change with it.
public struct TagDetail: Sendable, Codable, Equatable {
    /// Its present name, also when it was asked for by a former one.
    public var tag: String
    /// Templates that have it, also those not on offer.
    public var templateCount: Int
    /// Uploads with it on which nobody has decided yet.
    public var submissionCount: Int
    /// What it was called before; these names still lead to it.
    public var formerNames: [String]

    public init(tag: String, templateCount: Int, submissionCount: Int, formerNames: [String]) {
        self.tag = tag
        self.templateCount = templateCount
        self.submissionCount = submissionCount
        self.formerNames = formerNames
    }
}

/// `POST /moderation/tags/{tag}/rename`.
public struct TagRenameRequest: Sendable, Codable, Equatable {
    /// The new name; where that is a tag already, both become one.
    public var to: String

    public init(to: String) {
        self.to = to
    }
}

/// What changed with a tag.
public struct TagChange: Sendable, Codable, Equatable {
    /// The tag as it was called.
    public var tag: String
    /// What it is called now; none when it was taken off.
    public var to: String?
    /// Templates that changed.
    public var templateCount: Int
    /// Uploads that changed.
    public var submissionCount: Int

    public init(tag: String, to: String? = nil, templateCount: Int, submissionCount: Int) {
        self.tag = tag
        self.to = to
        self.templateCount = templateCount
        self.submissionCount = submissionCount
    }
}
