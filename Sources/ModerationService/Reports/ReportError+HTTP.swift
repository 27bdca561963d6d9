// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketHTTP
import MarketWire

extension ReportError: APIErrorConvertible {
    package var apiError: APIError {
        switch self {
        case .textTooLong:
            .validation([
                .init(pointer: "/text", detail: "At most \(ReviewRequest.maximumTextLength) characters.")
            ])
        case .noSuchSubject(let kind):
            .validation([.init(pointer: "/subject", detail: "No such \(kind.rawValue) is there to be seen.")])
        case .reportedBefore:
            APIError(.conflict, .alreadyReported, "You have reported this already; a moderator will look at it.")
        case .tooMany(let allowed, let seconds):
            APIError(
                .tooManyRequests, .tooManyRequests,
                "You have sent \(allowed) reports within a day, which is as many as we take.",
                headers: [.retryAfter: String(seconds)])
        }
    }
}
