// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// What somebody thinks of a template.
public struct Review: Sendable, Codable, Equatable {
    /// What the template's authors say to it.
    public struct Reply: Sendable, Codable, Equatable {
        /// The handle of who wrote it.
        public var author: String
        /// The review's text, in Markdown.
        public var text: String
        /// When it was made.
        public var createdAt: Date
        /// When it changed last.
        public var updatedAt: Date

        public init(author: String, text: String, createdAt: Date, updatedAt: Date) {
            self.author = author
            self.text = text
            self.createdAt = createdAt
            self.updatedAt = updatedAt
        }
    }

    /// Its identifier.
    public var id: ReviewID
    /// The template's id.
    public var templateId: TemplateID
    /// The reviewer's handle.
    public var author: String
    /// The reviewer's name.
    public var authorName: String
    /// 1…5.
    public var stars: Int
    /// May be empty: stars alone are a review.
    public var text: String
    /// The version it was written on.
    public var version: SemanticVersion
    /// Whether the reviewer has downloaded the template while signed in.
    public var hasInstalled: Bool
    /// How many found it helpful.
    public var helpful: Int
    /// How many did not.
    public var unhelpful: Int
    /// When it was made.
    public var createdAt: Date
    /// When it was last written; its weight in the rating is of this day (UTC).
    public var updatedAt: Date
    /// The author's answer, if there is one.
    public var reply: Reply?
    /// What the caller voted; absent when they did not.
    public var myVote: Bool?
    /// Whether a moderator hid it; only ever told to its writer.
    public var isHidden: Bool?
    /// Address of the reviewer's picture, a square of 96 pixels; none where there is none.
    public var authorPictureURL: String?

    public init(
        id: ReviewID, templateId: TemplateID, author: String, authorName: String, stars: Int, text: String,
        version: SemanticVersion, hasInstalled: Bool, helpful: Int, unhelpful: Int, createdAt: Date, updatedAt: Date,
        reply: Reply? = nil, myVote: Bool? = nil, isHidden: Bool? = nil, authorPictureURL: String? = nil
    ) {
        self.authorPictureURL = authorPictureURL
        self.id = id
        self.templateId = templateId
        self.author = author
        self.authorName = authorName
        self.stars = stars
        self.text = text
        self.version = version
        self.hasInstalled = hasInstalled
        self.helpful = helpful
        self.unhelpful = unhelpful
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.reply = reply
        self.myVote = myVote
        self.isHidden = isHidden
    }
}

/// A template's rating and all that it is made of, so that anybody can make it again; `docs/ratings.md` has the
/// formula.
public struct RatingSummary: Sendable, Codable, Equatable {
    /// What is expected of a template before anybody has judged it.
    public struct Prior: Sendable, Codable, Equatable {
        /// The game system whose reviews it comes from; absent for the whole market's.
        public var gameSystem: String?
        /// The mean of all ratings.
        public var mean: Double
        /// How far ratings lie apart.
        public var variance: Double
        /// How many reviews it counts for.
        public var weight: Double
        /// The day (UTC) it was made on, `2026-11-21`.
        public var asOf: String

        public init(gameSystem: String?, mean: Double, variance: Double, weight: Double, asOf: String) {
            self.gameSystem = gameSystem
            self.mean = mean
            self.variance = variance
            self.weight = weight
            self.asOf = asOf
        }
    }

    /// 1…5, drawn towards the prior; 0 while there is no review.
    public var rating: Double
    /// What `sort=rating` goes by; 0 while there is no review.
    public var lowerBound: Double
    /// Reviews.
    public var count: Int
    /// How many reviews gave 1, 2, 3, 4 and 5 stars.
    public var histogram: [Int]
    /// What the reviews weigh together, as old ones count less.
    public var weight: Double
    /// The day (UTC) that ages are counted from, `2026-11-21`; absent while there is no review.
    public var asOf: String?
    /// Absent while there is no review.
    public var prior: Prior?

