// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPages
import MarketPlatform
import MarketWire

/// A decision in words.
package struct DecisionView: Sendable {
    package let label: StateLabel
    package let message: String
    package let reason: Phrase
    package let decided: DisplayTime

    package init(_ decision: SubmissionStatus.Decision, now: Date) {
        label = StateLabel(decision.decision)
        message = decision.message
        reason = Phrase(told: decision.reasonCode.replacing("_", with: " "))
        decided = DisplayTime(decision.decidedAt, now: now)
    }
}
