// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// What somebody may be kept from.
package enum SanctionScope: String, Sendable, Codable, CaseIterable {
    /// Uploading, and changing templates.
    case uploads
    /// Reviewing, voting and replying.
    case reviews
    /// Reporting.
    case reports
    /// All that changes anything, and a moderator's rights.
    case all
}

/// What a moderator imposes on somebody.
package struct Sanction: Hashable, Sendable {
    /// How hard it is.
    package enum Measure: Hashable, Sendable {
        /// Words; they count as a strike.
        case warning
        /// Kept from some acts, until a time.
        case suspension(Set<SanctionScope>, until: Date)
        /// Kept from everything for good; sessions and tokens end. Signing in to appeal stays possible.
        case ban

        /// What it keeps from.
        package var scopes: Set<SanctionScope> {
            switch self {
            case .warning: []
            case .suspension(let scopes, _): scopes
            case .ban: [.all]
            }
        }

        /// When it ends by itself.
        package var until: Date? {
            if case .suspension(_, let until) = self { until } else { nil }
        }

        /// What it counts when the next is chosen.
        package var strikes: Double {
            switch self {
            case .warning: 1
            case .suspension: 2
            case .ban: 4
            }
        }
    }

    package let id: SanctionID
    package let measure: Measure
    /// Why, as a stable word.
    package let reasonCode: String
    /// What the person is told.
    package let message: String

    package init(id: SanctionID, _ measure: Measure, reasonCode: String, message: String) {
        self.id = id
        self.measure = measure
        self.reasonCode = reasonCode
        self.message = message
    }
}

/// A sanction as it was imposed.
package struct ImposedSanction: Hashable, Sendable {
    package let sanction: Sanction
    package let imposedAt: Date
    /// When a moderator took it back.
    package let liftedAt: Date?

    package init(_ sanction: Sanction, imposedAt: Date, liftedAt: Date? = nil) {
        self.sanction = sanction
        self.imposedAt = imposedAt
        self.liftedAt = liftedAt
    }

    /// Whether it keeps anybody from anything at `now`.
    package func isInForce(at now: Date) -> Bool {
        guard liftedAt == nil, !sanction.measure.scopes.isEmpty else { return false }
        return sanction.measure.until.map { now < $0 } ?? true
    }

    /// Whether it keeps from an act of this kind at `now`.
    package func forbids(_ act: SanctionScope, at now: Date) -> Bool {
        isInForce(at: now) && (sanction.measure.scopes.contains(act) || sanction.measure.scopes.contains(.all))
    }
}

extension Collection<ImposedSanction> {
    /// What keeps from an act of this kind at `now`: of several, the one that ends last.
    package func obstacle(to act: SanctionScope, at now: Date) -> ImposedSanction? {
        filter { $0.forbids(act, at: now) }
            .max {
                ($0.sanction.measure.until ?? .distantFuture) < ($1.sanction.measure.until ?? .distantFuture)
            }
    }
}

/// How strikes add up, fade, and propose what comes next.
package struct StrikeRules: Hashable, Sendable {
    /// After so many seconds a strike counts half.
    package let halfLifeSeconds: Double

    /// Days until a strike counts half.
    package init(halfLifeSeconds: Double) {
        self.halfLifeSeconds = halfLifeSeconds
    }

    /// What all strikes together count at `now`. What was lifted counts nothing.
    package func strikes(of sanctions: some Sequence<ImposedSanction>, at now: Date) -> Double {
        sanctions.reduce(0) { sum, imposed in
            guard imposed.liftedAt == nil else { return sum }
            let age = max(0, now.timeIntervalSince(imposed.imposedAt))
            return sum + imposed.sanction.measure.strikes * exp2(-age / halfLifeSeconds)
        }
    }

    /// What a moderator is offered for the next offence; the moderator decides.
    package func proposal(strikes: Double, at now: Date) -> Sanction.Measure {
        func suspension(days: Double) -> Sanction.Measure {
            .suspension([.all], until: now.addingTimeInterval(days * 86_400))
        }
        // Strikes fade by the moment: a fresh one must count whole.
        return switch (strikes * 1000).rounded() / 1000 {
        case ..<0.5: .warning
        case ..<2: suspension(days: 3)
        case ..<4: suspension(days: 14)
        case ..<6: suspension(days: 60)
        default: .ban
        }
    }
}

extension Sanction {
    /// Nobody sanctions themselves, or somebody of their own rank or above.
    package static func mayBeImposed(on subject: UserRole, by moderator: UserRole) -> Bool { subject < moderator }

    /// Who takes sanctions back may take this back: a ban is the administrators' to lift.
    package static func mayBeLifted(isBan: Bool, by moderator: UserRole) -> Bool {
        !isBan || moderator >= .administrator
    }
}

/// What is known of somebody who reports.
package struct ReporterRecord: Hashable, Sendable {
    /// Reports that a moderator found right.
    package let upheld: Int
    /// Reports that a moderator found wrong.
    package let dismissed: Int
    /// How old the account is.
    package let accountAgeSeconds: Double

    package init(upheld: Int, dismissed: Int, accountAgeSeconds: Double) {
        self.upheld = upheld
        self.dismissed = dismissed
        self.accountAgeSeconds = accountAgeSeconds
    }

    /// The share of reports that were upheld, as if one more had been and one had not.
    package var reputation: Double { (Double(upheld) + 1) / (Double(upheld) + Double(dismissed) + 2) }

    /// What their word is worth in the queue, 0 to 1: of an account that is not a week old, half. It moves a case up; it
    /// never decides one.
    package var weight: Double { reputation * (accountAgeSeconds < 7 * 86_400 ? 0.5 : 1) }

    /// How many reports a day are taken, of `usual`: a fifth, but at least one, of those whose reports are mostly wrong.
    package func dailyAllowance(usual: Int) -> Int {
        dismissed >= 5 && reputation < 0.25 ? max(1, usual / 5) : usual
    }
}
