// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketPlatform
import MarketWire
import NIOCore
import SheetCore

/// A person's webhooks: addresses to which events are sent.
package struct WebhookRoutes: Sendable {
    package let platform: Platform

    package init(platform: Platform) {
        self.platform = platform
    }

    private static let access = Access.user(.webhooks)

    package func register(on routes: APIRoutes) {
        routes.get("/webhooks", access: Self.access, list)
        routes.post("/webhooks", access: Self.access, create)
        routes.get("/webhooks/{id}", access: Self.access, webhook)
        routes.conditional.patch("/webhooks/{id}", access: Self.access, change)
        routes.conditional.delete("/webhooks/{id}", access: Self.access, delete)
        routes.post("/webhooks/{id}/secret", access: Self.access, renewSecret)
        routes.post("/webhooks/{id}/ping", access: Self.access, ping)
        routes.get("/webhooks/{id}/deliveries", access: Self.access, deliveries)
        routes.post("/webhooks/{id}/deliveries/{delivery}/redeliver", access: Self.access, redeliver)
    }

    private var service: WebhookService { WebhookService(platform: platform) }

    private static let own: HTTPFields = [.cacheControl: "private, no-cache"]

    private func list(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let list = try await service.list(
            of: try context.requireIdentity(), try request.pageRequest(usually: PageRequest.longest))
        return try request.listed(list, next: list.nextCursor)
    }

    private func create(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let wish = try await request.json(WebhookRequest.self)
        let made = try await service.create(wish, by: try context.requireIdentity())
        return try .json(
            made, status: .created,
            headers: [.location: "\(Paths.base)/webhooks/\(made.webhook.id)", .cacheControl: "no-store"])
    }

    private func webhook(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let webhook = try await service.webhook(try context.webhook, of: try context.requireIdentity())
        let body = try ByteBuffer.json(webhook)
        return request.conditionalResponse(body, headers: Self.own, tag: EntityTag.of(body, state: webhook.editState))
    }

    private func change(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let id = try context.webhook
        let patch = try await request.json(WebhookPatch.self)
        return try .json(
            try await service.change(id, patch, if: Precondition(request), by: try context.requireIdentity()))
    }

    private func delete(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await service.delete(
            try context.webhook, if: Precondition(request), by: try context.requireIdentity())
        return .empty()
    }

    private func renewSecret(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let made = try await service.renewSecret(of: try context.webhook, by: try context.requireIdentity())
        return try .json(made, headers: [.cacheControl: "no-store"])
    }

    private func ping(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let delivery = try await service.ping(try context.webhook, by: try context.requireIdentity())
        return try .json(delivery, status: .accepted)
    }

    private func deliveries(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let list = try await service.deliveries(
            of: try context.webhook, in: try request.word("state"), try request.pageRequest(),
            for: try context.requireIdentity())
        return try request.listed(list, next: list.nextCursor)
    }

    private func redeliver(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let sent = try await service.redeliver(
            try context.delivery, of: try context.webhook, by: try context.requireIdentity())
        return try .json(sent, status: .accepted)
    }
}

extension MarketRequestContext {
    /// `{id}` of the path, where it names a webhook.
    package var webhook: WebhookID {
        get throws(APIError) {
            guard let id = WebhookID(try path("id")) else { throw .notFound("This webhook") }
            return id
        }
    }

    /// `{delivery}` of the path, where it names one.
    package var delivery: WebhookDeliveryID {
        get throws(APIError) {
            guard let id = WebhookDeliveryID(try path("delivery")) else { throw .notFound("This delivery") }
            return id
        }
    }
}

extension WebhookError: APIErrorConvertible {
    package var apiError: APIError {
        switch self {
        case .noSuchWebhook: .notFound("This webhook")
        case .noSuchDelivery: .notFound("This delivery")
        case .tooMany(let maximum):
            APIError(
                .conflict, .conflict,
                "You have \(maximum) webhooks, which is as many as there can be; delete one first.")
        case .cannotSeal: .unavailable("Webhooks are off here: the operator has set no SHEETMARKET_SECRET_KEYS.")
        case .turnedOff:
            APIError(.conflict, .conflict, "This webhook is turned off; turn it on first ('isEnabled': true).")
        case .ownerIsNoAdministrator:
            APIError(
                .forbidden, .forbidden, "Everybody's events are for administrators alone: nothing is sent there now.")
        case .invalid(let problems): .validation(problems)
        }
    }
}
