// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import MarketPages
import MarketWire
import NIOHTTP1
import Outgoing
import Postgres
import SheetCore
import Synchronization
import TestSupport
import Testing

@testable import MarketAccounts
@testable import MarketContract
@testable import MarketHTTP
@testable import MarketPlatform

@Suite("Signing in with a provider, where somebody lies")
struct ProviderForgeryTests {
    /// A market with one forging provider.
    private static func run(
        sendsForms: Bool = false, clock: StandingClock = StandingClock(),
        _ body: @escaping @Sendable (TestMarket, ForgingProvider, StandingClock) async throws -> Void
    ) async throws {
        let forge = ForgingProvider(now: { clock.now })
        let directory = ProviderDirectory([forge.provider(sendsForms: sendsForms)], now: { clock.now }) { _ in
            forge.transport
        }
        try await withMarket(signIn: directory, now: { clock.now }) { try await body($0, forge, clock) }
    }

    /// Goes to the provider; answers the query with which it was sent there.
    private static func depart(
        _ browser: TestBrowser, _ forge: ForgingProvider, _ path: String = "/auth/oidc/forge"
    ) async throws -> QueryParameters {
        let answer = try await browser.get(path)
        #expect(answer.status == 303 && answer.location.hasPrefix("\(forge.issuer)/authorize?"), "\(answer.text)")
        let query = QueryParameters(String(answer.location.split(separator: "?", maxSplits: 1).last ?? ""))
        forge.nonce(query["nonce"] ?? "")
        return query
    }

    /// Comes back with a code; answers what the market says.
    private static func arrive(
        _ browser: TestBrowser, state: String?, more: String = ""
    ) async throws -> TestHTTP.Answer {
        try await browser.get("/auth/oidc/forge/callback?code=c&state=\(state ?? "")\(more)", from: "cross-site")
    }

    @Test("A token that is signed otherwise, by another key, or says what was not asked for signs nobody in")
    func tokens() async throws {
        try await Self.run { market, forge, clock in
            let time = Int(clock.now.timeIntervalSince1970)
            let lies: [(String, @Sendable (inout ForgingProvider.Token) -> Void)] = [
                (
                    "no signature",
                    {
                        $0.header["alg"] = "none"; $0.key = nil
                    }
                ),
                ("none in capitals", { $0.header["alg"] = "NONE" }),
                ("a shared secret", { $0.header["alg"] = "HS256" }),
                ("another algorithm", { $0.header["alg"] = "ES384" }),
                ("the key as another kind", { $0.header["alg"] = "RS256" }),
                ("somebody's key", { $0.key = P256.Signing.PrivateKey() }),
                ("an unknown key", { $0.header["kid"] = "k9" }),
                ("an extension", { $0.header["crit"] = "exp" }),
                ("no signature at all", { $0.key = nil }),
                ("another issuer", { $0.claims["iss"] = "https://evil.example" }),
                ("another client", { $0.claims["aud"] = "other" }),
                ("more clients, no party", { $0.claims["aud"] = ["market", "other"] }),
                ("another party", { $0.claims["azp"] = "other" }),
                ("over", { $0.claims["exp"] = .integer(time - 120) }),
                ("from the future", { $0.claims["iat"] = .integer(time + 600) }),
                ("old", { $0.claims["iat"] = .integer(time - 3600) }),
                ("another nonce", { $0.claims["nonce"] = "x" }),
                ("no nonce", { $0.claims["nonce"] = nil }),
                ("no subject", { $0.claims["sub"] = "" }),
                ("a subject beyond measure", { $0.claims["sub"] = .string(String(repeating: "s", count: 300)) }),
            ]
            for (lie, change) in lies {
                let browser = TestBrowser(market)
                let state = try await Self.depart(browser, forge)["state"]
                forge.change(change)
                let answer = try await Self.arrive(browser, state: state)
                #expect(answer.status == 400 && !browser.isSignedIn, "\(lie): \(answer.status) \(answer.location)")
                forge.change { _ in }
            }
            for truth: @Sendable (inout ForgingProvider.Token) -> Void in [
                { _ in }, { $0.header["kid"] = nil },
                {
                    $0.claims["aud"] = ["market", "other"]; $0.claims["azp"] = "market"
                },
            ] {
                let browser = TestBrowser(market)
                let state = try await Self.depart(browser, forge)["state"]
                forge.change(truth)
                #expect(try await Self.arrive(browser, state: state).location == "/auth/sign-up")
            }
        }
    }

