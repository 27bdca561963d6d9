// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import HummingbirdTesting
import MarketPages
import MarketPlatform
import MarketWire
import NIOCore
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAccounts

@Suite("Webhooks whose owner has become less than they were")
struct WebhookStandingTests {
    @Test("Everybody's events go to nobody who is no administrator any more, not even those that waited")
    func demotion() async throws {
        let receiver = WebhookReceiver()
        try await receiver.run { scene, url in
            let admin = UserID.make()
            try await scene.addUser(admin, "root", role: .administrator)
            let hook = try await scene.addWebhook(url + "/all", [.versionPublished], .all, as: admin)
            _ = try await scene.addWebhook(url + "/own", [.versionPublished], as: admin)
            try await scene.addTemplate("Told Before")
            try await scene.features.database.execute("UPDATE users SET role = 'user' WHERE id = \(admin)")
            try await scene.addTemplate("Own Sheet", owner: admin)
            try await scene.whilePostman { try await Self.ends(in: scene) }
            #expect(receiver.taken.map(\.path) == ["/own"])
            let errors = try await scene.features.database.all(
                "SELECT error FROM webhook_attempts WHERE status IS NULL"
            ) {
                try $0.get(0, as: String.self)
            }
            #expect(errors == ["Not sent: the webhook's owner may not be told this any more."])
            let failing = try await scene.features.database.scalar(
                "SELECT count(*) FROM webhooks WHERE failing_since IS NOT NULL", as: Int.self)
            #expect(failing == 0, "the receiver did nothing wrong")

            let path = "/webhooks/\(hook.webhook.id)"
            let shown = try await scene.get("\(path)/deliveries", as: admin).json(WebhookDeliveryList.self)
            #expect(shown.deliveries.isEmpty)
            let ping = try await scene.send(.post, "\(Paths.base)\(path)/ping", as: admin)
            #expect(ping.status == .forbidden)

            try await scene.features.database.execute("UPDATE users SET role = 'administrator' WHERE id = \(admin)")
            try await scene.addTemplate("Told Again")
            try await scene.whilePostman { try await Self.ends(in: scene) }
            #expect(receiver.taken.map(\.path) == ["/own", "/all"], "it is as free as any")
        }
    }

    @Test("A token for webhooks alone is not shown what only an administrator may read")
    func narrowToken() async throws {
        try await withMarket { market in
            let accounts = AccountService(accounts: market.features.accounts)
            let admin = try await accounts.ensureSystemUser(handle: "root", role: .administrator)
            func caller(_ scopes: [TokenScope]) async throws -> TestHTTP {
                market.http.signedIn(try await accounts.makeToken(name: "t", scopes: scopes, for: admin.id).token)
            }
            let whole = try await caller(TokenScope.all)
            let narrow = try await caller([.webhooks, .read])
            let home = "\(Paths.base)/webhooks"
            let wish = WebhookRequest(
                url: "https://example.org/hook", events: [.versionPublished], covers: .all, description: nil)
            let hook = try await whole.send(.POST, home, json: wish).json(NewWebhook.self).webhook
            let ping = try await whole.send(.POST, "\(home)/\(hook.id)/ping").json(WebhookDelivery.self)
            let seen = try await whole.get("\(home)/\(hook.id)/deliveries").json(WebhookDeliveryList.self)
            #expect(seen.deliveries.map(\.id) == [ping.id])
            let hidden = try await narrow.get("\(home)/\(hook.id)/deliveries")
            #expect(hidden.status == 403 && hidden.problemCode == .insufficientScope, "\(hidden.text)")
            let again = try await narrow.send(.POST, "\(home)/\(hook.id)/deliveries/\(ping.id)/redeliver")
            #expect(again.status == 403 && again.problemCode == .insufficientScope, "\(again.text)")
        }
    }

    @Test("Whoever is an administrator no more turns their webhook of everybody's events off, and deletes it")
    func leaving() async throws {
        try await CatalogScene.run { scene in
            let admin = UserID.make()
            try await scene.addUser(admin, "root", role: .administrator)
            let hook = try await scene.addWebhook("https://example.org/hook", [.reportCreated], .all, as: admin)
            try await scene.features.database.execute("UPDATE users SET role = 'user' WHERE id = \(admin)")
            let path = "/webhooks/\(hook.webhook.id)"
            func patch(_ wish: WebhookPatch) async throws -> HTTPResponse.Status {
                try await scene.send(.patch, path, as: admin, json: wish).status
            }
            #expect(try await patch(WebhookPatch(url: "https://example.org/other")) == .forbidden)
            #expect(try await patch(WebhookPatch(url: "https://example.org/other", isEnabled: false)) == .forbidden)
            let off = try await scene.send(.patch, path, as: admin, json: WebhookPatch(isEnabled: false))
            #expect(off.status == .ok)
            #expect(try off.json(Webhook.self).disabledReason == "owner")
            #expect(try await patch(WebhookPatch(isEnabled: true)) == .forbidden)
            let gone = try await scene.send(.delete, "\(Paths.base)\(path)", as: admin)
            #expect(gone.status == .noContent)
        }
    }

    /// Waits until nothing is on its way.
    private static func ends(in scene: CatalogScene) async throws {
        let deadline = ContinuousClock.now + .seconds(600)
        let waiting: PostgresQuery = "SELECT count(*) FROM webhook_deliveries WHERE state = 'pending'"
        while try await scene.features.database.scalar(waiting, as: Int.self) > 0 {
            try #require(ContinuousClock.now < deadline)
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
