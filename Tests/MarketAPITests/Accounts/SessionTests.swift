// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import HummingbirdTesting
import MarketHTTP
import MarketPlatform
import MarketWire
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAccounts

@Suite("Sessions")
struct SessionTests {
    private static let firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

    private static func browser(
        _ scene: AccountsScene, agent: String = SessionTests.firefox, from address: String
    ) async throws -> AccountsScene.Caller {
        let answer = try await scene.send(
            .post, "/auth/login", json: LoginRequest(login: "ada", password: AccountsScene.password),
            headers: [.userAgent: agent, .xForwardedFor: address])
        let field = try #require(answer.headers[.setCookie])
        return .cookie(String(field.prefix { $0 != ";" }))
    }

    @Test("sessions are listed with device and network, never the whole address, and ended one by one or all others")
    func list() async throws {
        try await AccountsScene.run { scene in
            _ = try await scene.person("ada")
            _ = try await scene.person("bea")
            let first = try await Self.browser(scene, from: "192.0.2.77")
            scene.clock.advance(by: 10)
            let second = try await Self.browser(scene, agent: "curl/8.0", from: "2001:db8:1:2::3")
            func sessions(_ caller: AccountsScene.Caller) async throws -> [SessionInfo] {
                try await scene.send(.get, "/me/sessions", as: caller).json(SessionList.self).sessions
            }
            let seen = try await sessions(first)
            #expect(seen.map(\.device) == ["Firefox on Linux", "curl"])
            #expect(seen.map(\.network) == ["192.0.2.0/24", "2001:db8:1::/48"])
            #expect(seen.map(\.isCurrent) == [true, false])
            let whole = try await scene.features.database.scalar(
                "SELECT count(*) FROM sessions WHERE sessions::text ~ '192.0.2.77|2001:db8:1:2'", as: Int.self)
            #expect(whole == 0)

            let bea = try await scene.browser("bea")
            let foreign = try await scene.send(
                .delete, "/me/sessions/\(seen[1].id)", as: bea, headers: .sameOrigin)
            #expect(foreign.status == .notFound)
            let ended = try await scene.send(.delete, "/me/sessions/\(seen[1].id)", as: first, headers: .sameOrigin)
            #expect(ended.status == .noContent)
            #expect(try await scene.send(.get, "/me", as: second).status == .unauthorized)
            let third = try await Self.browser(scene, from: "192.0.2.78")
            let fourth = try await Self.browser(scene, from: "192.0.2.79")
            let others = try await scene.send(.delete, "/me/sessions", as: fourth, headers: .sameOrigin)
            #expect(others.status == .noContent)
            for gone in [first, third] { #expect(try await scene.send(.get, "/me", as: gone).status == .unauthorized) }
            #expect(try await sessions(fourth).count == 1)
            #expect(try await sessions(bea).count == 1)
        }
    }

    @Test("when a session was last seen is noted, apart from the request and every few minutes")
    func lastSeen() async throws {
        try await AccountsScene.run { scene in
            _ = try await scene.person("ada")
            let browser = try await Self.browser(scene, from: "192.0.2.1")
            func seen() async throws -> Date? {
                try await scene.send(.get, "/me/sessions", as: browser).json(SessionList.self).sessions.first?
                    .lastSeenAt
            }
            let begin = scene.clock.now
            #expect(try await seen() == begin)
            scene.clock.advance(by: SessionStore.visitSeconds + 1)
            let now = scene.clock.now
            let isNoted = try await eventually { try await seen() == now }
            #expect(isNoted)
        }
    }

    @Test("a sign-in from a new browser or network is told of, the first and known ones are not")
    func newDevices() async throws {
        try await AccountsScene.run { scene in
            try await scene.proven("ada")
            _ = try await Self.browser(scene, from: "192.0.2.1")
            #expect(try await scene.emails().isEmpty)
            // The same network, and the same browser again.
            _ = try await Self.browser(scene, from: "192.0.2.200")
            #expect(try await scene.emails().isEmpty)
            _ = try await Self.browser(scene, from: "198.51.100.7")
            let message = try #require(try await scene.emails().first)
            #expect(message.body.contains("Firefox on Linux") && message.body.contains("198.51.100.0/24"))
            #expect(!message.body.contains("198.51.100.7") && message.recipient == "ada@example.org")
            _ = try await Self.browser(scene, agent: "curl/8.0", from: "192.0.2.1")
            #expect(try await scene.emails().count == 1)
            _ = try await Self.browser(scene, agent: "curl/8.0", from: "192.0.2.1")
            #expect(try await scene.emails().isEmpty)
            scene.clock.advance(by: SessionStore.deviceSeconds + 1)
            try await scene.accounts.deleteExpired()
            #expect(try await scene.features.database.scalar("SELECT count(*) FROM known_devices", as: Int.self) == 0)
        }
    }

    @Test("a token that is made is told of; one for staff or the whole account takes a session just confirmed")
    func tokens() async throws {
        try await AccountsScene.run { scene in
            try await scene.proven("ada")
            let browser = try await Self.browser(scene, from: "192.0.2.1")
            func make(_ scopes: [TokenScope]) async throws -> TestResponse {
                try await scene.send(
                    .post, "/auth/tokens", json: TokenRequest(name: "my laptop", scopes: scopes), as: browser,
                    headers: .sameOrigin)
            }
            #expect(try await make([.read, .administration]).status == .created)
            let message = try #require(try await scene.emails().first)
            #expect(message.body.contains("my laptop") && message.body.contains("- read your account\n- administer\n"))
            #expect(!message.body.contains("- moderate"))
            scene.clock.advance(by: 601)
            #expect(try await make([.read]).status == .created)
            #expect(try await make([.moderation]).problem == .confirmationRequired)
            #expect(try await make([.read, .account]).problem == .confirmationRequired)
            let confirmed = try await scene.send(
                .post, "/auth/confirm", json: ConfirmationRequest(password: AccountsScene.password), as: browser,
                headers: .sameOrigin)
            #expect(confirmed.status == .noContent)
            #expect(try await make([.read, .account]).status == .created)
        }
    }

    @Test("networks are the first part of an address, and of nothing else")
    func networks() {
        for (address, network) in [
            ("192.0.2.1", "192.0.2.0/24"), ("2001:db8:1:2:3::4", "2001:db8:1::/48"), ("::1", "::/48"),
            ("::ffff:192.0.2.9", "192.0.2.0/24"),
        ] {
            #expect(SignInDevice.network(of: address) == network)
        }
        #expect(SignInDevice.network(of: "unknown") == nil && SignInDevice.network(of: "1.2.3") == nil)
        let names = [
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140":
                "Edge on Windows",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605 Version/19.0 Mobile/15E148 Safari/604.1":
                "Safari on iPhone",
            "sheets/1.0 (x)": "sheets/1.0", "": "An unnamed device",
        ]
        for (agent, name) in names { #expect(DeviceName(userAgent: agent).text == name) }
    }

    @Test("what an account says of its holder is changed in a browser, with a language that there is")
    func editing() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let browser = try await scene.browser("ada")
            let edit = AccountEdit(displayName: "Ada L.", language: "de")
            let done = try await scene.send(.patch, "/me", json: edit, as: browser, headers: .sameOrigin)
            let account = try done.json(Account.self)
            #expect(account.displayName == "Ada L." && account.language == "de")
            let bad = AccountEdit(displayName: " ", language: "tlh")
            let refused = try await scene.send(.patch, "/me", json: bad, as: browser, headers: .sameOrigin)
            #expect(try refused.json(ProblemDocument.self).errors?.map(\.pointer) == ["/displayName", "/language"])
            #expect(try await scene.send(.patch, "/me", json: edit, as: ada.caller).status == .forbidden)
        }
    }
}
