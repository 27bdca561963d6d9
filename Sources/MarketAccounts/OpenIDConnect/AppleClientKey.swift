// SPDX-License-Identifier: Apache-2.0
import Foundation
import JWTKit
import MarketPlatform

/// The key with which a client of "Sign in with Apple" makes its client secrets: short-lived tokens, signed with ES256.
package struct AppleClientKey: Sendable {
    package static let issuer = "https://appleid.apple.com"
    /// Apple takes up to half a year; nothing here needs more than a moment.
    static let lifeSeconds = 300.0

    private let teamID: String
    private let keyID: String
    private let clientID: String
    private let key: ES256PrivateKey

    /// `privateKey` is the text of the `.p8` file.
    package init(teamID: String, keyID: String, clientID: String, privateKey: String) throws {
        self.teamID = teamID
        self.keyID = keyID
        self.clientID = clientID
        do {
            key = try ES256PrivateKey(pem: privateKey)
        } catch {
            throw SettingValueError("has a private key that is no P-256 key in PEM")
        }
    }

    private struct Claims: JWTPayload {
        var iss: String
        var iat: Int
        var exp: Int
        var aud: String
        var sub: String

        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }

    /// A client secret that holds from `now` on.
    func clientSecret(at now: Date) async throws -> String {
        let seconds = Int(now.timeIntervalSince1970)
        let claims = Claims(
            iss: teamID, iat: seconds, exp: seconds + Int(Self.lifeSeconds), aud: Self.issuer, sub: clientID)
        let keys = JWTKeyCollection()
        await keys.add(ecdsa: key, kid: JWKIdentifier(string: keyID))
        return try await keys.sign(claims, kid: JWKIdentifier(string: keyID))
    }
}
