// SPDX-License-Identifier: Apache-2.0
import AsyncHTTPClient
import Foundation
import HTTPTypes
import MarketPages
import MarketPlatform
import MarketWire
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAccounts
@testable import MarketHTTP

/// Sensitive acts take a session whose holder showed just now who they are. A route that only sessions may call is either
/// one of them or stands in the list of those that are not; no other route asks.
@Suite("Sensitive acts ask again")
struct ConfirmationTests {
    /// What asks again, in an order in which one person can do all of it.
    private static let acts: [SensitiveAct] = [
        .init("PUT /api/v1/me/password", 204, json: #"{"password": "another horse battery"}"#),
        .init("PUT /api/v1/me/email", 202, json: #"{"email": "new@example.org"}"#),
        .init("POST /api/v1/me/second-factor", 201),
        .init("POST /api/v1/me/second-factor/activate", 401, json: #"{"code": "none"}"#),
        .init("POST /api/v1/me/second-factor/recovery-codes", 409),
        .init("DELETE /api/v1/me/second-factor", 204),
        .init("DELETE /api/v1/me/identities/{id}", 204, filled: "00000000-0000-7000-8000-000000000001"),
        .init("GET /api/v1/me/export", 200),
        .init("POST /api/v1/auth/tokens", 201, json: #"{"name": "t", "scopes": ["account"]}"#),
        .init("DELETE /api/v1/me", 202, json: #"{"templates": "leave"}"#),
        .init("POST /account/tokens", 200, form: [("name", "t"), ("scope", "account")]),
        .init("GET /account/identities/link/{provider}", 303, filled: "forge"),
        .init("POST /account/identities/{id}/unlink", 303, filled: "00000000-0000-7000-8000-000000000002", form: []),
        .init("POST /account/second-factor", 303, form: []),
        .init("POST /account/second-factor/activate", 401, form: [("code", "none")]),
        .init("POST /account/second-factor/recovery-codes", 409, form: []),
        .init("POST /account/second-factor/off", 303, form: []),
        .init("POST /account/security/password", 303, form: [("password", "a third horse battery")]),
        .init("POST /account/security/email", 303, form: [("email", "newer@example.org")]),
        .init("GET /account/privacy", 200),
        .init("GET /account/privacy/export", 200),
        .init("POST /account/privacy/erase", 303, form: [("templates", "leave")]),
    ]

    /// What takes a session and asks for nothing more: looking, showing who one is, and what closes or takes back.
    private static let free = Set(
        """
        POST /api/v1/auth/confirm
        PATCH /api/v1/me
        POST /api/v1/me/email/verification
        DELETE /api/v1/me/erasure
        GET /api/v1/me/erasure
        GET /api/v1/me/second-factor
        DELETE /api/v1/me/sessions
        GET /api/v1/me/sessions
        DELETE /api/v1/me/sessions/{id}
        GET /account/confirm
        POST /account/confirm
        GET /account/identities
        GET /account/identities/confirm
        POST /account/identities/confirm
        POST /account/privacy/keep
        GET /account/second-factor
        GET /account/security
        POST /account/security/email/verification
        POST /account/security/profile
        POST /account/security/sessions/end-others
        POST /account/security/sessions/{id}/end
        """.split(separator: "\n").map(String.init))

    @Test("each is refused eleven minutes after the holder last showed who they are, changes nothing, and works after")
    func asking() async throws {
        let forge = ForgingProvider()
        let directory = ProviderDirectory([forge.provider()], now: { Date() }) { _ in forge.transport }
        try await withMarket(signIn: directory) { market in
            let ada = try await AskedPerson("ada", in: market)
            try await ada.linkTwo()
            let before = try await ada.belongings()
            for act in Self.acts {
                let refused = try await ada.call(act, isStale: true)
                #expect(refused.asksAgain && refused.status == (act.isPage ? 303 : 403), "\(act.route): \(refused)")
                let program = try await ada.call(act, isStale: true, accept: "application/json")
                #expect(program.asksAgain, "\(act.route): \(program)")
                #expect(try await ada.belongings() == before, "\(act.route)")
            }
            for act in Self.acts {
                let done = try await ada.call(act, isStale: false)
                #expect(!done.asksAgain && done.status == act.status, "\(act.route): \(done)")
            }
            #expect(try await ada.belongings() != before)
        }
    }

    @Test("of all routes those ask that are listed, and every one for sessions alone is listed as asking or as not")
    func walk() async throws {
        try await withMarket { market in
            func name(_ route: RouteDescription) -> String { "\(route.method.rawValue) \(route.path)" }
            let asking = Set(Self.acts.map(\.route))
            let served = Set(market.routes.map(name))
            let forSessions = Set(
                market.routes.filter { $0.access == .session || $0.access == .enrolling }.map(name))
            #expect(asking.count == Self.acts.count && asking.isDisjoint(with: Self.free))
            #expect(asking.union(Self.free).subtracting(served).sorted() == [], "no such route")
            #expect(forSessions.subtracting(asking).subtracting(Self.free).sorted() == [], "does it ask again?")
            var people: [UserRole: AskedPerson] = [:]
            for role in UserRole.allCases {
                people[role] = try await AskedPerson("the-\(role.rawValue)", role: role, in: market)
            }
            for route in market.routes where !asking.contains(name(route)) {
                let person = try #require(people[route.access.role])
                let answer = try await person.call(.init(name(route), 0), isStale: true)
                #expect(!answer.asksAgain, "\(name(route)) asks again, but is not listed")
            }
        }
    }
}

/// A call that asks again, and the status of its answer to whoever was asked just now.
private struct SensitiveAct: Sendable {
    let route: String
    let status: Int
    let filled: String
    let type: String?
    let body: String?

    init(
        _ route: String, _ status: Int, filled: String = "00000000-0000-7000-8000-000000000000", json: String? = nil,
        form: [(String, String)]? = nil
    ) {
        self.route = route
        self.status = status
        self.filled = filled
        type = json != nil ? "application/json" : form != nil ? "application/x-www-form-urlencoded" : nil
        body = json ?? form.map { FormText.encoded($0) }
    }

    var isPage: Bool { !path.hasPrefix(Paths.base) }
    var method: String { String(route.prefix { $0 != " " }) }
    /// Every variable part is filled with the same: what does not fit it is found nowhere.
    var path: String {
        route.drop { $0 != " " }.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("{") ? filled : String($0) }.joined(separator: "/")
    }
}

/// Somebody whose browser is asked again, or not.
private struct AskedPerson: Sendable {
    struct Answer: Sendable {
        let status: Int
        let asksAgain: Bool
    }

    private let market: TestMarket
    private let accounts: AccountService
    private let id: UserID

    init(_ handle: String, role: UserRole = .user, in market: TestMarket) async throws {
        self.market = market
        accounts = AccountService(accounts: market.features.accounts)
        id = try await accounts.ensureSystemUser(handle: handle, role: role).id
        let email = "\(handle)@example.org"
        try await market.features.database.execute(
            "UPDATE users SET email = \(email), email_verified_at = now() WHERE id = \(id)")
    }

    /// Links the two identities that the acts unlink.
    func linkTwo() async throws {
        for number in 1...2 {
            let identity = "00000000-0000-7000-8000-00000000000\(number)"
            try await market.features.database.execute(
                """
                INSERT INTO identities (id, user_id, issuer, subject, linked_at)
                VALUES (\(identity)::text::uuid, \(id), 'https://provider.example', \(identity), now())
                """)
        }
    }

    /// All that a sensitive act may change.
    func belongings() async throws -> String {
        try await market.features.database.scalar(
            """
            SELECT concat_ws(' ', (SELECT to_jsonb(users)::text FROM users WHERE id = \(id)),
                (SELECT count(*) FROM second_factors), (SELECT count(*) FROM recovery_codes),
                (SELECT count(*) FROM identities), (SELECT count(*) FROM api_tokens),
                (SELECT count(*) FROM mail_outbox), (SELECT count(*) FROM sign_in_flows))
            """, as: String.self)
    }

    /// Calls with a session of its own, for some calls end it: one that was made just now, or that was last asked eleven
    /// minutes ago.
    func call(_ act: SensitiveAct, isStale: Bool, accept: String = "text/html") async throws -> Answer {
        let secret = try await accounts.makeSession(for: id, from: SignInDevice(userAgent: nil, address: nil))
        if isStale {
            try await market.features.database.execute(
                "UPDATE sessions SET confirmed_at = now() - interval '11 minutes' WHERE user_id = \(id)")
        }
        let cookie = SessionCookie(isSecure: market.features.platform.secureCookies).name
        var headers = [("Cookie", "\(cookie)=\(secret.text)"), ("Sec-Fetch-Site", "same-origin"), ("Accept", accept)]
        if let type = act.type { headers.append(("Content-Type", type)) }
        let answer = try await market.http.execute(
            HTTPMethod(rawValue: act.method), act.path, headers: headers,
            body: act.body.map { .bytes(ByteBuffer(string: $0)) })
        let status = Int(answer.status.code)
        let leads = answer.headers.first(name: "location")?.hasPrefix("/account/confirm?") ?? false
        // A stream of events has no end to wait for.
        guard status == 403 else { return Answer(status: status, asksAgain: status == 303 && leads) }
        let body = try await answer.body.collect(upTo: 1 << 20)
        let code = try? WireJSON.decoder().decode(ProblemDocument.self, from: Data(buffer: body)).code
        return Answer(status: status, asksAgain: code == .confirmationRequired)
    }
}