    public init(
        rating: Double, lowerBound: Double, count: Int, histogram: [Int], weight: Double, asOf: String?, prior: Prior?
    ) {
        self.rating = rating
        self.lowerBound = lowerBound
        self.count = count
        self.histogram = histogram
        self.weight = weight
        self.asOf = asOf
        self.prior = prior
    }

    /// Of a template without reviews.
    public static let none = RatingSummary(
        rating: 0, lowerBound: 0, count: 0, histogram: [0, 0, 0, 0, 0], weight: 0, asOf: nil, prior: nil)
}

/// `GET /templates/{id}/reviews`.
public struct ReviewList: Sendable, Codable, Equatable {
    /// The page's reviews.
    public var reviews: [Review]
    /// Where the next page begins; `nil` on the last.
    @AlwaysWritten public var nextCursor: String?
    public var rating: RatingSummary
    /// The caller's own, when they are signed in and wrote one.
    public var mine: Review?

    public init(reviews: [Review], nextCursor: String?, rating: RatingSummary, mine: Review? = nil) {
        self.reviews = reviews
        self.nextCursor = nextCursor
        self.rating = rating
        self.mine = mine
    }
}

/// `PUT /templates/{id}/reviews/mine`.
public struct ReviewRequest: Sendable, Codable, Equatable {
    /// Longest text of a review or a reply, in Unicode scalars.
    public static let maximumTextLength = 5000

    /// 1…5.
    public var stars: Int
    /// The review's text, in Markdown.
    public var text: String?
    /// A published version; the newest that the caller downloaded, or the one on offer, when absent.
    public var version: String?

    public init(stars: Int, text: String? = nil, version: String? = nil) {
        self.stars = stars
        self.text = text
        self.version = version
    }
}

/// `POST /reviews/{id}/votes`.
public struct ReviewVote: Sendable, Codable, Equatable {
    /// `nil` takes the vote back.
    @AlwaysWritten public var helpful: Bool?

    public init(helpful: Bool?) {
        self.helpful = helpful
    }
}

/// `PUT /reviews/{id}/reply`.
public struct ReplyRequest: Sendable, Codable, Equatable {
    /// The review's text, in Markdown.
    public var text: String

    public init(text: String) {
        self.text = text
    }
}

/// `GET /reviews/{id}/history`, for moderators.
public struct ReviewHistory: Sendable, Codable, Equatable {
    /// What the review said at a time.
    public struct Revision: Sendable, Codable, Equatable {
        /// From 1; the numbers between two are deletions.
        public var revision: Int
        /// 1 to 5.
        public var stars: Int
        /// The review's text, in Markdown.
        public var text: String
        /// The version that is meant.
        public var version: SemanticVersion
        /// When it was written.
        public var writtenAt: Date

        public init(revision: Int, stars: Int, text: String, version: SemanticVersion, writtenAt: Date) {
            self.revision = revision
            self.stars = stars
            self.text = text
            self.version = version
            self.writtenAt = writtenAt
        }
    }

    /// Its identifier.
    public var id: ReviewID
    /// The template's id.
    public var templateId: TemplateID
    /// The reviewer's handle.
    public var author: String
    /// When its writer deleted it.
    public var deletedAt: Date?
    /// When a moderator hid it.
    public var hiddenAt: Date?
    /// Newest first; what is shown now is the first, unless it is deleted.
    public var revisions: [Revision]

    public init(
        id: ReviewID, templateId: TemplateID, author: String, deletedAt: Date?, hiddenAt: Date?, revisions: [Revision]
    ) {
        self.id = id
        self.templateId = templateId
        self.author = author
        self.deletedAt = deletedAt
        self.hiddenAt = hiddenAt
        self.revisions = revisions
    }
}

