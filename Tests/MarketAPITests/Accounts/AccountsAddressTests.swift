// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import MarketPlatform
import MarketWire
import NIOCore
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAPI
@testable import MarketAccounts

@Suite("Addresses and passwords")
struct AccountsAddressTests {
    @Test("who registers is asked to prove the address; the link works once, and not for ever")
    func verification() async throws {
        try await AccountsScene.run { scene in
            let wish = RegisterRequest(handle: "ada", email: "ada@example.org", password: AccountsScene.password)
            let german: HTTPFields = [.acceptLanguage: "de-DE,de;q=0.9"]
            let made = try await scene.send(.post, "/auth/register", json: wish, headers: german)
            #expect(try made.json(Account.self).emailVerified == false)
            let emails = try await scene.emails()
            let message = try #require(emails.first)
            #expect(emails.count == 1 && message.recipient == "ada@example.org")
            #expect(message.subject == "Bitte bestätige deine E-Mail-Adresse" && message.body.contains("ada"))
            let token = try #require(message.token)
            // No row ever holds the link.
            let stored = try await scene.features.database.scalar(
                """
                SELECT (SELECT count(*) FROM mail_outbox WHERE strpos(mail_outbox::text, \(token)) > 0)
                    + (SELECT count(*) FROM mail_links WHERE strpos(mail_links::text, \(token)) > 0)
                """, as: Int.self)
            #expect(stored == 0)
            for expected in [HTTPResponse.Status.noContent, .gone] {
                let answer = try await scene.send(.post, "/auth/verify-email", json: EmailVerification(token: token))
                #expect(answer.status == expected)
            }
            let browser = try await scene.browser("ada")
            #expect(try await scene.send(.get, "/me", as: browser).json(Account.self).emailVerified == true)
            let again = try await scene.send(.post, "/me/email/verification", as: browser, headers: .sameOrigin)
            #expect(again.status == .conflict)

            _ = try await scene.person("bea")
            let late = try #require(try await scene.emails().first?.token)
            scene.clock.advance(by: 86_401)
            let refused = try await scene.send(.post, "/auth/verify-email", json: EmailVerification(token: late))
            #expect(refused.status == .gone && refused.problem == .invalidLink)
            let rubbish = try await scene.send(.post, "/auth/verify-email", json: EmailVerification(token: "x"))
            #expect(rubbish.problem == .invalidLink)
        }
    }

    @Test("an account needs no address unless the market says so")
    func withoutAddress() async throws {
        try await AccountsScene.run { scene in
            let wish = RegisterRequest(handle: "ada", email: nil, password: AccountsScene.password)
            let answer = try await scene.send(.post, "/auth/register", json: wish)
            #expect(answer.status == .created)
            #expect(try answer.json(Account.self).email == "")
            #expect(try await scene.emails().isEmpty)
        }
        var limits = MarketLimits()
        limits.accounts.emailRequired = true
        try await AccountsScene.run(limits: limits) { scene in
            let wish = RegisterRequest(handle: "ada", email: nil, password: AccountsScene.password)
            let answer = try await scene.send(.post, "/auth/register", json: wish)
            #expect(try answer.json(ProblemDocument.self).errors?.map(\.pointer) == ["/email"])
        }
    }

