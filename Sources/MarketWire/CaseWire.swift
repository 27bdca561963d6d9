// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// `GET /moderation/cases/{id}`.
public struct CaseDetail: Sendable, Codable, Equatable {
    /// What the queue shows of it.
    public var summary: CaseSummary
    /// The upload that it is about, or that the version in question came of.
    public var submission: SubmissionStatus?
    /// What the upload says of itself.
    public var metadata: UploadMetadata?
    /// Its pages, in order; none where a kind has no pages.
    public var pages: [PageSummary]
    /// Zoom regions by page.
    public var regions: [RegionList.Page]
    /// What was decided before.
    public var decisions: [SubmissionStatus.Decision]
    /// A readable rendering of a kind without pages.
    public var outline: ContentOutline?
    /// What can be decided here.
    public var choices: [DecisionKind]?
    /// A decision that waits for a second moderator.
    public var proposal: CaseProposal?
    /// Notes among moderators.
    public var notes: [CaseNote]?
    /// The conversation with the author.
    public var messages: [CaseMessage]?
    /// The reports that opened it.
    public var reports: [CaseReport]?
    /// The appeal that this case is about.
    public var appeal: Appeal?
    /// What each page says, in order.
    public var texts: [String]?
    /// The version that was compared with, and where it differs.
    public var before: CaseComparison?
    /// Who uploaded it.
    public var author: CaseAuthor?
    /// What the automatic checks made of the submission.
    public var risk: CaseRisk?
    /// The nearest templates on offer, by game system, tags and name.
    public var similar: [TemplateSummary]?
    /// The review in question.
    public var review: CaseReview?
    /// The member's collection or profile in question.
    public var memberText: CaseMemberText?
    /// Other cases of the same template or person, newest first.
    public var history: [CaseSummary]?

    public init(
        summary: CaseSummary, submission: SubmissionStatus?, metadata: UploadMetadata?, pages: [PageSummary],
        regions: [RegionList.Page], decisions: [SubmissionStatus.Decision], outline: ContentOutline? = nil
    ) {
        self.outline = outline
        self.summary = summary
        self.submission = submission
        self.metadata = metadata
        self.pages = pages
        self.regions = regions
        self.decisions = decisions
    }
}

/// A decision that a second moderator has to confirm.
public struct CaseProposal: Sendable, Codable, Equatable {
    /// What was decided.
    public var decision: DecisionKind
    /// Stable code of the reason.
    public var reasonCode: String
    /// What those concerned are told.
    public var message: String
    /// What speaks for it.
    public var evidence: [String]
    /// When it ends; `nil` if never.
    public var until: Date?
    /// Handle of the moderator who proposed it.
    public var by: String
    /// When it was proposed.
    public var proposedAt: Date

    public init(
        decision: DecisionKind, reasonCode: String, message: String, evidence: [String], until: Date?, by: String,
        proposedAt: Date
    ) {
        self.decision = decision
        self.reasonCode = reasonCode
        self.message = message
        self.evidence = evidence
        self.until = until
        self.by = by
        self.proposedAt = proposedAt
    }
}

/// A complaint as moderation shows it.
public struct CaseReport: Sendable, Codable, Equatable {
    /// Its identifier.
    public var id: ReportID
    /// What it is reported for.
    public var reason: ReportReason
    /// What was written, as plain text or Markdown.
    public var text: String
    /// The reporter's handle.
    public var by: String
    /// Where it stands.
    public var state: String
    /// When it was made.
    public var createdAt: Date

    public init(id: ReportID, reason: ReportReason, text: String, by: String, state: String, createdAt: Date) {
        self.id = id
        self.reason = reason
        self.text = text
        self.by = by
        self.state = state
        self.createdAt = createdAt
    }
}

/// A review as moderation shows it, hidden or not.
public struct CaseReview: Sendable, Codable, Equatable {
    /// Its identifier.
    public var id: ReviewID
    /// 1 to 5.
    public var stars: Int
    /// What was written, as plain text or Markdown.
    public var text: String
    /// The handle of who wrote it.
    public var by: String
    /// Whether the public no longer sees it.
    public var isHidden: Bool
    /// When it changed last.
    public var updatedAt: Date

