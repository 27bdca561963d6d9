// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import HummingbirdTesting
import MarketWire
import Moderation
import Postgres
import SheetCore
import Synchronization
import TestSupport
import Testing

@testable import MarketAPI
@testable import MarketAccounts
@testable import MarketPlatform

@Suite("Second factors")
struct SecondFactorTests {
    @Test("codes are those of RFC 6238, for one step before and after, and none twice")
    func codes() {
        let generator = OneTimeCode(secret: Array("12345678901234567890".utf8))
        // Appendix B, the last six of eight digits.
        for (time, code) in [
            (59, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"), (1_234_567_890, "005924"),
            (2_000_000_000, "279037"), (20_000_000_000, "353130"),
        ] {
            let date = Date(timeIntervalSince1970: Double(time))
            let step = OneTimeCode.step(at: date)
            #expect(generator.code(step: step) == code)
            for seconds in [-30.0, 0, 30] {
                #expect(generator.step(of: code, at: date.addingTimeInterval(seconds), after: 0) == step)
            }
            for seconds in [-90.0, 90] {
                #expect(generator.step(of: code, at: date.addingTimeInterval(seconds), after: 0) == nil)
            }
            #expect(generator.step(of: code, at: date, after: step) == nil)
        }
        #expect(generator.base32 == "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
        #expect(AccountsScene.bytes(base32: generator.base32) == generator.secret)
        #expect(
            generator.uri(account: "ada", issuer: "Sheet market")
                == "otpauth://totp/Sheet%20market:ada?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
                + "&issuer=Sheet%20market&algorithm=SHA1&digits=6&period=30")
    }

    @Test("another program reads out of the QR code what was put in")
    func qrCode() async throws {
        let uri = OneTimeCode().uri(account: "ada", issuer: "Sheetmarket")
        let code = try #require(QRCode(uri))
        // Unit squares: M column row h length v1 h-length z.
        var squares = [[Bool]](repeating: [Bool](repeating: false, count: code.size), count: code.size)
        for run in code.path.matches(of: /M(\d+) (\d+)h(\d+)v1h-(\d+)z/) {
            let (column, row, length) = (Int(run.1) ?? 0, Int(run.2) ?? 0, Int(run.3) ?? 0)
            for x in column..<column + length { squares[row][x] = true }
        }
        let scale = 4
        var picture = "P1 \(code.size * scale) \(code.size * scale)\n"
        for row in squares {
            let line = row.map { String(repeating: $0 ? "1 " : "0 ", count: scale) }.joined()
            picture += String(repeating: line + "\n", count: scale)
        }
        let folder = try ScratchFolder("qr")
        let file = folder.url.appendingPathComponent("code.pbm")
        try Data(picture.utf8).write(to: file)
        let outcome = try await Command.run(
            URL(fileURLWithPath: "/usr/bin/zbarimg"), ["--quiet", "--raw", file.path])
        #expect(outcome.output.trimmingCharacters(in: .whitespacesAndNewlines) == uri, "\(outcome.errors)")
    }

    @Test("a sealed secret opens with its key and for its owner alone, and after a rotation")
    func sealing() throws {
        let old = SecretBox.makeKeySetting(id: "old")
        let box = try SecretBox(setting: old)
        let sealed = try box.seal([1, 2, 3], for: "ada")
        #expect(box.open(sealed, for: "ada") == [1, 2, 3] && box.open(sealed, for: "bea") == nil)
        let rotated = try SecretBox(setting: "\(SecretBox.makeKeySetting(id: "new")),\(old)")
        #expect(rotated.open(sealed, for: "ada") == [1, 2, 3])
        #expect(rotated.marks(of: "x", for: "c").contains(try #require(box.marks(of: "x", for: "c").first)))
        #expect(try SecretBox(setting: SecretBox.makeKeySetting(id: "old")).open(sealed, for: "ada") == nil)
        for index in sealed.indices {
            var bent = sealed
            bent[index] ^= 1
            #expect(box.open(bent, for: "ada") == nil)
        }
        #expect(box.open(Data(), for: "ada") == nil && box.open(Data([200, 1]), for: "ada") == nil)
        #expect(throws: DownloadKeyError.self) { try SecretBox(setting: "x:AAAA") }
    }

