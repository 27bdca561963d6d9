// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// Where a case stands.
public enum CaseState: String, Sendable, Codable, CaseIterable {
    case open
    case claimed
    /// For the uploader: an answer, or a revised file.
    case waiting
    case decided
    case appealed
    case closed
}

/// A case as the queue shows it.
public struct CaseSummary: Sendable, Codable, Equatable {
    /// What a case came of.
    public enum Kind: String, Sendable, Codable, CaseIterable {
        case submission
        case report
        case appeal
    }

    /// What a case is about.
    public enum Subject: String, Sendable, Codable, CaseIterable {
        case submission
        case template
        case version
        case review
        case user
    }

    /// How a case stands to its promised time.
    public enum Due: String, Sendable, Codable, CaseIterable {
        case soon
        case over
    }

    public var id: CaseID
    public var state: CaseState
    public var kind: Kind
    public var subject: Subject
    /// The submission, template, version, review or user.
    public var subjectId: String?
    public var submissionId: SubmissionID?
    public var templateId: TemplateID?
    /// What it is called: the template's name, or the user's handle.
    public var templateName: String
    public var gameSystem: String?
    public var version: SemanticVersion?
    /// Handle of the person whose work it is about.
    public var uploader: String
    /// Handle of the moderator who holds the claim, or asked and waits.
    public var claimedBy: String?
    public var claimExpiresAt: Date?
    /// The worst of the submission's findings.
    public var severity: Finding.Severity?
    /// 0…100.
    public var risk: Int
    public var reportCount: Int
    /// Downloads of the template.
    public var reach: Int
    public var openedAt: Date
    /// By when it should be decided.
    public var promisedAt: Date?
    public var due: Due?
    /// Whether it looks at something that was published without a moderator.
    public var isAudit: Bool
    /// Whether a decision waits for a second moderator.
    public var isProposed: Bool
    /// The case whose decision is appealed.
    public var appealOf: CaseID?

    /// All parts.
    public init(
        id: CaseID, state: CaseState, kind: Kind = .submission, subject: Subject = .submission,
        subjectId: String? = nil, submissionId: SubmissionID?, templateId: TemplateID?, templateName: String,
        gameSystem: String?, version: SemanticVersion?, uploader: String, claimedBy: String?, claimExpiresAt: Date?,
        severity: Finding.Severity?, risk: Int = 0, reportCount: Int = 0, reach: Int = 0, openedAt: Date,
        promisedAt: Date? = nil, due: Due? = nil, isAudit: Bool = false, isProposed: Bool = false,
        appealOf: CaseID? = nil
    ) {
        self.id = id
        self.state = state
        self.kind = kind
        self.subject = subject
        self.subjectId = subjectId
        self.submissionId = submissionId
        self.templateId = templateId
        self.templateName = templateName
        self.gameSystem = gameSystem
        self.version = version
        self.uploader = uploader
        self.claimedBy = claimedBy
        self.claimExpiresAt = claimExpiresAt
        self.severity = severity
        self.risk = risk
        self.reportCount = reportCount
        self.reach = reach
        self.openedAt = openedAt
        self.promisedAt = promisedAt
        self.due = due
        self.isAudit = isAudit
        self.isProposed = isProposed
        self.appealOf = appealOf
    }

    /// Reads what earlier servers wrote, too.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try values.decode(CaseID.self, forKey: .id), state: try values.decode(CaseState.self, forKey: .state),
            kind: try values.decodeIfPresent(Kind.self, forKey: .kind) ?? .submission,
            subject: try values.decodeIfPresent(Subject.self, forKey: .subject) ?? .submission,
            subjectId: try values.decodeIfPresent(String.self, forKey: .subjectId),
            submissionId: try values.decodeIfPresent(SubmissionID.self, forKey: .submissionId),
            templateId: try values.decodeIfPresent(TemplateID.self, forKey: .templateId),
            templateName: try values.decode(String.self, forKey: .templateName),
            gameSystem: try values.decodeIfPresent(String.self, forKey: .gameSystem),
            version: try values.decodeIfPresent(SemanticVersion.self, forKey: .version),
            uploader: try values.decode(String.self, forKey: .uploader),
            claimedBy: try values.decodeIfPresent(String.self, forKey: .claimedBy),
            claimExpiresAt: try values.decodeIfPresent(Date.self, forKey: .claimExpiresAt),
            severity: try values.decodeIfPresent(Finding.Severity.self, forKey: .severity),
            risk: try values.decodeIfPresent(Int.self, forKey: .risk) ?? 0,
            reportCount: try values.decodeIfPresent(Int.self, forKey: .reportCount) ?? 0,
            reach: try values.decodeIfPresent(Int.self, forKey: .reach) ?? 0,
            openedAt: try values.decode(Date.self, forKey: .openedAt),
            promisedAt: try values.decodeIfPresent(Date.self, forKey: .promisedAt),
            due: try values.decodeIfPresent(Due.self, forKey: .due),
            isAudit: try values.decodeIfPresent(Bool.self, forKey: .isAudit) ?? false,
            isProposed: try values.decodeIfPresent(Bool.self, forKey: .isProposed) ?? false,
            appealOf: try values.decodeIfPresent(CaseID.self, forKey: .appealOf))
    }
}

