// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// `POST /appeals`.
public struct AppealRequest: Sendable, Codable, Equatable {
    /// What a decision was about.
    public enum Subject: String, Sendable, Codable, CaseIterable {
        /// An upload of the caller's own.
        case submission
        /// A template of the caller's own, by its id.
        case template
        /// What became of a report that the caller sent.
        case report
        /// The case itself, where the caller knows its id.
        case `case`
        /// What was imposed on the caller, as `GET /me/sanctions` lists it.
        case sanction
    }

    /// What `id` is the id of; the last decision on it is appealed.
    public var subject: Subject
    /// Its identifier.
    public var id: String
    /// What was wrong with the decision.
    public var text: String

    public init(subject: Subject, id: String, text: String) {
        self.subject = subject
        self.id = id
        self.text = text
    }
}

/// Somebody does not accept a decision.
public struct Appeal: Sendable, Codable, Equatable {
    /// Where it stands.
    public enum State: String, Sendable, Codable, CaseIterable {
        /// A case of its own waits for a moderator who had no part in the decision.
        case open
        /// The decision stays.
        case upheld
        /// The decision was undone.
        case overturned
    }

    /// Its identifier.
    public var id: String
    /// Where it stands.
    public var state: State
    /// The decision that is appealed.
    public var decision: SubmissionStatus.Decision
    /// The case in which that was decided.
    public var appealedCaseId: CaseID
    /// What the decision was about, by name.
    public var title: String
    /// The appellant's handle.
    public var by: String
    /// What was written, as plain text or Markdown.
    public var text: String
    /// When it was made.
    public var createdAt: Date
    /// When it ended; `nil` while it is open.
    public var endedAt: Date?
    /// What the appellant was told.
    public var answer: String?

    public init(
        id: String, state: State, decision: SubmissionStatus.Decision, appealedCaseId: CaseID, title: String,
        by: String, text: String, createdAt: Date, endedAt: Date?, answer: String?
    ) {
        self.id = id
        self.state = state
        self.decision = decision
        self.appealedCaseId = appealedCaseId
        self.title = title
        self.by = by
        self.text = text
        self.createdAt = createdAt
        self.endedAt = endedAt
        self.answer = answer
    }
}

/// `GET /appeals`: the caller's own, newest first.
public struct AppealList: Sendable, Codable, Equatable {
    /// The page's appeals.
    public var appeals: [Appeal]
    /// Where the next page begins; `nil` on the last.
    @AlwaysWritten public var nextCursor: String?

    public init(appeals: [Appeal], nextCursor: String?) {
        self.appeals = appeals
        self.nextCursor = nextCursor
    }
}
