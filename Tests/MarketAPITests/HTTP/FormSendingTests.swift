// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MarketPlatform
import MarketWire
import NIOCore
import NIOHTTP1
import Postgres
import SheetCore
import Synchronization
import TestSupport
import Testing

@testable import MarketAccounts
@testable import MarketHTTP
@testable import MarketPages

@Suite("Forms that are sent again")
struct FormSendingTests {
    private static let tokens = "/account/tokens"

    /// The word of a form's own, as a page has it.
    private static func once(of action: String, in page: TestHTTP.Answer) throws -> (String, String) {
        let forms = page.text.components(separatedBy: "action=\"\(action)").dropFirst()
        // Other addresses may begin so.
        let form = try #require(forms.first { $0.hasPrefix("\"") || $0.hasPrefix("#") }, "\(page.text)")
        let value = try #require(form.components(separatedBy: "name=\"once\" value=\"").dropFirst().first)
        return ("once", String(value.prefix { $0 != "\"" }))
    }

    private static func token(_ name: String, _ once: (String, String)) -> String {
        FormText.encoded([once, ("name", name), ("expiresInDays", "30"), ("scope", "read")])
    }

    @Test("A token is made once, and shown once, however often its form is sent; what else is written makes another")
    func token() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            func names() async throws -> [String] {
                try await scene.features.database.all("SELECT name FROM api_tokens WHERE name <> 'test' ORDER BY name")
                {
                    try $0.get(0, as: String.self)
                }
            }
            let page = try await scene.page("/account", as: ada.http)
            let once = try Self.once(of: Self.tokens, in: page)
            // What is wrong is told as often as it is sent, and may be mended.
            for _ in 0..<2 {
                let wrong = try await scene.form(Self.tokens, Self.token("", once), as: ada.http)
                #expect(wrong.status == 422 && wrong.text.contains("id=\"token-name-mistake\""), "\(wrong.text)")
            }
            let made = try await scene.form(Self.tokens, Self.token("laptop", once), as: ada.http)
            #expect(made.status == 200 && made.text.contains("id=\"new-token\""), "\(made.text)")
            for _ in 0..<2 {
                let again = try await scene.form(Self.tokens, Self.token("laptop", once), as: ada.http)
                #expect(again.status == 409 && again.text.contains("<h1>This was made already</h1>"), "\(again.text)")
                #expect(again.text.contains("is not shown again") && again.text.contains("href=\"/account\">Back"))
                #expect(!again.text.contains("id=\"new-token\""))
            }
            let laptop = try await names()
            #expect(laptop == ["laptop"])

