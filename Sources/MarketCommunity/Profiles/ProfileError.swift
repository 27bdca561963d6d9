// SPDX-License-Identifier: Apache-2.0
import MarketHTTP
import MarketWire

/// Why a profile is not shown or not taken.
package enum ProfileError: Error, Equatable, Sendable {
    /// Nobody of this name shows anything.
    case noSuchPerson
    /// Values do not hold.
    case invalid([ProblemDocument.Detail])
}

extension ProfileError: APIErrorConvertible {
    package var apiError: APIError {
        switch self {
        case .noSuchPerson: .notFound("A person of this name")
        case .invalid(let problems): .validation(problems)
        }
    }
}
