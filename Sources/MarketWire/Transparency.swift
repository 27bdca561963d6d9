// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// `GET /transparency`: what moderators did, month by month (UTC), newest first. Counts of one to four are left out where
/// they could tell of persons; then `count` is absent.
public struct TransparencyReport: Sendable, Codable, Equatable {
    /// How often something happened.
    public struct Tally: Sendable, Codable, Equatable {
        /// Stable code.
        public var code: String
        /// Why, as a stable word.
        public var reasonCode: String?
        /// Absent for one to four.
        public var count: Int?

        public init(code: String, reasonCode: String? = nil, count: Int?) {
            self.code = code
            self.reasonCode = reasonCode
            self.count = count
        }
    }

    /// The figures of a month.
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

    /// By month, the newest first.
    public var months: [Month]

    public init(months: [Month]) {
        self.months = months
    }
}

/// `GET /moderation/statistics`, for the team.
public struct ModerationStatistics: Sendable, Codable, Equatable {
    /// What waits now.
    public struct Queue: Sendable, Codable, Equatable {
        /// How many wait now.
        public var waiting: Int
        /// How many wait for longer than they should.
        public var overdue: Int
        /// Half of them wait for less.
        public var medianAgeSeconds: Double
        /// How long the oldest waits.
        public var oldestAgeSeconds: Double
        /// Nine in ten wait for less; absent in what earlier servers said.
        public var p90AgeSeconds: Double?

        public init(
            waiting: Int, overdue: Int, medianAgeSeconds: Double, oldestAgeSeconds: Double,
            p90AgeSeconds: Double? = nil
        ) {
            self.p90AgeSeconds = p90AgeSeconds
            self.waiting = waiting
            self.overdue = overdue
            self.medianAgeSeconds = medianAgeSeconds
            self.oldestAgeSeconds = oldestAgeSeconds
        }
    }

    /// Between what a share lies with 95 % confidence, as far as so few can tell: the interval of Wilson ("Probable
    /// Inference, the Law of Succession, and Statistical Inference", 1927).
    public struct Interval: Sendable, Codable, Equatable {
        /// The lower bound.
        public var low: Double
        /// The upper bound.
        public var high: Double

        /// Of `part` in `whole`; `nil` of nothing.
        public init?(_ part: Int, of whole: Int) {
            guard whole > 0, (0...whole).contains(part) else { return nil }
            let (n, share, z) = (Double(whole), Double(part) / Double(whole), 1.959964)
            let middle = (share + z * z / (2 * n)) / (1 + z * z / n)
            let reach = z / (1 + z * z / n) * (share * (1 - share) / n + z * z / (4 * n * n)).squareRoot()
            low = max(0, middle - reach)
            high = min(1, middle + reach)
        }
    }

    /// One moderator in the last 90 days.
    public struct Person: Sendable, Codable, Equatable {
        /// Decisions that somebody else looked at again, of one kind.
        public struct Look: Sendable, Codable, Equatable {
            /// `appeal`: somebody concerned objected. `four_eyes`: a second moderator had to confirm.
            public var kind: String
            /// How many were looked at again.
            public var reviewed: Int
            /// How many stood.
            public var upheld: Int

            public init(kind: String, reviewed: Int, upheld: Int) {
                self.kind = kind
                self.reviewed = reviewed
                self.upheld = upheld
            }
        }

        /// The account's name in addresses.
        public var handle: String
        /// How many decisions were made.
        public var decisions: Int
        /// Decisions that somebody else looked at again.
        public var reviewed: Int
        /// How many of those stood.
        public var upheld: Int
        /// `upheld / reviewed`; absent when nothing was looked at again.
        public var agreement: Double?
        /// Where that lies beyond chance.
        public var agreementInterval: Interval?
        /// What `reviewed` and `upheld` are made of; absent in what earlier servers said.
        public var looks: [Look]?
        /// Random audits of what the rules for trusted authors published that this moderator decided.
        public var audits: Int?
        /// How many of those they would have published, too.
        public var auditsAgreed: Int?

        public init(handle: String, decisions: Int, looks: [Look], audits: Int, auditsAgreed: Int) {
            self.handle = handle
            self.decisions = decisions
            self.looks = looks
            self.audits = audits
            self.auditsAgreed = auditsAgreed
            reviewed = looks.reduce(0) { $0 + $1.reviewed }
            upheld = looks.reduce(0) { $0 + $1.upheld }
            agreement = reviewed > 0 ? Double(upheld) / Double(reviewed) : nil
            agreementInterval = Interval(upheld, of: reviewed)
        }
    }

    /// How the backlog goes on, by the last 14 days.
    public struct Forecast: Sendable, Codable, Equatable {
        /// Cases that come in on a day.
        public var arrivalsPerDay: Double
        /// Cases that are decided on a day.
        public var decisionsPerDay: Double
        /// Until the queue is empty; absent when it grows.
        public var daysToClear: Double?
        /// How many will wait in a week; absent in what earlier servers said.
        public var waitingInSevenDays: Int?

        /// A forecast from what comes in, goes out and waits.
        public init(arrivalsPerDay: Double, decisionsPerDay: Double, waiting: Int) {
            self.arrivalsPerDay = arrivalsPerDay
            self.decisionsPerDay = decisionsPerDay
            let net = decisionsPerDay - arrivalsPerDay
            daysToClear = waiting == 0 ? 0 : net > 0 ? Double(waiting) / net : nil
            waitingInSevenDays = max(0, Int((Double(waiting) - 7 * net).rounded()))
        }
    }

    /// What the rules for trusted authors published and a moderator looked at afterwards, in the last 90 days.
    public struct Automatic: Sendable, Codable, Equatable {
        /// How many were looked at by a person, too.
        public var audited: Int
        /// In how many of them the person decided alike.
        public var agreed: Int
        /// `agreed / audited`; absent of none.
        public var agreement: Double?
        /// Where that lies beyond chance.
        public var agreementInterval: Interval?

        /// What follows from both.
        public init(audited: Int, agreed: Int) {
            self.audited = audited
            self.agreed = agreed
            agreement = audited > 0 ? Double(agreed) / Double(audited) : nil
            agreementInterval = Interval(agreed, of: audited)
        }
    }

    /// What waits.
    public var queue: Queue
    /// What each moderator did.
    public var moderators: [Person]
    /// What was decided without a person.
    public var automatic: Automatic
    /// When the queue will be empty.
    public var forecast: Forecast

    public init(queue: Queue, moderators: [Person], automatic: Automatic, forecast: Forecast) {
        self.queue = queue
        self.moderators = moderators
        self.automatic = automatic
        self.forecast = forecast
    }
}
