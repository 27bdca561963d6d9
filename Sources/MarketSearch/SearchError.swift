// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketHTTP
import MarketWire

/// Why a search cannot go on.
package enum SearchError: Error, Equatable, Sendable {
    /// The cursor points into a search that is no longer known.
    case oldCursor
}

extension SearchError: APIErrorConvertible {
    package var apiError: APIError {
        switch self {
        case .oldCursor:
            APIError(
                .badRequest, .badCursor, "This cursor is too old. Begin again without one.",
                errors: [.init(pointer: "cursor", detail: "Leave it out.")])
        }
    }
}
