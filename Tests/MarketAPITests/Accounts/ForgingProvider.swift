// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import MarketPlatform
import Outgoing
import SheetCore
import Synchronization

@testable import MarketAccounts
@testable import MarketContract
@testable import MarketHTTP

/// A provider that a test makes say what it wants, for what an honest one never says. Signs with ES256.
final class ForgingProvider: Sendable {
    /// What its next ID token is made of.
    struct Token: Sendable {
        var header: [String: String] = ["alg": "ES256"]
        var claims: [String: JSONValue]
        /// `nil` leaves the signature out.
        var key: P256.Signing.PrivateKey?
    }

    private struct State: Sendable {
        var keys: [(id: String, key: P256.Signing.PrivateKey)]
        var change: @Sendable (inout Token) -> Void = { _ in }
        var document: [String: JSONValue] = [:]
        var keyFetches = 0
        var nonce = ""
        var lastTokenRequest: [String: String] = [:]
        var isDown = false
    }

    let issuer: String
    let clientID = "market"
    private let clock: @Sendable () -> Date
    private let state = Mutex(State(keys: [("k1", P256.Signing.PrivateKey())]))

    init(issuer: String = "https://provider.example", now: @escaping @Sendable () -> Date = { Date() }) {
        self.issuer = issuer
        clock = now
    }

    func provider(_ id: String = "forge", sendsForms: Bool = false) -> IdentityProvider {
        IdentityProvider(
            id: id, name: "Forge", issuer: issuer, clientID: clientID, clientSecret: "secret", sendsForms: sendsForms)
    }

    /// The market's only way to it.
    var transport: ProviderTransport { { [self] in try answer($0) } }

    /// What to say otherwise in the next tokens.
    func change(_ change: @escaping @Sendable (inout Token) -> Void) { state.withLock { $0.change = change } }
    /// What to add to the discovery document.
    func document(_ members: [String: JSONValue]) { state.withLock { $0.document = members } }
    /// The nonce that the market asked for.
    func nonce(_ text: String) { state.withLock { $0.nonce = text } }
    /// Whether it answers nothing but errors.
    func isDown(_ value: Bool) { state.withLock { $0.isDown = value } }
    /// Another key, with that name, in the place of all there were.
    func rotate(to id: String) { state.withLock { $0.keys = [(id, P256.Signing.PrivateKey())] } }
    var keyFetches: Int { state.withLock { $0.keyFetches } }
    /// The fields of the last exchange of a code.
    var lastTokenRequest: [String: String] { state.withLock { $0.lastTokenRequest } }

    private struct Down: Error {}

    private func answer(_ request: OutgoingRequest) throws -> OutgoingAnswer {
        try state.withLock { state in
            if state.isDown { throw Down() }
            switch request.url.dropFirst(issuer.count) {
            case "/.well-known/openid-configuration":
                let document: [String: JSONValue] = [
                    "issuer": .string(issuer), "authorization_endpoint": .string("\(issuer)/authorize"),
                    "token_endpoint": .string("\(issuer)/token"), "jwks_uri": .string("\(issuer)/keys"),
                ]
                return try Self.json(.object(document.merging(state.document) { $1 }))
            case "/keys":
                state.keyFetches += 1
                // Kinds of keys that nobody here knows are no reason to fail.
                var keys: [JSONValue] = [["kty": "new", "kid": "n"]]
                for (id, key) in state.keys {
                    let point = key.publicKey.rawRepresentation
                    keys.append([
                        "kty": "EC", "crv": "P-256", "kid": .string(id), "use": "sig",
                        "x": .string(Data(point.prefix(32)).base64URL), "y": .string(Data(point.suffix(32)).base64URL),
                    ])
                }
                return try Self.json(["keys": .array(keys)])
            case "/token":
                let form = QueryParameters(String(decoding: request.body, as: UTF8.self))
                for name in ["code", "code_verifier", "redirect_uri", "grant_type"] {
                    state.lastTokenRequest[name] = form[name]
                }
                let token = try token(state)
                return try Self.json(["token_type": "Bearer", "access_token": "a", "id_token": .string(token)])
            default: return OutgoingAnswer(status: 404, fields: [], body: [])
            }
        }
    }

    private func token(_ state: State) throws -> String {
        let time = clock().timeIntervalSince1970
        var token = Token(
            claims: [
                "iss": .string(issuer), "sub": "sub-1", "aud": .string(clientID), "iat": .integer(Int(time)),
                "exp": .integer(Int(time) + 300), "nonce": .string(state.nonce),
            ], key: state.keys.first?.key)
        token.header["kid"] = state.keys.first?.id
        state.change(&token)
        let head = try JSONEncoder().encode(token.header).base64URL
        let body = try JSONEncoder().encode(token.claims).base64URL
        let signature = try token.key?.signature(for: Data("\(head).\(body)".utf8)).rawRepresentation.base64URL
        return "\(head).\(body).\(signature ?? "")"
    }

    private static func json(_ value: JSONValue) throws -> OutgoingAnswer {
        OutgoingAnswer(status: 200, fields: [], body: Array(try JSONEncoder().encode(value)))
    }
}