/// What a report is about.
public struct ReportSubject: Sendable, Codable, Equatable {
    /// What can be complained about.
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// All of it, or what its page says.
        case template
        /// One version's file or notes; `version` names it.
        case version
        /// What somebody wrote, or the stars.
        case review
        /// An account; with `part`, only what that names.
        case user
    }

    /// What of a user's is meant, and not the account.
    public enum Part: String, Sendable, Codable, CaseIterable {
        /// One that the user made public; `collection` names it.
        case collection
        /// Its words, links and picture.
        case profile
    }

    /// What kind it is of.
    public var kind: Kind
    /// A template's or version's template: id or slug; a review's id; a user's id or handle.
    public var id: String
    /// Which version, when `kind` is `version`.
    public var version: String?
    /// When `kind` is `user`. Who does not know of it takes it for a report on the account.
    public var part: Part?
    /// Which of the user's collections, when `part` is `collection`.
    public var collection: MemberCollectionID?

    public init(
        kind: Kind, id: String, version: String? = nil, part: Part? = nil, collection: MemberCollectionID? = nil
    ) {
        self.kind = kind
        self.id = id
        self.version = version
        self.part = part
        self.collection = collection
    }
}

/// Why something is reported.
public enum ReportReason: String, Sendable, Codable, CaseIterable {
    /// It is somebody else's work. Whoever holds the rights sends a notice instead.
    case copyright
    /// It does harm to those who open it.
    case malicious
    /// Its words or pictures.
    case offensive
    /// It is aimed at somebody.
    case harassment
    /// It is advertising.
    case spam
    /// It is not what it says that it is.
    case misleading
    /// What `text` says.
    case other
    /// It shows what only the person it is about may show.
    case personalData = "personal_data"
}

/// `POST /reports`.
public struct ReportRequest: Sendable, Codable, Equatable {
    /// What it is about.
    public var subject: ReportSubject
    /// What it is reported for.
    public var reason: ReportReason
    /// What the reporter says of it; for the team alone.
    public var text: String?

    public init(subject: ReportSubject, reason: ReportReason, text: String? = nil) {
        self.subject = subject
        self.reason = reason
        self.text = text
    }
}

/// A complaint as its writer sees it.
public struct Report: Sendable, Codable, Equatable {
    /// Its identifier.
    public var id: ReportID
    /// What it is about.
    public var subject: ReportSubject
    /// What it is reported for.
    public var reason: ReportReason
    /// The review's text, in Markdown.
    public var text: String
    /// `open`, until moderation has dealt with it: then `closed`.
    public var state: String
    /// When it was made.
    public var createdAt: Date

    public init(
        id: ReportID, subject: ReportSubject, reason: ReportReason, text: String, state: String, createdAt: Date
    ) {
        self.id = id
        self.subject = subject
        self.reason = reason
        self.text = text
        self.state = state
        self.createdAt = createdAt
    }
}

/// `GET /templates/{id}/downloads`, for a template's authors.
public struct DownloadTimeline: Sendable, Codable, Equatable {
    /// One day (UTC).
    public struct Day: Sendable, Codable, Equatable {
        /// `2026-11-21`.
        public var day: String
        /// How often it was downloaded.
        public var downloads: Int

        public init(day: String, downloads: Int) {
            self.day = day
            self.downloads = downloads
        }
    }

    /// The template's id.
    public var templateId: TemplateID
    /// Of all time.
    public var total: Int
    /// Every day asked for, oldest first.
    public var days: [Day]

    public init(templateId: TemplateID, total: Int, days: [Day]) {
        self.templateId = templateId
        self.total = total
        self.days = days
    }
}

/// `GET` and `PUT /me/reviews/email`: whether each new review of one of the caller's sheets comes by e-mail.
public struct ReviewEmailChoice: Sendable, Codable, Equatable {
    /// Whether it is sent.
    public var isWanted: Bool

    public init(isWanted: Bool) {
        self.isWanted = isWanted
    }
}