    @Test("A way back is good once, in the browser that began it, in time, and at its own provider")
    func flows() async throws {
        let clock = StandingClock()
        let forge = ForgingProvider(now: { clock.now })
        let other = ForgingProvider(issuer: "https://other.example", now: { clock.now })
        let directory = ProviderDirectory([forge.provider(), other.provider("other")], now: { clock.now }) {
            $0.id == "other" ? other.transport : forge.transport
        }
        try await withMarket(signIn: directory, now: { clock.now }) { market in
            let victim = TestBrowser(market)
            let query = try await Self.depart(victim, forge)
            #expect(query["code_challenge_method"] == "S256" && query["response_type"] == "code")
            let stranger = TestBrowser(market)
            #expect(try await Self.arrive(stranger, state: query["state"]).status == 400, "no cookie")
            _ = try await Self.depart(stranger, forge)
            #expect(try await Self.arrive(stranger, state: query["state"]).status == 400, "another's cookie")
            #expect(try await Self.arrive(victim, state: nil).status == 400)
            let mixedUp = try await victim.get("/auth/oidc/other/callback?code=c&state=\(query["state"] ?? "")")
            #expect(mixedUp.status == 400, "an answer of the other provider")
            // All of that has not used it up.
            forge.nonce(query["nonce"] ?? "")
            #expect(try await Self.arrive(victim, state: query["state"]).location == "/auth/sign-up")
            let verifier = forge.lastTokenRequest["code_verifier"] ?? ""
            #expect(ProviderSignIn.challenge(verifier) == query["code_challenge"] && verifier.utf8.count >= 43)
            #expect(forge.lastTokenRequest["redirect_uri"] == query["redirect_uri"])
            #expect(try await Self.arrive(victim, state: query["state"]).status == 400, "a replay")

            let slow = TestBrowser(market)
            let late = try await Self.depart(slow, forge)["state"]
            clock.advance(by: SignInStore.flowSeconds + 1)
            #expect(try await Self.arrive(slow, state: late).status == 400)
            let rows = try await market.features.database.scalar("SELECT count(*) FROM sign_in_flows", as: Int.self)
            #expect(rows > 0)
            try await SignInStore.sweep(at: clock.now.addingTimeInterval(7200), in: market.features.database)
            #expect(try await market.features.database.scalar("SELECT count(*) FROM sign_in_flows", as: Int.self) == 0)
        }
    }

    @Test("A provider that names itself in its answers must, and no other name is taken (RFC 9207)")
    func issuerInAnswers() async throws {
        try await Self.run { market, forge, _ in
            forge.document(["authorization_response_iss_parameter_supported": true])
            for (more, isGood) in [
                ("", false), ("&iss=https%3A%2F%2Fevil.example", false), ("&iss=https%3A%2F%2Fprovider.example", true),
            ] {
                let browser = TestBrowser(market)
                let state = try await Self.depart(browser, forge)["state"]
                let answer = try await Self.arrive(browser, state: state, more: more)
                #expect((answer.location == "/auth/sign-up") == isGood, "\(more)")
            }
        }
    }

    @Test("A discovery document that is another's, or leads to unsafe places, is not used")
    func documents() async throws {
        for lie: [String: JSONValue] in [
            ["issuer": "https://provider.example/"], ["token_endpoint": "http://provider.example/token"],
            ["authorization_endpoint": "javascript:alert(1)"], ["jwks_uri": 1],
        ] {
            try await Self.run { market, forge, _ in
                forge.document(lie)
                let answer = try await TestBrowser(market).get("/auth/oidc/forge")
                #expect(answer.status == 503 && answer.problemCode == .unavailable, "\(lie)")
            }
        }
    }

