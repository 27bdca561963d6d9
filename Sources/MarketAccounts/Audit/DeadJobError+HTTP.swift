// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketHTTP
import MarketWire

extension DeadJobError: APIErrorConvertible {
    package var apiError: APIError {
        switch self {
        case .noSuchJob: APIError(.notFound, .notFound, "There is no failed job with this number.")
        }
    }
}
