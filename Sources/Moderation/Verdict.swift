// SPDX-License-Identifier: Apache-2.0

/// What a moderator can decide.
package enum Verdict: String, Sendable, CaseIterable {
    /// Publish the submission; afterwards: leave it published.
    case approve
    /// Hand the submission back to be mended.
    case requestChanges = "request_changes"
    /// Refuse the submission.
    case reject
    /// Take the subject off the market.
    case takeDown = "take_down"
    /// Put what was taken down back.
    case restore
    /// Nothing is wrong with what was reported.
    case dismiss
    /// Warn the person whose work it is.
    case warn
    /// Keep that person from writing for a while.
    case suspend
    /// Keep that person out for good.
    case ban
    /// End what that person was sentenced to.
    case lift
    /// Leave the appealed decision as it is.
    case uphold
    /// Undo the appealed decision.
    case overturn

    /// What happens to a submission that waits for review.
    package var event: SubmissionEvent? {
        switch self {
        case .approve: .approved
        case .requestChanges: .changesRequested
        case .reject: .rejected
        default: nil
        }
    }

    /// Whether the people concerned may appeal it.
    package var isAppealable: Bool {
        switch self {
        case .reject, .takeDown, .dismiss, .warn, .suspend, .ban: true
        case .approve, .requestChanges, .restore, .lift, .uphold, .overturn: false
        }
    }
}
