// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPlatform
import MarketWire
import Outgoing
import Postgres
import SheetCore

/// Creating, changing and trying out the webhooks of a person.
package struct WebhookService: Sendable {
    /// How many webhooks a person may have.
    package static let maximumPerPerson = 20
    package static let maximumDescription = 200

    package let platform: Platform

    package init(platform: Platform) {
        self.platform = platform
    }

    /// What a secret is sealed for: in another webhook's row it does not open.
    package static func context(_ id: WebhookID) -> String { "webhook \(id)" }

    /// Where sealed secrets stand.
    package static let sealedColumn = SealedColumn(name: "webhooks", table: "webhooks", key: "id") {
        context(WebhookID(rawValue: $0))
    }

    package func create(_ wish: WebhookRequest, by identity: Identity) async throws -> NewWebhook {
        let now = platform.now()
        let webhook = Webhook(
            id: .make(at: now), url: wish.url, events: wish.events, covers: wish.covers ?? .own,
            description: wish.description ?? "", createdAt: now, isEnabled: true)
        try check(webhook, identity)
        let secret = WebhookSecret()
        let sealed = try seal(secret, of: webhook.id)
        try await platform.database.withTransaction { connection in
            guard try await WebhookStore.lockedCount(of: identity.userID, connection) < Self.maximumPerPerson else {
                throw WebhookError.tooMany(maximum: Self.maximumPerPerson)
            }
            try await WebhookStore.insert(webhook, of: identity.userID, secret: sealed, connection)
        }
        return NewWebhook(webhook: webhook, secret: secret.text)
    }

    /// The caller's, the oldest first.
    package func list(of identity: Identity, _ pageRequest: PageRequest) async throws -> WebhookList {
        let name = "webhooks"
        let found = try await WebhookStore.list(
            of: identity.userID, after: try pageRequest.place(in: name), limit: pageRequest.fetchLimit,
            platform.database)
        let page = pageRequest.page(found, of: name) { [$0.id.description] }
        return WebhookList(webhooks: page.rows, nextCursor: page.next)
    }

    package func webhook(_ id: WebhookID, of identity: Identity) async throws -> Webhook {
        guard let found = try await WebhookStore.webhook(id, of: identity.userID, platform.database) else {
            throw WebhookError.noSuchWebhook
        }
        return found
    }

    /// Holds a lock meanwhile, against both its owner in another place and the dispatcher, which may turn it off.
    package func change(
        _ id: WebhookID, _ patch: WebhookPatch, if condition: Precondition = .none, by identity: Identity
    ) async throws -> Webhook {
        try await platform.database.withTransaction { connection in
            guard var webhook = try await WebhookStore.locked(id, of: identity.userID, connection) else {
                throw WebhookError.noSuchWebhook
            }
            let state = webhook.editState
            webhook.url = patch.url ?? webhook.url
            webhook.events = patch.events ?? webhook.events
            webhook.description = patch.description ?? webhook.description
            if let isEnabled = patch.isEnabled, isEnabled != webhook.isEnabled {
                webhook.isEnabled = isEnabled
                webhook.disabledReason = isEnabled ? nil : "owner"
            }
            // Turned off it hears nothing: nobody has to be what they were when they made it.
            if patch != WebhookPatch(isEnabled: false) { try check(webhook, identity) }
            try condition.check(state)
            try await WebhookStore.update(webhook, at: platform.now(), connection)
            return try await WebhookStore.webhook(id, of: identity.userID, connection) ?? webhook
        }
    }

    /// Deletes it with all that it was sent.
    package func delete(_ id: WebhookID, if condition: Precondition = .none, by identity: Identity) async throws {
        try await platform.database.withTransaction { connection in
            guard let webhook = try await WebhookStore.locked(id, of: identity.userID, connection) else {
                throw WebhookError.noSuchWebhook
            }
            try condition.check(webhook.editState)
            try await WebhookStore.delete(id, connection)
        }
    }

    /// A new secret in place of the old one, from the next attempt on.
    package func renewSecret(of id: WebhookID, by identity: Identity) async throws -> NewWebhook {
        let webhook = try await webhook(id, of: identity)
        let secret = WebhookSecret()
        let sealed = try seal(secret, of: id)
        try await platform.database.withTransaction { try await WebhookStore.setSecret(of: id, to: sealed, $0) }
        return NewWebhook(webhook: webhook, secret: secret.text)
    }

    private func seal(_ secret: WebhookSecret, of id: WebhookID) throws -> Data {
        guard let secrets = platform.secrets else { throw WebhookError.cannotSeal }
        return try secrets.seal(secret.bytes, for: Self.context(id))
    }

    private func check(_ webhook: Webhook, _ identity: Identity) throws {
        try Self.checkReadAccess(of: webhook, identity)
        var errors: [ProblemDocument.Detail] = []
        if let fault = WebhookAddress.problem(of: webhook.url, takesPlainHTTP: platform.outgoingPolicy == .anywhere) {
            errors.append(.init(pointer: "/url", detail: fault))
        }
        let unknown = webhook.events.filter { !WebhookEvent.all.contains($0) }
        if webhook.events.isEmpty || !unknown.isEmpty || Set(webhook.events).count != webhook.events.count {
            let names = WebhookEvent.all.map(\.rawValue).joined(separator: ", ")
            errors.append(.init(pointer: "/events", detail: "One or more of \(names), each once."))
        } else if webhook.covers == .own, webhook.events.contains(.reportCreated) {
            errors.append(
                .init(pointer: "/events", detail: "'report.created' is for administrators, with 'covers': 'all'."))
        }
        if webhook.description.count > Self.maximumDescription || webhook.description.contains("\0") {
            errors.append(
                .init(pointer: "/description", detail: "At most \(Self.maximumDescription) characters."))
        }
        guard errors.isEmpty else { throw WebhookError.invalid(errors) }
    }

    // MARK: - Deliveries

    /// Sends an event without content, to see whether it arrives.
    package func ping(_ id: WebhookID, by identity: Identity) async throws -> WebhookDelivery {
        let webhook = try await enabled(id, of: identity)
        let now = platform.now()
        let delivery = WebhookDeliveryID.make(at: now)
        struct Ping: Encodable {
            struct Content: Encodable {
                var webhookId: WebhookID
            }
            var type = WebhookEvent.ping
            var timestamp: Date
            var data: Content
        }
        let body = try WireJSON.encoder().encode(Ping(timestamp: now, data: .init(webhookId: webhook.id)))
        let text = String(decoding: body, as: UTF8.self)
        try await platform.database.withTransaction { connection in
            try await WebhookStore.enter(delivery, .ping, body: text, to: id, connection)
        }
        return try await self.delivery(delivery, of: id)
    }

    /// Sends a delivery once more.
    package func redeliver(
        _ delivery: WebhookDeliveryID, of id: WebhookID, by identity: Identity
    ) async throws -> WebhookDelivery {
        let webhook = try await enabled(id, of: identity)
        try Self.checkReadAccess(of: webhook, identity)
        try await platform.database.withTransaction { connection in
            _ = try await WebhookStore.redeliver(delivery, of: id, connection)
        }
        return try await self.delivery(delivery, of: id)
    }

    private func enabled(_ id: WebhookID, of identity: Identity) async throws -> Webhook {
        let webhook = try await webhook(id, of: identity)
        guard webhook.isEnabled else { throw WebhookError.turnedOff }
        guard Self.mayReceive(webhook, identity) else { throw WebhookError.ownerIsNoAdministrator }
        return webhook
    }

    /// Throws unless the caller may read what the webhook is sent: a token with the scope for webhooks alone must not
    /// receive what only an administrator may read.
    private static func checkReadAccess(of webhook: Webhook, _ identity: Identity) throws {
        if webhook.covers == .all { try Access.administrator.check(identity) }
    }

    /// Whether its owner may still receive its events, whichever credential they call with.
    package static func mayReceive(_ webhook: Webhook, _ owner: Identity) -> Bool {
        webhook.covers == .own || owner.role >= .administrator
    }

    private func delivery(_ id: WebhookDeliveryID, of webhook: WebhookID) async throws -> WebhookDelivery {
        guard let found = try await WebhookStore.delivery(id, of: webhook, platform.database) else {
            throw WebhookError.noSuchDelivery
        }
        return found
    }

    /// Deliveries, the newest first; those in `state` alone, if given. None of a webhook with everybody's events whose
    /// owner is no administrator any more.
    package func deliveries(
        of id: WebhookID, in state: WebhookStore.DeliveryState? = nil, _ pageRequest: PageRequest,
        for identity: Identity
    ) async throws -> WebhookDeliveryList {
        let webhook = try await webhook(id, of: identity)
        guard Self.mayReceive(webhook, identity) else { return WebhookDeliveryList(deliveries: [], nextCursor: nil) }
        try Self.checkReadAccess(of: webhook, identity)
        let list = "webhook.\(id)"
        let found = try await WebhookStore.deliveries(
            of: id, in: state, after: try pageRequest.timePosition(in: list), limit: pageRequest.fetchLimit,
            platform.database)
        let page = pageRequest.page(found, of: list) { [Cursor.key($0.createdAt), $0.id.description] }
        return WebhookDeliveryList(deliveries: page.rows, nextCursor: page.next)
    }
}

extension Webhook {
    /// What can be edited, for `Precondition`: what its owner says, and whether it is sent anything; not how that goes.
    var editState: String {
        EntityTag.state(
            [id.description, url, description, isEnabled ? "enabled" : "", disabledReason ?? ""]
                + events.map(\.rawValue))
    }
}
