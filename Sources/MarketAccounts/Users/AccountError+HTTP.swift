// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketHTTP
import MarketWire

extension AccountError: APIErrorConvertible {
    package var apiError: APIError {
        switch self {
        case .invalid(let validationErrors): .validation(validationErrors)
        case .handleTaken:
            APIError(
                .conflict, .handleTaken, "This name is somebody's already.",
                errors: [.init(pointer: "/handle", detail: "Choose another.")])
        case .emailTaken:
            APIError(
                .conflict, .emailTaken, "Another account has confirmed this address already. Sign in with that one.",
                errors: [.init(pointer: "/email", detail: "Sign in with it, or use another.")])
        case .wrongCredentials:
            APIError(
                .unauthorized, .invalidCredentials,
                "Name or password is wrong. An e-mail address takes the name's place once it is confirmed.")
        case .disabled: APIError(.forbidden, .forbidden, "This account is disabled.")
        case .tooManyAttempts(let seconds):
            APIError(
                .tooManyRequests, .tooManyRequests, "Too many failed sign-ins. Try again in \(seconds) seconds.",
                headers: [.retryAfter: String(seconds)])
        case .scopesBeyondMaker(let scopes):
            APIError(
                .forbidden, .insufficientScope,
                "A token cannot make one that may do more: it lacks \(scopes.map(\.rawValue).joined(separator: ", ")).")
        case .tooManyTokens:
            APIError(.conflict, .conflict, "This account has as many tokens as it may. Revoke one first.")
        case .staffTokenNeedsSession:
            APIError(
                .forbidden, .forbidden,
                "A token cannot make one for moderation or administration: sign in with the password, or in a browser.")
        case .breachedPassword:
            APIError(
                .unprocessableContent, .breachedPassword,
                "This password is known from leaks of other sites. Choose another.",
                errors: [.init(pointer: "/password", detail: "Known from leaks of other sites; choose another.")])
        case .secondFactorRequired(let ticket): .secondFactorRequired(ticket: ticket)
        case .secondFactorEnrolmentRequired: .secondFactorEnrolmentRequired
        case .invalidCode:
            APIError(
                .unauthorized, .invalidCode, "This code is not right, or was used already. Wait for the next one.",
                errors: [.init(pointer: "/code", detail: "Not right, or used already.")])
        case .invalidLink:
            APIError(.gone, .invalidLink, "This link was used already, or is too old. Ask for a new one.")
        case .secondFactorExists:
            APIError(.conflict, .conflict, "This account has a second factor already. Turn it off to set up another.")
        case .noSecondFactor:
            APIError(.conflict, .conflict, "Two-factor sign-in is not on. Set it up first.")
        case .cannotSeal:
            APIError(
                .serviceUnavailable, .unavailable, "Second factors cannot be set up here: the operator set no key.")
        case .nothingToVerify:
            APIError(.conflict, .conflict, "There is no address that waits to be confirmed.")
        case .tooManyEmails(let seconds):
            APIError(
                .tooManyRequests, .tooManyRequests, "Too many letters were asked for. Try again in \(seconds) seconds.",
                headers: [.retryAfter: String(seconds)])
        case .noSuchUser(let handle): .notFound("The account '\(handle)'")
        }
    }
}

extension APIError {
    /// `401` between the two steps of signing in.
    static func secondFactorRequired(ticket: String?) -> APIError {
        guard let ticket else {
            return APIError(
                .unauthorized, .secondFactorRequired,
                "This account has a second factor: send its code with the password, as 'code'.")
        }
        var error = APIError(
            .unauthorized, .secondFactorRequired,
            "Show your second factor: POST /api/v1/auth/second-factor with this ticket and a code.")
        error.ticket = ticket
        return error
    }
}

extension PasswordHasher.Flooded: APIErrorConvertible {
    /// `503` with a moment to wait.
    var apiError: APIError { .unavailable("Too many people are signing in; try again in a moment.") }
}
