// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCommunity
import MarketPlatform
import MarketWire
import SheetCore

/// A state as a coloured word; `tone` is a class of the style sheet.
package struct StateLabel: Sendable {
    package let text: Phrase
    package let tone: String

    /// Words of a page's own, where no value stands for the state.
    package init(_ text: Phrase, _ tone: String) {
        self.text = text
        self.tone = tone
    }

    package init(_ state: SubmissionState) {
        self =
            switch state {
            case .received: .init("Received", "wait")
            case .inspecting: .init("Being read", "wait")
            case .awaitingReview: .init("Waiting for a moderator", "wait")
            case .published: .init("Published", "good")
            case .rejected: .init("Rejected", "bad")
            case .changesRequested: .init("Changes requested", "wait")
            case .withdrawn: .init("Withdrawn", "quiet")
            }
    }

    package init(_ summary: CaseSummary, viewer: String) {
        self =
            switch summary.state {
            case .open: .init("Open", "wait")
            case .claimed where summary.claimedBy == viewer: .init("Yours", "good")
            case .claimed: .init(summary.claimedBy.map { "With \($0)" } ?? "With a moderator", "quiet")
            case .waiting: .init("Waits for the uploader", "quiet")
            case .decided: .init("Decided", "quiet")
            case .appealed: .init("Appealed", "wait")
            case .closed: .init("Closed", "quiet")
            }
    }

    package init(_ severity: Finding.Severity) {
        self =
            switch severity {
            case .info: .init("Note", "quiet")
            case .warning: .init("Warning", "wait")
            case .blocker: .init("Rejected for this", "bad")
            }
    }

    /// How much the automatic checks have against an upload: 0…100.
    package init(risk score: Int) {
        self =
            switch score {
            case ..<1: .init("No risk seen", "good")
            case ..<30: .init("Low risk", "quiet")
            case ..<60: .init("Some risk", "wait")
            default: .init("High risk", "bad")
            }
    }

    package init(_ due: CaseSummary.Due) {
        self =
            switch due {
            case .soon: .init("Due soon", "wait")
            case .over: .init("Overdue", "bad")
            }
    }

    package init(_ ink: InkVerdict) {
        self =
            switch ink {
            case .compatible: .init("Handwriting still fits", "good")
            case .shifted: .init("Handwriting fits when moved", "wait")
            case .incompatible: .init("Handwriting does not fit", "bad")
            }
    }

    /// Whether a webhook is sent anything, and how that goes.
    package init(_ webhook: Webhook) {
        self =
            switch webhook.disabledReason {
            case nil where webhook.isEnabled && webhook.failingSince != nil: .init("Nothing arrives", "wait")
            case nil where webhook.isEnabled: .init("On", "good")
            case "failing": .init("Off, nothing arrived", "bad")
            case "gone": .init("Off: the address no longer exists", "bad")
            default: .init("Off", "quiet")
            }
    }

    package init(delivery state: String) {
        self =
            switch WebhookStore.DeliveryState(rawValue: state) {
            case .pending: .init("On its way", "wait")
            case .delivered: .init("Delivered", "good")
            case .failed: .init("Failed", "bad")
            case nil: .init(Phrase(verbatim: state), "quiet")
            }
    }

    package init(_ decision: DecisionKind) {
        self =
            switch decision {
            case .approve: .init("Approved", "good")
            case .requestChanges: .init("Changes requested", "wait")
            case .reject: .init("Rejected", "bad")
            case .takeDown: .init("Taken down", "bad")
            case .restore: .init("Put back", "good")
            case .dismiss: .init("Dismissed", "good")
            case .warn: .init("Warned", "wait")
            case .suspend: .init("Suspended", "bad")
            case .ban: .init("Banned", "bad")
            case .lift: .init("Sanctions lifted", "good")
            case .uphold: .init("Decision kept", "quiet")
            case .overturn: .init("Decision undone", "good")
            }
    }
}
