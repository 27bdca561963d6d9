// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketWire

/// What cannot be done with an account.
public enum AccountError: Error, Equatable, Sendable {
    /// Values do not hold.
    case invalid([ProblemDocument.Detail])
    /// The handle is somebody's.
    case handleTaken
    /// The e-mail address has an account.
    case emailTaken
    /// Name or password is wrong; which of them is not said.
    case wrongCredentials
    /// The account may not be used.
    case disabled
    /// Too many failed attempts.
    case tooManyAttempts(retryAfterSeconds: Int)
    /// A token cannot make one that may do more than itself.
    case scopesBeyondMaker([TokenScope])
    /// The account has as many tokens as it may.
    case tooManyTokens
    /// No account has this handle.
    case noSuchUser(String)
}

extension AccountError: APIErrorConvertible {
    /// As the caller is told of it.
    public var apiError: APIError {
        switch self {
        case .invalid(let faults): .validation(faults)
        case .handleTaken:
            APIError(
                .conflict, .handleTaken, "This name is somebody's already.",
                errors: [.init(pointer: "/handle", detail: "Choose another.")])
        case .emailTaken:
            APIError(
                .conflict, .emailTaken, "This address has an account already. Sign in instead.",
                errors: [.init(pointer: "/email", detail: "Sign in with it, or use another.")])
        case .wrongCredentials: APIError(.unauthorized, .invalidCredentials, "Name or password is wrong.")
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
        case .noSuchUser(let handle): .notFound("The account '\(handle)'")
        }
    }
}

extension PasswordHasher.Flooded: APIErrorConvertible {
    /// `503` with a moment to wait.
    var apiError: APIError { .unavailable("Too many people are signing in; try again in a moment.") }
}
