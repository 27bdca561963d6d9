// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketWire

/// Why a call is not let through.
package struct RateLimitError: Error, Sendable {
    /// The empty bucket; `nil` when the shared store could not be reached.
    package var kind: RateLimitSubject.Kind?
    /// When to come back, in nanoseconds.
    var retryIn: Int64
    /// Of all buckets that the call would have taken from.
    var standings: [RateLimitStatus] = []

    /// The common store fails.
    package static let unavailable = RateLimitError(kind: nil, retryIn: 1_000_000_000)
}

extension RateLimitError: APIErrorConvertible {
    package var apiError: APIError {
        let seconds = max(1, (retryIn + 999_999_999) / 1_000_000_000)
        guard let kind, standings.contains(where: { $0.kind == kind }) else {
            return APIError(
                .serviceUnavailable, .limitsUnavailable,
                "Nothing can be changed for a moment, since limits cannot be counted; reading goes on.",
                headers: [.retryAfter: String(seconds)])
        }
        let detail =
            switch kind {
            case .address: "Too many requests from this address. Try again in \(seconds) seconds."
            case .account: "Too many requests from your account. Try again in \(seconds) seconds."
            case .token: "Too many requests with this token. Try again in \(seconds) seconds."
            case .invalidCredential: "Too many invalid credentials from this address. Try again in \(seconds) seconds."
            }
        var headers: HTTPFields = [.retryAfter: String(seconds)]
        headers.append(contentsOf: RateLimitStatus.fields(standings))
        return APIError(.tooManyRequests, .tooManyRequests, detail, headers: headers)
    }
}

extension RateLimitStatus {
    /// What is told of buckets: two lists with a member for each (draft-ietf-httpapi-ratelimit-headers).
    package static func fields(_ standings: [RateLimitStatus]) -> [HTTPField] {
        guard !standings.isEmpty else { return [] }
        let policies = standings.map { "\"\($0.kind.headerName)\";q=\($0.quota.points);w=\($0.quota.seconds)" }
        let left = standings.map {
            "\"\($0.kind.headerName)\";r=\($0.remaining);t=\(($0.fullIn + 999_999_999) / 1_000_000_000)"
        }
        return [
            HTTPField(name: .rateLimitPolicy, value: policies.joined(separator: ", ")),
            HTTPField(name: .rateLimit, value: left.joined(separator: ", ")),
        ]
    }
}

extension RateLimitSubject.Kind {
    /// As answers have always named it, which clients may read.
    fileprivate var headerName: String {
        switch self {
        case .address, .token: name
        case .account: "caller"
        case .invalidCredential: "guesses"
        }
    }
}

extension HTTPField.Name {
    /// Draft: what is left.
    static let rateLimit = Self("RateLimit") ?? .retryAfter
    /// Draft: what there is.
    static let rateLimitPolicy = Self("RateLimit-Policy") ?? .retryAfter
}
