// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// Where a case stands.
public enum CaseState: String, Sendable, Codable, CaseIterable {
    /// Anybody of the team can claim it.
    case open
    /// A moderator works on it, and nobody else can decide it meanwhile.
    case claimed
    /// For the uploader: an answer, or a revised file.
    case waiting
    /// What was decided is in force, and can still be appealed.
    case decided
    /// An appeal against its decision is a case of its own, which comes first.
    case appealed
    /// Nothing can follow any more.
    case closed
}

/// A case as the queue shows it.
public struct CaseSummary: Sendable, Codable, Equatable {
    /// What a case came of.
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// An upload waits for review, or a published one is looked at once more (`isAudit`).
        case submission
        /// Somebody complained; further complaints about the same join it.
        case report
        /// Somebody does not accept a decision; not for whoever made it.
        case appeal
    }

    /// What a case is about.
    public enum Subject: String, Sendable, Codable, CaseIterable {
        /// An upload that is no version yet.
        case submission
        /// All versions of it.
        case template
        /// One version alone.
        case version
        /// Its stars and text.
        case review
        /// An account, a profile or a collection of somebody's.
        case user
    }

    /// How a case stands to its promised time.
    public enum Due: String, Sendable, Codable, CaseIterable {
        /// The time is near, by as much as the market warns before.
        case soon
        /// The promised time has passed, and nothing is decided.
        case over
    }

    /// Its identifier.
    public var id: CaseID
    /// Where it stands.
    public var state: CaseState
    /// What kind it is of.
    public var kind: Kind
    /// What it is about.
    public var subject: Subject
    /// The submission, template, version, review or user.
    public var subjectId: String?
    /// What of the user's it is about, where it is not the account.
    public var part: ReportSubject.Part?
    /// Which of the user's collections.
    public var collectionId: MemberCollectionID?
    /// The submission that is meant, where there is one.
    public var submissionId: SubmissionID?
    /// The template's id.
    public var templateId: TemplateID?
    /// What it is called: the template's name, the collection's title, or the user's handle.
    public var templateName: String
    /// The game system's slug.
    public var gameSystem: String?
    /// The version that is meant, where there is one.
    public var version: SemanticVersion?
    /// Handle of the person whose work it is about.
    public var uploader: String
    /// Handle of the moderator who holds the claim, or asked and waits.
    public var claimedBy: String?
    /// When the claim ends by itself.
    public var claimExpiresAt: Date?
    /// The worst of the submission's findings.
    public var severity: Finding.Severity?
    /// 0…100.
    public var risk: Int
    /// How many reports it has.
    public var reportCount: Int
    /// Downloads of the template.
    public var reach: Int
    /// When it was opened.
    public var openedAt: Date
    /// By when it should be decided.
    public var promisedAt: Date?
    /// Whether that is near, or over.
    public var due: Due?
    /// Whether it looks at something that was published without a moderator.
    public var isAudit: Bool
    /// Whether a decision waits for a second moderator.
    public var isProposed: Bool
    /// The case whose decision is appealed.
    public var appealOf: CaseID?

    public init(
        id: CaseID, state: CaseState, kind: Kind = .submission, subject: Subject = .submission,
        subjectId: String? = nil, submissionId: SubmissionID?, templateId: TemplateID?, templateName: String,
        gameSystem: String?, version: SemanticVersion?, uploader: String, claimedBy: String?, claimExpiresAt: Date?,
        severity: Finding.Severity?, risk: Int = 0, reportCount: Int = 0, reach: Int = 0, openedAt: Date,
        promisedAt: Date? = nil, due: Due? = nil, isAudit: Bool = false, isProposed: Bool = false,
        appealOf: CaseID? = nil, part: ReportSubject.Part? = nil, collectionId: MemberCollectionID? = nil
    ) {
        self.id = id
        self.state = state
        self.kind = kind
        self.subject = subject
        self.subjectId = subjectId
        self.part = part
        self.collectionId = collectionId
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
            appealOf: try values.decodeIfPresent(CaseID.self, forKey: .appealOf),
            part: try values.decodeIfPresent(ReportSubject.Part.self, forKey: .part),
            collectionId: try values.decodeIfPresent(MemberCollectionID.self, forKey: .collectionId))
    }
}

/// `GET /moderation/queue`: the most urgent first.
public struct CaseList: Sendable, Codable, Equatable {
    /// The page's cases.
    public var cases: [CaseSummary]
    /// Where the next page begins; `nil` on the last.
    @AlwaysWritten public var nextCursor: String?

    public init(cases: [CaseSummary], nextCursor: String?) {
        self.cases = cases
        self.nextCursor = nextCursor
    }
}