    @Test("it counts once a code was shown; signing in then takes two steps, and no code twice")
    func signingIn() async throws {
        try await AccountsScene.run { scene in
            try await scene.proven("ada")
            let browser = try await scene.browser("ada")
            let other = try await scene.browser("ada")
            _ = try await scene.emails()
            let (generator, recovery) = try await scene.enrol(browser)
            #expect(recovery.count == 10 && Set(recovery).count == 10)
            #expect(try await scene.send(.get, "/me", as: other).status == .unauthorized)
            #expect(try await scene.emails().map(\.subject) == ["Your second factor: turned on"])
            let stored = try await scene.features.database.scalar(
                "SELECT count(*) FROM second_factors WHERE position(\(Data(generator.secret)) IN secret) > 0",
                as: Int.self)
            #expect(stored == 0)

            let login = LoginRequest(login: "ada", password: AccountsScene.password)
            let first = try await scene.send(.post, "/auth/login", json: login)
            #expect(first.status == .unauthorized && first.problem == .secondFactorRequired)
            #expect(first.headers[.setCookie] == nil)
            let ticket = try scene.ticket(first)
            func second(_ code: String, ticket: String) async throws -> TestResponse {
                try await scene.send(
                    .post, "/auth/second-factor", json: SecondFactorRequest(ticket: ticket, code: code))
            }
            // The code that turned it on is used up.
            let used = generator.code(step: OneTimeCode.step(at: scene.clock.now))
            #expect(try await second(used, ticket: ticket).problem == .invalidCode)
            scene.clock.advance(by: 30)
            let fresh = generator.code(step: OneTimeCode.step(at: scene.clock.now))
            #expect(try await second(fresh, ticket: "rubbish").problem == .invalidLink)
            let done = try await second(" \(fresh.prefix(3)) \(fresh.suffix(3))", ticket: ticket)
            #expect(done.status == .ok && done.headers[.setCookie]?.contains("sheetmarket_session=") == true)
            #expect(try done.json(Account.self).hasSecondFactor == true)
            #expect(try await second(fresh, ticket: ticket).problem == .invalidLink)
            let again = try scene.ticket(try await scene.send(.post, "/auth/login", json: login))
            #expect(try await second(fresh, ticket: again).problem == .invalidCode)
        }
    }

