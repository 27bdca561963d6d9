// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// What a moderator imposed on somebody.
public struct SanctionInfo: Sendable, Codable, Equatable {
    /// Its identifier.
    public var id: SanctionID
    /// `warn`, `suspend` or `ban`.
    public var kind: String
    /// What it keeps from: `uploads`, `reviews`, `reports`, `all`; nothing for a warning.
    public var scopes: [String]
    /// Why, as a stable word.
    public var reasonCode: String
    /// Why, for the person.
    public var message: String
    /// When it was imposed.
    public var imposedAt: Date
    /// When it ends by itself.
    public var until: Date?
    /// When a moderator took it back.
    public var liftedAt: Date?
    /// Whether it keeps from anything now.
    public var inForce: Bool

    public init(
        id: SanctionID, kind: String, scopes: [String], reasonCode: String, message: String, imposedAt: Date,
        until: Date?, liftedAt: Date?, inForce: Bool
    ) {
        self.id = id
        self.kind = kind
        self.scopes = scopes
        self.reasonCode = reasonCode
        self.message = message
        self.imposedAt = imposedAt
        self.until = until
        self.liftedAt = liftedAt
        self.inForce = inForce
    }
}

/// `GET /me/sanctions` and `GET /moderation/users/{id}/sanctions`: newest first.
public struct SanctionList: Sendable, Codable, Equatable {
    /// What the rules propose for the next offence.
    public struct Proposal: Sendable, Codable, Equatable {
        /// Which sanction it is.
        public var kind: String
        /// How long, of a suspension.
        public var days: Int?

        public init(kind: String, days: Int? = nil) {
            self.kind = kind
            self.days = days
        }
    }

    /// The page's sanctions.
    public var sanctions: [SanctionInfo]
    /// What all strikes together count now; each fades.
    public var strikes: Double
    /// For moderators only.
    public var proposal: Proposal?
    /// Where the next page begins; `nil` on the last.
    @AlwaysWritten public var nextCursor: String?

    public init(
        sanctions: [SanctionInfo], strikes: Double, proposal: Proposal? = nil, nextCursor: String? = nil
    ) {
        self.sanctions = sanctions
        self.strikes = strikes
        self.proposal = proposal
        self.nextCursor = nextCursor
    }
}

/// `POST /moderation/users/{id}/sanctions`.
public struct SanctionRequest: Sendable, Codable, Equatable {
    /// `warn`, `suspend` or `ban`.
    public var kind: String
    /// Of a suspension; `all` when absent.
    public var scopes: [String]?
    /// When a suspension ends.
    public var until: Date?
    /// Why, as a stable word.
    public var reasonCode: String
    /// What the person is told.
    public var message: String

    public init(
        kind: String, scopes: [String]? = nil, until: Date? = nil, reasonCode: String, message: String
    ) {
        self.kind = kind
        self.scopes = scopes
        self.until = until
        self.reasonCode = reasonCode
        self.message = message
    }
}

/// `DELETE /moderation/users/{id}/sanctions/{sanction}`.
public struct LiftRequest: Sendable, Codable, Equatable {
    /// Why it is taken back, for the audit log.
    public var reason: String

    public init(reason: String) {
        self.reason = reason
    }
}

/// `GET /reports/mine`: newest first.
public struct ReportList: Sendable, Codable, Equatable {
    /// A report and what became of it.
    public struct Item: Sendable, Codable, Equatable {
        /// Its identifier.
        public var id: ReportID
        /// What it is about.
        public var subject: ReportSubject
        /// What it is reported for.
        public var reason: ReportReason
        /// What the reporter wrote.
        public var text: String
        /// `open`, until moderation has dealt with it: then `closed`.
        public var state: String
        /// Whether a moderator found it right: `upheld` or `dismissed`.
        public var outcome: String?
        /// When it was made.
        public var createdAt: Date
        /// When it was closed; `nil` while it is open.
        public var closedAt: Date?

        public init(
            id: ReportID, subject: ReportSubject, reason: ReportReason, text: String, state: String, outcome: String?,
            createdAt: Date, closedAt: Date?
        ) {
            self.id = id
            self.subject = subject
            self.reason = reason
            self.text = text
            self.state = state
            self.outcome = outcome
            self.createdAt = createdAt
            self.closedAt = closedAt
        }
    }

    /// The page's reports.
    public var reports: [Item]
    /// Where the next page begins; `nil` on the last.
    @AlwaysWritten public var nextCursor: String?

    public init(reports: [Item], nextCursor: String?) {
        self.reports = reports
        self.nextCursor = nextCursor
    }
}
