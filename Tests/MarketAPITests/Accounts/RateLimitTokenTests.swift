// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPages
import MarketWire
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAccounts
@testable import MarketHTTP

@Suite("Limits of calls with tokens")
struct RateLimitTokenTests {
    private typealias Call = @Sendable () async throws -> TestHTTP.Answer

    /// An account with two tokens and a session: its own page as each of them sees it.
    private static func withAccount(
        _ settings: MiddlewareSettings,
        _ body: @escaping @Sendable (_ calls: [Call], _ market: TestMarket) async throws -> Void
    ) async throws {
        try await withMarket(middleware: settings) { market in
            let accounts = AccountService(accounts: market.features.accounts)
            let user = try await accounts.ensureSystemUser(handle: "nadia", role: .user)
            let session = try await accounts.makeSession(
                for: user.id, from: SignInDevice(userAgent: nil, address: nil))
            let cookie = ("Cookie", "sheetmarket_session=\(session.text)")
            let path = "\(Paths.base)/me"
            var calls: [Call] = []
            for name in ["one", "two"] {
                let token = try await accounts.makeToken(name: name, scopes: [.read], for: user.id)
                let caller = market.http.signedIn(token.token)
                calls.append { try await caller.get(path) }
            }
            calls.append { try await market.http.get(path, headers: [cookie]) }
            try await body(calls, market)
        }
    }

    @Test("A token that has spent its part takes nothing more of its account's; another token and the session go on")
    func byToken() async throws {
        try await Self.withAccount(RateLimitTests.settings(account: 1000, token: 4, seconds: 86_400)) { calls, market in
            for left in [3, 2, 1, 0] {
                let answer = try await calls[0]()
                #expect(answer.status == 200)
                #expect(
                    answer.headers.first(name: "RateLimit-Policy")
                        == "\"caller\";q=1000;w=86400, \"token\";q=4;w=86400")
                let fields = answer.headers.first(name: "RateLimit") ?? ""
                #expect(fields.hasPrefix("\"caller\";r=\(996 + left);t="), "\(fields)")
                #expect(fields.contains(", \"token\";r=\(left);t="), "\(fields)")
            }
            let refused = try await calls[0]()
            #expect(refused.status == 429 && refused.problemCode == .tooManyRequests)
            #expect(refused.text.contains("Too many requests with this token."))
            let seconds = try #require(refused.headers.first(name: "Retry-After").flatMap { Int($0) })
            #expect((20_000...21_600).contains(seconds))
            let fields = refused.headers.first(name: "RateLimit") ?? ""
            #expect(fields.hasPrefix("\"caller\";r=996;") && fields.contains(", \"token\";r=0;"), "\(fields)")
            let other = try await calls[1]()
            #expect(other.status == 200)
            #expect(other.headers.first(name: "RateLimit")?.contains(", \"token\";r=3;") == true)
            let session = try await calls[2]()
            #expect(session.status == 200)
            #expect(session.headers.first(name: "RateLimit-Policy") == "\"caller\";q=1000;w=86400")
            #expect(session.headers.first(name: "RateLimit")?.hasPrefix("\"caller\";r=994;") == true)
            let metrics = try await market.http.get("/metrics").text
            #expect(metrics.contains("sheetmarket_rate_limit_rejections_total{bucket=\"token\"} 1"))
        }
    }

    @Test("More tokens are no more calls: the account's bucket bounds all of them and the session together")
    func tokensTogether() async throws {
        try await Self.withAccount(RateLimitTests.settings(account: 6, token: 4, seconds: 86_400)) { calls, _ in
            for place in [0, 0, 0, 0, 1, 1] {
                let answer = try await calls[place]()
                #expect(answer.status == 200)
            }
            let token = try await calls[1]()
            #expect(token.status == 429 && token.text.contains("Too many requests from your account."))
            let fields = token.headers.first(name: "RateLimit") ?? ""
            #expect(fields.hasPrefix("\"caller\";r=0;") && fields.contains(", \"token\";r=2;"), "\(fields)")
            let session = try await calls[2]()
            #expect(session.status == 429)
        }
    }

    @Test("Changes with tokens are counted by token and account on all nodes; what one refuses the other keeps")
    func sharedTokens() async throws {
        let settings = RateLimitTests.settings(account: 100, token: 50, seconds: 86_400)
        try await RateLimitTests.withLimiters(2, settings) { limiters, _ in
            let user = UserID.make()
            let tokens: [[RateLimitSubject]] = (0..<3).map { _ in [.account(user), .token(.make(), of: user)] }
            #expect(await RateLimitTests.calls(2, .write, tokens[0], limiters[0]) == 2)
            #expect(await RateLimitTests.calls(9, .write, tokens[0], limiters[1]) == 3)
            // This node has not heard of that; the account gets back what it gave.
            #expect(await RateLimitTests.calls(1, .write, tokens[0], limiters[0]) == 0)
            #expect(await RateLimitTests.calls(3, .write, tokens[1], limiters[0]) == 3)
            #expect(await RateLimitTests.calls(9, .write, tokens[2], limiters[1]) == 2)
            let refusal = await #expect(throws: RateLimitError.self) {
                _ = try await limiters[0].consume(.write, from: tokens[1])
            }
            #expect(refusal?.kind == .account)
            #expect(refusal?.standings.map(\.remaining) == [0, 20])
            #expect(await RateLimitTests.calls(1, .write, .account(user), limiters[0]) == 0)
        }
    }

    @Test("Reads with a token are reported for the token, too; without a limit of accounts there is none of tokens")
    func sharedTokenReads() async throws {
        try await RateLimitTests.withLimiters(2, RateLimitTests.settings(account: 128_000, token: 128)) { limiters, _ in
            let user = UserID.make()
            let subjects = [RateLimitSubject.account(user), .token(.make(), of: user)]
            #expect(await RateLimitTests.calls(96, .read, subjects, limiters[0]) == 96)
            try await limiters[0].report()
            #expect(await RateLimitTests.calls(2, .read, subjects, limiters[1]) == 2)
            try await limiters[1].report()
            let passed = await RateLimitTests.calls(128, .read, subjects, limiters[1])
            #expect((30...31).contains(passed), "\(passed)")
        }
        try await RateLimitTests.withLimiters(1, RateLimitTests.settings(account: 0)) { limiters, _ in
            let user = UserID.make()
            let standings = try await limiters[0].consume(.write, from: [.account(user), .token(.make(), of: user)])
            #expect(standings.isEmpty)
        }
    }
}
