// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAPI
@testable import MarketAccounts

@Suite("Accounts over HTTP")
struct AccountsTests {
    @Test("who registers is signed in, and the same name cannot be had twice")
    func registration() async throws {
        try await AccountsScene.run { scene in
            let wish = RegisterRequest(handle: "ada", email: "Ada@example.org", password: AccountsScene.password)
            let answer = try await scene.send(.post, "/auth/register", json: wish)
            #expect(answer.status == .created)
            let account = try answer.json(Account.self)
            #expect(account.handle == "ada" && account.role == .user && account.displayName == "ada")
            let field = try #require(answer.headers[.setCookie])
            #expect(field.hasPrefix("sheetmarket_session=") && !field.contains("Secure"))
            #expect(field.contains("; HttpOnly") && field.contains("; SameSite=Lax") && field.contains("; Path=/"))

            let cookie = AccountsScene.Caller.cookie(String(field.prefix { $0 != ";" }))
            #expect(try await scene.send(.get, "/me", as: cookie).json(Account.self) == account)

            let sameHandle = RegisterRequest(handle: "ada", email: "b@example.org", password: AccountsScene.password)
            let taken = try await scene.send(.post, "/auth/register", json: sameHandle)
            #expect(taken.status == .conflict && taken.problem == .handleTaken)
        }
    }

    @Test("cookies of a service behind HTTPS are bound to it")
    func secureCookies() async throws {
        try await AccountsScene.run(secureCookies: true) { scene in
            _ = try await scene.person("ada")
            let answer = try await scene.send(
                .post, "/auth/login", json: LoginRequest(login: "ada", password: AccountsScene.password))
            let field = try #require(answer.headers[.setCookie])
            #expect(field.hasPrefix("__Host-sheetmarket_session=") && field.hasSuffix("; Secure"))
            let cookie = AccountsScene.Caller.cookie(String(field.prefix { $0 != ";" }))
            #expect(try await scene.send(.get, "/me", as: cookie).status == .ok)
        }
    }

    @Test("a bad registration is told all that is wrong")
    func badRegistration() async throws {
        try await AccountsScene.run { scene in
            let answer = try await scene.send(
                .post, "/auth/register", json: RegisterRequest(handle: "x", email: "x", password: "x"))
            #expect(answer.status == .unprocessableContent)
            let problem = try answer.json(ProblemDocument.self)
            #expect(problem.code == .validationFailed)
            #expect(problem.errors?.map(\.pointer) == ["/handle", "/email", "/password"])
        }
    }

    @Test("one signs in with name or proved address, and signing out ends the session")
    func sessions() async throws {
        try await AccountsScene.run { scene in
            try await scene.proven("ada")
            for login in ["ada", "ADA", "ada@example.org", "Ada@Example.org"] {
                let answer = try await scene.send(
                    .post, "/auth/login", json: LoginRequest(login: login, password: AccountsScene.password))
                #expect(answer.status == .ok, "\(login)")
            }
            let browser = try await scene.browser("ada")
            #expect(try await scene.send(.get, "/me", as: browser).status == .ok)
            let out = try await scene.send(.post, "/auth/logout", as: browser, headers: .sameOrigin)
            #expect(out.status == .noContent && out.headers[.setCookie]?.contains("Max-Age=0") == true)
            let after = try await scene.send(.get, "/me", as: browser)
            #expect(after.status == .unauthorized && after.problem == .authenticationRequired)
        }
    }

    @Test("a session ends by itself, and an ended one is nobody's, not an error")
    func sessionExpiry() async throws {
        try await AccountsScene.run { scene in
            _ = try await scene.person("ada")
            let browser = try await scene.browser("ada")
            scene.clock.advance(by: scene.features.accounts.limits.sessionSeconds + 1)
            #expect(try await scene.send(.get, "/me", as: browser).problem == .authenticationRequired)
            let login = LoginRequest(login: "ada", password: AccountsScene.password)
            #expect(try await scene.send(.post, "/auth/login", json: login, as: browser).status == .ok)
            try await scene.accounts.deleteExpired()
            let left = try await scene.features.database.scalar("SELECT count(*) FROM sessions", as: Int.self)
            #expect(left == 1)
        }
    }

