// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import MemberPages

/// What a case came of, and what waits in it: complaints, the review in question, an appeal, a proposed decision.
struct CaseContextView: Sendable {
    /// A report in words.
    struct Complaint: Sendable {
        let reason: Phrase
        let text: String
        let hasText: Bool
        let reporter: String
        let told: DisplayTime
        /// What became of it; `nil` while it waits.
        let outcome: Phrase?
    }

    /// A review that was reported.
    struct Reviewed: Sendable {
        let stars: Phrase
        let starsText: String
        let text: String
        let reviewer: String
        let isHidden: Bool
        let written: DisplayTime
    }

    /// A collection or profile that was reported.
    struct Written: Sendable {
        let heading: Phrase
        let name: String
        let text: String
        let hasText: Bool
        let links: [String]
        let writer: String
        let isHidden: Bool
        let changed: DisplayTime
        /// The picture of a profile.
        let picture: String?
        let pictureText: Phrase
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
        let reason: Phrase
        let proposer: String
        let proposed: DisplayTime
        let ends: DisplayTime?
        let evidence: [RiskView.Line]
        let isOwn: Bool
    }

    let complaintsTitle: Phrase
    let complaints: [Complaint]
    let hasComplaints: Bool
    let review: Reviewed?
    let written: Written?
    let appeal: Appealed?
    let proposal: Proposed?

    init(_ detail: CaseDetail, viewer: Identity, now: Date) {
        complaints = (detail.reports ?? []).map { report in
            Complaint(
                reason: report.reason.words, text: report.text, hasText: !report.text.isEmpty, reporter: report.by,
                told: DisplayTime(report.createdAt, now: now),
                outcome: report.state == "open" ? nil : Phrase(told: RiskLabels.plain(report.state).lowercased()))
        }
        hasComplaints = !complaints.isEmpty
        complaintsTitle = DisplayText.count(complaints.count, "report")
        review = detail.review.map { review in
            Reviewed(
                stars: DisplayText.count(review.stars, "star"), starsText: String(repeating: "★", count: review.stars),
                text: review.text, reviewer: review.by, isHidden: review.isHidden,
                written: DisplayTime(review.updatedAt, now: now))
        }
        written = detail.memberText.map { found in
            Written(
                heading: found.part == .profile ? "The profile" : "The collection", name: found.title,
                text: found.text, hasText: !found.text.isEmpty, links: found.links, writer: found.by,
                isHidden: found.isHidden, changed: DisplayTime(found.updatedAt, now: now), picture: found.pictureURL,
                pictureText: "Picture of \(found.by)")
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
                reason: Phrase(told: RiskLabels.plain(proposal.reasonCode).lowercased()), proposer: proposal.by,
                proposed: DisplayTime(proposal.proposedAt, now: now),
                ends: proposal.until.map { DisplayTime($0, now: now) },
                evidence: proposal.evidence.map { RiskView.Line(text: Phrase(told: $0)) },
                isOwn: proposal.by == viewer.handle)
        }
    }
}