            let other = try await scene.form(Self.tokens, Self.token("phone", once), as: ada.http)
            #expect(other.status == 200, "another name makes another token: \(other.text)")
            let next = try Self.once(of: Self.tokens, in: made)
            #expect(next.1 != once.1)
            let second = try await scene.form(Self.tokens, Self.token("laptop", next), as: ada.http)
            #expect(second.status == 200, "the next form is another: \(second.text)")
            let foreign = try await scene.form(Self.tokens, Self.token("laptop", once), as: bob.http)
            #expect(foreign.status == 200, "nobody stands in another's way: \(foreign.text)")
            let all = try await names()
            #expect(all == ["laptop", "laptop", "laptop", "phone"])
        }
    }

    @Test("A webhook is made once, and its secret renewed once, and the page to go back to is the webhook's")
    func webhook() async throws {
        try await withMarket { market in
            let ada = try await market.person("ada")
            let html = [("Accept", "text/html")]
            func post(_ path: String, _ fields: [(String, String)]) async throws -> TestHTTP.Answer {
                try await ada.send(
                    .POST, path, headers: html + [("Content-Type", "application/x-www-form-urlencoded")],
                    body: ByteBuffer(string: FormText.encoded(fields)))
            }
            func sealed() async throws -> String {
                try await market.features.database.scalar("SELECT encode(secret, 'hex') FROM webhooks", as: String.self)
            }
            let home = "/account/webhooks"
            let page = try await ada.get(home, headers: html)
            let fields = [
                try Self.once(of: home, in: page), ("url", "https://example.org/hook"), ("event", "version.published"),
            ]
            let made = try await post(home, fields)
            #expect(made.status == 200 && made.text.contains("id=\"new-secret\""), "\(made.text)")
            let again = try await post(home, fields)
            #expect(again.status == 409 && again.text.contains("href=\"\(home)\">Back"), "\(again.text)")
            let list = try await ada.get("\(Paths.base)/webhooks").json(WebhookList.self).webhooks
            let webhook = try #require(list.first)
            #expect(list.count == 1)

            let own = "\(home)/\(webhook.id)"
            let shown = try await ada.get(own, headers: html)
            let once = try Self.once(of: "\(own)/secret", in: shown)
            let renewed = try await post("\(own)/secret", [once])
            #expect(renewed.status == 200 && renewed.text.contains("id=\"new-secret\""), "\(renewed.text)")
            let before = try await sealed()
            let repeated = try await post("\(own)/secret", [once])
            #expect(repeated.status == 409 && repeated.text.contains("href=\"\(own)\">Back"), "\(repeated.text)")
            #expect(!repeated.text.contains("id=\"new-secret\""))
            let after = try await sealed()
            #expect(after == before)
        }
    }

    @Test("A form that leads on leads to the same place when it is sent again, and is thanked for likewise")
    func leading() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let sheet = try await scene.template("Sheet", by: ada.id)
            let address = "/sheets/\(sheet.slug)/report"
            let once = try Self.once(of: address, in: try await scene.page(address, as: bob.http))
            let fields = FormText.encoded([once, ("reason", "spam"), ("text", "Look.")])
            for _ in 0..<3 {
                let sent = try await scene.form(address, fields, as: bob.http)
                #expect(sent.status == 303 && sent.location == "\(address)?done=spam", "\(sent.text)")
                let after = try await scene.page(after: sent, as: bob.http)
                #expect(after.text.contains("Your report is with the moderators"), "\(after.text)")
            }
            let mine = try await bob.http.get("\(Paths.base)/reports/mine").json(ReportList.self)
            #expect(mine.reports.count == 1)
            let fresh = try Self.once(of: address, in: try await scene.page(address, as: bob.http))
            let another = try await scene.form(
                address, FormText.encoded([fresh, ("reason", "spam"), ("text", "Look.")]), as: bob.http)
            #expect(another.status == 409 && another.text.contains("You have reported this already"), "\(another.text)")
        }
    }

    @Test("A form that is refused is not made, whatever its page reads and writes, and is told the same each time")
    func refused() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let sheet = try await scene.template("Sheet", by: ada.id)
            let action = "/sheets/\(sheet.slug)/invitations"
            let once = ("once", UUID().uuidString)
            for role in ["maintainer", "owner"] {
                let wrong = FormText.encoded([once, ("handle", "nobody"), ("role", role)])
                for _ in 0..<2 {
                    let answer = try await scene.form(action, wrong, as: ada.http)
                    #expect(answer.status == 422 && answer.text.contains("Nobody has this name."), "\(answer.text)")
                }
            }
            let good = FormText.encoded([once, ("handle", "bob"), ("role", "maintainer")])
            for _ in 0..<2 {
                let answer = try await scene.form(action, good, as: ada.http)
                #expect(answer.status == 303, "\(answer.text)")
            }
            let mine = try await bob.http.get("\(Paths.base)/me/invitations").json(InvitationList.self)
            #expect(mine.invitations.count == 1)
        }
        let calls = Mutex(0)
        try await MiddlewareScene.run { routes, market in
            routes.webPages.post("/thing", access: .optionalAuthentication) { _, _ in
                calls.withLock { $0 += 1 }
                let problem = try FormProblem(APIError.validation([.init(pointer: "/name", detail: "Too short.")]))
                let slug = "thing-\(UUID())"
                try await market.database.withTransaction { connection in
                    try await connection.execute("INSERT INTO game_systems (slug, name) VALUES (\(slug), 'S')")
                }
                return Response(status: problem.status)
            }
        } _: { scene in
            let body = "once=\(UUID())"
            for _ in 0..<2 {
                let answer = try await scene.send(
                    .post, "/thing", body: body, headers: [.contentType: "application/x-www-form-urlencoded"])
                #expect(answer.status == .unprocessableContent)
            }
        }
        #expect(calls.withLock { $0 } == 2, "it is looked at each time")
    }

    @Test("No form that is dealt with once is larger than a form may be")
    func size() async throws {
        try await MiddlewareScene.run { routes, _ in
            routes.webPages.post("/thing", access: .optionalAuthentication) { _, _ in .seeOther("/things") }
            routes.webPages.takingLargeForms.post("/large", access: .optionalAuthentication) { request, _ in
                _ = try await request.form(upTo: 2 * Request.maximumFormBytes)
                return .seeOther("/things")
            }
        } _: { scene in
            let type: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
            let text = "text=" + String(repeating: "x", count: Request.maximumFormBytes)
            for body in [text, "once=\(UUID())&\(text)"] {
                let answer = try await scene.send(.post, "/thing", body: body, headers: type)
                #expect(answer.status == .contentTooLarge)
            }
            let large = try await scene.send(.post, "/large", body: text, headers: type)
            #expect(large.status == .seeOther)
        }
    }

    @Test("The second press of a button makes nothing more, and is led to what comes of the first")
    func pressedTwice() async throws {
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let (goOn, go) = AsyncStream<Void>.makeStream()
        try await MiddlewareScene.run { routes, market in
            routes.webPages.post("/thing", access: .optionalAuthentication) { _, _ in
                begin.yield()
                for await _ in goOn {}
                let slug = "thing-\(UUID())"
                try await market.database.withTransaction { connection in
                    try await connection.execute("INSERT INTO game_systems (slug, name) VALUES (\(slug), 'S')")
                }
                return .seeOther("/things")
            }
        } _: { scene in
            let type: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
            let body = "once=\(UUID())"
            async let first = scene.send(.post, "/thing", body: body, headers: type)
            for await _ in begun { break }
            async let second = scene.send(.post, "/thing", body: body, headers: type)
            // It has looked twice, and waits in between.
            let deadline = ContinuousClock.now + .seconds(600)
            while scene.idempotency.tracker.refused < 2 {
                try #require(ContinuousClock.now < deadline)
                try await Task.sleep(for: .milliseconds(10))
            }
            go.finish()
            for answer in [try await first, try await second] {
                #expect(answer.status == .seeOther && answer.headers[.location] == "/things")
            }
            let count = try await scene.features.database.scalar("SELECT count(*) FROM game_systems", as: Int.self)
            #expect(count == 1)
        }
    }
}