    public init(id: ReviewID, stars: Int, text: String, by: String, isHidden: Bool, updatedAt: Date) {
        self.id = id
        self.stars = stars
        self.text = text
        self.by = by
        self.isHidden = isHidden
        self.updatedAt = updatedAt
    }
}

/// What a person wrote in a collection or their profile, as moderation shows it, hidden or not.
public struct CaseMemberText: Sendable, Codable, Equatable {
    /// Which part of the account it is.
    public var part: ReportSubject.Part
    /// The collection's title, or the person's name.
    public var title: String
    /// What was written, as plain text or Markdown.
    public var text: String
    /// Of a profile.
    public var links: [String]
    /// The handle of who wrote it.
    public var by: String
    /// Whether the public no longer sees it.
    public var isHidden: Bool
    /// When it changed last.
    public var updatedAt: Date
    /// Address of the picture of a profile that has one.
    public var pictureURL: String?

    public init(
        part: ReportSubject.Part, title: String, text: String, links: [String], by: String, isHidden: Bool,
        updatedAt: Date, pictureURL: String? = nil
    ) {
        self.pictureURL = pictureURL
        self.part = part
        self.title = title
        self.text = text
        self.links = links
        self.by = by
        self.isHidden = isHidden
        self.updatedAt = updatedAt
    }
}

/// The version before, beside the one in question.
public struct CaseComparison: Sendable, Codable, Equatable {
    /// What differs on a page that both have.
    public struct Page: Sendable, Codable, Equatable {
        /// Its index in the version before.
        public var from: Int
        /// Its index now.
        public var to: Int
        /// Where something is now that was not, normalized.
        public var added: [NormalizedRect]
        /// Where something was that is no longer, normalized on the page before.
        public var removed: [NormalizedRect]

        public init(from: Int, to: Int, added: [NormalizedRect], removed: [NormalizedRect]) {
            self.from = from
            self.to = to
            self.added = added
            self.removed = removed
        }
    }

    /// A page of either version, or of both, with the picture of what differs.
    public struct Picture: Sendable, Codable, Equatable {
        /// Its index in the version before; none for a new page.
        public var from: Int?
        /// Its index now; none for a page that is gone.
        public var to: Int?
        /// Where the two differ.
        public var picture: DifferencePicture

        public init(from: Int?, to: Int?, picture: DifferencePicture) {
            self.from = from
            self.to = to
            self.picture = picture
        }
    }

    /// The version that is meant.
    public var version: SemanticVersion
    /// Its pages, in order; none where a kind has no pages.
    public var pages: [PageSummary]
    /// Zoom regions by page.
    public var regions: [RegionList.Page]
    /// Pages that look different.
    public var differences: [Page]
    /// Pictures of the pages that look different; pages that look the same have none. `nil` while they are being drawn.
    public var pictures: [Picture]?

    public init(
        version: SemanticVersion, pages: [PageSummary], regions: [RegionList.Page], differences: [Page],
        pictures: [Picture]? = nil
    ) {
        self.pictures = pictures
        self.version = version
        self.pages = pages
        self.regions = regions
        self.differences = differences
    }
}

/// What moderation knows of a person's work.
public struct CaseAuthor: Sendable, Codable, Equatable {
    /// The account's name in addresses.
    public var handle: String
    /// Since when.
    public var since: Date
    /// How many were published.
    public var published: Int
    /// How many were refused.
    public var rejected: Int
    /// How many went back to their author.
    public var changesRequested: Int
    /// How many were taken down.
    public var takenDown: Int
    /// Cases about this person's work that wait.
    public var openCases: Int
    /// Whether the account is disabled.
    public var isDisabled: Bool

    public init(
        handle: String, since: Date, published: Int, rejected: Int, changesRequested: Int, takenDown: Int,
        openCases: Int, isDisabled: Bool
    ) {
        self.handle = handle
        self.since = since
        self.published = published
        self.rejected = rejected
        self.changesRequested = changesRequested
        self.takenDown = takenDown
        self.openCases = openCases
        self.isDisabled = isDisabled
    }
}
