// SPDX-License-Identifier: Apache-2.0
import Foundation
import JWTKit

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
    package init(_ data: Data) throws(ProviderError) {
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

extension IDTokenClaims {
    /// Verifies the signature of `token` with a key, by the algorithm of its header and no other.
    package static func verified(
        _ token: String, header: IDTokenHeader, by key: ProviderKeys.Key
    ) async throws(ProviderError) -> IDTokenClaims {
        do {
            var jwk = try JWK(json: String(decoding: key.json, as: UTF8.self))
            let id = header.keyID ?? "only"
            jwk.keyIdentifier = JWKIdentifier(string: id)
            jwk.algorithm = header.algorithm.name
            // A private key has no business there, and nothing is signed with it here.
            jwk.privateExponent = nil
            let keys = JWTKeyCollection()
            try await keys.add(jwk: jwk, isDefault: true)
            return try await keys.verify(token, as: IDTokenClaims.self)
        } catch {
            throw .untrusted("its signature or its claims do not hold")
        }
    }
}
