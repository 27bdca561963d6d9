// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import HummingbirdTesting
import MarketPlatform
import MarketWire
import NIOCore
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAccounts

@Suite("Nobody learns which addresses have accounts")
struct AccountsClaimTests {
    private typealias Scene = AccountsScene

    /// What a stranger sees of an answer: all of it, without what is new each time.
    private static func shape(_ answer: TestResponse, without name: String) -> String {
        let fields = answer.headers.map { "\($0.name): \($0.value)" }.sorted().joined(separator: "\n")
        return "\(answer.status)\n\(fields)\n\(String(buffer: answer.body))"
            .replacing(name, with: "NAME")
            .replacing(/sheetmarket_session=[0-9A-Za-z]+/, with: "sheetmarket_session=…")
            .replacing(/[0-9a-f]{8}-[0-9a-f-]{27}/, with: "ID")
            .replacing(/(?i)x-request-id: \S+/, with: "request id")
            .replacing(/"requestId":"\w+"/, with: "request id")
            .replacing(/(?i)etag: \S+/, with: "etag")
            .replacing(/content-length: \d+/.ignoresCase(), with: "length")
    }

    @Test("registering, and all that the new account can do with its address, looks the same; only the holder is told")
    func registering() async throws {
        try await Scene.run { scene in
            try await scene.proven("olga")
            var seen: [String: [String]] = [:]
            for (name, email) in [("stranger", "Olga@example.org"), ("newcomer", "free@example.org")] {
                func see(_ answer: TestResponse) {
                    let shape = Self.shape(answer, without: name)
                    seen[name, default: []].append(
                        shape.replacing(email, with: "EMAIL").replacing(email.lowercased(), with: "EMAIL"))
                }
                let wish = RegisterRequest(handle: name, email: email, password: "a stranger's horse")
                let made = try await scene.send(.post, "/auth/register", json: wish)
                see(made)
                let cookie = Scene.Caller.cookie(
                    String(try #require(made.headers[.setCookie]).prefix { $0 != ";" }))
                see(try await scene.send(.get, "/me", as: cookie))
                see(try await scene.send(.post, "/me/email/verification", as: cookie, headers: .sameOrigin))
                see(
                    try await scene.send(
                        .put, "/me/email", json: EmailChange(email: email), as: cookie, headers: .sameOrigin))
                for login in [name, email] {
                    see(
                        try await scene.send(
                            .post, "/auth/login", json: LoginRequest(login: login, password: "a stranger's horse")))
                    see(
                        try await scene.send(
                            .post, "/auth/forgot-password", json: PasswordResetRequest(login: login)))
                }
            }
            #expect(seen["stranger"] == seen["newcomer"])
            #expect(seen["stranger"]?.first?.hasPrefix("201") == true)
            // The same work was done for both.
            let hashes = try await scene.features.database.scalar(
                "SELECT count(*) FROM users WHERE password_hash IS NOT NULL", as: Int.self)
            #expect(hashes == 3)

            let emails = try await scene.emails()
            let toOwner = emails.filter { $0.recipient.lowercased() == "olga@example.org" }
            // Three attempts to prove it; and the forgotten password of the account that proved it.
            #expect(toOwner.filter { $0.subject.contains("has an account already") }.count == 3)
            #expect(toOwner.allSatisfy { !$0.body.contains("stranger") })
            #expect(toOwner.filter { $0.token != nil }.map { $0.body.contains("\"olga\"") } == [true])
            #expect(emails.filter { $0.recipient == "free@example.org" && $0.token != nil }.count == 5)
        }
    }

    @Test("the pages show the same, too")
    func pages() async throws {
        try await withMarket { market in
            let wish = RegisterRequest(handle: "olga", email: "olga@example.org", password: Scene.password)
            #expect(try await market.http.send(json: wish, to: "/auth/register").status == 201)
            try await market.features.database.execute("UPDATE users SET email_verified_at = now()")
            func register(_ name: String, _ email: String) async throws -> String {
                let answer = try await market.http.send(
                    .POST, "/register", headers: [("Content-Type", "application/x-www-form-urlencoded")],
                    body: ByteBuffer(string: "handle=\(name)&email=\(email)&password=correct+horse+battery&next=/"))
                let cookie = try #require(answer.headers.first(name: "set-cookie")).prefix { $0 != ";" }
                let account = try await market.http.get("/account", headers: [("Cookie", String(cookie))])
                return "\(answer.status) \(answer.headers.first(name: "location") ?? "") \(account.status) "
                    + account.text.replacing(name, with: "NAME").replacing(email, with: "EMAIL")
                    .replacing(/datetime="[^"]*"/, with: "").replacing(/name="once" value="[^"]*"/, with: "")
            }
            let taken = try await register("neighbour", "olga@example.org")
            let free = try await register("newcomer", "free@example.org")
            #expect(taken == free)
            #expect(taken.hasPrefix("303 /account/welcome 200 ") && taken.contains("not confirmed yet"))
        }
    }

    @Test("many may claim an address; who proves it has it, and the others' links and claims lead nowhere")
    func claims() async throws {
        try await Scene.run { scene in
            func claim(_ handle: String) async throws {
                let wish = RegisterRequest(
                    handle: handle, email: "ada@example.org", password: "\(Scene.password) \(handle)")
                #expect(try await scene.send(.post, "/auth/register", json: wish).status == .created)
            }
            func signIn(_ login: String, as handle: String) async throws -> HTTPResponse.Status {
                try await scene.send(
                    .post, "/auth/login", json: LoginRequest(login: login, password: "\(Scene.password) \(handle)")
                ).status
            }
            for handle in ["first", "ada", "third"] { try await claim(handle) }
            for handle in ["first", "ada", "third"] {
                #expect(try await signIn("ada@example.org", as: handle) == .unauthorized)
            }
            let emails = try await scene.emails()
            let tokens = emails.compactMap { message in message.token.map { (message.body, $0) } }
            let own = try #require(tokens.first { $0.0.contains("\"ada\"") }).1
            let others = tokens.filter { !$0.0.contains("\"ada\"") }.map(\.1)
            #expect(others.count == 2)
            #expect(
                try await scene.send(.post, "/auth/verify-email", json: EmailVerification(token: own)).status
                    == .noContent)
            for token in others {
                let late = try await scene.send(.post, "/auth/verify-email", json: EmailVerification(token: token))
                #expect(late.problem == .invalidLink)
            }
            #expect(try await signIn("ada@example.org", as: "ada") == .ok)
            #expect(try await signIn("ada@example.org", as: "first") == .unauthorized)
            #expect(try await signIn("first", as: "first") == .ok)
            // A forgotten password of an account that only claims the address goes nowhere.
            let asked = try await scene.send(
                .post, "/auth/forgot-password", json: PasswordResetRequest(login: "first"))
            #expect(asked.status == .accepted)
            #expect(try await scene.emails().filter { $0.token != nil }.isEmpty)
        }
    }

    @Test("a password that is reset by an address's holder ends whatever a stranger let into the account before")
    func strangers() async throws {
        try await Scene.run { scene in
            let stranger = try await scene.person("stranger")
            try await scene.features.database.execute("UPDATE users SET email = 'victim@example.org'")
            _ = try await scene.emails()
            try await scene.features.database.execute(
                """
                INSERT INTO identities (id, user_id, issuer, subject, linked_at)
                VALUES (\(UserID.make()), \(stranger.id), 'https://issuer.example', 'stranger', now())
                """)
            try await scene.features.database.execute(
                """
                INSERT INTO webhooks (id, user_id, url, events, covers, secret, created_at)
                VALUES (\(UserID.make()), \(stranger.id), 'https://hooks.example', '{version.published}', 'own', '', now())
                """)
            #expect(try await scene.send(.get, "/me", as: stranger.caller).status == .ok)
            _ = try await scene.send(
                .post, "/auth/forgot-password", json: PasswordResetRequest(login: "victim@example.org"))
            let token = try #require(try await scene.emails().first?.token)
            let reset = try await scene.send(
                .post, "/auth/reset-password", json: PasswordReset(token: token, password: "the victim's own words"))
            #expect(reset.status == .noContent)
            #expect(try await scene.send(.get, "/me", as: stranger.caller).status == .unauthorized)
            #expect(
                try await scene.features.database.scalar("SELECT count(*) FROM identities", as: Int.self) == 0)
            #expect(try await scene.features.database.scalar("SELECT count(*) FROM webhooks", as: Int.self) == 0)
        }
    }

