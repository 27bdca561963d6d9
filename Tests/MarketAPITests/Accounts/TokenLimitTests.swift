// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import MarketPlatform
import MarketWire
import NIOCore
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAccounts

@Suite("Tokens for named templates, and tokens in the wrong hands")
struct TokenLimitTests {
    private static func template(_ slug: String, of owner: TestHTTP, in market: TestMarket) async throws -> TemplateID {
        let account = try await owner.get("\(Paths.base)/me").json(Account.self)
        let id = TemplateID.make()
        try await market.features.database.execute(
            """
            INSERT INTO templates (id, slug, owner_id, game_system, name, summary, license, language)
            VALUES (\(id), \(slug), \(account.id), 'dnd5e', \(slug), 'A sheet.', 'CC0-1.0', 'en')
            """)
        return id
    }

    @Test("Such a token acts on its templates alone, under their slugs and ids, and has no scope elsewhere")
    func limit() async throws {
        try await withMarket(workers: 1) { market in
            let ada = try await market.person("ada")
            let bob = try await market.person("bob")
            let mine = try await Self.template("mine", of: ada, in: market)
            let other = try await Self.template("other", of: ada, in: market)
            _ = try await Self.template("foreign", of: bob, in: market)
            let wish = TokenRequest(name: "ci", scopes: [.read, .templatesWrite], templates: ["mine"])
            let made = try await ada.send(.POST, "\(Paths.base)/auth/tokens", json: wish)
            #expect(made.status == 201, "\(made.text)")
            let token = try made.json(NewToken.self)
            #expect(token.info.templates == [TokenTemplate(id: mine, slug: "mine", name: "mine")])
            let listed = try await ada.get("\(Paths.base)/auth/tokens").json(TokenList.self).tokens
            #expect(listed.first { $0.id == token.info.id }?.templates?.map(\.id) == [mine])
            #expect(listed.first { $0.id != token.info.id }?.templates == nil)

            let ci = market.http.signedIn(token.token)
            var builder = PDFDocumentBuilder()
            builder.addPage(headings: ["Skills", "Combat"])
            let metadata = UploadMetadata(
                name: "Mine", summary: "A sheet.", gameSystem: "dnd5e", license: "CC0-1.0", language: "en",
                version: "1.0.0", changelog: "First.")
            for key in ["mine", mine.description] {
                let answer = try await ci.send(.PATCH, "\(Paths.base)/templates/\(key)", json: TemplatePatch(name: "X"))
                #expect(answer.problemCode == .notFound, "not published yet: \(answer.text)")
            }
            let upload = try await ci.upload(
                "\(Paths.base)/templates/mine/versions", metadata: metadata, file: builder.build())
            #expect(upload.status == 202, "\(upload.text)")
            let submission = try upload.json(SubmissionStatus.self)
            let seen = try await ci.get("\(Paths.base)/submissions/\(submission.id)")
            #expect(seen.status == 200)

            for key in ["other", other.description, "nothing-at-all"] {
                let refused = try await ci.upload(
                    "\(Paths.base)/templates/\(key)/versions", metadata: metadata, file: builder.build())
                #expect(refused.status == 403 && refused.problemCode == .insufficientScope, "\(key)")
            }
            let whole = try await ci.upload(metadata: metadata, file: builder.build())
            #expect(whole.status == 403)
            for path in ["/submissions", "/auth/tokens", "/me/invitations"] {
                let refused = try await ci.get("\(Paths.base)\(path)")
                #expect(refused.problemCode == .insufficientScope, "\(path)")
            }
            #expect(try await ci.get("\(Paths.base)/me").status == 200)
            #expect(try await ci.get("\(Paths.base)/templates").status == 200)

            // It can neither hand on what it has nor end other tokens than itself.
            let more = try await ci.send(
                .POST, "\(Paths.base)/auth/tokens", json: TokenRequest(name: "n", scopes: [.read]))
            #expect(more.status == 403)
            let sibling = try await ada.send(.POST, "\(Paths.base)/auth/tokens", json: wish).json(NewToken.self)
            #expect(try await ci.send(.DELETE, "\(Paths.base)/auth/tokens/\(sibling.info.id)").status == 404)
            #expect(try await ci.send(.DELETE, "\(Paths.base)/auth/tokens/\(token.info.id)").status == 204)
        }
    }