    @Test("New keys are fetched when a token needs one, once a minute at most; old ones serve while it is down")
    func rotation() async throws {
        try await Self.run { market, forge, clock in
            func attempt() async throws -> Int {
                let browser = TestBrowser(market)
                let state = try await Self.depart(browser, forge)["state"]
                return try await Self.arrive(browser, state: state).status
            }
            let first = try await attempt()
            #expect(first == 303 && forge.keyFetches == 1)
            #expect(try await attempt() == 303 && forge.keyFetches == 1)
            forge.rotate(to: "k2")
            #expect(try await attempt() == 303 && forge.keyFetches == 2)
            forge.rotate(to: "k3")
            #expect(try await attempt() == 400 && forge.keyFetches == 2, "too soon")
            clock.advance(by: ProviderConnection.refetchSeconds + 1)
            #expect(try await attempt() == 303 && forge.keyFetches == 3)
            forge.change { $0.header["kid"] = nil }
            forge.rotate(to: "k4")
            clock.advance(by: ProviderConnection.refetchSeconds + 1)
            #expect(try await attempt() == 303 && forge.keyFetches == 4, "a token that names no key")
            clock.advance(by: ProviderConnection.freshSeconds + 1)
            forge.isDown(true)
            let browser = TestBrowser(market)
            #expect(try await browser.get("/auth/oidc/forge").status == 303, "what it said an hour ago still serves")
            clock.advance(by: ProviderConnection.staleSeconds)
            #expect(try await TestBrowser(market).get("/auth/oidc/forge").status == 503)
        }
    }

