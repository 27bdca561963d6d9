// SPDX-License-Identifier: Apache-2.0

/// Why a sign-in with a provider, or a change of what is linked, came to nothing here. What goes wrong at the provider
/// is a `ProviderError`.
package enum ProviderSignInError: Error, Equatable, Sendable {
    /// The provider, or the person at it, said no; its own word.
    case refused(String)
    /// This browser did not begin it, it was used before, or it took too long.
    case unknownFlow
    /// The identity belongs to another account here.
    case taken
    /// Without this one nobody could sign in to the account any more.
    case lastWayIn
    /// Somebody else is signed in than began to link.
    case otherPerson
    /// The account has no such identity.
    case noSuchIdentity
}
