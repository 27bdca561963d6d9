// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// Approves harmless updates of trusted authors at once. Whatever is in doubt goes to a moderator.
package enum TrustedPath {
    /// What an author must have done, and how small a change must be: settings.
    package struct Terms: Sendable, Equatable {
        package var isOn = true
        /// Submissions that moderators approved.
        package var leastApprovals = 5
        /// Days since the account was made.
        package var leastAccountDays = 30.0
        /// What strikes may count at most: they fade, and are never quite gone.
        package var mostStrikes = 0.25
        /// The largest part of the pages that may come, go or change.
        package var mostChange = 0.34
        /// The part of the approvals that a moderator looks at afterwards: 0…1.
        package var auditShare = 0.1

        package init() {}
    }

    /// Why a moderator has to look.
    package enum Obstacle: String, Sendable, Codable, CaseIterable {
        /// The trusted path is switched off.
        case off
        /// It is the first upload of a template.
        case newTemplate = "new_template"
        /// What changed is not known.
        case unknownChange = "unknown_change"
        /// A check has a warning or worse.
        case warning
        /// A rule of the risk score speaks against it.
        case risk
        /// Too few approvals.
        case approvals
        /// The account is too young.
        case accountAge = "account_age"
        /// Strikes, refusals or take-downs stand against the author.
        case record
        /// Reports on the template wait.
        case reports
        /// More of the sheet changes than a harmless update does.
        case largeChange = "large_change"
        /// The licence, the game system or the name changes.
        case metadata
    }

    package enum Decision: Sendable, Equatable {
        case approve
        /// Approved, and a moderator looks at it afterwards.
        case approveAndAudit
        /// Everything that stands against it.
        case moderator([Obstacle])
    }

    /// What a new version needs. `draw` is a random number, 0 up to 1, that the author cannot know.
    package static func decision(
        for assessment: RiskAssessment, record: AuthorRecord, change: ChangeSummary?, findings: [Finding],
        isUpdate: Bool, terms: Terms, draw: Double
    ) -> Decision {
        var obstacles: [Obstacle] = []
        func demand(_ isMet: Bool, _ obstacle: Obstacle) {
            if !isMet { obstacles.append(obstacle) }
        }
        demand(terms.isOn, .off)
        demand(isUpdate, .newTemplate)
        demand(findings.allSatisfy { $0.severity < .warning }, .warning)
        demand(!assessment.hasObjection, .risk)
        demand(record.approvals >= terms.leastApprovals, .approvals)
        demand(record.accountDays >= terms.leastAccountDays, .accountAge)
        demand(record.strikes <= terms.mostStrikes && record.refusals == 0 && record.takeDowns == 0, .record)
        demand(record.openReports == 0, .reports)
        demand(!isUpdate || change != nil, .unknownChange)
        if let change {
            demand(change.share <= terms.mostChange && change.ink != .incompatible, .largeChange)
            demand(change.metadata.isDisjoint(with: ["name", "license", "gameSystem", "language"]), .metadata)
        }
        guard obstacles.isEmpty else { return .moderator(obstacles) }
        return draw < terms.auditShare ? .approveAndAudit : .approve
    }
}
