// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPages
import MarketPlatform
import MarketWire
import NIOHTTP1
import Outgoing
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAccounts
@testable import MarketCommunity

@Suite("What is measured of letters and webhooks")
struct OutboxMetricsTests {
    /// The figures of `/metrics`, by outbox: `waiting`, `oldest_seconds`, `overdue_seconds` and the totals by result.
    private static func figures(_ outbox: String, _ market: TestMarket) async throws -> [String: Double] {
        let answer = try await market.http.get("/metrics")
        #expect(answer.status == 200)
        var figures: [String: Double] = [:]
        let series = /sheetmarket_outbox_(\w+)\{outbox="(\w+)"(?:,result="(\w+)")?\} (\S+)/
        for match in answer.text.matches(of: series) where match.2 == outbox {
            figures[String(match.3 ?? match.1)] = Double(match.4)
        }
        return figures
    }

    @Test("letters that wait, the oldest and the latest of them, and what became of the others")
    func mail() async throws {
        try await withMarket { market in
            for handle in ["ada", "bob"] { _ = try await market.person(handle) }
            try await market.features.database.execute(
                "UPDATE users SET email = 'ada@example.org', email_verified_at = now() WHERE handle = 'ada'")
            try await market.features.database.execute("DELETE FROM mail_outbox")
            func write(to handle: String, _ box: LetterBox) async throws {
                let user = try #require(try await AccountStore.user(handle: handle, in: market.features.database))
                try await Mail.enqueue(
                    EmailMessage(template: .passwordChanged, to: user.id), in: market.features.database)
                try await EmailDispatcher(
                    platform: market.features.platform, templates: try TestPages.emailTemplates.get(), delivery: box,
                    sender: try #require(MailAddress("sheets@market.example")), site: "https://market.example"
                ).deliverDue()
            }
            let nothing = try await Self.figures("mail", market)
            #expect(nothing.count == 7 && nothing.values.allSatisfy { $0 == 0 }, "\(nothing)")
            for _ in 0..<2 { try await write(to: "ada", LetterBox()) }
            // Nobody proved bob's address.
            try await write(to: "bob", LetterBox())
            try await write(to: "ada", LetterBox(refusals: 1, isFinal: true))
            try await write(to: "ada", LetterBox(refusals: 1))
            try await market.features.database.execute(
                """
                UPDATE mail_outbox SET created_at = now() - interval '2 hours', next_at = now() - interval '1 hour'
                WHERE state = 'waiting'
                """)
            let figures = try await Self.figures("mail", market)
            #expect(figures["sent"] == 2 && figures["dropped"] == 1, "\(figures)")
            #expect(figures["failed"] == 2 && figures["abandoned"] == 1 && figures["waiting"] == 1, "\(figures)")
            #expect((7200..<10_800).contains(figures["oldest_seconds"] ?? 0), "\(figures)")
            #expect((3600..<7200).contains(figures["overdue_seconds"] ?? 0), "\(figures)")
        }
    }

    @Test("deliveries to webhooks alike; those of a webhook that is off do not count as waiting")
    func webhooks() async throws {
        try await withMarket(outgoingPolicy: .anywhere) { market in
            let ada = try await market.person("ada")
            let made = try await ada.send(
                .POST, "\(Paths.base)/webhooks",
                json: WebhookRequest(url: "http://127.0.0.1:9/hook", events: [.versionPublished]))
            let id = try made.json(NewWebhook.self).webhook.id
            let outbox = WebhookOutbox(database: market.features.database, schedule: WebhookSchedule())
            func attempt(_ status: Int?, _ verdict: WebhookOutbox.Verdict, entering: Bool = true) async throws {
                if entering {
                    let ping = try await ada.send(.POST, "\(Paths.base)/webhooks/\(id)/ping")
                    #expect(ping.status < 300, "\(ping.text)")
                }
                let claim = try #require(try await outbox.claim())
                try await outbox.recordOutcome(claim, .init(at: Date(), milliseconds: 1, status: status), verdict)
            }
            try await attempt(204, .delivered)
            try await attempt(500, .again(0))
            try await attempt(nil, .failed, entering: false)
            try await attempt(nil, .again(3600))
            try await market.features.database.execute(
                "UPDATE webhook_deliveries SET created_at = now() - interval '2 hours' WHERE state = 'pending'")
            let figures = try await Self.figures("webhooks", market)
            #expect(figures["sent"] == 1 && figures["failed"] == 3 && figures["abandoned"] == 1, "\(figures)")
            #expect(figures["waiting"] == 1 && figures["overdue_seconds"] == 0, "\(figures)")
            #expect((7200..<10_800).contains(figures["oldest_seconds"] ?? 0), "\(figures)")
            let off = try await ada.send(
                .PATCH, "\(Paths.base)/webhooks/\(id)", json: WebhookPatch(isEnabled: false))
            #expect(off.status == 200)
            #expect(try await Self.figures("webhooks", market)["waiting"] == 0)
        }
    }
}
