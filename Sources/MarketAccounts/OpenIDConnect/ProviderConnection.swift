// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import Outgoing

/// Sends a request to a provider's server.
package typealias ProviderTransport = @Sendable (OutgoingRequest) async throws -> OutgoingAnswer

/// One provider, with what it said of itself and its keys kept for a while.
package actor ProviderConnection {
    /// How long its discovery document and keys are believed, in seconds.
    static let freshSeconds = 3600.0
    /// How long old ones go on being used while it cannot be asked.
    static let staleSeconds = 86_400.0
    /// A token with an unknown key makes the keys be fetched again, at most this often.
    static let refetchSeconds = 60.0

    package nonisolated let provider: IdentityProvider
    private let send: ProviderTransport
    private let now: @Sendable () -> Date
    private var metadata: Kept<ProviderMetadata>?
    private var keys: Kept<ProviderKeys>?
    private var lastRefetch = Date.distantPast
    private var underWay: Task<ProviderKeys, any Error>?

    private struct Kept<Value: Sendable> {
        let value: Value
        let at: Date
    }

    package init(_ provider: IdentityProvider, send: @escaping ProviderTransport, now: @escaping @Sendable () -> Date) {
        self.provider = provider
        self.send = send
        self.now = now
    }

    // MARK: - What it says of itself

    /// Its discovery document.
    package func describe() async throws -> ProviderMetadata {
        if let metadata, age(metadata.at) < Self.freshSeconds { return metadata.value }
        do {
            let data = try await get(ProviderMetadata.address(of: provider.issuer))
            guard let found = try? JSONDecoder().decode(ProviderMetadata.self, from: data) else {
                throw ProviderError.unavailable("its discovery document makes no sense")
            }
            try found.check(for: provider)
            metadata = Kept(value: found, at: now())
            return found
        } catch {
            if let metadata, age(metadata.at) < Self.staleSeconds { return metadata.value }
            throw error
        }
    }

    // MARK: - Its tokens

    /// The claims of an ID token whose signature holds and for which `rules` hold.
    package func verified(_ token: String, by rules: IDTokenRules) async throws -> IDTokenClaims {
        let header = try IDTokenHeader(of: token)
        let claims: IDTokenClaims
        do {
            claims = try await Self.claims(of: token, header, signedWith: try await currentKeys())
        } catch ProviderError.untrusted(let why) {
            // It may have changed its keys since they were fetched; not every provider names the key in the token.
            guard age(lastRefetch) >= Self.refetchSeconds else { throw ProviderError.untrusted(why) }
            lastRefetch = now()
            claims = try await Self.claims(of: token, header, signedWith: try await fetchKeys())
        }
        try rules.check(claims)
        return claims
    }

    private static func claims(
        of token: String, _ header: IDTokenHeader, signedWith keys: ProviderKeys
    ) async throws -> IDTokenClaims {
        // Without a key's name only a single key can be meant: trying all would ask which one happens to fit.
        let candidates = keys.candidates(for: header)
        guard candidates.count == 1, let key = candidates.first else {
            throw ProviderError.untrusted("no key of the provider's is the ID token's")
        }
        return try await IDTokenClaims.verified(token, header: header, by: key)
    }

    private func currentKeys() async throws -> ProviderKeys {
        if let keys, age(keys.at) < Self.freshSeconds { return keys.value }
        do {
            return try await fetchKeys()
        } catch {
            if let keys, age(keys.at) < Self.staleSeconds { return keys.value }
            throw error
        }
    }

    /// Many sign-ins at once fetch them once.
    private func fetchKeys() async throws -> ProviderKeys {
        if let underWay { return try await underWay.value }
        // Awaited below by whoever began it and by all who joined; it touches no database.
        let fetch = Task { try ProviderKeys(try await get(try await describe().jwksURI)) }
        underWay = fetch
        defer { underWay = nil }
        let found = try await fetch.value
        keys = Kept(value: found, at: now())
        return found
    }

    // MARK: - Codes

    private struct TokenAnswer: Decodable {
        var idToken: String?
        var accessToken: String?

        private enum CodingKeys: String, CodingKey {
            case idToken = "id_token"
            case accessToken = "access_token"
        }
    }

    /// Exchanges a code for tokens (RFC 6749, section 4.1.3) and answers who the person is.
    func redeem(
        code: String, verifier: String, redirectURI: String, nonce: String
    ) async throws -> (subject: String, profile: IdentityProfile) {
        let metadata = try await describe()
        let rules = IDTokenRules(issuer: provider.issuer, clientID: provider.clientID, nonce: nonce, now: now())
        var fields = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI),
            ("code_verifier", verifier),
        ]
        var headers = [
            (name: "Content-Type", value: "application/x-www-form-urlencoded"),
            (name: "Accept", value: "application/json"),
        ]
        try await authenticate(by: metadata.tokenEndpointAuthMethods, &fields, &headers)
        let answer = try await exchange(
            OutgoingRequest(
                url: metadata.tokenEndpoint, method: "POST", fields: headers,
                body: Array(FormText.encoded(fields).utf8)))
        // What is wrong with a code is the provider's to say, with 400 (RFC 6749, section 5.2).
        guard answer.status == 200 else {
            if (400..<500).contains(answer.status) { throw ProviderError.untrusted("the code was not taken") }
            throw ProviderError.unavailable("its token endpoint answers \(answer.status)")
        }
        guard let tokens = try? JSONDecoder().decode(TokenAnswer.self, from: Data(answer.body)),
            let idToken = tokens.idToken
        else { throw ProviderError.unavailable("its token endpoint gives no ID token") }
        let claims = try await verified(idToken, by: rules)
        var profile = claims.profile
        // Without what it tells people can sign in all the same: an address is asked for then.
        if profile.email == nil, provider.scopes.contains("email"), let access = tokens.accessToken,
            let told = try? await userinfo(metadata, access: access, subject: claims.sub)
        {
            profile = told
        }
        return (claims.sub, profile)
    }

    /// How this market says that it is the client (OpenID Connect Core 1.0, section 9).
    private func authenticate(
        by methods: [String]?, _ fields: inout [(String, String)], _ headers: inout [(name: String, value: String)]
    ) async throws {
        switch provider.secret {
        case .none: fields.append(("client_id", provider.clientID))
        case .apple(let key):
            fields += [("client_id", provider.clientID), ("client_secret", try await key.clientSecret(at: now()))]
        case .shared(let secret):
            let takesBasic = methods.map { $0.contains("client_secret_basic") } ?? true
            if takesBasic {
                let pair = "\(FormText.encoded(provider.clientID)):\(FormText.encoded(secret))"
                headers.append((name: "Authorization", value: "Basic \(Data(pair.utf8).base64EncodedString())"))
            } else {
                fields += [("client_id", provider.clientID), ("client_secret", secret)]
            }
        }
    }

    /// What the provider tells of the person where the ID token is silent; it must be about the same one (section
    /// 5.3.2).
    private func userinfo(
        _ metadata: ProviderMetadata, access: String, subject: String
    ) async throws -> IdentityProfile? {
        struct Subject: Decodable { var sub: String }
        guard let address = metadata.userinfoEndpoint else { return nil }
        let fields = [
            (name: "Authorization", value: "Bearer \(access)"), (name: "Accept", value: "application/json"),
        ]
        let answer = try await exchange(OutgoingRequest(url: address, fields: fields))
        let data = Data(answer.body)
        guard answer.status == 200, try JSONDecoder().decode(Subject.self, from: data).sub == subject else {
            return nil
        }
        return try JSONDecoder().decode(IdentityProfile.self, from: data)
    }

    // MARK: - HTTP

    private func get(_ url: String) async throws -> Data {
        let answer = try await exchange(
            OutgoingRequest(url: url, fields: [(name: "Accept", value: "application/json")]))
        guard answer.status == 200 else { throw ProviderError.unavailable("\(url) answers \(answer.status)") }
        return Data(answer.body)
    }

    private func exchange(_ request: OutgoingRequest) async throws -> OutgoingAnswer {
        do {
            return try await send(request)
        } catch {
            throw ProviderError.unavailable("\(request.url): \(error)")
        }
    }

    private func age(_ date: Date) -> Double { now().timeIntervalSince(date) }
}

/// Text as forms send it (WHATWG URL, application/x-www-form-urlencoded).
enum FormText {
    static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .unreserved) ?? ""
    }

    static func encoded(_ fields: [(String, String)]) -> String {
        fields.map { "\(encoded($0.0))=\(encoded($0.1))" }.joined(separator: "&")
    }
}
