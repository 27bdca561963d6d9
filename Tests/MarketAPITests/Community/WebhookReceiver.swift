// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MarketPages
import MarketPlatform
import MarketWire
import NIOCore
import Outgoing
import Postgres
import SheetCore
import Synchronization
import Testing

@testable import MarketCommunity

/// Somebody's service that takes events.
final class WebhookReceiver: Sendable {
    /// A message as it came.
    struct Message: Sendable {
        let path: String
        let headers: HTTPFields
        let body: String

        var id: String { header("webhook-id") }
        var type: String { object["type"] as? String ?? "" }
        var data: [String: Any] { object["data"] as? [String: Any] ?? [:] }
        private var object: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(body.utf8))) as? [String: Any] ?? [:]
        }

        func header(_ name: String) -> String { HTTPField.Name(name).flatMap { headers[$0] } ?? "" }

        func isSigned(with secret: Data) -> Bool {
            let parts = header("webhook-signature").split(separator: ",")
            guard parts.count == 2, parts[0] == "v1", let code = Data(base64Encoded: String(parts[1])) else {
                return false
            }
            return HMAC<SHA256>.isValidAuthenticationCode(
                code, authenticating: Data("\(id).\(header("webhook-timestamp")).\(body)".utf8),
                using: SymmetricKey(data: secret))
        }
    }

    let server: OtherServer
    private let log: Log

    private final class Log: Sendable {
        let messages = Mutex<[Message]>([])
    }

    init(_ answer: @escaping @Sendable (Int) async throws -> Response = { _ in Response(status: .noContent) }) {
        let log = Log()
        self.log = log
        server = OtherServer { request, body in
            let number = log.messages.withLock { messages in
                messages.append(
                    Message(path: request.uri.path, headers: request.headers, body: String(buffer: body)))
                return messages.count
            }
            return try await answer(number)
        }
    }

    var taken: [Message] { log.messages.withLock { $0 } }

    /// Runs beside a catalog whose webhooks may reach this machine.
    func run(_ body: @escaping @Sendable (CatalogScene, String) async throws -> Void) async throws {
        try await server.run { url in
            try await CatalogScene.run(outgoingPolicy: .anywhere) { scene in try await body(scene, url) }
        }
    }

    func waits(for condition: ([Message]) -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(600)
        while !condition(taken) {
            try #require(ContinuousClock.now < deadline, "\(taken.map { "\($0.path) \($0.type)" })")
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}

extension CatalogScene {
    func addWebhook(
        _ url: String, _ events: [WebhookEvent], _ covers: WebhookCover? = nil, as owner: UserID
    ) async throws -> NewWebhook {
        let answer = try await send(
            .post, "/webhooks", as: owner, json: WebhookRequest(url: url, events: events, covers: covers))
        try #require(answer.status == .created, "\(String(buffer: answer.body))")
        return try answer.json()
    }

    func ping(_ hook: NewWebhook) async throws -> WebhookDelivery {
        try await send(.post, "\(Paths.base)/webhooks/\(hook.webhook.id)/ping", as: owner).json()
    }

    func deliveries(_ hook: NewWebhook) async throws -> [WebhookDelivery] {
        let answer = try await get("/webhooks/\(hook.webhook.id)/deliveries", as: owner)
        try #require(answer.status == .ok, "\(String(buffer: answer.body))")
        let list: WebhookDeliveryList = try answer.json()
        return list.deliveries
    }

    func waits(_ hook: NewWebhook, for state: String, atLeast count: Int = 1) async throws {
        let deadline = ContinuousClock.now + .seconds(600)
        while try await deliveries(hook).count(where: { $0.state == state }) < count {
            try #require(ContinuousClock.now < deadline, "waited for \(state)")
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Sends what is due while `body` runs, and dies with its end.
    func whilePostman(_ body: @escaping @Sendable () async throws -> Void) async throws {
        // A lease that no busy machine outlasts; instead it is over when the next dispatcher comes.
        try await features.database.execute(
            """
            WITH left_behind AS (
                UPDATE webhooks SET busy_until = now() WHERE busy_until > now() RETURNING id
            )
            UPDATE webhook_deliveries SET next_attempt_at = now()
            WHERE webhook_id IN (SELECT id FROM left_behind) AND state = 'pending'
            """)
        let schedule = WebhookSchedule(
            pauses: [0.02, 0.02, 0.02], attemptSeconds: 300, leaseSeconds: 3600, pollSeconds: 0.05)
        let postman = WebhookDispatcher(platform: features.platform, schedule: schedule)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await postman.run() }
            defer { group.cancelAll() }
            try await body()
        }
    }
}
