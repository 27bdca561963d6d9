// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketHTTP
import MarketWire

/// Why something cannot be followed or marked.
package enum FollowingError: Error, Equatable, Sendable {
    /// Nobody of that name has anything on offer.
    case noSuchAuthor
    case noSuchSystem
    case noSuchTemplate
    /// The person follows, or has marked, as much as there can be.
    case tooMany(maximum: Int)
    case noFeed
}

extension FollowingError: APIErrorConvertible {
    package var apiError: APIError {
        switch self {
        case .noSuchAuthor: .notFound("An author of this name")
        case .noSuchSystem: .notFound("This game system")
        case .noSuchTemplate: .notFound("This template")
        case .tooMany(let maximum):
            APIError(.conflict, .conflict, "There can be \(maximum) at most. Take one out first.")
        case .noFeed: .notFound("This feed")
        }
    }
}
