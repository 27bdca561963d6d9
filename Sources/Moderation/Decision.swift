// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A moderator's decision, well-formed: a verdict, a reason in a stable word, and what the people concerned are told.
package struct Decision: Hashable, Sendable {
    /// What is wrong with a decision as it was written.
    package enum Issue: Hashable, Sendable {
        /// The reason is no word of lower-case letters, digits and underscores.
        case malformedReason
        /// The reason is a canned one for other verdicts.
        case reasonForOthers([Verdict])
        /// The uploader is told nothing of what to mend, or why it was refused.
        case messageMissing
        /// The message is longer than `maximumMessageLength`.
        case messageTooLong
        /// The message holds a NUL character, which cannot be stored.
        case messageNotText
        /// There is more evidence than `maximumEvidence`, or a piece is empty or too long.
        case malformedEvidence
        /// A suspension needs an end, and nothing else has one.
        case endMismatch
    }

    /// Everything that is wrong, at once.
    package struct Malformed: Error, Hashable, Sendable {
        /// At least one.
        package let faults: [Issue]
    }

    /// Longest message, in characters; a canned text fits as it is.
    package static let maximumMessageLength = CannedReason.maximumTextLength
    /// Most pieces of evidence.
    package static let maximumEvidence = 20
    /// Longest piece of evidence, in characters.
    package static let maximumEvidenceLength = 500

    package let verdict: Verdict
    /// Why, as a stable word.
    package let reasonCode: String
    /// What the people concerned are told.
    package let message: String
    /// What it rests on: addresses, pages, words. For the team and for appeals.
    package let evidence: [String]
    /// When a suspension ends.
    package let until: Date?

    /// Takes a decision whose parts fit together. An approval may go without a message: it gets the reason's text.
    package init(
        _ verdict: Verdict, reasonCode: String, message: String, evidence: [String] = [], until: Date? = nil,
        reasons: ReasonBook = ReasonBook()
    ) throws(Malformed) {
        var faults: [Issue] = []
        var message = message.trimmingCharacters(in: .whitespacesAndNewlines)
        let evidence = evidence.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
        let canned = reasons.reason(reasonCode)
        if !CannedReason.isCode(reasonCode) {
            faults.append(.malformedReason)
        } else if let verdicts = canned?.verdicts, !verdicts.contains(verdict) {
            faults.append(.reasonForOthers(verdicts))
        }
        if message.isEmpty, verdict == .approve { message = canned?.text ?? "Approved." }
        if message.isEmpty { faults.append(.messageMissing) }
        if message.count > Self.maximumMessageLength { faults.append(.messageTooLong) }
        if message.unicodeScalars.contains("\0") { faults.append(.messageNotText) }
        if evidence.count > Self.maximumEvidence
            || evidence.contains(where: {
                !(1...Self.maximumEvidenceLength).contains($0.count) || $0.unicodeScalars.contains("\0")
            })
        {
            faults.append(.malformedEvidence)
        }
        if (verdict == .suspend) != (until != nil) { faults.append(.endMismatch) }
        guard faults.isEmpty else { throw Malformed(faults: faults) }
        self.verdict = verdict
        self.reasonCode = reasonCode
        self.message = message
        self.evidence = evidence
        self.until = until
    }
}
