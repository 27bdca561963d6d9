// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketHTTP
import MarketWire

/// Why a game cannot be proposed, or a proposal not be decided.
package enum GameProposalError: Error, Equatable, Sendable {
    /// Values do not hold.
    case invalid([ProblemDocument.Detail])
    /// The person has as many open proposals as there can be.
    case tooMany(maximum: Int)
    /// There is none, or it is decided.
    case noSuchProposal
}

extension GameProposalError: APIErrorConvertible {
    package var apiError: APIError {
        switch self {
        case .invalid(let problems): .validation(problems)
        case .tooMany(let maximum):
            APIError(.conflict, .conflict, "\(maximum) of your proposals are still open. Wait for an answer first.")
        case .noSuchProposal: APIError(.notFound, .notFound, "This proposal does not exist, or is already decided.")
        }
    }
}