    @Test("A form from the provider's own page signs in, though it brings no cookie, as Apple's does")
    func forms() async throws {
        try await Self.run(sendsForms: true) { market, forge, _ in
            let browser = TestBrowser(market)
            let query = try await Self.depart(browser, forge)
            #expect(query["response_mode"] == "form_post")
            let answer = try await browser.post(
                "/auth/oidc/forge/callback",
                [("state", query["state"] ?? ""), ("code", "c"), ("user", #"{"name":{"firstName":"A"}}"#)],
                from: "cross-site")
            #expect(answer.status == 303 && answer.location.hasPrefix("/auth/oidc/forge/callback?state="))
            #expect(answer.headers["set-cookie"].isEmpty)
            #expect(try await browser.get(answer.location, from: "cross-site").location == "/auth/sign-up")
            let nowhere = try await browser.post("/auth/oidc/nobody/callback", [("state", "x")], from: "cross-site")
            #expect(nowhere.status == 404)
        }
    }

    @Test("An e-mail address opens no account: not an unverified one, and not a verified one either")
    func addresses() async throws {
        try await Self.run { market, forge, _ in
            try await market.features.database.execute(
                """
                INSERT INTO users (id, handle, display_name, email, email_verified_at)
                VALUES (\(UserID.make()), 'ada', 'Ada', 'ada@example.org', now())
                """)
            for isVerified in [false, true] {
                let browser = TestBrowser(market)
                let state = try await Self.depart(browser, forge)["state"]
                forge.change {
                    $0.claims["sub"] = .string("verified \(isVerified)")
                    $0.claims["email"] = "ada@example.org"
                    $0.claims["email_verified"] = .bool(isVerified)
                }
                #expect(try await Self.arrive(browser, state: state).location == "/auth/sign-up")
                #expect(!browser.isSignedIn)
                let form = try await browser.get("/auth/sign-up")
                #expect(form.status == 200 && form.text.contains("ada@example.org"))
                // It is another account, for which the address is a claim, and nobody is told that it is taken.
                let made = try await browser.post(
                    "/auth/sign-up", [("handle", "eve-\(isVerified)"), ("email", "ada@example.org")])
                #expect(made.status == 303 && browser.isSignedIn, "\(made.text)")
                let account = try await browser.get("\(Paths.base)/me").json(Account.self)
                #expect(account.handle == "eve-\(isVerified)" && account.emailVerified == false)
                let emails = try await market.features.database.scalar(
                    "SELECT count(*) FROM mail_outbox WHERE template = 'verify'", as: Int.self)
                #expect(emails == (isVerified ? 2 : 1), "the holder gets a letter instead")
            }
        }
    }

    @Test("Linking needs a session, our own page, the same person, and their word; the last way in stays")
    func linking() async throws {
        try await Self.run { market, forge, _ in
            let accounts = AccountService(accounts: market.features.accounts)
            let ada = try await accounts.ensureSystemUser(handle: "ada")
            let eve = try await accounts.ensureSystemUser(handle: "eve")
            let browser = TestBrowser(market)
            let anonymous = try await browser.get("/account/identities/link/forge")
            #expect(anonymous.status == 401)
            try await browser.signIn(ada.id, of: market)
            let lured = try await browser.get("/account/identities/link/forge", from: "cross-site")
            #expect(lured.status == 403 && lured.problemCode == .crossSite)

            let state = try await Self.depart(browser, forge, "/account/identities/link/forge")["state"]
            let asked = try await Self.arrive(browser, state: state)
            #expect(asked.location == "/account/identities/confirm")
            #expect(
                try await ProviderSignIn(accounts: market.features.accounts).identities(of: ada.id).isEmpty, "not yet")
            #expect(try await browser.get(asked.location).text.contains("Link Forge?"))
            let foreign = try await browser.post(asked.location, from: "cross-site")
            #expect(foreign.status == 401, "no cookie goes with another site's form")
            let linked = try await browser.post(asked.location)
            #expect(linked.location == "/account/identities", "\(linked.text)")
            let again = try await browser.post(asked.location)
            #expect(again.status == 400, "the ticket is used up")

            let other = TestBrowser(market)
            let signIn = try await Self.depart(other, forge, "/auth/oidc/forge?next=/account")["state"]
            let signedIn = try await Self.arrive(other, state: signIn)
            #expect(signedIn.location == "/account" && other.isSignedIn)

            // Somebody else's identity cannot be linked a second time.
            let thief = TestBrowser(market)
            try await thief.signIn(eve.id, of: market)
            let stolen = try await Self.depart(thief, forge, "/account/identities/link/forge")["state"]
            _ = try await Self.arrive(thief, state: stolen)
            #expect(try await thief.post("/account/identities/confirm").status == 409)

            // Who began to link is not who is signed in when it ends.
            let shared = TestBrowser(market)
            try await shared.signIn(ada.id, of: market)
            let begun = try await Self.depart(shared, forge, "/account/identities/link/forge")["state"]
            try await shared.signIn(eve.id, of: market)
            #expect(try await Self.arrive(shared, state: begun).status == 403)

            let list = try await other.get("/api/v1/me/identities").json(LinkedIdentityList.self).identities
            let id = try #require(list.first?.id)
            #expect(list.map(\.provider) == ["Forge"])
            let last = try await other.post("/account/identities/\(id)/unlink")
            #expect(last.status == 409 && last.problemCode == .lastWayIn)
            try await market.features.database.execute("UPDATE users SET password_hash = 'x' WHERE id = \(ada.id)")
            #expect(try await other.post("/account/identities/\(id)/unlink").status == 303)
            #expect(try await other.get("/api/v1/me/identities").json(LinkedIdentityList.self).identities.isEmpty)
        }
    }

    @Test("'next' leads nowhere but to this site")
    func next() async throws {
        try await Self.run { market, forge, _ in
            let user = try await AccountService(accounts: market.features.accounts).ensureSystemUser(handle: "ada")
            try await market.features.database.execute(
                """
                INSERT INTO identities (id, user_id, issuer, subject, linked_at)
                VALUES (\(IdentityID.make()), \(user.id), \(forge.issuer), 'sub-1', now())
                """)
            for (next, leads) in [("https://evil.example", "/"), ("//evil.example", "/"), ("/upload", "/upload")] {
                let browser = TestBrowser(market)
                let path = "/auth/oidc/forge?next=\(FormText.encoded(next))"
                let state = try await Self.depart(browser, forge, path)["state"]
                #expect(try await Self.arrive(browser, state: state).location == leads)
            }
            try await market.features.database.execute("UPDATE users SET disabled_at = now() WHERE id = \(user.id)")
            let browser = TestBrowser(market)
            let state = try await Self.depart(browser, forge)["state"]
            #expect(try await Self.arrive(browser, state: state).status == 403)
        }
    }

    @Test("Apple's client secret is a token signed with the key that the operator gave")
    func appleSecret() async throws {
        let key = P256.Signing.PrivateKey()
        let apple = try AppleClientKey(
            teamID: "TEAM", keyID: "KEY", clientID: "org.example.market", privateKey: key.pemRepresentation)
        let secret = try await apple.clientSecret(at: Date(timeIntervalSince1970: 1_800_000_000))
        let parts = secret.split(separator: ".")
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: try #require(Data(base64URL: parts[2])))
        #expect(key.publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
        let header = try JSONDecoder().decode([String: String].self, from: try #require(Data(base64URL: parts[0])))
        #expect(header["alg"] == "ES256" && header["kid"] == "KEY")
        struct Claims: Decodable, Equatable { var iss, aud, sub: String; var iat, exp: Int }
        let claims = try JSONDecoder().decode(Claims.self, from: try #require(Data(base64URL: parts[1])))
        #expect(
            claims
                == Claims(
                    iss: "TEAM", aud: "https://appleid.apple.com", sub: "org.example.market", iat: 1_800_000_000,
                    exp: 1_800_000_300))
    }

    @Test("The file of providers is read whole, and what is wrong in it is said without its secrets")
    func file() throws {
        let folder = try ScratchFolder("providers")
        let file = folder.url.appendingPathComponent("providers.json")
        try Data(P256.Signing.PrivateKey().pemRepresentation.utf8).write(
            to: folder.url.appendingPathComponent("apple.p8"))
        try Data("from a file\n".utf8).write(to: folder.url.appendingPathComponent("secret"))
        func read(_ entries: String) throws -> [IdentityProvider] {
            try Data(#"{"providers": [\#(entries)]}"#.utf8).write(to: file)
            return try ProviderFile.read(file)
        }
        let good = try read(
            """
            {"id": "corp", "name": "Corp", "issuer": "https://id.example.org", "clientID": "m",
             "clientSecretFile": "secret"},
            {"id": "apple", "name": "Apple", "clientID": "org.example.market",
             "apple": {"teamID": "T", "keyID": "K", "privateKeyFile": "apple.p8"}}
            """)
        #expect(good.map(\.id) == ["corp", "apple"] && good[1].issuer == "https://appleid.apple.com")
        #expect(good[1].responseMode == .formPost && good[1].scopes == ["openid", "email"])
        guard case .shared("from a file") = good[0].secret else {
            Issue.record("no secret")
            return
        }
        #expect(!"\(good)".contains("from a file"))
        let usual = #""id": "a", "name": "x", "issuer": "https://x.example""#
        for (entry, word) in [
            (#"{"id": "A b", "name": "x", "issuer": "https://x.example", "clientID": "m"}"#, "id of lower-case"),
            (#"{"id": "a", "name": "x", "issuer": "http://x.example", "clientID": "m"}"#, "issuer such as"),
            (#"{\#(usual), "clientID": "m", "scopes": ["email"]}"#, "openid"),
            (#"{\#(usual), "clientID": "m", "clientSecretFile": "no"}"#, "read"),
            (
                #"{"id": "a", "name": "x", "clientID": "m", "#
                    + #""apple": {"teamID": "T", "keyID": "K", "privateKeyFile": "secret"}}"#, "P-256"
            ),
            (#"{\#(usual)}"#, "clientID"),
        ] {
            let error = #expect(throws: ConfigurationError.self) { try read(entry) }
            #expect(error?.description.contains(word) == true, "\(error?.description ?? "") / \(word)")
        }
    }
}
