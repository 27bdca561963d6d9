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
    package func check(for provider: IdentityProvider) throws(ProviderSignInError) {
        guard issuer == provider.issuer else { throw .unavailable("its discovery document names another issuer") }
        let scheme = provider.issuer.hasPrefix("http://") ? ["http://", "https://"] : ["https://"]
        for address in [authorizationEndpoint, tokenEndpoint, jwksURI, userinfoEndpoint].compactMap({ $0 }) {
            guard scheme.contains(where: { address.hasPrefix($0) }), !address.contains("#") else {
                throw .unavailable("its discovery document leads to an unsafe address")
            }
        }
    }
}

/// The keys a provider signs with now.
package struct ProviderKeys: Sendable {
    /// One of them: what JWTKit makes of it is made when it is used.
    package struct Key: Sendable {
        package let id: String?
        package let type: String
        package let use: String?
        let algorithm: String?
        package let json: Data

        package init(id: String?, type: String, use: String?, algorithm: String?, json: Data) {
            self.id = id
            self.type = type
            self.use = use
            self.algorithm = algorithm
            self.json = json
        }
    }

    /// Most keys that are looked at.
    static let maximum = 100

    package let keys: [Key]

    /// Reads a JWK set; a key that makes no sense is passed over, as new kinds come.
    package init(_ data: Data) throws(ProviderSignInError) {
        guard let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
            let list = object["keys"] as? [[String: Any]]
        else { throw .unavailable("its keys are no JWK set") }
        keys = list.prefix(Self.maximum).compactMap { key in
            guard let type = key["kty"] as? String, let json = try? JSONSerialization.data(withJSONObject: key) else {
                return nil
            }
            return Key(
                id: key["kid"] as? String, type: type, use: key["use"] as? String, algorithm: key["alg"] as? String,
                json: json)
        }
    }

    /// Those that may have signed a token with this header.
    package func candidates(for header: IDTokenHeader) -> [Key] {
        keys.filter { key in
            key.type == header.algorithm.keyType && (key.use ?? "sig") == "sig"
                && (key.algorithm ?? header.algorithm.rawValue) == header.algorithm.rawValue
                && (header.keyID == nil || key.id == header.keyID)
        }
    }
}
