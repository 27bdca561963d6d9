// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketHTTP
import MarketWire

extension ProviderError: APIErrorConvertible {
    package var apiError: APIError {
        switch self {
        case .noSuchProvider: .notFound("This way to sign in")
        case .mixedUp, .untrusted:
            APIError(
                .badRequest, .badRequest,
                "What the provider sent cannot be trusted, so nobody was signed in. Try again.")
        case .unavailable: .unavailable("The provider cannot be asked now; try again in a moment.")
        }
    }
}

extension ProviderSignInError: APIErrorConvertible {
    package var apiError: APIError {
        switch self {
        case .refused:
            APIError(.badRequest, .badRequest, "The sign-in was called off there. Nothing has changed here.")
        case .unknownFlow:
            APIError(
                .badRequest, .badRequest,
                "This sign-in was not begun in this browser, is used up, or took too long. Begin it again.")
        case .taken:
            APIError(.conflict, .conflict, "This identity belongs to another account here. Unlink it there first.")
        case .lastWayIn:
            APIError(
                .conflict, .lastWayIn,
                "This is your only way to sign in. Set a password or link another identity first.")
        case .otherPerson:
            APIError(.forbidden, .forbidden, "Somebody else is signed in now than began this. Begin again.")
        case .noSuchIdentity: .notFound("This identity")
        }
    }
}