    @Test("an address changes when the link sent there is opened, the old one is told, and nobody learns whose it is")
    func change() async throws {
        try await AccountsScene.run { scene in
            try await scene.proven("ada")
            try await scene.proven("bea")
            let browser = try await scene.browser("ada")
            func wish(_ email: String) async throws -> TestResponse {
                try await scene.send(
                    .put, "/me/email", json: EmailChange(email: email), as: browser, headers: .sameOrigin)
            }
            #expect(try await wish("not an address").status == .unprocessableContent)
            #expect(try await wish("ada@new.example").status == .accepted)
            let message = try #require(try await scene.emails().first)
            #expect(message.recipient == "ada@new.example")
            #expect(try await scene.send(.get, "/me", as: browser).json(Account.self).email == "ada@example.org")
            let verification = EmailVerification(token: try #require(message.token))
            #expect(try await scene.send(.post, "/auth/verify-email", json: verification).status == .noContent)
            let account = try await scene.send(.get, "/me", as: browser).json(Account.self)
            #expect(account.email == "ada@new.example" && account.emailVerified == true)
            let notice = try #require(try await scene.emails().first)
            #expect(notice.recipient == "ada@example.org" && notice.subject.contains("another e-mail address"))

            #expect(try await wish("BEA@example.org").status == .accepted)
            let taken = try #require(try await scene.emails().first)
            #expect(taken.recipient == "BEA@example.org" && taken.token == nil)
            #expect(taken.subject.contains("has an account already") && !taken.body.contains("ada"))
            // Three letters in a quarter of an hour are enough.
            #expect(try await wish("ada@third.example").status == .accepted)
            let limited = try await wish("ada@fourth.example")
            #expect(limited.status == .tooManyRequests && limited.headers[.retryAfter] != nil)
        }
    }

    @Test("a forgotten password is reset by a link that works once, and ends all sessions")
    func reset() async throws {
        try await AccountsScene.run { scene in
            try await scene.proven("ada")
            let browser = try await scene.browser("ada")
            for login in ["ada", "Ada@example.org"] {
                let asked = try await scene.send(
                    .post, "/auth/forgot-password", json: PasswordResetRequest(login: login))
                #expect(asked.status == .accepted && asked.body.readableBytes == 0)
            }
            let emails = try await scene.emails()
            #expect(emails.map(\.recipient) == ["ada@example.org", "ada@example.org"])
            let first = try #require(emails.first?.token)
            let second = try #require(emails.last?.token)
            func reset(_ token: String, _ password: String) async throws -> TestResponse {
                try await scene.send(
                    .post, "/auth/reset-password", json: PasswordReset(token: token, password: password))
            }
            // What will not do leaves the link as it is.
            #expect(try await reset(first, "short").problem == .validationFailed)
            #expect(try await reset(first, "password123").problem == .breachedPassword)
            #expect(try await reset(first, "ADA@example.org").problem == .validationFailed)
            #expect(try await reset(first, "another horse battery").status == .noContent)
            for token in [first, second, "rubbish"] {
                #expect(try await reset(token, "a third horse battery").problem == .invalidLink)
            }
            #expect(try await scene.send(.get, "/me", as: browser).status == .unauthorized)
            let old = LoginRequest(login: "ada", password: AccountsScene.password)
            #expect(try await scene.send(.post, "/auth/login", json: old).problem == .invalidCredentials)
            let new = LoginRequest(login: "ada", password: "another horse battery")
            #expect(try await scene.send(.post, "/auth/login", json: new).status == .ok)
            #expect(try await scene.emails().first?.subject == "Your password was changed")

            let asked = PasswordResetRequest(login: "ada@example.org")
            _ = try await scene.send(.post, "/auth/forgot-password", json: asked)
            let late = try #require(try await scene.emails().first?.token)
            scene.clock.advance(by: 3601)
            #expect(try await reset(late, "a third horse battery").problem == .invalidLink)
        }
    }

    @Test("a link to a mistyped address sets no password once the right one is proved")
    func mistyped() async throws {
        try await AccountsScene.run { scene in
            let wish = RegisterRequest(handle: "ada", email: "adda@example.org", password: AccountsScene.password)
            _ = try await scene.send(.post, "/auth/register", json: wish)
            let browser = try await scene.browser("ada")
            let asked = PasswordResetRequest(login: "ada")
            _ = try await scene.send(.post, "/auth/forgot-password", json: asked)
            let strangers = try #require(try await scene.emails().first { $0.body.contains("reset-password") }?.token)
            _ = try await scene.send(
                .put, "/me/email", json: EmailChange(email: "ada@example.org"), as: browser, headers: .sameOrigin)
            let own = try #require(try await scene.emails().first?.token)
            #expect(
                try await scene.send(.post, "/auth/verify-email", json: EmailVerification(token: own)).status
                    == .noContent)
            let reset = PasswordReset(token: strangers, password: "a stranger's horse")
            #expect(try await scene.send(.post, "/auth/reset-password", json: reset).problem == .invalidLink)
            _ = try await scene.browser("ada")
        }
    }

