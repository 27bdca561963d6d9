// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketWire
import SheetCore

extension MarketClient {
    private static func webhook(_ id: WebhookID) -> String { "\(Paths.base)/webhooks/\(id)" }

    /// The account's webhooks, the oldest first.
    public func webhooks(limit: Int? = nil) -> CursorSequence<Webhook> {
        entries("\(Paths.base)/webhooks", limit: limit, as: WebhookList.self) { ($0.webhooks, $0.nextCursor) }
    }

    /// Makes a webhook; its secret is told this once.
    public func makeWebhook(_ request: WebhookRequest) async throws -> NewWebhook {
        try await requests.json(try .send(.post, "\(Paths.base)/webhooks", request))
    }

    /// Of the account's own; without its secret, which is told only once.
    public func webhook(_ id: WebhookID) async throws -> Webhook {
        try await requests.json(.get(Self.webhook(id)))
    }

    /// What the patch leaves out stays.
    public func change(_ id: WebhookID, _ patch: WebhookPatch) async throws -> Webhook {
        try await requests.json(try .send(.patch, Self.webhook(id), patch))
    }

    /// Its deliveries are forgotten with it.
    public func deleteWebhook(_ id: WebhookID) async throws {
        try await requests.discard(try .send(.delete, Self.webhook(id), repeatable: true))
    }

    /// Gives a webhook another secret.
    public func renewSecret(of id: WebhookID) async throws -> NewWebhook {
        try await requests.json(try .send(.post, Self.webhook(id) + "/secret"))
    }

    /// Sends a webhook a message to try it.
    public func ping(_ id: WebhookID) async throws -> WebhookDelivery {
        try await requests.json(try .send(.post, Self.webhook(id) + "/ping"))
    }

    /// What was sent, the newest first; in one state (`pending`, `delivered`, `failed`) alone, if wanted.
    public func deliveries(
        of id: WebhookID, state: String? = nil, limit: Int? = nil
    ) -> CursorSequence<WebhookDelivery> {
        entries(Self.webhook(id) + "/deliveries", [("state", state)], limit: limit, as: WebhookDeliveryList.self) {
            ($0.deliveries, $0.nextCursor)
        }
    }

    /// Sends a message again.
    public func redeliver(_ delivery: WebhookDeliveryID, of id: WebhookID) async throws -> WebhookDelivery {
        try await requests.json(try .send(.post, Self.webhook(id) + "/deliveries/\(delivery)/redeliver"))
    }
}
