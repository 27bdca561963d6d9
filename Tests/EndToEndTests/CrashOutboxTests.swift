// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

// Calls that are sent again, and events that are still to be told.
extension CrashTests {
    private static func report(_ template: TemplateID) -> ReportRequest {
        ReportRequest(subject: .init(kind: .template, id: template.description), reason: .spam, text: "Only once.")
    }

    private static func send(
        _ report: ReportRequest, as caller: TestHTTP
    ) async throws -> TestHTTP.Answer {
        try await caller.send(
            .POST, "\(Paths.base)/reports", json: report, headers: [("Idempotency-Key", "the-same-call")])
    }

    private static func published(
        _ name: String, in market: RunningMarket, by author: TestHTTP
    ) async throws -> SubmissionStatus {
        try await Scene.publish(
            name, file: try Data(contentsOf: try Scene.anySheet()), as: author, approvedBy: market.administrator)
    }

    /// A node that is gone keeps its place until its lease is over: here it is over at once.
    private static func endLeases(of market: RunningMarket) async throws {
        try await market.withDatabase {
            _ = try await $0.execute("UPDATE idempotency_keys SET lease_expires_at = now() WHERE status IS NULL")
        }
    }

    private static func reports(in market: RunningMarket) async throws -> Int {
        try await market.withDatabase { try await $0.scalar("SELECT count(*) FROM reports") }
    }

    @Test("in the middle of a change with an Idempotency-Key: sent again it is made once, and after that replayed")
    func duringKeyedChange() async throws {
        let folder = try ScratchFolder("crash")
        let data = folder.url.appendingPathComponent("data")
        var market = try await RunningMarket(data: data)
        let author = try await market.person("nadia")
        let reporter = try await market.person("rita")
        let report = Self.report(try await Self.published("Reported", in: market, by: author).templateId)

        let dying = market
        let attempt = try await dying.withDatabase { client in
            try await client.withTransaction { connection in
                // The call has begun and comes as far as this.
                try await connection.execute("LOCK TABLE reports IN SHARE MODE")
                let attempt = Task { try await Self.send(report, as: reporter).status }
                var waits = false
                while !waits {
                    try await Task.sleep(for: .milliseconds(20))
                    waits = try await connection.scalar(
                        """
                        SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND relation = 'reports'::regclass)
                        """)
                }
                await dying.kill(database: false)
                return attempt
            }
        }
        await #expect(throws: (any Error).self) { try await attempt.value }

        market = try await RunningMarket(data: data)
        let again = market.http.signedIn(reporter.token)
        #expect(try await Self.reports(in: market) == 0)
        let made = try await Self.send(report, as: again)
        #expect(made.status == 201 && made.headers.first(name: "idempotency-replayed") == nil, "\(made.text)")
        for _ in 0..<2 {
            let replayed = try await Self.send(report, as: again)
            #expect(replayed.status == 201 && replayed.headers.first(name: "idempotency-replayed") == "true")
            #expect(replayed.body == made.body)
        }
        #expect(try await Self.reports(in: market) == 1)
        await market.stop()
    }

    @Test("between such a change and the keeping of its answer: sent again it is not made again, and says so")
    func afterKeyedChange() async throws {
        let folder = try ScratchFolder("crash")
        let data = folder.url.appendingPathComponent("data")
        var market = try await RunningMarket(data: data)
        let author = try await market.person("nadia")
        let reporter = try await market.person("rita")
        let report = Self.report(try await Self.published("Reported", in: market, by: author).templateId)
        try await market.withDatabase { client in
            // What keeps the answer comes no further.
            try await client.execute(
                """
                CREATE FUNCTION wait_for_the_end() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN PERFORM pg_sleep(600); RETURN NEW; END $$
                """)
            try await client.execute(
                """
                CREATE TRIGGER wait_for_the_end BEFORE UPDATE OF status ON idempotency_keys
                FOR EACH ROW WHEN (NEW.status IS NOT NULL) EXECUTE FUNCTION wait_for_the_end()
                """)
        }
        #expect(try await Self.send(report, as: reporter).status == 201)
        await market.kill(database: true)

        market = try await RunningMarket(data: data)
        try await market.withDatabase {
            _ = try await $0.execute("DROP TRIGGER wait_for_the_end ON idempotency_keys")
        }
        try await Self.endLeases(of: market)
        let again = try await Self.send(report, as: market.http.signedIn(reporter.token))
        #expect(again.problemCode == .idempotencyAnswerNotKept, "\(again.text)")
        #expect(try await Self.reports(in: market) == 1)
        await market.stop()
    }

