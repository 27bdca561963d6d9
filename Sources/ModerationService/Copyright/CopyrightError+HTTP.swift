// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketHTTP
import MarketWire
import Moderation

extension CopyrightError: APIErrorConvertible {
    package var apiError: APIError {
        switch self {
        case .noSuchNotice: .notFound("This notice")
        case .invalid(let problems): .validation(problems)
        case .noSuchDecision:
            .validation([.init(pointer: "/decision", detail: "'accept', 'reject', 'suit' or 'withdraw'.")])
        case .badMessage:
            .validation([
                .init(pointer: "/message", detail: "Write why, in at most \(Decision.maximumMessageLength) characters.")
            ])
        case .isParty:
            APIError(.forbidden, .forbidden, "You have a part in this. Another moderator has to decide.")
        }
    }
}

extension CopyrightClaim.Refusal: APIErrorConvertible {
    package var apiError: APIError {
        APIError(.conflict, .conflict, "The notice is '\(state.rawValue)'; that cannot happen to it now.")
    }
}
