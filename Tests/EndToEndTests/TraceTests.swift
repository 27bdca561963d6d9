// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import NIOCore
import NIOHTTP1
import SheetCore
import TestSupport
import Testing

/// Traces as an operator gets them: a server and a worker, each a process of its own, and a collector that reads what they
/// send by OpenTelemetry's own definition.
@Suite("Traces")
struct TraceTests {
    /// A caller's trace (the example of W3C Trace Context).
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let caller = "00f067aa0ba902b7"
    private static let key = "a key of the collector's"

    private static func traceparent(_ flags: String = "01") -> (String, String) {
        ("traceparent", "00-\(trace)-\(caller)-\(flags)")
    }

    @Test("An upload is one trace, from the caller over queue, stages and reader to SQL, and tells nothing of anybody")
    func upload() async throws {
        let folder = try ScratchFolder("traces")
        let collector = try await TraceCollector(["--header", "X-Key=\(Self.key)"])
        let receiver = try await HookReceiver()
        let scene = try await TracedNodes(
            folder: folder.url,
            environment: [
                "OTEL_EXPORTER_OTLP_ENDPOINT": collector.endpoint, "OTEL_SERVICE_NAME": "sheets of a test",
                "OTEL_EXPORTER_OTLP_HEADERS": "X-Key=\(Self.key.replacing(" ", with: "%20"))",
                "OTEL_BSP_SCHEDULE_DELAY": "100",
            ])
        let author = try await scene.person("tracy")

        var form = MultipartForm()
        let metadata = Scene.metadata("Sheet of nobody's business")
        form.add("metadata", contentType: "application/json", try WireJSON.encoder().encode(metadata))
        form.add(
            "file", fileName: "private-name.pdf", contentType: "application/pdf", try Scene.sheet("lantern-and-blade"))
        let taken = try await author.send(
            .POST, "\(Paths.base)/templates",
            headers: [("Content-Type", form.contentType), Self.traceparent(), ("X-Request-Id", "the-upload")],
            body: form.finished)
        #expect(taken.status == 202, "\(taken.text)")
        let submission = try taken.json(SubmissionStatus.self).id
        _ = try await author.submission(submission, reaches: [.awaitingReview])

        // A problem names the trace; a query's words are in no span.
        let problem = try await author.get(
            "\(Paths.base)/templates/no-such-sheet?token=of-nobody", headers: [Self.traceparent()])
        #expect(problem.status >= 400 && problem.text.contains("\"traceId\":\"\(Self.trace)\""), "\(problem.text)")

        let webhook = try await author.send(
            .POST, "\(Paths.base)/webhooks",
            json: WebhookRequest(url: receiver.base + "/secret-path?key=of-the-hook", events: [.versionPublished]))
        let hook = try webhook.json(NewWebhook.self)
        _ = try await author.send(.POST, "\(Paths.base)/webhooks/\(hook.webhook.id)/ping")
        let delivery = try await receiver.delivery()
        let arrived = try await eventually {
            let names = Set(collector.spans.map(\.name))
            return names.isSuperset(of: ["process ingest_upload", "deliver webhook", "deliver e-mail"])
        }
        #expect(arrived, "\(Set(collector.spans.map(\.name)).sorted()) \(scene.logs.suffix(2000))")
        let logs = try await scene.stop()
        await receiver.stop()
        #expect(collector.faults.isEmpty)

        try check(collector.spans.filter { $0.traceID == Self.trace })
        let sent = try #require(collector.spans.first { $0.name == "POST" && $0.attributes["server.address"] != nil })
        #expect(delivery.traceparent == "00-\(sent.traceID)-\(sent.spanID)-01")

        for secret in [
            "tracy", "example.org", RunningMarket.password(of: "tracy"), author.token ?? "", "Sheet of nobody",
            "private-name",
            "no-such-sheet", "of-nobody", "secret-path", "of-the-hook", hook.secret, Self.key,
        ] { #expect(!collector.text.contains(secret), "\(secret)") }

        // Both processes' lines of the request and of the job name it.
        for message in ["\"message\":\"answered\"", "\"message\":\"job done\""] {
            let lines = logs.split(separator: "\n").filter { $0.contains(message) }
            #expect(lines.contains { $0.contains("\"trace_id\":\"\(Self.trace)\"") }, "\(message)")
        }
    }

    /// The spans of the upload's trace.
    private func check(_ spans: [TraceCollector.Span]) throws {
        func only(_ name: String) throws -> TraceCollector.Span {
            let found = spans.filter { $0.name == name }
            return try #require(found.count == 1 ? found[0] : nil, "\(name): \(spans.map(\.name))")
        }
        let byID = Dictionary(spans.map { ($0.spanID, $0) }, uniquingKeysWith: { first, _ in first })
        #expect(byID.count == spans.count)
        for span in spans { #expect(span.parent == Self.caller || byID[span.parent ?? ""] != nil, "\(span)") }
        #expect(Set(spans.map(\.service)) == ["sheets of a test"] && Set(spans.map(\.instance)).count == 2)

        let request = try only("POST /api/v1/templates")
        #expect(request.kind == "server" && request.parent == Self.caller && !request.failed)
        #expect(request.attributes["http.route"] == "/api/v1/templates")
        #expect(request.attributes["http.request.method"] == "POST" && request.attributes["url.scheme"] == "http")
        #expect(request.attributes["http.response.status_code"] == "202")
        #expect(request.attributes["sheetmarket.request.id"] == "the-upload")
        let problem = try only("GET /api/v1/templates/{id}")
        #expect(problem.attributes["http.response.status_code"]?.hasPrefix("4") == true && !problem.failed)

        let job = try only("process ingest_upload")
        #expect(job.kind == "consumer" && job.parent == request.spanID && job.instance != request.instance)
        #expect(job.attributes["sheetmarket.job.result"] == "awaiting_review")
        let stages = [
            "begin", "examine", "store artifact", "clean", "find twins", "place regions", "compare", "facts", "commit",
        ]
        for stage in stages { #expect(try only("ingest \(stage)").parent == job.spanID, "\(stage)") }
        let examination = try only("ingest examine").spanID
        let reader = spans.first { $0.name == "sheet-inspect" && $0.parent == examination }
        #expect(reader?.attributes["sheetmarket.reader.verdict"] == "accepted", "\(spans.map(\.name))")

        let statements = spans.filter { $0.attributes["db.system.name"] == "postgresql" }
        func isBelow(_ span: TraceCollector.Span, _ ancestor: TraceCollector.Span) -> Bool {
            guard let parent = byID[span.parent ?? ""] else { return false }
            return parent.spanID == ancestor.spanID || isBelow(parent, ancestor)
        }
        let commit = try only("ingest commit")
        for (ancestor, summary, operation) in [
            (request, "INSERT jobs", "INSERT"), (request, "COMMIT", "COMMIT"), (commit, "UPDATE jobs", "UPDATE"),
            (commit, "COMMIT", "COMMIT"),
        ] {
            let found = statements.first { $0.name == summary && isBelow($0, ancestor) }
            #expect(found?.kind == "client" && found?.attributes["db.operation.name"] == operation, "\(summary)")
            #expect(found?.attributes["code.file.path"]?.hasSuffix(".swift") == true, "\(summary)")
        }
        for statement in statements { #expect(statement.attributes["db.query.text"] == nil) }
    }

    @Test("What is not sampled makes no span: neither by our own choice nor by a caller's")
    func unsampled() async throws {
        let folder = try ScratchFolder("traces")
        let collector = try await TraceCollector()
        var environment = [
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.endpoint, "OTEL_TRACES_SAMPLER": "parentbased_traceidratio",
            "OTEL_TRACES_SAMPLER_ARG": "0", "OTEL_BSP_SCHEDULE_DELAY": "100",
        ]
        let data = folder.url.appendingPathComponent("data")
        let none = try await RunningMarket(data: data, environment: environment)
        let author = try await none.person("tracy")
        let taken = try await author.upload(
            metadata: Scene.metadata("Unseen"), file: try Scene.sheet("lantern-and-blade"))
        _ = try await author.submission(try taken.json(SubmissionStatus.self).id, reaches: [.awaitingReview])
        let quiet = try await author.get("\(Paths.base)/templates/no-such-sheet")
        #expect(quiet.status == 404 && !quiet.text.contains("traceId"))
        // But a caller who is traced is.
        let asked = try await author.get("\(Paths.base)/templates/no-such-sheet", headers: [Self.traceparent()])
        #expect(asked.text.contains(Self.trace))
        #expect(await none.stop() == 0)
        #expect(!collector.spans.isEmpty && collector.spans.allSatisfy { $0.traceID == Self.trace })
        let count = collector.spans.count

        environment["OTEL_TRACES_SAMPLER"] = "parentbased_always_on"
        let all = try await RunningMarket(data: data, environment: environment)
        _ = try await all.http.get("\(Paths.base)/templates", headers: [Self.traceparent("00")])
        _ = try await all.http.get("\(Paths.base)/game-systems")
        // Machines that look whether it is there are no news.
        for probe in ["/healthz", "/readyz", "/metrics"] { _ = try await all.http.get(probe) }
        #expect(await all.stop() == 0)
        let routes = Set(collector.spans.dropFirst(count).filter { $0.kind == "server" }.map(\.name))
        #expect(routes == ["GET /api/v1/game-systems"])
        #expect(collector.faults.isEmpty)
    }

    @Test("A collector that is away, slow or full does no harm; one that comes back gets what waited")
    func collectorAway() async throws {
        let folder = try ScratchFolder("traces")
        let data = folder.url.appendingPathComponent("data")
        // A port that nobody listens at, until later.
        let before = try await TraceCollector()
        let (port, endpoint) = (before.port, before.endpoint)
        await before.stop()
        let market = try await RunningMarket(
            data: data,
            environment: [
                "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, "OTEL_BSP_SCHEDULE_DELAY": "50",
                "OTEL_BSP_MAX_QUEUE_SIZE": "40",
            ])
        let dropped = try await eventually {
            #expect(try await market.http.get("\(Paths.base)/templates").status == 200)
            return try await Self.spans("dropped", market) > 0 && market.log.contains("traces cannot be sent")
        }
        #expect(dropped, "\(market.log.suffix(2000))")
        let later = try await TraceCollector(["--port", "\(port)"])
        let sent = try await eventually {
            _ = try await market.http.get("\(Paths.base)/game-systems")
            return later.spans.contains { $0.name == "GET /api/v1/templates" }
                && market.log.contains("traces are sent again")
        }
        #expect(sent, "\(market.log.suffix(2000))")
        #expect(later.faults.isEmpty)
        #expect(await market.stop() == 0)
        await later.stop()

        for arguments in [["--slow", "3600"], ["--status", "503"], ["--status", "400"]] {
            let collector = try await TraceCollector(arguments)
            let market = try await RunningMarket(
                data: data,
                environment: [
                    "OTEL_EXPORTER_OTLP_ENDPOINT": collector.endpoint, "OTEL_BSP_SCHEDULE_DELAY": "50",
                    "OTEL_BSP_MAX_QUEUE_SIZE": "20",
                ])
            let lost = try await eventually {
                #expect(try await market.http.get("\(Paths.base)/templates").status == 200)
                return try await Self.spans(arguments[1] == "400" ? "failed" : "dropped", market) > 0
            }
            #expect(lost, "\(arguments)")
            #expect(await market.stop() == 0, "\(arguments)")
            await collector.stop()
        }
    }

    /// What `/metrics` says became of spans.
    private static func spans(_ result: String, _ market: RunningMarket) async throws -> Int {
        let text = try await market.http.get("/metrics").text
        let line = text.split(separator: "\n").first {
            $0.hasPrefix("sheetmarket_trace_spans_total{result=\"\(result)\"} ")
        }
        return line.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
    }
}

/// A server and a worker on one database.
private struct TracedNodes {
    let http: TestHTTP
    private let server: ChildProgram
    private let worker: ChildProgram

    init(folder: URL, environment: [String: String]) async throws {
        let program = BuildProducts.executable("sheetmarket")
        let environment = [
            "DATABASE_URL": try await TestCluster.shared.makeDatabase(),
            "SHEETMARKET_STORAGE": folder.appendingPathComponent("storage").path,
            "SHEETMARKET_DOWNLOAD_KEYS": "d:\(Data(repeating: 1, count: 32).base64EncodedString())",
            "SHEETMARKET_SECRET_KEYS": "s:\(Data(repeating: 2, count: 32).base64EncodedString())",
            "SHEETMARKET_MAIL_FOLDER": folder.appendingPathComponent("letters").path,
            "SHEETMARKET_OUTGOING_ALLOW_PRIVATE": "on", "SHEETMARKET_LISTEN": "127.0.0.1:0",
            "SHEETMARKET_LIMIT_ADDRESS": "off", "SHEETMARKET_LIMIT_ACCOUNT": "off", "SHEETMARKET_LOG_LEVEL": "debug",
            "SHEETMARKET_DB_POOL_TIMEOUT": "60s", "SHEETMARKET_READER_CPU": "120", "SHEETMARKET_READER_TIMEOUT": "300",
        ].merging(environment) { $1 }
        let seeded = try await Command.run(program, ["seed", "--no-examples"], environment: environment)
        try #require(seeded.status == 0, "\(seeded.errors)")
        let server = try ChildProgram(program, ["serve"], environment: environment)
        worker = try ChildProgram(program, ["work"], environment: environment)
        let line = try #require(await server.line(within: 600) { $0.hasPrefix("ready ") }, "\(server.errors)")
        self.server = server
        http = TestHTTP(base: String(line.dropFirst("ready ".count)))
    }

    /// What both logged so far.
    var logs: String { server.errors + worker.errors }

    /// Registers somebody and gives them a token.
    func person(_ handle: String) async throws -> TestHTTP {
        let password = RunningMarket.password(of: handle)
        let account = try await http.send(
            json: RegisterRequest(handle: handle, email: "\(handle)@example.org", password: password),
            to: "/auth/register")
        try #require(account.status == 201, "\(account.text)")
        return try await http.tokenHolder(handle: handle, password: password)
    }

    /// Ends both as an operator does, and gives what they logged.
    func stop() async throws -> String {
        for child in [server, worker] {
            child.signal(SIGTERM)
            let status = await child.waitForExit()
            #expect(status == 0, "\(child.errors.suffix(2000))")
        }
        return logs
    }
}
