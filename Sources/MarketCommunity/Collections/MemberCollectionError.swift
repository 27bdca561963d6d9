// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketHTTP
import MarketWire

/// Why somebody may not read or change a member's collection.
package enum MemberCollectionError: Error, Equatable, Sendable {
    /// There is none that the caller may see, or, to change it, none of the caller's.
    case noSuchCollection
    /// Nobody of this name shows any.
    case noSuchPerson
    case noSuchTemplate
    /// The person has as many as there can be.
    case tooMany(maximum: Int)
    /// It holds as many templates as it can.
    case isFull(maximum: Int)
    /// Values do not hold.
    case invalid([ProblemDocument.Detail])
}

extension MemberCollectionError: APIErrorConvertible {
    package var apiError: APIError {
        switch self {
        case .noSuchCollection: .notFound("This collection")
        case .noSuchPerson: .notFound("A person of this name")
        case .noSuchTemplate: .notFound("This template")
        case .tooMany(let maximum):
            APIError(.conflict, .conflict, "There can be \(maximum) collections at most. Delete one first.")
        case .isFull(let maximum):
            APIError(.conflict, .conflict, "It is full: at most \(maximum) templates. Take one out first.")
        case .invalid(let problems): .validation(problems)
        }
    }
}
