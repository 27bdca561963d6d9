// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import MarketWire
import NIOCore
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAccounts
@testable import MarketCommunity
@testable import MarketPages
@testable import MemberPages

@Suite("Webhooks on the web")
struct WebhookPageTests {
    private static let home = "/account/webhooks"
    private static let target = "https://example.org/hook"

    /// A browser in which somebody is signed in.
    private static func browser(
        of handle: String, role: UserRole = .user, in market: TestMarket
    ) async throws -> TestBrowser {
        let user = try await AccountService(accounts: market.features.accounts).ensureSystemUser(
            handle: handle, role: role)
        let browser = TestBrowser(market)
        try await browser.signIn(user.id, of: market)
        return browser
    }

    /// A webhook that `browser` made by the form.
    private static func made(by browser: TestBrowser) async throws -> Webhook {
        let answer = try await browser.post(home, [("url", target), ("event", "version.published")])
        try #require(answer.status == 200, "\(answer.text)")
        return try #require(try await webhooks(of: browser).last)
    }

    private static func webhooks(of browser: TestBrowser) async throws -> [Webhook] {
        try await browser.get("\(Paths.base)/webhooks").json(WebhookList.self).webhooks
    }

    /// The secret that a page shows.
    private static func secret(in page: TestHTTP.Answer) -> String? {
        let parts = page.text.components(separatedBy: "id=\"new-secret\">")
        return parts.dropFirst().first.map { part in String(part.prefix { $0 != "<" }) }
    }

    /// Whether an answer leads to the page of `webhook`, which then says `words`.
    private static func does(
        _ answer: TestHTTP.Answer, _ words: String, _ webhook: Webhook, _ browser: TestBrowser
    ) async throws -> Bool {
        let page = "\(home)/\(webhook.id)"
        guard answer.status == 303, answer.location.hasPrefix("\(page)?done=") else {
            Issue.record("\(answer.status) \(answer.text)")
            return false
        }
        return try await browser.get(answer.location).text.contains(words)
    }

    @Test("A webhook is made on its page, which shows the secret once and keeps what was typed where it will not do")
    func making() async throws {
        try await withMarket { market in
            let ada = try await Self.browser(of: "ada", in: market)
            let account = try await ada.get("/account")
            #expect(account.text.contains("href=\"\(Self.home)\""))
            let empty = try await ada.get(Self.home)
            #expect(empty.status == 200 && empty.text.contains("None yet."))
            #expect(!empty.text.contains("report.created"), "that is for administrators")

            let wrong = try await ada.post(
                Self.home, [("url", "http://example.org/\"x"), ("event", "review.created"), ("description", "<Bot>")])
            #expect(wrong.status == 422 && wrong.text.contains("id=\"url-mistake\""), "\(wrong.text)")
            #expect(wrong.text.contains("value=\"http://example.org/&quot;x\""))
            #expect(wrong.text.contains("value=\"&lt;Bot&gt;\""))
            #expect(wrong.text.contains("value=\"review.created\" checked"))
            #expect(!wrong.text.contains("value=\"version.published\" checked"))
            let none = try await ada.post(Self.home, [("url", Self.target)])
            #expect(none.status == 422 && none.text.contains("each once"), "\(none.text)")
            let all = try await ada.post(
                Self.home, [("url", Self.target), ("event", "report.created"), ("covers", "all")])
            #expect(all.status == 403 && all.text.contains("administrator"), "\(all.text)")
            #expect(try await Self.webhooks(of: ada).isEmpty && Self.secret(in: all) == nil)

            let answer = try await ada.post(
                Self.home,
                [
                    ("url", Self.target), ("event", "version.published"), ("event", "review.created"),
                    ("description", "<Bot>"),
                ])
            #expect(answer.status == 200 && answer.headers.first(name: "cache-control")?.contains("no-store") == true)
            let secret = try #require(Self.secret(in: answer))
            #expect(secret.hasPrefix(WebhookSecret.mark) && secret.count > 40)
            let webhooks = try await Self.webhooks(of: ada)
            let webhook = try #require(webhooks.first)
            #expect(webhooks.count == 1 && webhook.url == Self.target && webhook.covers == .own)
            #expect(webhook.events == [.versionPublished, .reviewCreated] && webhook.description == "<Bot>")
            for place in [Self.home, "\(Self.home)/\(webhook.id)"] {
                let page = try await ada.get(place)
                #expect(page.status == 200 && page.text.contains(Self.target), "\(place): \(page.text)")
                #expect(page.text.contains("&lt;Bot&gt;") && page.text.contains("a review was written"))
                #expect(!page.text.contains(WebhookSecret.mark), "\(place)")
            }

            let root = try await Self.browser(of: "root", role: .administrator, in: market)
            let offer = try await root.get(Self.home)
            #expect(offer.text.contains("report.created") && offer.text.contains("name=\"covers\""))
            let covering = try await root.post(
                Self.home, [("url", Self.target), ("event", "report.created"), ("covers", "all")])
            #expect(covering.status == 200 && covering.text.contains("for everybody"), "\(covering.text)")
            let made = try await Self.webhooks(of: root)
            #expect(made.map(\.covers) == [.all])
            let hook = try #require(made.first)
            try await market.features.database.execute("UPDATE users SET role = 'user' WHERE handle = 'root'")
            let page = try await root.get("\(Self.home)/\(hook.id)")
            #expect(page.text.contains("Nothing is sent there as long as you are none."), "\(page.text)")
        }
    }