    @Test("a cookie alone changes nothing: the form must come from this site")
    func crossSite() async throws {
        try await AccountsScene.run { scene in
            _ = try await scene.person("ada")
            let browser = try await scene.browser("ada")
            let wish = TokenRequest(name: "n", scopes: [.read])
            for headers: HTTPFields in [
                [:], [.secFetchSite: "cross-site"], [.secFetchSite: "same-site"], [.origin: "https://evil.example"],
            ] {
                let answer = try await scene.send(.post, "/auth/tokens", json: wish, as: browser, headers: headers)
                #expect(answer.status == .forbidden && answer.problem == .crossSite)
            }
            let own = try await scene.send(.post, "/auth/tokens", json: wish, as: browser, headers: .sameOrigin)
            #expect(own.status == .created)
            // Another site must not sign a browser in either.
            let login = LoginRequest(login: "ada", password: AccountsScene.password)
            let forged = try await scene.send(
                .post, "/auth/login", json: login, headers: [.secFetchSite: "cross-site"])
            #expect(forged.problem == .crossSite)
        }
    }

    @Test("a wrong password and an unknown account get the same answer")
    func wrongCredentials() async throws {
        try await AccountsScene.run { scene in
            _ = try await scene.person("ada")
            var answers: Set<String> = []
            for login in ["ada", "ada@example.org", "nobody", "nobody@example.org", "", "a\u{0}b", "Not A Name"] {
                let answer = try await scene.send(
                    .post, "/auth/login", json: LoginRequest(login: login, password: "wrong horse battery"))
                #expect(answer.status == .unauthorized && answer.problem == .invalidCredentials)
                answers.insert(try answer.json(ProblemDocument.self).detail ?? "")
            }
            #expect(answers.count == 1)
            let long = LoginRequest(login: "ada", password: String(repeating: "x", count: 100_000))
            #expect(try await scene.send(.post, "/auth/login", json: long).problem == .invalidCredentials)
        }
    }

