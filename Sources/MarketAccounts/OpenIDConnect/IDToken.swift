// SPDX-License-Identifier: Apache-2.0
import Foundation
import JWTKit
import MarketPlatform

/// How an ID token may be signed. A short list of what is wanted: there is no `none` on it and nothing with a shared
/// secret, whatever a token's header says.
enum IDTokenAlgorithm: String, Sendable, CaseIterable {
    case rs256 = "RS256"
    case es256 = "ES256"
    case eddsa = "EdDSA"

    /// `kty` of the keys that go with it.
    var keyType: String {
        switch self {
        case .rs256: "RSA"
        case .es256: "EC"
        case .eddsa: "OKP"
        }
    }

    var name: JWK.Algorithm {
        switch self {
        case .rs256: .rs256
        case .es256: .es256
        case .eddsa: .eddsa
        }
    }
}

/// The head of an ID token, read before anything is believed.
package struct IDTokenHeader: Sendable {
    let algorithm: IDTokenAlgorithm
    package let keyID: String?

    /// Throws for a malformed token, an unexpected signature algorithm, or an unknown critical header.
    package init(of token: String) throws(ProviderError) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].contains("="), let data = Data(base64URL: parts[0]),
            let fields = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        else { throw .untrusted("the ID token is no signed token") }
        guard let name = fields["alg"] as? String, let algorithm = IDTokenAlgorithm(rawValue: name) else {
            throw .untrusted("the ID token is signed in a way that is not taken")
        }
        guard fields["crit"] == nil else { throw .untrusted("the ID token demands extensions") }
        self.algorithm = algorithm
        keyID = fields["kid"] as? String
    }
}

/// What an ID token says (OpenID Connect Core 1.0, section 2), read by JWTKit once its signature holds.
package struct IDTokenClaims: JWTPayload, Sendable {
    var iss: String
    var sub: String
    var aud: [String]
    var azp: String?
    package var exp: Double
    var iat: Double
    var nonce: String?
    package var profile: IdentityProfile

    private enum CodingKeys: String, CodingKey {
        case iss, sub, aud, azp, exp, iat, nonce
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        iss = try container.decode(String.self, forKey: .iss)
        sub = try container.decode(String.self, forKey: .sub)
        // A text or a list of texts (section 2).
        if let one = try? container.decode(String.self, forKey: .aud) {
            aud = [one]
        } else {
            aud = try container.decode([String].self, forKey: .aud)
        }
        azp = try container.decodeIfPresent(String.self, forKey: .azp)
        exp = try container.decode(Double.self, forKey: .exp)
        iat = try container.decode(Double.self, forKey: .iat)
        nonce = try container.decodeIfPresent(String.self, forKey: .nonce)
        profile = try IdentityProfile(from: decoder)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(iss, forKey: .iss)
        try container.encode(sub, forKey: .sub)
    }

    /// The rules are in `IDTokenRules`, which knows what was asked for.
    package func verify(using algorithm: some JWTAlgorithm) async throws {}
}

/// What a provider tells of a person besides who they are.
package struct IdentityProfile: Sendable, Equatable, Decodable {
    package var email: String?
    /// Whether the provider made sure that the address is theirs.
    var isEmailVerified: Bool
    package var name: String?
    var preferredUsername: String?

    private enum CodingKeys: String, CodingKey {
        case email
        case isEmailVerified = "email_verified"
        case name
        case preferredUsername = "preferred_username"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        // None of it decides anything: what has another type than it should is as good as absent.
        email = try? container.decode(String.self, forKey: .email)
        // Apple writes it as a text.
        let said = try? container.decode(Bool.self, forKey: .isEmailVerified)
        isEmailVerified = said ?? ((try? container.decode(String.self, forKey: .isEmailVerified)) == "true")
        name = try? container.decode(String.self, forKey: .name)
        preferredUsername = try? container.decode(String.self, forKey: .preferredUsername)
    }
}

/// What must hold of an ID token (OpenID Connect Core 1.0, section 3.1.3.7).
package struct IDTokenRules: Sendable {
    /// Clocks may differ by this much.
    static let leewaySeconds = 60.0
    /// An ID token is fresh: it came in answer to a code.
    static let maximumAgeSeconds = 600.0
    /// Longest subject (section 2).
    static let maximumSubject = 255

    package let issuer: String
    let clientID: String
    let nonce: String
    package let now: Date

    /// Throws with the first rule that does not hold.
    package func check(_ claims: IDTokenClaims) throws(ProviderError) {
        func require(_ holds: Bool, _ rule: String) throws(ProviderError) {
            if !holds { throw .untrusted(rule) }
        }
        let time = now.timeIntervalSince1970
        guard claims.iss == issuer else { throw .mixedUp }
        guard claims.aud.contains(clientID), claims.azp == nil || claims.azp == clientID else { throw .mixedUp }
        try require(claims.aud.count == 1 || claims.azp == clientID, "several audiences and no authorized party")
        try require(claims.exp.isFinite && claims.exp > time - Self.leewaySeconds, "it is over")
        try require(claims.iat.isFinite && claims.iat < time + Self.leewaySeconds, "it is from the future")
        try require(claims.iat > time - Self.maximumAgeSeconds - Self.leewaySeconds, "it is old")
        try require(claims.nonce == nonce, "its nonce is another")
        try require(
            (1...Self.maximumSubject).contains(claims.sub.utf8.count) && !claims.sub.contains("\0"),
            "its subject is no subject")
    }
}