    @Test("Its page turns it off and on, pings it, renews its secret, and deletes it when that is meant")
    func changing() async throws {
        try await withMarket { market in
            let ada = try await Self.browser(of: "ada", in: market)
            let webhook = try await Self.made(by: ada)
            let page = "\(Self.home)/\(webhook.id)"
            let off = try await ada.post("\(page)/switch", [("on", "no")])
            #expect(try await Self.does(off, "It is off", webhook, ada))
            #expect(try await Self.webhooks(of: ada).map(\.disabledReason) == ["owner"])
            let refused = try await ada.post("\(page)/ping")
            #expect(refused.status == 409 && refused.text.contains("turn it on first"), "\(refused.text)")
            let on = try await ada.post("\(page)/switch", [("on", "yes")])
            #expect(try await Self.does(on, "It is on", webhook, ada))
            #expect(try await Self.webhooks(of: ada).map(\.isEnabled) == [true])
            let ping = try await ada.post("\(page)/ping")
            #expect(try await Self.does(ping, "On its way", webhook, ada))

            func sealed() async throws -> String {
                try await market.features.database.scalar("SELECT encode(secret, 'hex') FROM webhooks", as: String.self)
            }
            let before = try await sealed()
            let renewed = try await ada.post("\(page)/secret")
            let secret = try #require(Self.secret(in: renewed))
            #expect(renewed.status == 200 && secret.hasPrefix(WebhookSecret.mark))
            #expect(try await sealed() != before)
            let again = try await ada.get(page)
            #expect(!again.text.contains(WebhookSecret.mark))

            let unsure = try await ada.post("\(page)/delete")
            #expect(unsure.status == 422 && unsure.text.contains("id=\"sure-mistake\""), "\(unsure.text)")
            #expect(try await Self.webhooks(of: ada).count == 1)
            let deleted = try await ada.post("\(page)/delete", [("sure", "yes")])
            #expect(deleted.status == 303 && deleted.location == "\(Self.home)?done=deleted")
            let list = try await ada.get(deleted.location)
            #expect(list.text.contains("The webhook is deleted") && list.text.contains("None yet."))
            let gone = try await ada.get(page)
            #expect(gone.status == 404)
        }
    }