    @Test("A slug that was the template's before still names it to its token; a template that goes widens nothing")
    func slugs() async throws {
        try await withMarket { market in
            let ada = try await market.person("ada")
            let mine = try await Self.template("mine", of: ada, in: market)
            let wish = TokenRequest(name: "ci", scopes: [.read, .templatesWrite], templates: [mine.description])
            let token = try await ada.send(.POST, "\(Paths.base)/auth/tokens", json: wish).json(NewToken.self)
            let database = market.features.database
            try await database.execute("UPDATE templates SET slug = 'renamed' WHERE id = \(mine)")
            for slug in ["mine", "renamed"] {
                #expect(try await CredentialStore.isToken(token.info.id, forTemplate: slug, in: database))
            }
            try await database.execute("DELETE FROM api_token_templates WHERE token_id = \(token.info.id)")
            let now = try await ada.get("\(Paths.base)/auth/tokens").json(TokenList.self).tokens
            #expect(now.first { $0.id == token.info.id }?.templates == [])
            let ci = market.http.signedIn(token.token)
            #expect(try await ci.get("\(Paths.base)/templates/renamed/downloads").status == 403)
        }
    }

    @Test("Wishes that make no sense are refused with what is wrong about each")
    func faults() async throws {
        try await withMarket { market in
            let ada = try await market.person("ada")
            _ = try await Self.template("foreign", of: try await market.person("bob"), in: market)
            let wishes = [
                TokenRequest(name: "n", scopes: [.read], templates: ["foreign"]),
                TokenRequest(name: "n", scopes: [.read], templates: []),
                TokenRequest(name: "n", scopes: [.read], templates: ["nothing"]),
                TokenRequest(name: "n", scopes: [.read, .moderation], templates: ["foreign"]),
            ]
            for (wish, pointer) in zip(wishes, ["/templates/0", "/templates", "/templates/0", "/scopes/1"]) {
                let answer = try await ada.send(.POST, "\(Paths.base)/auth/tokens", json: wish)
                let problem = try answer.json(ProblemDocument.self)
                #expect(answer.status == 422 && problem.errors?.first?.pointer == pointer, "\(answer.text)")
            }
        }
    }

    @Test("Addresses are told apart by what they are about; what is not known is nothing for such a token")
    func subjects() {
        func subject(_ method: HTTPRequest.Method, _ path: String) -> TokenSubject {
            .init(method: method, path: path)
        }
        let id = SubmissionID.make()
        #expect(subject(.put, "/api/v1/templates/a-b/versions/1.0.0/regions") == .template("a-b"))
        #expect(subject(.get, "/api/v1//templates/a%2Db") == .template("a-b"))
        #expect(subject(.post, "/api/v1/submissions/\(id)/withdraw") == .submission(id))
        #expect(subject(.get, "/api/v1/me") == .account)
        let others: [(HTTPRequest.Method, String)] = [
            (.post, "/api/v1/templates"), (.get, "/api/v1/submissions"), (.delete, "/api/v1/me"),
            (.get, "/api/v1/me/export"), (.post, "/api/v1/auth/tokens"), (.post, "/templates/a"),
            (.post, "/submissions/\(id)/withdraw"), (.post, "/api/v1/reports"), (.get, "/account"),
            (.get, "/api/v1/auth/tokens"), (.post, "/api/v2/templates/a"),
        ]
        for (method, path) in others { #expect(subject(method, path) == .other, "\(path)") }
    }

    @Test("Whoever holds a token can revoke it; its owner gets a letter, the answer is the same for what was never one")
    func leaked() async throws {
        try await withMarket { market in
            let ada = try await market.person("ada")
            let token = try #require(ada.token)
            #expect(token.wholeMatch(of: /smk_[0-9A-Za-z]{48}/) != nil)
            for text in [TokenSecret().text, "smk_", "", "nothing", String(repeating: "x", count: 10_000)] {
                let answer = try await market.http.send(
                    .POST, "\(Paths.base)/auth/tokens/revoke", json: TokenRevocation(token: text))
                #expect(answer.status == 204 && answer.body.readableBytes == 0)
            }
            #expect(try await ada.get("\(Paths.base)/me").status == 200)
            func emails() async throws -> [String] {
                try await market.features.database.all(
                    """
                    SELECT u.handle FROM mail_outbox AS m JOIN users AS u ON u.id = m.user_id
                    WHERE m.template = 'token_revoked'
                    """
                ) { try $0.get(0, as: String.self) }
            }
            #expect(try await emails() == [])
            let answer = try await market.http.send(
                .POST, "\(Paths.base)/auth/tokens/revoke", json: TokenRevocation(token: token))
            #expect(answer.status == 204 && answer.body.readableBytes == 0)
            #expect(try await ada.get("\(Paths.base)/me").problemCode == .invalidToken)
            #expect(try await emails() == ["ada"])
            // Again, and with the dead token as the caller's own: still no difference.
            let again = try await ada.send(
                .POST, "\(Paths.base)/auth/tokens/revoke", json: TokenRevocation(token: token))
            #expect(again.status == 204)
            #expect(try await emails() == ["ada"], "told once")
        }
    }
}
