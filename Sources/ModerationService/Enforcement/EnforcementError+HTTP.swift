// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketHTTP
import MarketWire
import Moderation

extension EnforcementError: APIErrorConvertible {
    package var apiError: APIError {
        switch self {
        case .noSuchSubject: .notFound("What this is about")
        case .isTakenDown: APIError(.conflict, .conflict, "This is taken down already.")
        case .isNotDown: APIError(.conflict, .conflict, "This is not taken down.")
        case .endsInThePast: .validation([.init(pointer: "/until", detail: "Choose a time in the future.")])
        case .isOver: APIError(.conflict, .conflict, "This sanction is over, or there is none such.")
        }
    }
}

extension SanctionError: APIErrorConvertible {
    package var apiError: APIError {
        switch self {
        case .noSuchAccount: .notFound("This account")
        case .noSuchSanction: .notFound("This sanction")
        case .ofOwnRank:
            APIError(.forbidden, .forbidden, "Nobody sanctions themselves, or somebody of their own rank or above.")
        case .banNeedsCase:
            APIError(
                .conflict, .conflict,
                "A ban takes two moderators: open a case with POST /api/v1/moderation/cases, and decide 'ban' there.")
        case .banIsAdministrators:
            APIError(.forbidden, .forbidden, "An administrator, or an appeal, lifts a ban.")
        case .noSuchKind: Self.invalid("/kind", "'warn', 'suspend' or 'ban'.")
        case .badEnd: Self.invalid("/until", "Choose a time in the future, within ten years.")
        case .badScopes:
            Self.invalid("/scopes", "Some of: \(SanctionScope.allCases.map(\.rawValue).joined(separator: ", ")).")
        case .badReasonCode:
            Self.invalid("/reasonCode", "A word of up to 64 lower-case letters, digits and underscores.")
        case .badText(let pointer): Self.invalid(pointer, "From 1 to \(Decision.maximumMessageLength) characters.")
        }
    }

    private static func invalid(_ pointer: String, _ detail: String) -> APIError {
        .validation([.init(pointer: pointer, detail: detail)])
    }
}