    @Test("What it was sent is shown with each answer, can be filtered and paged, and sent again")
    func deliveries() async throws {
        try await withMarket { market in
            let ada = try await Self.browser(of: "ada", in: market)
            let webhook = try await Self.made(by: ada)
            let page = "\(Self.home)/\(webhook.id)"
            for _ in 0...WebhookPages.rowsShown { _ = try await ada.post("\(page)/ping") }
            let first = try await ada.get(page)
            let next = try #require(
                first.text.components(separatedBy: "?cursor=").dropFirst().first?.prefix { $0 != "#" })
            let rest = try await ada.get("\(page)?cursor=\(next)")
            func shown(_ answer: TestHTTP.Answer) -> Int {
                answer.text.components(separatedBy: "What is sent</summary>").count - 1
            }
            #expect(shown(first) == WebhookPages.rowsShown && shown(rest) == 1, "\(rest.text)")

            let database = market.features.database
            let listed = try await ada.get("\(Paths.base)/webhooks/\(webhook.id)/deliveries")
            let failed = try #require(try listed.json(WebhookDeliveryList.self).deliveries.first)
            try await database.execute(
                """
                UPDATE webhook_deliveries SET state = CASE id WHEN \(failed.id) THEN 'failed' ELSE 'delivered' END,
                    ended_at = now()
                """)
            try await database.execute(
                """
                INSERT INTO webhook_attempts (delivery_id, number, at, duration_ms, status, response_body)
                VALUES (\(failed.id), 1, now(), 42, 500, '<b>no</b>')
                """)
            let only = try await ada.get("\(page)?state=failed")
            #expect(only.status == 200 && shown(only) == 1, "\(only.text)")
            #expect(only.text.contains("Answered 500, after 42 ms") && only.text.contains("&lt;b&gt;no&lt;/b&gt;"))
            #expect(only.text.contains("&quot;webhook.ping&quot;") && only.text.contains(failed.id.description))
            let odd = try await ada.get("\(page)?state=lost")
            #expect(odd.status == 422)
            let delivered = try await ada.get("\(page)?state=delivered")
            #expect(shown(delivered) == WebhookPages.rowsShown && !delivered.text.contains("Answered 500"))

            let resend = "\(page)/deliveries/\(failed.id)/redeliver"
            #expect(only.text.contains("action=\"\(resend)\""))
            let again = try await ada.post(resend)
            #expect(try await Self.does(again, "It is sent once more", webhook, ada))
            let pending = try await ada.get("\(page)?state=pending")
            #expect(shown(pending) == 1 && pending.text.contains(failed.id.description))
        }
    }

    @Test("Nobody else sees or changes it, and no other site's form does")
    func strangers() async throws {
        try await withMarket { market in
            let ada = try await Self.browser(of: "ada", in: market)
            let webhook = try await Self.made(by: ada)
            let page = "\(Self.home)/\(webhook.id)"
            _ = try await ada.post("\(page)/ping")
            let bob = try await Self.browser(of: "bob", role: .administrator, in: market)
            let list = try await bob.get(Self.home)
            #expect(list.status == 200 && !list.text.contains(webhook.id.description))
            let read = try await bob.get(page)
            #expect(read.status == 404)
            let acts = ["switch", "secret", "ping", "delete", "deliveries/\(webhook.id)/redeliver"]
            for act in acts {
                let tried = try await bob.post("\(page)/\(act)", [("on", "no"), ("sure", "yes")])
                #expect(tried.status == 404, "\(act): \(tried.text)")
                let nobody = try await TestBrowser(market).post("\(page)/\(act)", [("sure", "yes")])
                #expect(nobody.status == 401, "\(act): \(nobody.text)")
            }
            let unknown = try await ada.post("\(page)/deliveries/\(webhook.id)/redeliver")
            #expect(unknown.status == 404)
            let accounts = AccountService(accounts: market.features.accounts)
            let session = try await accounts.makeSession(
                for: accounts.ensureSystemUser(handle: "ada").id, from: SignInDevice(userAgent: nil, address: nil))
            let cookie = "\(SessionCookie(isSecure: market.features.platform.secureCookies).name)=\(session.text)"
            let foreign = try await market.http.send(
                .POST, "\(page)/delete",
                headers: [
                    ("Cookie", cookie), ("Sec-Fetch-Site", "cross-site"),
                    ("Content-Type", "application/x-www-form-urlencoded"),
                ], body: ByteBuffer(string: "sure=yes"))
            #expect(foreign.status == 403 && foreign.problemCode == .crossSite)
            #expect(try await Self.webhooks(of: ada) == [webhook])
        }
    }
}
