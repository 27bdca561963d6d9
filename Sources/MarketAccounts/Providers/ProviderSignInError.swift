// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketHTTP
import MarketWire

/// Why a sign-in with a provider came to nothing.
package enum ProviderSignInError: Error, Equatable, Sendable {
    /// No provider is called so here.
    case noSuchProvider
    /// The provider, or the person at it, said no; its own word.
    case refused(String)
    /// This browser did not begin it, it was used before, or it took too long.
    case unknownFlow
    /// The answer is another provider's, or for another client.
    case mixedUp
    /// What the provider says does not hold; which rule is for the log.
    case untrusted(String)
    /// The provider cannot be reached, or makes no sense.
    case unavailable(String)
    /// The identity belongs to another account here.
    case taken
    /// Without this one nobody could sign in to the account any more.
    case lastWayIn
    /// Somebody else is signed in than began to link.
    case otherPerson
}

extension ProviderSignInError: APIErrorConvertible {
    /// As the caller is told of it.
    package var apiError: APIError {
        switch self {
        case .noSuchProvider: .notFound("This way to sign in")
        case .refused:
            APIError(.badRequest, .badRequest, "The sign-in was called off there. Nothing has changed here.")
        case .unknownFlow:
            APIError(
                .badRequest, .badRequest,
                "This sign-in was not begun in this browser, is used up, or took too long. Begin it again.")
        case .mixedUp, .untrusted:
            APIError(
                .badRequest, .badRequest,
                "What the provider sent cannot be trusted, so nobody was signed in. Try again.")
        case .unavailable: .unavailable("The provider cannot be asked now; try again in a moment.")
        case .taken:
            APIError(.conflict, .conflict, "This identity belongs to another account here. Unlink it there first.")
        case .lastWayIn:
            APIError(
                .conflict, .lastWayIn, "Nothing else signs you in. Set a password or link another identity first.")
        case .otherPerson:
            APIError(.forbidden, .forbidden, "Somebody else is signed in now than began this. Begin again.")
        }
    }
}
