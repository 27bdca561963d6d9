// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// `POST /moderation/cases/{id}/claim`: the body may be left out.
public struct ClaimRequest: Sendable, Codable, Equatable {
    /// Why the case is taken out of somebody's hands.
    public var reason: String?

    public init(reason: String? = nil) {
        self.reason = reason
    }
}

/// `POST /moderation/queue/next`: the body may be left out.
public struct NextCaseRequest: Sendable, Codable, Equatable {
    /// Only cases of this kind.
    public var kind: CaseSummary.Kind?

    public init(kind: CaseSummary.Kind? = nil) {
        self.kind = kind
    }
}

/// `POST /moderation/cases`: a case without a report.
public struct NewCaseRequest: Sendable, Codable, Equatable {
    /// What it is about.
    public var subject: ReportSubject
    /// Why, as the first private note.
    public var note: String

    public init(subject: ReportSubject, note: String) {
        self.subject = subject
        self.note = note
    }
}

/// `POST /moderation/cases/{id}/decline`.
public struct DeclineRequest: Sendable, Codable, Equatable {
    /// Why, for people.
    public var reason: String

    public init(reason: String) {
        self.reason = reason
    }
}

/// `POST /moderation/decisions`: one decision on many cases.
public struct BulkDecisionRequest: Sendable, Codable, Equatable {
    /// Most cases at once.
    public static let maximumCases = 50

    /// The cases that are decided at once.
    public var cases: [CaseID]
    /// The decision, the same for all.
    public var decision: DecisionRequest

    public init(cases: [CaseID], decision: DecisionRequest) {
        self.cases = cases
        self.decision = decision
    }
}

/// What became of each case, in the order asked.
public struct BulkDecisionResult: Sendable, Codable, Equatable {
    /// What came of one case.
    public struct Item: Sendable, Codable, Equatable {
        /// The case that is meant.
        public var caseId: CaseID
        /// The case as it stands now.
        public var summary: CaseSummary?
        /// What kept it from being decided.
        public var problem: ProblemDocument?

        public init(caseId: CaseID, summary: CaseSummary? = nil, problem: ProblemDocument? = nil) {
            self.caseId = caseId
            self.summary = summary
            self.problem = problem
        }
    }

    /// What came of each.
    public var results: [Item]

    public init(results: [Item]) {
        self.results = results
    }
}

/// `POST /moderation/cases/{id}/notes`.
public struct NoteRequest: Sendable, Codable, Equatable {
    /// Longest text, in characters; of a message too.
    public static let maximumLength = 4000

    /// What was written, as plain text or Markdown.
    public var text: String

    public init(text: String) {
        self.text = text
    }
}

/// What moderators tell each other of a case.
public struct CaseNote: Sendable, Codable, Equatable {
    /// Its identifier.
    public var id: String
    /// A moderator's handle.
    public var by: String
    /// What was written, as plain text or Markdown.
    public var text: String
    /// When it was made.
    public var createdAt: Date

    public init(id: String, by: String, text: String, createdAt: Date) {
        self.id = id
        self.by = by
        self.text = text
        self.createdAt = createdAt
    }
}

/// `POST /moderation/cases/{id}/messages` and `POST /submissions/{id}/messages`.
public struct MessageRequest: Sendable, Codable, Equatable {
    /// What was written, as plain text or Markdown.
    public var text: String
    /// A moderator's: whether the case waits for an answer now.
    public var waits: Bool?
    /// A moderator's: whether the uploader is not told who wrote it.
    public var isHidden: Bool?

    public init(text: String, waits: Bool? = nil, isHidden: Bool? = nil) {
        self.text = text
        self.waits = waits
        self.isHidden = isHidden
    }
}

/// A message between a moderator and the uploader.
public struct CaseMessage: Sendable, Codable, Equatable {
    /// Who writes.
    public enum Side: String, Sendable, Codable, CaseIterable {
        /// Anybody of the team: the next one may be somebody else.
        case moderator
        /// The author whose upload it is about.
        case uploader
    }

    /// Its identifier.
    public var id: String
    /// Who wrote it.
    public var side: Side
    /// The writer's handle; absent when a moderator does not want to be named.
    public var by: String?
    /// What was written, as plain text or Markdown.
    public var text: String
    /// When it was made.
    public var createdAt: Date

    public init(id: String, side: Side, by: String?, text: String, createdAt: Date) {
        self.id = id
        self.side = side
        self.by = by
        self.text = text
        self.createdAt = createdAt
    }
}

/// The thread of a case, oldest first.
public struct MessageList: Sendable, Codable, Equatable {
    /// The page's messages, oldest first.
    public var messages: [CaseMessage]
    /// Where the next page begins; `nil` on the last.
    @AlwaysWritten public var nextCursor: String?

    public init(messages: [CaseMessage], nextCursor: String?) {
        self.messages = messages
        self.nextCursor = nextCursor
    }
}

/// A reason that moderators choose from.
public struct ModerationReason: Sendable, Codable, Equatable {
    /// Stable code.
    public var code: String
    /// The title that people see.
    public var title: String
    /// The decisions that it may stand for.
    public var decisions: [DecisionKind]
    /// Markdown.
    public var text: String
    /// The text's language; another than asked where there is no translation.
    public var language: String

    public init(code: String, title: String, decisions: [DecisionKind], text: String, language: String) {
        self.code = code
        self.title = title
        self.decisions = decisions
        self.text = text
        self.language = language
    }
}

/// `GET /moderation/reasons`.
public struct ReasonList: Sendable, Codable, Equatable {
    /// All of them, in their order.
    public var reasons: [ModerationReason]
    /// The languages there are.
    public var languages: [String]

    public init(reasons: [ModerationReason], languages: [String]) {
        self.reasons = reasons
        self.languages = languages
    }
}
