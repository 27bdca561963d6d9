// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// What a moderator can decide on a submission.
public enum DecisionKind: String, Sendable, Codable, CaseIterable {
    case approve
    case requestChanges = "request_changes"
    case reject
}

/// `POST /moderation/cases/{id}/decision`, after a claim.
public struct DecisionRequest: Sendable, Codable, Equatable {
    public var decision: DecisionKind
    /// A stable word for the reason.
    public var reasonCode: String
    /// What the uploader is told.
    public var message: String

    /// All parts.
    public init(decision: DecisionKind, reasonCode: String, message: String) {
        self.decision = decision
        self.reasonCode = reasonCode
        self.message = message
    }
}

/// Whether a case still waits for a decision.
public enum CaseState: String, Sendable, Codable, CaseIterable {
    case open
    case claimed
    case decided
}

/// A case as the queue shows it.
public struct CaseSummary: Sendable, Codable, Equatable {
    public var id: CaseID
    public var state: CaseState
    public var submissionId: SubmissionID
    public var templateId: TemplateID
    public var templateName: String
    public var gameSystem: String
    public var version: SemanticVersion
    /// The uploader's handle.
    public var uploader: String
    /// Handle of the moderator who holds the claim.
    public var claimedBy: String?
    public var claimExpiresAt: Date?
    /// The worst of the submission's findings.
    public var severity: Finding.Severity?
    public var openedAt: Date

    /// All parts.
    public init(
        id: CaseID, state: CaseState, submissionId: SubmissionID, templateId: TemplateID, templateName: String,
        gameSystem: String, version: SemanticVersion, uploader: String, claimedBy: String?, claimExpiresAt: Date?,
        severity: Finding.Severity?, openedAt: Date
    ) {
        self.id = id
        self.state = state
        self.submissionId = submissionId
        self.templateId = templateId
        self.templateName = templateName
        self.gameSystem = gameSystem
        self.version = version
        self.uploader = uploader
        self.claimedBy = claimedBy
        self.claimExpiresAt = claimExpiresAt
        self.severity = severity
        self.openedAt = openedAt
    }
}

/// `GET /moderation/queue`: oldest first.
public struct CaseList: Sendable, Codable, Equatable {
    public var cases: [CaseSummary]
    public var nextCursor: String?

    /// Both parts.
    public init(cases: [CaseSummary], nextCursor: String?) {
        self.cases = cases
        self.nextCursor = nextCursor
    }

    private enum CodingKeys: String, CodingKey { case cases, nextCursor }

    /// Writes `nextCursor` as `null` on the last page.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(cases, forKey: .cases)
        try container.encode(nextCursor, forKey: .nextCursor)
    }
}

/// `GET /moderation/cases/{id}`.
public struct CaseDetail: Sendable, Codable, Equatable {
    public var summary: CaseSummary
    public var submission: SubmissionStatus
    public var metadata: UploadMetadata
    public var pages: [PageSummary]
    public var regions: [RegionList.Page]
    public var decisions: [SubmissionStatus.Decision]
    /// A readable rendering of a kind without pages.
    public var outline: ContentOutline?

    /// All parts.
    public init(
        summary: CaseSummary, submission: SubmissionStatus, metadata: UploadMetadata, pages: [PageSummary],
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

/// One act in the audit log.
public struct AuditEntry: Sendable, Codable, Equatable {
    /// Counts from 1 without gaps.
    public var sequence: Int64
    public var at: Date
    /// The actor's handle, or `system`.
    public var actor: String
    /// A stable word: `case.decided`, `user.role_changed`, …
    public var action: String
    /// What it was done to: `submission:<id>`, `user:<id>`, …
    public var subject: String
    /// More of it, as JSON text.
    public var details: String
    /// The request it came from.
    public var requestId: String?
    /// Hash over this entry and the one before.
    public var hash: ContentHash

    /// All parts.
    public init(
        sequence: Int64, at: Date, actor: String, action: String, subject: String, details: String,
        requestId: String?, hash: ContentHash
    ) {
        self.sequence = sequence
        self.at = at
        self.actor = actor
        self.action = action
        self.subject = subject
        self.details = details
        self.requestId = requestId
        self.hash = hash
    }
}

/// `GET /moderation/audit`: newest first.
public struct AuditList: Sendable, Codable, Equatable {
    public var entries: [AuditEntry]
    public var nextCursor: String?

    /// Both parts.
    public init(entries: [AuditEntry], nextCursor: String?) {
        self.entries = entries
        self.nextCursor = nextCursor
    }

    private enum CodingKeys: String, CodingKey { case entries, nextCursor }

    /// Writes `nextCursor` as `null` on the last page.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(entries, forKey: .entries)
        try container.encode(nextCursor, forKey: .nextCursor)
    }
}