    @Test("an orderly stop right after such a change loses no answer")
    func stoppedAfterKeyedChange() async throws {
        let folder = try ScratchFolder("crash")
        let data = folder.url.appendingPathComponent("data")
        var market = try await RunningMarket(data: data)
        let author = try await market.person("nadia")
        let reporter = try await market.person("rita")
        let report = Self.report(try await Self.published("Reported", in: market, by: author).templateId)
        let made = try await Self.send(report, as: reporter)
        await market.stop()
        market = try await RunningMarket(data: data)
        let again = try await Self.send(report, as: market.http.signedIn(reporter.token))
        #expect(made.status == 201 && again.body == made.body, "\(again.text)")
        #expect(again.headers.first(name: "idempotency-replayed") == "true")
        #expect(try await Self.reports(in: market) == 1)
        await market.stop()
    }

    /// A market whose author has a webhook at `path` of the receiver.
    private static func withWebhook(
        at path: String, _ folder: ScratchFolder, _ receiver: HookReceiver
    ) async throws -> (market: RunningMarket, author: TestHTTP, webhook: NewWebhook) {
        let market = try await hookMarket(folder)
        let author = try await market.person("nadia")
        let made = try await author.send(
            .POST, "\(Paths.base)/webhooks",
            json: WebhookRequest(url: receiver.base + path, events: [.versionPublished]))
        return (market, author, try made.json(NewWebhook.self))
    }

    private static func hookMarket(_ folder: ScratchFolder) async throws -> RunningMarket {
        try await RunningMarket(
            data: folder.url.appendingPathComponent("data"), environment: ["SHEETMARKET_OUTGOING_ALLOW_PRIVATE": "on"])
    }

    @Test("between a publication and its webhook: it is told afterwards, under the id that it had")
    func beforeDelivery() async throws {
        let folder = try ScratchFolder("crash")
        let receiver = try await HookReceiver()
        let (dying, author, webhook) = try await Self.withWebhook(at: "/hook", folder, receiver)
        let entered = try await dying.withDatabase { client in
            try await client.withTransaction { connection in
                // Whoever looks for what is to be sent passes this one by.
                try await connection.execute("SELECT FROM webhooks FOR NO KEY UPDATE")
                _ = try await Self.published("Told later", in: dying, by: author)
                let entered = try await client.all("SELECT id FROM webhook_deliveries WHERE state = 'pending'") {
                    try $0.get("id", as: UUID.self)
                }
                await dying.kill(database: false)
                return entered
            }
        }
        #expect(entered.count == 1 && receiver.deliveries.isEmpty)

        let market = try await Self.hookMarket(folder)
        let delivery = try await receiver.delivery()
        #expect(UUID(uuidString: delivery.id) == entered.first)
        #expect(delivery.isSigned(with: webhook.secret) && delivery.body.contains("version.published"))
        await market.stop()
        #expect(Set(receiver.deliveries.map(\.id)) == [delivery.id])
        await receiver.stop()
    }

    @Test("while a webhook is told, and nobody knows whether it heard: it is told again, under the same id")
    func duringDelivery() async throws {
        let folder = try ScratchFolder("crash")
        let receiver = try await HookReceiver()
        let (dying, author, webhook) = try await Self.withWebhook(at: "/silent", folder, receiver)
        _ = try await Self.published("Told twice", in: dying, by: author)
        let first = try await receiver.delivery()
        await dying.kill(database: true)

        let market = try await Self.hookMarket(folder)
        let change = try await market.http.signedIn(author.token).send(
            .PATCH, "\(Paths.base)/webhooks/\(webhook.webhook.id)", json: WebhookPatch(url: receiver.base + "/hook"))
        #expect(change.status == 200, "\(change.text)")
        // The dead node's lease is over.
        try await market.withDatabase { client in
            try await client.execute("UPDATE webhooks SET lease_expires_at = now()")
            try await client.execute("UPDATE webhook_deliveries SET next_attempt_at = now()")
        }
        let second = try await receiver.delivery(after: 1)
        #expect(second.id == first.id && second.body == first.body && second.path == "/hook")
        #expect(second.isSigned(with: webhook.secret))
        var state = ""
        while state != "delivered" {
            try await Task.sleep(for: .milliseconds(50))
            state = try await market.withDatabase { try await $0.scalar("SELECT state FROM webhook_deliveries") }
        }
        await market.stop()
        #expect(receiver.deliveries.count == 2)
        await receiver.stop()
    }
}
