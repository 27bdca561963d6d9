// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MarketPlatform
import MarketWire
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAccounts

@Suite("API tokens over HTTP")
struct AccountsTokenTests {
    @Test("a token is shown once, works, is listed without its secret, and stops when it is revoked")
    func life() async throws {
        try await AccountsScene.run { scene in
            _ = try await scene.person("ada")
            let wish = TokenRequest(
                name: "laptop", scopes: [.templatesWrite, .read], expiresInDays: 7, login: "ada",
                password: AccountsScene.password)
            let made = try await scene.send(.post, "/auth/tokens", json: wish)
            #expect(made.status == .created && made.headers[.cacheControl] == "no-store")
            let token = try made.json(NewToken.self)
            #expect(token.info.scopes == [.read, .templatesWrite])
            #expect(token.info.expiresAt == scene.clock.now.addingTimeInterval(7 * 86_400))
            let caller = AccountsScene.Caller.token(token.token)
            #expect(try await scene.send(.get, "/me", as: caller).status == .ok)

            let list = try await scene.send(.get, "/auth/tokens", as: caller)
            #expect(!String(buffer: list.body).contains(token.token))
            #expect(try list.json(TokenList.self).tokens.map(\.id).contains(token.info.id))
            let stored = try await scene.features.database.scalar(
                "SELECT count(*) FROM api_tokens WHERE strpos(api_tokens::text, \(token.token)) > 0", as: Int.self)
            #expect(stored == 0)

            #expect(try await scene.send(.delete, "/auth/tokens/\(token.info.id)", as: caller).status == .noContent)
            let refused = try await scene.send(.get, "/me", as: caller)
            #expect(refused.status == .unauthorized && refused.problem == .invalidToken)
            #expect(refused.headers[.wwwAuthenticate]?.contains("invalid_token") == true)
        }
    }

    @Test("a token's time ends, and the answer says so")
    func expiry() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let token = try await scene.accounts.makeToken(name: "n", scopes: [.read], expiresInDays: 1, for: ada.id)
            scene.clock.advance(by: 86_399)
            #expect(try await scene.send(.get, "/me", as: .token(token.token)).status == .ok)
            scene.clock.advance(by: 2)
            let refused = try await scene.send(.get, "/me", as: .token(token.token))
            #expect(refused.status == .unauthorized && refused.problem == .expiredToken)
        }
    }

    @Test("what is no token of ours is refused, even where nobody need be signed in")
    func unknown() async throws {
        try await AccountsScene.run { scene in
            for text in [
                "", "x", "smk_", TokenSecret().text, TokenSecret().text + "x", String(repeating: "a", count: 8000),
            ] {
                let answer = try await scene.send(.post, "/auth/logout", as: .token(text))
                #expect(answer.status == .unauthorized && answer.problem == .invalidToken)
            }
            let other = try await scene.send(.get, "/me", headers: [.authorization: "Basic YTpi"])
            #expect(other.problem == .authenticationRequired)
        }
    }

    @Test("a token is asked for its scope and its owner for their role")
    func scopesAndRoles() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let wrongRole = try await scene.send(.get, "/moderation/queue", as: ada.caller)
            #expect(wrongRole.status == .forbidden && wrongRole.problem == .forbidden)
            try await scene.accounts.setRole(.moderator, of: "ada", by: .operatorCommand)
            #expect(try await scene.send(.get, "/moderation/queue", as: ada.caller).status == .ok)
            let narrow = try await scene.accounts.makeToken(name: "n", scopes: [.read], for: ada.id)
            let refused = try await scene.send(.get, "/moderation/queue", as: .token(narrow.token))
            #expect(refused.status == .forbidden && refused.problem == .insufficientScope)
        }
    }

    @Test("a token makes none that may do more or holds longer than itself, and revokes none that may do more")
    func makers() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let maker = try await scene.accounts.makeToken(
                name: "maker", scopes: [.read], expiresInDays: 2, for: ada.id)
            let caller = AccountsScene.Caller.token(maker.token)
            let more = try await scene.send(
                .post, "/auth/tokens", json: TokenRequest(name: "n", scopes: [.read, .templatesWrite]), as: caller)
            #expect(more.status == .forbidden && more.problem == .insufficientScope)
            let longer = try await scene.send(
                .post, "/auth/tokens", json: TokenRequest(name: "n", scopes: [.read], expiresInDays: 300), as: caller)
            #expect(try longer.json(NewToken.self).info.expiresAt == maker.info.expiresAt)

            let mighty = try await scene.accounts.makeToken(name: "mighty", scopes: TokenScope.all, for: ada.id)
            #expect(try await scene.send(.delete, "/auth/tokens/\(mighty.info.id)", as: caller).status == .notFound)
            let bea = try await scene.person("bea")
            #expect(try await scene.send(.delete, "/auth/tokens/\(maker.info.id)", as: bea.caller).status == .notFound)
            #expect(try await scene.send(.delete, "/auth/tokens/\(maker.info.id)", as: ada.caller).status == .noContent)
            #expect(try await scene.send(.delete, "/auth/tokens/rubbish", as: ada.caller).status == .notFound)
        }
    }

    @Test("a wish for a token that does not hold is told all that is wrong")
    func badWishes() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let wish = TokenRequest(name: " ", scopes: [.read, TokenScope(rawValue: "everything")], expiresInDays: 367)
            let answer = try await scene.send(.post, "/auth/tokens", json: wish, as: ada.caller)
            #expect(answer.status == .unprocessableContent)
            let pointers = try answer.json(ProblemDocument.self).errors?.map(\.pointer)
            #expect(pointers == ["/name", "/scopes/1", "/expiresInDays"])
            let nobody = try await scene.send(.post, "/auth/tokens", json: TokenRequest(name: "n", scopes: [.read]))
            #expect(nobody.status == .unauthorized && nobody.problem == .authenticationRequired)
        }
    }

    @Test("an account has only so many tokens")
    func tooMany() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            try await scene.features.database.execute(
                """
                INSERT INTO api_tokens (id, user_id, name, token_hash, scopes, created_at, expires_at)
                SELECT gen_random_uuid(), \(ada.id), 'n', sha256(number::text::bytea), '{}', \(scene.clock.now),
                    \(scene.clock.now.addingTimeInterval(60))
                FROM generate_series(2, \(CredentialStore.maximumTokens)) AS number
                """)
            let wish = TokenRequest(name: "n", scopes: [.read])
            #expect(try await scene.send(.post, "/auth/tokens", json: wish, as: ada.caller).status == .conflict)
            scene.clock.advance(by: 61)
            #expect(try await scene.send(.post, "/auth/tokens", json: wish, as: ada.caller).status == .created)
        }
    }

    @Test("the last use is noted, apart from the request and once a minute")
    func lastUse() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            func lastUse() async throws -> Date? {
                try await scene.send(.get, "/auth/tokens", as: ada.caller).json(TokenList.self).tokens.first?.lastUsedAt
            }
            func wait(for date: Date) async throws {
                let isNoted = try await eventually { try await lastUse() == date }
                #expect(isNoted)
            }
            let first = scene.clock.now
            try await wait(for: first)
            scene.clock.advance(by: 59)
            #expect(try await lastUse() == first)
            scene.clock.advance(by: 1)
            try await wait(for: first.addingTimeInterval(60))
        }
    }
}
