// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The providers of a market, by their names.
package struct ProviderDirectory: Sendable {
    /// None: people sign in with passwords alone.
    package static let none = ProviderDirectory([], now: { Date() }) { _ in { _ in throw CancellationError() } }

    let connections: [ProviderConnection]

    /// `transport` says how each provider is reached.
    package init(
        _ providers: [IdentityProvider], now: @escaping @Sendable () -> Date,
        transport: (IdentityProvider) -> ProviderTransport
    ) {
        connections = providers.map { ProviderConnection($0, send: transport($0), now: now) }
    }

    /// The provider of this name; throws `ProviderError.noSuchProvider`.
    package func connection(_ id: String) throws(ProviderError) -> ProviderConnection {
        guard let found = connections.first(where: { $0.provider.id == id }) else { throw .noSuchProvider }
        return found
    }

    /// What the provider of this issuer is called; the issuer itself when it is no longer set.
    package func name(ofIssuer issuer: String) -> String {
        connections.first { $0.provider.issuer == issuer }?.provider.name ?? issuer
    }
}
