// SPDX-License-Identifier: Apache-2.0
import Foundation

/// What a provider says of itself (OpenID Connect Discovery 1.0, section 3), as far as it matters here.
package struct ProviderMetadata: Sendable, Decodable {
    package var issuer: String
    var authorizationEndpoint: String
    var tokenEndpoint: String
    var jwksURI: String
    var userinfoEndpoint: String?
    var tokenEndpointAuthMethods: [String]?
    /// RFC 9207: its answers name it, and one that does not is not its.
    var namesIssuerInAnswers: Bool?

    private enum CodingKeys: String, CodingKey {
        case issuer
        case authorizationEndpoint = "authorization_endpoint"
        case tokenEndpoint = "token_endpoint"
        case jwksURI = "jwks_uri"
        case userinfoEndpoint = "userinfo_endpoint"
        case tokenEndpointAuthMethods = "token_endpoint_auth_methods_supported"
        case namesIssuerInAnswers = "authorization_response_iss_parameter_supported"
    }

    /// Where the document of `issuer` is.
    package static func address(of issuer: String) -> String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
    }

    /// Throws unless the document is `provider`'s own and leads to addresses as safe as it.
    package func check(for provider: IdentityProvider) throws(ProviderError) {
        guard issuer == provider.issuer else { throw .unavailable("its discovery document names another issuer") }
        let scheme = provider.issuer.hasPrefix("http://") ? ["http://", "https://"] : ["https://"]
        for address in [authorizationEndpoint, tokenEndpoint, jwksURI, userinfoEndpoint].compactMap({ $0 }) {
            guard scheme.contains(where: { address.hasPrefix($0) }), !address.contains("#") else {
                throw .unavailable("its discovery document leads to an unsafe address")
            }
        }
    }
}
