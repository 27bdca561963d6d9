// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import MarketWire
import NIOCore
import NIOHTTP1
import Outgoing
import SheetCore
import TestSupport
import Testing

@testable import MarketAccounts
@testable import MarketContract
@testable import MarketHTTP

/// The whole way with a provider that is not ours: oidc-provider-mock from PyPI, on Authlib.
@Suite("Signing in with an independent provider")
struct ProviderSignInTests {
    /// The provider did not start; what it printed.
    private struct NotReady: Error, CustomStringConvertible {
        let description: String
    }

    /// The provider as a process of its own.
    private final class Independent: Sendable {
        let base: String
        private let child: ChildProgram

        init() async throws {
            let script = BuildProducts.root.appendingPathComponent("Tests/SignIn/provider.py")
            let child = try ChildProgram(
                BuildProducts.root.appendingPathComponent(".venv/bin/python"), [script.path])
            guard let line = await child.line(within: 600, where: { $0.hasPrefix("ready ") }) else {
                child.signal(SIGKILL)
                throw NotReady(description: child.errors)
            }
            self.child = child
            base = "http://127.0.0.1:\(line.dropFirst("ready ".count))"
        }

        func stop() async {
            child.signal(SIGKILL)
            await child.waitForExit()
        }

        /// What its person does on its page: signs in as `subject`, or says no. Answers where it sends the browser.
        func page(_ address: String, as subject: String?) async throws -> String {
            var http = TestHTTP(base: base)
            http.isChecked = false
            let answer = try await http.send(
                .POST, address, headers: [("Content-Type", "application/x-www-form-urlencoded")],
                body: .init(string: subject.map { "sub=\($0)" } ?? "action=deny"))
            #expect(answer.status == 302, "\(answer.status) \(answer.text.prefix(500))")
            return answer.location
        }

        func rotate() async throws {
            var http = TestHTTP(base: base)
            http.isChecked = false
            #expect(try await http.send(.POST, "/rotate").status == 204)
        }
    }

    private static func run(
        secret: String = "s3cret: with a colon & more",
        _ body: @escaping @Sendable (TestMarket, Independent) async throws -> Void
    ) async throws {
        let provider = try await Independent()
        SuiteLog.note(.provider, secret)
        let known = IdentityProvider(
            id: "mock", name: "Mock", issuer: provider.base, clientID: "the market", clientSecret: secret,
            isPrivate: true)
        let client = OutgoingClient(policy: .anywhere, logger: TestLog.logger)
        let directory = ProviderDirectory([known], now: { Date() }) { _ in { try await client.send($0) } }
        do {
            try await withMarket(signIn: directory) { try await body($0, provider) }
        } catch {
            await provider.stop()
            throw error
        }
        await provider.stop()
    }