    @Test("too many failures close an account's sign-in for a while, known or not, and say for how long")
    func accountLimit() async throws {
        var limits = MarketLimits()
        limits.accounts.signInFailures = 3
        try await AccountsScene.run(limits: limits) { scene in
            _ = try await scene.person("ada")
            func attempt(_ login: String, _ password: String, _ address: String) async throws -> TestResponse {
                try await scene.send(
                    .post, "/auth/login", json: LoginRequest(login: login, password: password),
                    headers: .from(address))
            }
            for login in ["ada", "unknown"] {
                for attempts in 0..<3 {
                    #expect(
                        try await attempt(login, "wrong horse battery", "10.0.0.\(attempts)").status == .unauthorized)
                    scene.clock.advance(by: 10)
                }
                let refused = try await attempt(login, AccountsScene.password, "10.0.1.1")
                #expect(refused.status == .tooManyRequests && refused.problem == .tooManyRequests)
                let wait = try #require(refused.headers[.retryAfter].flatMap { Double($0) })
                #expect(wait == SignInAttempts.window - 30)
            }
            // The address's other accounts are not concerned, and neither is the token path's other side.
            let token = TokenRequest(name: "n", scopes: [.read], login: "ada", password: AccountsScene.password)
            #expect(try await scene.send(.post, "/auth/tokens", json: token).status == .tooManyRequests)
            scene.clock.advance(by: SignInAttempts.window)
            #expect(try await attempt("ada", AccountsScene.password, "10.0.1.1").status == .ok)
            #expect(try await scene.send(.post, "/auth/tokens", json: token).status == .created)
        }
    }

    @Test("too many failures from one address close it for every account; a success clears the account's count")
    func addressLimit() async throws {
        var limits = MarketLimits()
        limits.accounts.signInFailures = 2
        try await AccountsScene.run(limits: limits) { scene in
            _ = try await scene.person("ada")
            func attempt(_ login: String, right: Bool, from address: String) async throws -> HTTPResponse.Status {
                try await scene.send(
                    .post, "/auth/login",
                    json: LoginRequest(login: login, password: right ? AccountsScene.password : "wrong horse battery"),
                    headers: .from(address)
                ).status
            }
            for _ in 0..<3 {
                #expect(try await attempt("ada", right: false, from: "10.0.0.1") == .unauthorized)
                scene.clock.advance(by: 1)
                #expect(try await attempt("ada", right: true, from: "10.0.0.1") == .ok)
                scene.clock.advance(by: 1)
            }
            for index in 0..<7 {
                #expect(try await attempt("nobody\(index)", right: false, from: "10.0.0.1") == .unauthorized)
                scene.clock.advance(by: 1)
            }
            #expect(try await attempt("ada", right: true, from: "10.0.0.1") == .tooManyRequests)
            #expect(try await attempt("ada", right: true, from: "10.0.0.2") == .ok)
            // Whoever has one address of IPv6 has all of its network.
            for index in 0..<10 {
                #expect(try await attempt("nobody\(index)", right: false, from: "2001:db8::\(index)") == .unauthorized)
                scene.clock.advance(by: 1)
            }
            #expect(try await attempt("ada", right: true, from: "2001:db8::ffff") == .tooManyRequests)
            #expect(try await attempt("ada", right: true, from: "2001:db8:0:1::1") == .ok)
        }
    }

    @Test("many wrong guesses at once count as many")
    func guessesAtOnce() async throws {
        var limits = MarketLimits()
        limits.accounts.signInFailures = 5
        try await AccountsScene.run(limits: limits) { scene in
            _ = try await scene.person("ada")
            let login = LoginRequest(login: "ada", password: "wrong horse battery")
            for _ in 0..<5 { _ = try await scene.send(.post, "/auth/login", json: login) }
            let statuses = try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
                for _ in 0..<20 { group.addTask { try await scene.send(.post, "/auth/login", json: login).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.allSatisfy { $0 == .tooManyRequests })
        }
    }

    @Test("a hash made with other parameters is renewed at the next sign-in")
    func rehash() async throws {
        try await AccountsScene.run { scene in
            _ = try await scene.person("ada")
            let stricter = AccountService(
                accounts: scene.features.accounts,
                passwords: PasswordHasher(parameters: .init(logRounds: 5, blockSize: 8, parallelism: 1)))
            _ = try await stricter.signIn(login: "ada", password: AccountsScene.password, address: "a")
            let user = try #require(try await AccountStore.user(handle: "ada", in: scene.features.database))
            #expect(user.passwordHash?.hasPrefix("$scrypt$ln=5,") == true)
            _ = try await stricter.signIn(login: "ada", password: AccountsScene.password, address: "a")
        }
    }

    @Test("a disabled account is shut out everywhere, and let in again")
    func disabled() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let browser = try await scene.browser("ada")
            try await scene.accounts.setDisabled(true, of: "ada", by: .operatorCommand)
            #expect(try await scene.send(.get, "/me", as: ada.caller).problem == .invalidToken)
            #expect(try await scene.send(.get, "/me", as: browser).problem == .authenticationRequired)
            let login = LoginRequest(login: "ada", password: AccountsScene.password)
            #expect(try await scene.send(.post, "/auth/login", json: login).status == .forbidden)
            try await scene.accounts.setDisabled(false, of: "ada", by: .operatorCommand)
            #expect(try await scene.send(.get, "/me", as: ada.caller).status == .ok)
            #expect(try await scene.send(.get, "/me", as: browser).status == .unauthorized)
            await #expect(throws: AccountError.noSuchUser("eve")) {
                try await scene.accounts.setDisabled(true, of: "eve", by: .operatorCommand)
            }
        }
    }

    @Test("the service's accounts have no password, and the administrator's token has every scope")
    func systemAccounts() async throws {
        try await AccountsScene.run { scene in
            let first = try await scene.accounts.ensureSystemUser()
            #expect(try await scene.accounts.ensureSystemUser().id == first.id)
            for password in ["", "sheetmarket", "sheetmarket@accounts.invalid"] {
                let login = LoginRequest(login: "sheetmarket", password: password)
                #expect(try await scene.send(.post, "/auth/login", json: login).problem == .invalidCredentials)
            }
            let token = try await scene.accounts.administratorToken()
            let me = try await scene.send(.get, "/me", as: .token(token.token)).json(Account.self)
            #expect(me.handle == "admin" && me.role == .administrator)
            #expect(try await scene.send(.get, "/moderation/queue", as: .token(token.token)).status == .ok)
            #expect(try await scene.accounts.users().map(\.handle) == ["admin", "sheetmarket"])
        }
    }
}
