// SPDX-License-Identifier: Apache-2.0
import MarketWire

/// Why something cannot be done with a copyright notice; what its state forbids is a `CopyrightClaim.Refusal`.
package enum CopyrightError: Error, Equatable, Sendable {
    /// There is no such notice, or none for the caller.
    case noSuchNotice
    /// A notice or counter-notice lacks what the law asks for, or breaks a limit.
    case invalid([ProblemDocument.Detail])
    /// No word for what a moderator can decide.
    case noSuchDecision
    /// A moderator's message is empty or too long.
    case badMessage
    /// A moderator decides on a notice that they sent, or about a work of which they are an author.
    case isParty
}