    @Test("A newcomer chooses a name; the next time they are let in, also after the provider changed its key")
    func wholeWay() async throws {
        try await Self.run { market, provider in
            let list = try await market.http.get("\(Paths.base)/auth/providers").json(SignInProviderList.self)
            #expect(list.providers == [.init(id: "mock", name: "Mock", signInURL: "/auth/oidc/mock")])

            let browser = TestBrowser(market)
            let departure = try await browser.get("/auth/oidc/mock?next=/account")
            #expect(departure.status == 303 && departure.headers.first(name: "cache-control") == "no-store")
            let callback = try await provider.page(departure.location, as: "ada-1815")
            let arrival = try await browser.get(callback, from: "cross-site")
            #expect(arrival.location == "/auth/sign-up", "\(arrival.status) \(arrival.text.prefix(500))")
            let form = try await browser.get("/auth/sign-up")
            #expect(form.text.contains("value=\"ada@example.org\"") && form.text.contains("Mock knows who you are"))
            let wrong = try await browser.post("/auth/sign-up", [("handle", "A B"), ("email", "ada@example.org")])
            #expect(wrong.status == 422 && !browser.isSignedIn)
            let made = try await browser.post("/auth/sign-up", [("handle", "ada"), ("email", "ada@example.org")])
            #expect(
                made.location == "/account/welcome?next=/account" && browser.isSignedIn, "\(made.text.prefix(500))")
            #expect(try await browser.get(made.location).text.contains("Welcome, ada"))
            #expect(try await browser.get("/account").text.contains("ada@example.org"))
            let twice = try await browser.post("/auth/sign-up", [("handle", "eve"), ("email", "eve@example.org")])
            #expect(twice.status == 400)
            #expect(try await browser.get(callback, from: "cross-site").status == 400, "a replayed callback")

            try await provider.rotate()
            let phone = TestBrowser(market)
            let again = try await phone.get("\(Paths.base)/auth/oidc/mock?next=/upload")
            let back = try await phone.get(try await provider.page(again.location, as: "ada-1815"), from: "cross-site")
            #expect(back.location == "/upload" && phone.isSignedIn, "\(back.status) \(back.text.prefix(500))")
            #expect(try await phone.get("\(Paths.base)/me").json(Account.self).handle == "ada")
        }
    }

    @Test("Who says no at the provider, or comes with a code that is used up, is signed in nowhere")
    func refusals() async throws {
        try await Self.run { market, provider in
            let browser = TestBrowser(market)
            let departure = try await browser.get("/auth/oidc/mock")
            let denied = try await browser.get(
                try await provider.page(departure.location, as: nil), from: "cross-site")
            #expect(denied.status == 400 && !browser.isSignedIn)

            // One code, shown in two flows: the provider demands the verifier of the flow that it is of (PKCE).
            let thief = TestBrowser(market)
            let stolen = try await provider.page(try await browser.get("/auth/oidc/mock").location, as: "bob-1900")
            let own = try await thief.get("/auth/oidc/mock").location
            let code = QueryParameters(String(stolen.split(separator: "?").last ?? ""))["code"] ?? ""
            let state = QueryParameters(String(own.split(separator: "?").last ?? ""))["state"] ?? ""
            let injected = try await thief.get(
                "/auth/oidc/mock/callback?code=\(code)&state=\(state)", from: "cross-site")
            #expect(injected.status == 400 && !thief.isSignedIn)
            #expect(try await market.http.get("/auth/oidc/nobody").status == 404)
        }
    }

    @Test("A client that the provider does not know gets nobody signed in")
    func wrongSecret() async throws {
        try await Self.run(secret: "wrong") { market, provider in
            let browser = TestBrowser(market)
            let departure = try await browser.get("/auth/oidc/mock")
            let callback = try await provider.page(departure.location, as: "ada-1815")
            let answer = try await browser.get(callback, from: "cross-site")
            #expect(answer.status == 400 && !browser.isSignedIn)
        }
    }
}

@Suite("What a provider tells of a person")
struct ProviderProfileTests {
    @Test("Whether an address is proved may come as a text, as Apple writes it; other words prove nothing")
    func textualTruth() async throws {
        let forge = ForgingProvider()
        let directory = ProviderDirectory([forge.provider()], now: { Date() }) { _ in forge.transport }
        try await withMarket(signIn: directory) { market in
            let sayings: [(JSONValue, Bool)] = [
                (.string("true"), true), (.string("false"), false), (.string("TRUE"), false), (.bool(true), true),
            ]
            for (number, (said, isProved)) in sayings.enumerated() {
                let browser = TestBrowser(market)
                let departure = try await browser.get("/auth/oidc/forge").location
                let query = QueryParameters(String(departure.split(separator: "?", maxSplits: 1).last ?? ""))
                forge.nonce(query["nonce"] ?? "")
                forge.change {
                    $0.claims["sub"] = .string("apple \(number)")
                    $0.claims["email"] = .string("ada-\(number)@example.org")
                    $0.claims["email_verified"] = said
                }
                let arrival = try await browser.get(
                    "/auth/oidc/forge/callback?code=c&state=\(query["state"] ?? "")", from: "cross-site")
                #expect(arrival.location == "/auth/sign-up", "\(arrival.text.prefix(500))")
                let made = try await browser.post(
                    "/auth/sign-up", [("handle", "ada-\(number)"), ("email", "ada-\(number)@example.org")])
                #expect(made.status == 303 && browser.isSignedIn, "\(made.text.prefix(500))")
                let account = try await browser.get("\(Paths.base)/me").json(Account.self)
                #expect(account.emailVerified == isProved, "\(said)")
            }
        }
    }
}
