// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// What a moderator can decide.
public enum DecisionKind: String, Sendable, Codable, CaseIterable {
    /// Publishes the submission; of one that is published already: leaves it so.
    case approve
    /// Hands the submission back to be mended; the case waits for that.
    case requestChanges = "request_changes"
    /// Refuses the submission for good. Can be appealed.
    case reject
    /// Takes the subject off the market. Can be appealed; with many installations a second moderator confirms it.
    case takeDown = "take_down"
    /// Puts back what was taken down.
    case restore
    /// Nothing is wrong with what was reported. Whoever reported it can appeal.
    case dismiss
    /// Warns the person whose work it is, and keeps them from nothing.
    case warn
    /// Keeps that person from writing, until the time that the request names.
    case suspend
    /// Keeps that person out for good; a second moderator has to confirm it.
    case ban
    /// Ends what that person was sentenced to.
    case lift
    /// Leaves the appealed decision as it is, and closes the case.
    case uphold
    /// Undoes the appealed decision, and closes the case.
    case overturn
}

/// `POST /moderation/cases/{id}/decision`, after a claim.
public struct DecisionRequest: Sendable, Codable, Equatable {
    /// What was decided.
    public var decision: DecisionKind
    /// A stable word for the reason.
    public var reasonCode: String
    /// What the people concerned are told.
    public var message: String
    /// What it rests on, for the team and for appeals.
    public var evidence: [String]?
    /// When a suspension ends.
    public var until: Date?

    public init(
        decision: DecisionKind, reasonCode: String, message: String, evidence: [String]? = nil, until: Date? = nil
    ) {
        self.decision = decision
        self.reasonCode = reasonCode
        self.message = message
        self.evidence = evidence
        self.until = until
    }
}

/// One act in the audit log.
public struct AuditEntry: Sendable, Codable, Equatable {
    /// Counts from 1 without gaps.
    public var sequence: Int64
    /// When it happened.
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
    /// The account that acted.
    public var actorId: UserID?
    /// Why, in the actor's words.
    public var reason: String?
    /// The token that was used.
    public var tokenId: TokenID?
    /// Whether a part that named a person was erased.
    public var erased: Bool?

    public init(
        sequence: Int64, at: Date, actor: String, action: String, subject: String, details: String,
        requestId: String?, hash: ContentHash, actorId: UserID? = nil, reason: String? = nil,
        tokenId: TokenID? = nil, erased: Bool? = nil
    ) {
        self.actorId = actorId
        self.reason = reason
        self.tokenId = tokenId
        self.erased = erased
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
    /// The page's entries, oldest first.
    public var entries: [AuditEntry]
    /// Where the next page begins; `nil` on the last.
    @AlwaysWritten public var nextCursor: String?

    public init(entries: [AuditEntry], nextCursor: String?) {
        self.entries = entries
        self.nextCursor = nextCursor
    }
}