/// `GET /moderation/queue`: the most urgent first.
public struct CaseList: Sendable, Codable, Equatable {
    public var cases: [CaseSummary]
    @AlwaysWritten public var nextCursor: String?

    /// Both parts.
    public init(cases: [CaseSummary], nextCursor: String?) {
        self.cases = cases
        self.nextCursor = nextCursor
    }
}

/// `GET /moderation/cases/{id}`.
public struct CaseDetail: Sendable, Codable, Equatable {
    public var summary: CaseSummary
    /// The upload that it is about, or that the version in question came of.
    public var submission: SubmissionStatus?
    public var metadata: UploadMetadata?
    public var pages: [PageSummary]
    public var regions: [RegionList.Page]
    public var decisions: [SubmissionStatus.Decision]
    /// A readable rendering of a kind without pages.
    public var outline: ContentOutline?
    /// What can be decided here.
    public var choices: [DecisionKind]?
    /// A decision that waits for a second moderator.
    public var proposal: CaseProposal?
    public var notes: [CaseNote]?
    public var messages: [CaseMessage]?
    public var reports: [CaseReport]?
    /// The appeal that this case is about.
    public var appeal: Appeal?
    /// What each page says, in order.
    public var texts: [String]?
    /// The version that was compared with, and where it differs.
    public var before: CaseComparison?
    public var author: CaseAuthor?
    /// What the automatic checks made of the submission.
    public var risk: CaseRisk?
    /// The nearest templates on offer, by game system, tags and name.
    public var similar: [TemplateSummary]?
    /// The review in question.
    public var review: CaseReview?
    /// Other cases of the same template or person, newest first.
    public var history: [CaseSummary]?

    /// All parts.
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
    public var decision: DecisionKind
    public var reasonCode: String
    public var message: String
    public var evidence: [String]
    public var until: Date?
    /// Handle of the moderator who proposed it.
    public var by: String
    public var proposedAt: Date

    /// All parts.
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

/// A complaint as the desk shows it.
public struct CaseReport: Sendable, Codable, Equatable {
    public var id: ReportID
    public var reason: ReportReason
    public var text: String
    /// The reporter's handle.
    public var by: String
    public var state: String
    public var createdAt: Date

    /// All parts.
    public init(id: ReportID, reason: ReportReason, text: String, by: String, state: String, createdAt: Date) {
        self.id = id
        self.reason = reason
        self.text = text
        self.by = by
        self.state = state
        self.createdAt = createdAt
    }
}

/// A review as the desk shows it, hidden or not.
public struct CaseReview: Sendable, Codable, Equatable {
    public var id: ReviewID
    public var stars: Int
    public var text: String
    public var by: String
    public var isHidden: Bool
    public var updatedAt: Date

    /// All parts.
    public init(id: ReviewID, stars: Int, text: String, by: String, isHidden: Bool, updatedAt: Date) {
        self.id = id
        self.stars = stars
        self.text = text
        self.by = by
        self.isHidden = isHidden
        self.updatedAt = updatedAt
    }
}

/// Two pages laid over each other: what only the older one has in vermilion, what only the newer one has in blue, what both
/// have in grey, with boxes around words and fields that came, went or moved.
public struct DifferencePicture: Sendable, Codable, Equatable {
    /// Where it is, for moderators.
    public var url: String
    /// Pixels.
    public var width: Int
    /// Pixels.
    public var height: Int
    public var sha256: ContentHash

    /// All parts.
    public init(url: String, width: Int, height: Int, sha256: ContentHash) {
        self.url = url
        self.width = width
        self.height = height
        self.sha256 = sha256
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

        /// All parts.
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
        public var picture: DifferencePicture

        /// All parts.
        public init(from: Int?, to: Int?, picture: DifferencePicture) {
            self.from = from
            self.to = to
            self.picture = picture
        }
    }

    public var version: SemanticVersion
    public var pages: [PageSummary]
    public var regions: [RegionList.Page]
    public var differences: [Page]
    /// Pictures of the pages that look different; pages that look the same have none. `nil` while they are being drawn.
    public var pictures: [Picture]?

    /// All parts.
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

/// What the desk knows of a person's work.
public struct CaseAuthor: Sendable, Codable, Equatable {
    public var handle: String
    public var since: Date
    public var published: Int
    public var rejected: Int
    public var changesRequested: Int
    public var takenDown: Int
    /// Cases about this person's work that wait.
    public var openCases: Int
    public var isDisabled: Bool

    /// All parts.
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
