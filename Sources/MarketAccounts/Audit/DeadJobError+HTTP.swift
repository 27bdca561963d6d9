// SPDX-License-Identifier: Apache-2.0
import MarketHTTP

extension DeadJobError: APIErrorConvertible {
    package var apiError: APIError {
        switch self {
        case .noSuchJob: .notFound("A job that was given up and has this id")
        }
    }
}
