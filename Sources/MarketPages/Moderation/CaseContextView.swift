// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPlatform
import MarketWire

/// What a case came of, and what waits in it: complaints, the review in question, an appeal, a proposed decision.
struct CaseContextView: Sendable {
    /// A report in words.
    struct Complaint: Sendable {
        let reason: String
        let text: String
        let hasText: Bool
        let reporter: String
        let told: DisplayTime
        /// What became of it; `nil` while it waits.
        let outcome: String?
    }

    /// A review that was reported.
    struct Reviewed: Sendable {
        let stars: String
        let starsText: String
        let text: String
        let reviewer: String
        let isHidden: Bool
        let written: DisplayTime
    }

    /// An appeal with the decision that it is against.
    struct Appealed: Sendable {
        let appellant: String
        let text: String
        let lodged: DisplayTime
        let appealedAddress: String
        let against: DecisionView
    }

    /// A decision that a second moderator has to confirm.
    struct Proposed: Sendable {
        let label: StateLabel
        let message: String
        let reason: String
        let proposer: String
        let proposed: DisplayTime
        let ends: DisplayTime?
        let evidence: [RiskView.Line]
        let isOwn: Bool
    }

    let complaintsTitle: String
    let complaints: [Complaint]
    let hasComplaints: Bool
    let review: Reviewed?
    let appeal: Appealed?
    let proposal: Proposed?

    init(_ detail: CaseDetail, viewer: Identity, now: Date) {
        complaints = (detail.reports ?? []).map { report in
            Complaint(
                reason: report.reason.words, text: report.text, hasText: !report.text.isEmpty, reporter: report.by,
                told: DisplayTime(report.createdAt, now: now),
                outcome: report.state == "open" ? nil : RiskLabels.plain(report.state).lowercased())
        }
        hasComplaints = !complaints.isEmpty
        complaintsTitle = DisplayText.count(complaints.count, "report")
        review = detail.review.map { review in
            Reviewed(
                stars: DisplayText.count(review.stars, "star"), starsText: String(repeating: "★", count: review.stars),
                text: review.text, reviewer: review.by, isHidden: review.isHidden,
                written: DisplayTime(review.updatedAt, now: now))
        }
        appeal = detail.appeal.map { appeal in
            Appealed(
                appellant: appeal.by, text: appeal.text, lodged: DisplayTime(appeal.createdAt, now: now),
                appealedAddress: "/moderation/cases/\(appeal.appealedCaseId)",
                against: DecisionView(appeal.decision, now: now))
        }
        proposal = detail.proposal.map { proposal in
            Proposed(
                label: StateLabel(proposal.decision), message: proposal.message,
                reason: RiskLabels.plain(proposal.reasonCode).lowercased(), proposer: proposal.by,
                proposed: DisplayTime(proposal.proposedAt, now: now),
                ends: proposal.until.map { DisplayTime($0, now: now) },
                evidence: proposal.evidence.map { RiskView.Line(text: $0) }, isOwn: proposal.by == viewer.handle)
        }
    }
}