    @Test("asking for a reset answers, and does, the same whether there is an account or not")
    func resetTellsNothing() async throws {
        try await AccountsScene.run { scene in
            try await scene.proven("ada")
            var shapes: Set<String> = []
            for login in ["ada@example.org", "nobody@example.org", "nobody", "not an address at all"] {
                var statuses: [Int] = []
                for _ in 0..<4 {
                    let answer = try await scene.send(
                        .post, "/auth/forgot-password", json: PasswordResetRequest(login: login),
                        headers: .from("10.0.0.\(shapes.count)"))
                    statuses.append(answer.status.code)
                }
                let rows = try await scene.features.database.scalar(
                    "SELECT count(*) FROM mail_outbox WHERE template = 'reset' AND state = 'waiting'", as: Int.self)
                shapes.insert("\(statuses) \(rows)")
                _ = try await scene.emails()
            }
            #expect(shapes == ["[202, 202, 202, 429] 3"])
        }
    }

    @Test("another password takes a confirmation, is told of, and signs the other browsers out")
    func changePassword() async throws {
        try await AccountsScene.run { scene in
            try await scene.proven("ada")
            let browser = try await scene.browser("ada")
            let other = try await scene.browser("ada")
            _ = try await scene.emails()
            func change(_ password: String) async throws -> TestResponse {
                try await scene.send(
                    .put, "/me/password", json: PasswordChange(password: password), as: browser, headers: .sameOrigin)
            }
            #expect(try await change("ada@EXAMPLE.org").problem == .validationFailed)
            #expect(try await change("Password123").problem == .breachedPassword)
            scene.clock.advance(by: 601)
            #expect(try await change("another horse battery").problem == .confirmationRequired)
            func confirm(_ password: String) async throws -> TestResponse {
                try await scene.send(
                    .post, "/auth/confirm", json: ConfirmationRequest(password: password), as: browser,
                    headers: .sameOrigin)
            }
            #expect(try await confirm("wrong horse battery").problem == .invalidCredentials)
            #expect(try await change("another horse battery").problem == .confirmationRequired)
            #expect(try await confirm(AccountsScene.password).status == .noContent)
            #expect(try await change("another horse battery").status == .noContent)
            #expect(try await scene.emails().map(\.subject) == ["Your password was changed"])
            #expect(try await scene.send(.get, "/me", as: browser).status == .ok)
            #expect(try await scene.send(.get, "/me", as: other).status == .unauthorized)
            let ada = try await scene.accounts.makeToken(
                name: "n", scopes: TokenScope.all,
                for: try #require(try await AccountStore.user(handle: "ada", in: scene.features.database)).id)
            let byToken = try await scene.send(
                .put, "/me/password", json: PasswordChange(password: "a third horse battery"), as: .token(ada.token))
            #expect(byToken.status == .forbidden && byToken.problem == .forbidden)
        }
    }

    @Test("passwords that were leaked elsewhere are refused, those in an operator's file too")
    func breached() async throws {
        #expect(try BreachedPasswords.contain("QWERTYUIOP", or: nil))
        #expect(try !BreachedPasswords.contain("several plain words", or: nil))
        let folder = try ScratchFolder("leaked")
        let file = folder.url.appendingPathComponent("leaked.txt")
        for (count, ending) in [(1, "\n"), (2, "\r\n"), (777, "\r\n"), (5000, "\n")] {
            let passwords = (0..<count).map { "leaked password \($0)" }
            let lines = passwords.enumerated().map { index, password in
                Self.hash(password) + ":\(String(repeating: "9", count: 1 + index % 9))"
            }
            try Data((lines.sorted().joined(separator: ending)).utf8).write(to: file)
            let leaked = try LeakedPasswordFile(file)
            for password in passwords { #expect(try leaked.contains(password), "\(count) \(password)") }
            for index in 0..<500 { #expect(try !leaked.contains("harmless \(index)"), "\(count)") }
        }
        try Data("not hashes\n".utf8).write(to: file)
        #expect(throws: LeakedPasswordFile.Unusable.self) { try LeakedPasswordFile(file) }
        try await AccountsScene.run { scene in
            let wish = RegisterRequest(handle: "ada", email: nil, password: "1q2w3e4r5t")
            let answer = try await scene.send(.post, "/auth/register", json: wish)
            #expect(answer.status == .unprocessableContent && answer.problem == .breachedPassword)
            #expect(try answer.json(ProblemDocument.self).errors?.map(\.pointer) == ["/password"])
        }
    }

    private static func hash(_ password: String) -> String {
        Insecure.SHA1.hash(data: Data(password.utf8)).map { String(format: "%02X", Int($0)) }.joined()
    }
}