    @Test(
        "and a stranger's wish for another address leads nowhere after it, whether its e-mail has been sent or not",
        arguments: [true, false])
    func strangersAddress(isSent: Bool) async throws {
        try await Scene.run { scene in
            _ = try await scene.person("stranger")
            try await scene.features.database.execute("UPDATE users SET email = 'victim@example.org'")
            _ = try await scene.emails()
            let wish = EmailChange(email: "stranger@example.org")
            let browser = try await scene.browser("stranger")
            #expect(
                try await scene.send(.put, "/me/email", json: wish, as: browser, headers: .sameOrigin).status
                    == .accepted)
            let sent = isSent ? try await scene.emails() : []
            #expect(sent.map(\.recipient) == (isSent ? ["stranger@example.org"] : []))
            let (secret, now) = (SessionSecret(), scene.features.now())
            try await scene.features.database.execute(
                """
                INSERT INTO mail_links (token_hash, user_id, purpose, email, created_at, expires_at)
                SELECT \(secret.hash), id, 'reset', email, \(now), \(now.addingTimeInterval(60)) FROM users
                """)
            let reset = try await scene.send(
                .post, "/auth/reset-password",
                json: PasswordReset(token: secret.text, password: "the victim's own words"))
            #expect(reset.status == .noContent)
            #expect(try await scene.emails().allSatisfy { $0.recipient == "victim@example.org" && $0.token == nil })
            for token in sent.compactMap(\.token) {
                let late = try await scene.send(.post, "/auth/verify-email", json: EmailVerification(token: token))
                #expect(late.problem == .invalidLink)
            }
            let emails = try await scene.features.database.all("SELECT email FROM users") {
                try $0.get(0, as: String.self)
            }
            #expect(emails == ["victim@example.org"])
        }
    }

    @Test("an e-mail that is dropped while it is written carries no link that works")
    func droppedEmail() async throws {
        try await Scene.run { scene in
            let ada = try await scene.person("ada")
            let database = scene.features.database
            let message = try await database.scalar(
                "SELECT id FROM mail_outbox WHERE template = 'verify'", as: MailID.self)
            func insert() async throws -> Bool {
                try await MailLinkStore.insert(
                    SessionSecret(), for: .verify, of: ada.id, email: "ada@example.org", in: message,
                    at: scene.features.now(), until: scene.features.now().addingTimeInterval(60), in: database)
            }
            #expect(try await insert())
            try await database.execute("UPDATE mail_outbox SET state = 'dropped', ended_at = now()")
            #expect(try await insert() == false)
        }
    }

    @Test("failures by name and by address count apart: a refusal does not tell whose the address is")
    func failures() async throws {
        try await Scene.run { scene in
            try await scene.proven("ada")
            func attempt(_ login: String, _ address: String) async throws -> HTTPResponse.Status {
                try await scene.send(
                    .post, "/auth/login", json: LoginRequest(login: login, password: "wrong horse battery"),
                    headers: .from(address)
                ).status
            }
            for index in 0..<10 { #expect(try await attempt("ada", "10.0.0.\(index)") == .unauthorized) }
            #expect(try await attempt("ada", "10.0.1.0") == .tooManyRequests)
            for login in ["ada@example.org", "nobody@example.org"] {
                #expect(try await attempt(login, "10.0.1.1") == .unauthorized)
            }
        }
    }

    @Test("a mailbox gets no more than a few e-mails that others asked for")
    func flood() async throws {
        try await Scene.run { scene in
            try await scene.proven("olga")
            for index in 0..<20 {
                let wish = RegisterRequest(
                    handle: "flood-\(index)", email: "olga@example.org", password: Scene.password)
                #expect(try await scene.send(.post, "/auth/register", json: wish).status == .created)
            }
            // One of them was for proving it.
            #expect(try await scene.emails().count == 7)
        }
    }
}
