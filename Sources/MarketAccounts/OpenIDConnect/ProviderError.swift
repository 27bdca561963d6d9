// SPDX-License-Identifier: Apache-2.0

/// Why a provider did not tell who somebody is.
package enum ProviderError: Error, Equatable, Sendable {
    /// No provider is called so here.
    case noSuchProvider
    /// The answer is another provider's, or for another client.
    case mixedUp
    /// What the provider says does not hold; which rule is for the log.
    case untrusted(String)
    /// The provider cannot be reached, or makes no sense.
    case unavailable(String)
}