    @Test("of many that show the same code at once, one gets in")
    func codeAtOnce() async throws {
        try await AccountsScene.run { scene in
            _ = try await scene.person("ada")
            let (generator, recovery) = try await scene.enrol(try await scene.browser("ada"))
            scene.clock.advance(by: 60)
            let fresh = generator.code(step: OneTimeCode.step(at: scene.clock.now))
            for code in [fresh, recovery[0]] {
                var tickets: [String] = []
                let login = LoginRequest(login: "ada", password: AccountsScene.password)
                for _ in 0..<4 {
                    tickets.append(try scene.ticket(try await scene.send(.post, "/auth/login", json: login)))
                }
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for ticket in tickets {
                        let step = SecondFactorRequest(ticket: ticket, code: code)
                        group.addTask { try await scene.send(.post, "/auth/second-factor", json: step).status.code }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(statuses.sorted() == [200, 401, 401, 401])
                scene.clock.advance(by: SignInAttempts.window + 1)
            }
        }
    }

    @Test("a recovery code takes the app's place once, however it is typed, and its holder hears of it")
    func recovery() async throws {
        try await AccountsScene.run { scene in
            try await scene.proven("ada")
            let browser = try await scene.browser("ada")
            let (_, recovery) = try await scene.enrol(browser)
            _ = try await scene.emails()
            func signIn(_ code: String) async throws -> TestResponse {
                let login = LoginRequest(login: "ada", password: AccountsScene.password)
                let ticket = try scene.ticket(try await scene.send(.post, "/auth/login", json: login))
                return try await scene.send(
                    .post, "/auth/second-factor", json: SecondFactorRequest(ticket: ticket, code: code))
            }
            #expect(try await signIn(recovery[3].uppercased().replacing("-", with: " ")).status == .ok)
            #expect(try await scene.emails().first?.body.contains("Codes that are left: 9.") == true)
            #expect(try await signIn(recovery[3]).problem == .invalidCode)
            let state = try await scene.send(.get, "/me/second-factor", as: browser).json(SecondFactorState.self)
            #expect(state == SecondFactorState(isEnabled: true, isRequired: false, recoveryCodesLeft: 9))
            let renewed = try await scene.send(
                .post, "/me/second-factor/recovery-codes", as: browser, headers: .sameOrigin)
            let codes = try renewed.json(RecoveryCodes.self).recoveryCodes
            #expect(Set(codes).isDisjoint(with: recovery))
            #expect(try await signIn(recovery[4]).problem == .invalidCode)
            #expect(try await signIn(codes[4]).status == .ok)
            let plain = try await scene.features.database.scalar(
                "SELECT count(*) FROM recovery_codes WHERE strpos(recovery_codes::text, \(codes[5])) > 0", as: Int.self)
            #expect(plain == 0)
        }
    }

    @Test("wrong codes close the second step for a while, and the right password opens it no sooner")
    func guessing() async throws {
        try await AccountsScene.run { scene in
            _ = try await scene.person("ada")
            let (generator, _) = try await scene.enrol(try await scene.browser("ada"))
            scene.clock.advance(by: 60)
            let login = LoginRequest(login: "ada", password: AccountsScene.password)
            var problems: [ErrorCode?] = []
            for guess in 0..<(SecondFactorService.codeFailures + 1) {
                let ticket = try scene.ticket(try await scene.send(.post, "/auth/login", json: login))
                let step = SecondFactorRequest(ticket: ticket, code: "00000\(guess)")
                problems.append(
                    try await scene.send(
                        .post, "/auth/second-factor", json: step, headers: .from("10.0.0.\(guess)")
                    ).problem)
            }
            #expect(problems.dropLast().allSatisfy { $0 == .invalidCode } && problems.last == .tooManyRequests)
            let ticket = try scene.ticket(try await scene.send(.post, "/auth/login", json: login))
            let right = SecondFactorRequest(
                ticket: ticket, code: generator.code(step: OneTimeCode.step(at: scene.clock.now)))
            #expect(try await scene.send(.post, "/auth/second-factor", json: right).problem == .tooManyRequests)
            // A ticket's own time is over before that.
            scene.clock.advance(by: SignInAttempts.window + 1)
            #expect(try await scene.send(.post, "/auth/second-factor", json: right).problem == .invalidLink)
        }
    }

    @Test("a token that is asked for with the password takes the code too")
    func tokens() async throws {
        try await AccountsScene.run { scene in
            _ = try await scene.person("ada")
            let (generator, _) = try await scene.enrol(try await scene.browser("ada"))
            scene.clock.advance(by: 60)
            var wish = TokenRequest(name: "n", scopes: [.read], login: "ada", password: AccountsScene.password)
            let refused = try await scene.send(.post, "/auth/tokens", json: wish)
            #expect(refused.problem == .secondFactorRequired)
            wish.code = "000000"
            #expect(try await scene.send(.post, "/auth/tokens", json: wish).problem == .invalidCode)
            wish.code = generator.code(step: OneTimeCode.step(at: scene.clock.now))
            #expect(try await scene.send(.post, "/auth/tokens", json: wish).status == .created)
        }
    }

    @Test("a wrong recovery code commits nothing, so that a call's Idempotency-Key is not used up by it")
    func wrongRecoveryCode() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let (_, recovery) = try await scene.enrol(try await scene.browser("ada"))
            let commits = Mutex(0)
            let hook = PostgresCommitHook(
                statement: {
                    commits.withLock { $0 += 1 }
                    return nil
                }, failure: { $0 }, committed: {})
            func check() async throws {
                try await PostgresCommitHook.$current.withValue(hook) {
                    try await scene.accounts.secondFactor.check(recovery[0], of: ada.id, address: "203.0.113.7")
                }
            }
            try await check()
            #expect(commits.withLock { $0 } == 1)
            await #expect(throws: AccountError.invalidCode) { try await check() }
            #expect(commits.withLock { $0 } == 1)
        }
    }

    @Test("turning it off, and all else about it, takes a session that was just confirmed with it")
    func turningOff() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let browser = try await scene.browser("ada")
            #expect(
                try await scene.send(.delete, "/me/second-factor", as: browser, headers: .sameOrigin).status
                    == .conflict)
            scene.clock.advance(by: 601)
            let stale = try await scene.send(.post, "/me/second-factor", as: browser, headers: .sameOrigin)
            #expect(stale.problem == .confirmationRequired)
            func confirm(_ request: ConfirmationRequest) async throws -> TestResponse {
                try await scene.send(.post, "/auth/confirm", json: request, as: browser, headers: .sameOrigin)
            }
            #expect(try await confirm(.init(password: AccountsScene.password)).status == .noContent)
            let (generator, _) = try await scene.enrol(browser)
            #expect(
                try await scene.send(.post, "/me/second-factor", as: browser, headers: .sameOrigin).status == .conflict)
            scene.clock.advance(by: 601)
            let off = try await scene.send(.delete, "/me/second-factor", as: browser, headers: .sameOrigin)
            #expect(off.problem == .confirmationRequired)
            // The password alone confirms nothing any more.
            #expect(try await confirm(.init(password: AccountsScene.password)).problem == .secondFactorRequired)
            let code = generator.code(step: OneTimeCode.step(at: scene.clock.now))
            #expect(try await confirm(.init(code: code)).status == .noContent)
            for path in ["/me/second-factor", "/me/sessions", "/auth/confirm"] {
                let byToken = try await scene.send(
                    path == "/auth/confirm" ? .post : .get, path, as: ada.caller)
                #expect(byToken.status == .forbidden, "\(path)")
            }
            let done = try await scene.send(.delete, "/me/second-factor", as: browser, headers: .sameOrigin)
            #expect(done.status == .noContent)
            let login = LoginRequest(login: "ada", password: AccountsScene.password)
            #expect(try await scene.send(.post, "/auth/login", json: login).status == .ok)
        }
    }

    @Test("where staff need one, a moderator without may only set it up, and makes no moderator's token before")
    func staff() async throws {
        var limits = MarketLimits()
        limits.accounts.staffSecondFactor = true
        try await AccountsScene.run(limits: limits) { scene in
            _ = try await scene.person("moritz", role: .moderator)
            let browser = try await scene.browser("moritz")
            for path in ["/moderation/queue", "/me", "/auth/tokens", "/me/sessions"] {
                let refused = try await scene.send(.get, path, as: browser)
                #expect(refused.problem == .secondFactorEnrolmentRequired, "\(path)")
            }
            var wish = TokenRequest(name: "n", scopes: [.read, .moderation])
            let bySession = try await scene.send(
                .post, "/auth/tokens", json: wish, as: browser, headers: .sameOrigin)
            #expect(bySession.problem == .secondFactorEnrolmentRequired)
            wish.login = "moritz"
            wish.password = AccountsScene.password
            #expect(
                try await scene.send(.post, "/auth/tokens", json: wish).problem == .secondFactorEnrolmentRequired)
            let state = try await scene.send(.get, "/me/second-factor", as: browser).json(SecondFactorState.self)
            #expect(state.isRequired && !state.isEnabled)

            let (generator, _) = try await scene.enrol(browser)
            #expect(try await scene.send(.get, "/moderation/queue", as: browser).status == .ok)
            scene.clock.advance(by: 30)
            wish.code = generator.code(step: OneTimeCode.step(at: scene.clock.now))
            let token = try await scene.send(.post, "/auth/tokens", json: wish)
            #expect(token.status == .created)
            let caller = AccountsScene.Caller.token(try token.json(NewToken.self).token)
            #expect(try await scene.send(.get, "/moderation/queue", as: caller).status == .ok)
            // A token makes none for staff, whatever it may do itself.
            let child = TokenRequest(name: "n", scopes: [.moderation])
            #expect(try await scene.send(.post, "/auth/tokens", json: child, as: caller).status == .forbidden)

            // Without the factor a token is good for what a user may do.
            let off = try await scene.send(.delete, "/me/second-factor", as: browser, headers: .sameOrigin)
            #expect(off.status == .noContent)
            for staff in [caller, browser] {
                let refused = try await scene.send(.get, "/moderation/queue", as: staff)
                #expect(refused.problem == .secondFactorEnrolmentRequired)
            }
            #expect(try await scene.send(.get, "/me", as: caller).status == .ok)

            // The operator's programs go on: nobody can sign in to their account.
            let robot = AccountsScene.Caller.token(try await scene.accounts.administratorToken().token)
            #expect(try await scene.send(.get, "/moderation/queue", as: robot).status == .ok)
            let own = AccountsScene.Caller.token(try await scene.accounts.administratorToken(handle: "moritz").token)
            #expect(try await scene.send(.get, "/moderation/queue", as: own).status == .forbidden)

            // Who becomes a moderator gains nothing through tokens of before.
            let bea = try await scene.person("bea")
            try await scene.accounts.setRole(.moderator, of: "bea", by: .operatorCommand)
            let scopes = try await scene.features.database.scalar(
                "SELECT 'moderation' = ANY (scopes) FROM api_tokens WHERE user_id = \(bea.id)", as: Bool.self)
            #expect(!scopes)
            #expect(try await scene.send(.get, "/moderation/queue", as: bea.caller).status == .forbidden)
            #expect(try await scene.send(.get, "/me", as: bea.caller).status == .ok)
        }
    }

    @Test("the operator takes a lost second factor away, and that is in the audit log")
    func resetByOperator() async throws {
        try await AccountsScene.run { scene in
            try await scene.proven("ada")
            let browser = try await scene.browser("ada")
            await #expect(throws: AccountError.noSecondFactor) {
                try await scene.accounts.resetSecondFactor(of: "ada", by: .operatorCommand)
            }
            _ = try await scene.enrol(browser)
            _ = try await scene.emails()
            try await scene.accounts.resetSecondFactor(of: "ada", by: .operatorCommand)
            #expect(try await scene.send(.get, "/me", as: browser).status == .unauthorized)
            let login = LoginRequest(login: "ada", password: AccountsScene.password)
            #expect(try await scene.send(.post, "/auth/login", json: login).status == .ok)
            #expect(try await scene.emails().contains { $0.subject.contains("taken away") })
            let entries = try await AuditLog.entries(before: nil, limit: 1, in: scene.features.database)
            #expect(entries.first?.action == "user.second_factor_reset")
        }
    }
}
