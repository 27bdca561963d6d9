// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// `GET /transparency`: what moderators did, month by month (UTC), newest first. Counts of one to four are left out where
/// they could tell of persons; then `count` is absent.
public struct TransparencyReport: Sendable, Codable, Equatable {
    /// How often something happened.
    public struct Tally: Sendable, Codable, Equatable {
        /// What.
        public var code: String
        /// Why, as a stable word.
        public var reasonCode: String?
        /// Absent for one to four.
        public var count: Int?

        /// All parts.
        public init(code: String, reasonCode: String? = nil, count: Int?) {
            self.code = code
            self.reasonCode = reasonCode
            self.count = count
        }
    }

    /// One month.
    public struct Month: Sendable, Codable, Equatable {
        /// `2026-11`.
        public var month: String
        /// Uploads that came in.
        public var submissions: Int
        /// Decisions on uploads and reports, with their reasons.
        public var decisions: [Tally]
        /// Hours from the opening of an upload's case to its decision: half were faster. Absent under five.
        public var medianHours: Double?
        /// Nine in ten were faster.
        public var p90Hours: Double?
        /// The share of approvals that the rules for trusted authors made. Absent under five.
        public var automaticShare: Double?
        /// `filed`, `upheld`, `overturned`.
        public var appeals: [Tally]
        /// `received`, `upheld`, `dismissed`.
        public var reports: [Tally]
        /// `taken_down` by reason, and `restored`.
        public var takeDowns: [Tally]
        /// `warn`, `suspend`, `ban`, `lifted`.
        public var sanctions: [Tally]
        /// `received`, `countered`, `restored`.
        public var copyright: [Tally]

        /// An empty month.
        public init(month: String) {
            self.month = month
            submissions = 0
            decisions = []
            appeals = []
            reports = []
            takeDowns = []
            sanctions = []
            copyright = []
        }
    }

    public var months: [Month]

    /// The list.
    public init(months: [Month]) {
        self.months = months
    }
}

/// `GET /moderation/statistics`, for the team.
public struct ModerationStatistics: Sendable, Codable, Equatable {
    /// What waits now.
    public struct Queue: Sendable, Codable, Equatable {
        public var waiting: Int
        public var overdue: Int
        public var medianAgeSeconds: Double
        public var oldestAgeSeconds: Double

        /// All parts.
        public init(waiting: Int, overdue: Int, medianAgeSeconds: Double, oldestAgeSeconds: Double) {
            self.waiting = waiting
            self.overdue = overdue
            self.medianAgeSeconds = medianAgeSeconds
            self.oldestAgeSeconds = oldestAgeSeconds
        }
    }

    /// One moderator in the last 90 days.
    public struct Person: Sendable, Codable, Equatable {
        public var handle: String
        public var decisions: Int
        /// Decisions that somebody else looked at again: on appeal, or as an audit.
        public var reviewed: Int
        /// How many of those stood.
        public var upheld: Int
        /// `upheld / reviewed`; absent when nothing was looked at again.
        public var agreement: Double?

        /// All parts.
        public init(handle: String, decisions: Int, reviewed: Int, upheld: Int) {
            self.handle = handle
            self.decisions = decisions
            self.reviewed = reviewed
            self.upheld = upheld
            agreement = reviewed > 0 ? Double(upheld) / Double(reviewed) : nil
        }
    }

    /// How the backlog goes on, by the last 14 days.
    public struct Forecast: Sendable, Codable, Equatable {
        public var arrivalsPerDay: Double
        public var decisionsPerDay: Double
        /// Until the queue is empty; absent when it grows.
        public var daysToClear: Double?

        /// All parts.
        public init(arrivalsPerDay: Double, decisionsPerDay: Double, waiting: Int) {
            self.arrivalsPerDay = arrivalsPerDay
            self.decisionsPerDay = decisionsPerDay
            let net = decisionsPerDay - arrivalsPerDay
            daysToClear = waiting == 0 ? 0 : net > 0 ? Double(waiting) / net : nil
        }
    }

    /// What the rules for trusted authors published and a moderator looked at afterwards, in the last 90 days.
    public struct Automatic: Sendable, Codable, Equatable {
        public var audited: Int
        public var agreed: Int

        /// Both parts.
        public init(audited: Int, agreed: Int) {
            self.audited = audited
            self.agreed = agreed
        }
    }

    public var queue: Queue
    public var moderators: [Person]
    public var automatic: Automatic
    public var forecast: Forecast

    /// All parts.
    public init(queue: Queue, moderators: [Person], automatic: Automatic, forecast: Forecast) {
        self.queue = queue
        self.moderators = moderators
        self.automatic = automatic
        self.forecast = forecast
    }
}
