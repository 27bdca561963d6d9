// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MarketPlatform
import MarketWire
import NIOCore
import Outgoing
import Postgres
import SheetCore
import Synchronization
import TestSupport
import Testing

@testable import MarketCommunity

@Suite("Webhooks")
struct WebhookTests {
    @Test("The signature is the one that Standard Webhooks shows")
    func signature() throws {
        let key = try #require(Data(base64Encoded: "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let fields = WebhookSecret(bytes: Array(key)).fields(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", body: #"{"test": 2432232314}"#,
            at: Date(timeIntervalSince1970: 1_614_265_330))
        #expect(fields.map(\.name) == ["webhook-id", "webhook-timestamp", "webhook-signature"])
        #expect(fields.last?.value == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test("Pauses grow to about three days, and a receiver's wish for a longer one counts")
    func schedule() {
        let schedule = WebhookSchedule()
        #expect(schedule.pause(afterTry: 10) == nil)
        let total = (1...9).compactMap { schedule.pause(afterTry: $0) }.reduce(0, +)
        #expect((2.5...3.6).contains(total / 86_400))
        #expect(schedule.pause(afterTry: 1, asked: 600) == 600)
        #expect(schedule.pause(afterTry: 1, asked: 1e9) == 86_400)
    }

    @Test("Events reach whom they are for, signed, once the transaction is committed")
    func events() async throws {
        let receiver = WebhookReceiver()
        try await receiver.run { scene, url in
            let admin = UserID.make()
            let stranger = UserID.make()
            try await scene.addUser(admin, "root", role: .administrator)
            try await scene.addUser(stranger, "stranger")
            let own = try await scene.addWebhook(
                url + "/own", WebhookEvent.all.filter { $0 != .reportCreated }, as: scene.owner)
            _ = try await scene.addWebhook(url + "/all", WebhookEvent.all, .all, as: admin)
            _ = try await scene.addWebhook(url + "/stranger", [.versionPublished, .reviewCreated], as: stranger)
            let made = try await scene.addTemplate("Sheet")
            let review = try await scene.send(
                .put, "/templates/\(made.id)/reviews/mine", as: stranger, json: ReviewRequest(stars: 4, text: "Fine."))
            #expect(review.status == .created)
            let report = try await scene.send(
                .post, "/reports", as: stranger,
                json: ReportRequest(subject: .init(kind: .template, id: made.id.description), reason: .spam, text: ""))
            #expect(report.status == .created, "\(String(buffer: report.body))")
            try await scene.features.database.execute(
                "UPDATE submissions SET state = 'awaiting_review' WHERE id = \(made.submission)")
            try await scene.features.database.execute(
                "UPDATE submissions SET state = 'rejected' WHERE id = \(made.submission)")
            try await scene.takeDown("1.0.0", of: made)
            struct Undo: Error {}
            await #expect(throws: Undo.self) {
                try await scene.features.database.withTransaction { connection in
                    try await connection.execute(
                        "UPDATE submissions SET state = 'published' WHERE id = \(made.submission)")
                    throw Undo()
                }
            }
            try await scene.whilePostman {
                try await receiver.waits { $0.count >= 9 }
            }
            let told = receiver.taken
            func types(_ path: String) -> [String] { told.filter { $0.path == path }.map(\.type).sorted() }
            #expect(
                types("/own") == ["review.created", "submission.decided", "template.taken_down", "version.published"])
            #expect(types("/all") == WebhookEvent.all.map(\.rawValue).sorted())
            #expect(types("/stranger") == [])
            let secret = try #require(Data(base64Encoded: String(own.secret.dropFirst("whsec_".count))))
            for message in told where message.path == "/own" {
                #expect(message.isSigned(with: secret))
                #expect(!message.isSigned(with: Data(repeating: 0, count: 32)))
                #expect(message.headers[.contentType] == "application/json")
            }
            let published = try #require(told.first { $0.path == "/own" && $0.type == "version.published" })
            #expect(published.data["slug"] as? String == "sheet")
            #expect(published.data["version"] as? String == "1.0.0")
            #expect(published.data["author"] as? String == "nadia")
        }
    }

    @Test("What does not arrive is sent again, with the same id, until it does; each attempt can be looked at")
    func retries() async throws {
        let receiver = WebhookReceiver { number in
            switch number {
            case 1: Response(status: .internalServerError, body: .init(byteBuffer: ByteBuffer(string: "no\0pe")))
            case 2: Response(status: .found, headers: [.location: "/elsewhere"])
            case 3: Response(status: .ok, body: .init(byteBuffer: ByteBuffer(repeating: 65, count: 1 << 20)))
            default: Response(status: .notFound)
            }
        }
        try await receiver.run { scene, url in
            let hook = try await scene.addWebhook(url, [.versionPublished], as: scene.owner)
            let ping = try await scene.ping(hook)
            #expect(ping.state == "pending" && ping.attempts.isEmpty)
            try await scene.whilePostman {
                try await receiver.waits { $0.count >= 3 }
                try await scene.waits(hook, for: "delivered")
            }
            let delivery = try #require(try await scene.deliveries(hook).first)
            #expect(delivery.id == ping.id)
            #expect(delivery.attempts.map(\.status) == [200, 302, 500])
            #expect(delivery.attempts.last?.answer == "nope")
            #expect(delivery.attempts.first?.answer?.utf8.count == WebhookDispatcher.answerBytes)
            #expect(Set(receiver.taken.map(\.id)) == [ping.id.description])
            #expect(Set(receiver.taken.map(\.body)) == [ping.body])
        }
    }

    @Test("After the last attempt it has failed; its owner can have it sent again")
    func failure() async throws {
        let works = Atomic(false)
        let receiver = WebhookReceiver { _ in
            Response(status: works.load(ordering: .relaxed) ? .noContent : .serviceUnavailable)
        }
        try await receiver.run { scene, url in
            let hook = try await scene.addWebhook(url, [.versionPublished], as: scene.owner)
            let ping = try await scene.ping(hook)
            try await scene.whilePostman {
                try await scene.waits(hook, for: "failed")
                #expect(receiver.taken.count == 4)
                works.store(true, ordering: .relaxed)
                let again = try await scene.send(
                    .post, "\(Paths.base)/webhooks/\(hook.webhook.id)/deliveries/\(ping.id)/redeliver",
                    as: scene.owner)
                #expect(again.status == .accepted)
                try await scene.waits(hook, for: "delivered")
            }
            #expect(try await scene.deliveries(hook).first?.attempts.map(\.status) == [204, 503, 503, 503, 503])
            let failing: Webhook = try await scene.get("/webhooks/\(hook.webhook.id)", as: scene.owner).json()
            #expect(failing.isEnabled && failing.failingSince == nil)
        }
    }

    @Test("A worker that dies between sending and noting leaves the delivery to be sent once more")
    func killed() async throws {
        let firstIsThere = Atomic(false)
        let receiver = WebhookReceiver { number in
            if number == 1 {
                firstIsThere.store(true, ordering: .releasing)
                // It has all of the request, and whoever sent it will never hear of that.
                try await Task.sleep(for: .seconds(3600))
            }
            return Response(status: .noContent)
        }
        try await receiver.run { scene, url in
            let hook = try await scene.addWebhook(url, [.versionPublished], as: scene.owner)
            let ping = try await scene.ping(hook)
            try await scene.whilePostman {
                try await receiver.waits { _ in firstIsThere.load(ordering: .acquiring) }
            }
            #expect(try await scene.deliveries(hook).first?.attempts == [])
            try await scene.whilePostman { try await scene.waits(hook, for: "delivered") }
            #expect(receiver.taken.map(\.id) == [ping.id.description, ping.id.description])
            #expect(try await scene.deliveries(hook).first?.attempts.map(\.number) == [2])
        }
    }

    @Test("A receiver gets one delivery at a time")
    func oneAtATime() async throws {
        let receiver = WebhookReceiver { _ in
            try await Task.sleep(for: .milliseconds(20))
            return Response(status: .noContent)
        }
        try await receiver.run { scene, url in
            let hook = try await scene.addWebhook(url, [.versionPublished], as: scene.owner)
            for _ in 0..<12 { _ = try await scene.ping(hook) }
            try await scene.whilePostman { try await receiver.waits { $0.count >= 12 } }
            #expect(receiver.server.mostOpen == 1)
            let first: WebhookDeliveryList = try await scene.get(
                "/webhooks/\(hook.webhook.id)/deliveries?limit=7", as: scene.owner
            ).json()
            let cursor = try #require(first.nextCursor)
            let rest: WebhookDeliveryList = try await scene.get(
                "/webhooks/\(hook.webhook.id)/deliveries?limit=7&cursor=\(cursor)", as: scene.owner
            ).json()
            #expect(rest.nextCursor == nil)
            #expect(Set((first.deliveries + rest.deliveries).map(\.id)).count == 12)
        }
    }

    @Test("Who says 410, or fails for days, is sent nothing more until its owner wants it again")
    func turnedOff() async throws {
        let status = Mutex(HTTPResponse.Status.gone)
        let receiver = WebhookReceiver { _ in Response(status: status.withLock { $0 }) }
        try await receiver.run { scene, url in
            let hook = try await scene.addWebhook(url, [.versionPublished], as: scene.owner)
            _ = try await scene.ping(hook)
            try await scene.whilePostman { try await scene.waits(hook, for: "failed") }
            var now: Webhook = try await scene.get("/webhooks/\(hook.webhook.id)", as: scene.owner).json()
            #expect(!now.isEnabled && now.disabledReason == "gone")
            let refused = try await scene.send(
                .post, "\(Paths.base)/webhooks/\(hook.webhook.id)/ping", as: scene.owner)
            #expect(refused.status == .conflict)
            try await scene.addTemplate("Unheard")
            #expect(try await scene.deliveries(hook).count == 1)
            now = try await scene.send(
                .patch, "/webhooks/\(hook.webhook.id)", as: scene.owner, json: WebhookPatch(isEnabled: true)
            ).json()
            #expect(now.isEnabled && now.disabledReason == nil)
            status.withLock { $0 = .badGateway }
            _ = try await scene.ping(hook)
            try await scene.features.database.execute("UPDATE webhooks SET failing_since = now() - interval '6 days'")
            try await scene.whilePostman {
                try await receiver.waits { $0.count >= 2 }
                try await scene.waits(hook, for: "failed", atLeast: 2)
            }
            now = try await scene.get("/webhooks/\(hook.webhook.id)", as: scene.owner).json()
            #expect(!now.isEnabled && now.disabledReason == "failing")
        }
    }

    @Test("No webhook reaches a server of this machine, whatever it is called by, and plain HTTP is refused")
    func privateAddresses() async throws {
        let server = OtherServer { _, _ in Response(status: .noContent) }
        try await server.run { url in
            try await CatalogScene.run { scene in
                let port = url.split(separator: ":").last.map(String.init) ?? ""
                let plain = try await scene.send(
                    .post, "/webhooks", as: scene.owner, json: WebhookRequest(url: url, events: [.versionPublished]))
                #expect(plain.status == .unprocessableContent)
                #expect(plain.pointers == ["/url"])
                let hook = try await scene.addWebhook(
                    "https://localhost:\(port)/", [.versionPublished], as: scene.owner)
                _ = try await scene.ping(hook)
                try await scene.whilePostman { try await scene.waits(hook, for: "failed") }
                let attempts = try #require(try await scene.deliveries(hook).first?.attempts)
                #expect(attempts.count == 4)
                for attempt in attempts {
                    #expect(attempt.status == nil)
                    #expect(attempt.error == OutgoingError.addressRefused.description)
                }
            }
        }
        #expect(server.count == 0)
    }

    @Test("A new secret signs all that is sent after it, is shown this once, and the old one signs nothing more")
    func newSecret() async throws {
        let receiver = WebhookReceiver()
        try await receiver.run { scene, url in
            let hook = try await scene.addWebhook(url, [.versionPublished], as: scene.owner)
            _ = try await scene.ping(hook)
            try await scene.whilePostman { try await scene.waits(hook, for: "delivered") }
            // This one is sent with the new secret, though it was made before.
            _ = try await scene.ping(hook)
            let path = "\(Paths.base)/webhooks/\(hook.webhook.id)"
            let answer = try await scene.send(.post, "\(path)/secret", as: scene.owner)
            #expect(answer.status == .ok && answer.headers[.cacheControl]?.contains("no-store") == true)
            let renewed = try answer.json(NewWebhook.self)
            #expect(renewed.webhook.id == hook.webhook.id && renewed.secret != hook.secret)
            let shown = renewed.secret.dropFirst("whsec_".count)
            #expect(String(buffer: answer.body).contains(shown))
            for place in [path, "\(Paths.base)/webhooks", "\(path)/deliveries"] {
                let read = try await scene.send(.get, place, as: scene.owner)
                #expect(read.status == .ok && !String(buffer: read.body).contains(shown), "\(place)")
            }
            _ = try await scene.ping(hook)
            try await scene.whilePostman { try await scene.waits(hook, for: "delivered", atLeast: 3) }
            let old = try #require(Data(base64Encoded: String(hook.secret.dropFirst("whsec_".count))))
            let new = try #require(Data(base64Encoded: String(shown)))
            #expect(receiver.taken.map { $0.isSigned(with: old) } == [true, false, false])
            #expect(receiver.taken.map { $0.isSigned(with: new) } == [false, true, true])
        }
    }

    @Test("A webhook is its owner's; what covers all is for administrators; secrets are shown once and stored sealed")
    func rights() async throws {
        try await CatalogScene.run { scene in
            let other = UserID.make()
            let admin = UserID.make()
            try await scene.addUser(other, "other")
            try await scene.addUser(admin, "root", role: .administrator)
            let hook = try await scene.addWebhook("https://example.org/a", [.versionPublished], as: scene.owner)
            let path = "/webhooks/\(hook.webhook.id)"
            for (method, tail) in [
                (HTTPRequest.Method.get, ""), (.delete, ""), (.post, "/ping"), (.post, "/secret"),
                (.get, "/deliveries"),
            ] {
                let answer = try await scene.send(method, Paths.base + path + tail, as: other)
                #expect(answer.status == .notFound, "\(method) \(tail)")
            }
            let list = try await scene.get("/webhooks", as: scene.owner)
            #expect(try list.json(WebhookList.self).webhooks == [hook.webhook])
            #expect(!String(buffer: list.body).contains(hook.secret.dropFirst(6)))
            let stored = try await scene.features.database.scalar("SELECT secret FROM webhooks", as: Data.self)
            let bytes = try #require(Data(base64Encoded: String(hook.secret.dropFirst(6))))
            #expect(stored.range(of: bytes) == nil)
            let renewed = try await scene.send(.post, "\(Paths.base)\(path)/secret", as: scene.owner)
            #expect(try renewed.json(NewWebhook.self).secret != hook.secret)

            let all = WebhookRequest(url: "https://example.org/", events: [.reportCreated], covers: .all)
            #expect(try await scene.send(.post, "/webhooks", as: other, json: all).status == .forbidden)
            #expect(try await scene.send(.post, "/webhooks", as: admin, json: all).status == .created)
            let wrong: [(url: String, events: [WebhookEvent], pointer: String)] = [
                ("https://u:p@example.org/", [.versionPublished], "/url"),
                ("https://example.org/#x", [.versionPublished], "/url"),
                ("ftp://example.org/", [.versionPublished], "/url"),
                ("/relative", [.versionPublished], "/url"), ("https://example.org/", [], "/events"),
                ("https://example.org/", [.ping], "/events"), ("https://example.org/", [.reportCreated], "/events"),
                ("https://example.org/", [.versionPublished, .versionPublished], "/events"),
            ]
            for (url, events, pointer) in wrong {
                let answer = try await scene.send(
                    .post, "/webhooks", as: other, json: WebhookRequest(url: url, events: events))
                #expect(answer.status == .unprocessableContent && answer.pointers == [pointer], "\(url) \(events)")
            }
            for _ in 0..<WebhookService.maximumPerPerson {
                _ = try await scene.addWebhook("https://example.org/", [.versionPublished], as: other)
            }
            let more = try await scene.send(
                .post, "/webhooks", as: other,
                json: WebhookRequest(url: "https://example.org/", events: [.versionPublished]))
            #expect(more.status == .conflict)
            #expect(try await scene.send(.delete, Paths.base + path, as: scene.owner).status == .noContent)
            #expect(try await scene.get(path, as: scene.owner).status == .notFound)
        }
    }

    @Test("With If-Match it is deleted as it was read, and not when it changed meanwhile")
    func deletedAsRead() async throws {
        try await CatalogScene.run { scene in
            let other = UserID.make()
            try await scene.addUser(other, "other")
            let hook = try await scene.addWebhook("https://example.org/a", [.versionPublished], as: scene.owner)
            let path = "/webhooks/\(hook.webhook.id)"
            func delete(ifMatch tag: String, as caller: UserID) async throws -> HTTPResponse.Status {
                try await scene.send(.delete, Paths.base + path, as: caller, headers: [.ifMatch: tag]).status
            }
            let then = try #require(try await scene.get(path, as: scene.owner).headers[.eTag])
            let change = try await scene.send(
                .patch, path, as: scene.owner, json: WebhookPatch(description: "Another."))
            #expect(change.status == .ok)
            #expect(try await delete(ifMatch: then, as: scene.owner) == .preconditionFailed)
            #expect(try await delete(ifMatch: "*", as: other) == .notFound)
            let now = try #require(try await scene.get(path, as: scene.owner).headers[.eTag])
            // How deliveries go is not what its owner has read.
            try await scene.features.database.execute("UPDATE webhooks SET failing_since = now()")
            #expect(try await delete(ifMatch: now, as: scene.owner) == .noContent)
            #expect(try await delete(ifMatch: "*", as: scene.owner) == .notFound)
        }
    }

    @Test("Deliveries in one state are listed alone, page by page")
    func deliveriesByState() async throws {
        try await CatalogScene.run { scene in
            let hook = try await scene.addWebhook("https://example.org/a", [.versionPublished], as: scene.owner)
            var sent: [WebhookDeliveryID] = []
            for _ in 0..<5 { sent.append(try await scene.ping(hook).id) }
            for id in sent.prefix(3) {
                try await scene.features.database.execute(
                    "UPDATE webhook_deliveries SET state = 'failed', ended_at = now() WHERE id = \(id)")
            }
            let path = "/webhooks/\(hook.webhook.id)/deliveries"
            var found: [WebhookDeliveryID] = []
            var next: String? = "\(path)?state=failed&limit=2"
            while let page = next, found.count < sent.count {
                let list: WebhookDeliveryList = try await scene.get(page, as: scene.owner).json()
                #expect(list.deliveries.allSatisfy { $0.state == "failed" })
                found += list.deliveries.map(\.id)
                next = list.nextCursor.map { "\(path)?state=failed&limit=2&cursor=\($0)" }
            }
            #expect(found == Array(sent.prefix(3).reversed()))
            let delivered = try await scene.get("\(path)?state=delivered", as: scene.owner)
            #expect(try delivered.json(WebhookDeliveryList.self).deliveries.isEmpty)
            let unknown = try await scene.get("\(path)?state=lost", as: scene.owner)
            #expect(unknown.status == .unprocessableContent && unknown.pointers == ["state"])
        }
    }
}
