// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import NIOCore
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@Suite("Many nodes, one database and one storage folder")
struct SharedWorkTests {
    @Test("Nodes tell each other what was read: what was spent at one is not there at the other")
    func sharedReads() async throws {
        let folder = try ScratchFolder("shared")
        let nodes = TwoNodes(environment: [
            "DATABASE_URL": try await TestCluster.shared.makeDatabase(),
            "SHEETMARKET_STORAGE": folder.url.appendingPathComponent("storage").path,
            "SHEETMARKET_DOWNLOAD_KEYS": "k1:\(Data(repeating: 7, count: 32).base64EncodedString())",
            "SHEETMARKET_SECRET_KEYS": "s1:\(Data(repeating: 8, count: 32).base64EncodedString())",
            "SHEETMARKET_STAFF_SECOND_FACTOR": "off", "SHEETMARKET_LISTEN": "127.0.0.1:0",
            "SHEETMARKET_LIMIT_ADDRESS": "128/60m",
        ])
        let migrated = try await nodes.operate(["migrate"])
        #expect(migrated.status == 0, "\(migrated.errors)")
        for index in 0..<2 { try await nodes.restart(server: index, keys: [:]) }
        let doors = await nodes.doors
        let path = "\(Paths.base)/game-systems"
        for _ in 0..<120 { #expect(try await doors[0].get(path).status == 200) }
        // By itself the other node would let 128 through; it hears of the 120 with its first reports.
        var passed = 0
        while passed < 100, try await doors[1].get(path).status == 200 {
            passed += 1
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(passed < 100)
        try await nodes.stop()
    }

    @Test("Two servers and two workers share the work: each job is done once, any server serves any download")
    func shared() async throws {
        let folder = try ScratchFolder("shared")
        let database = try await TestCluster.shared.makeDatabase()
        let environment = [
            "DATABASE_URL": database, "SHEETMARKET_STORAGE": folder.url.appendingPathComponent("storage").path,
            "SHEETMARKET_DOWNLOAD_KEYS": "k1:\(Data(repeating: 7, count: 32).base64EncodedString())",
            "SHEETMARKET_SECRET_KEYS": "s1:\(Data(repeating: 8, count: 32).base64EncodedString())",
            "SHEETMARKET_STAFF_SECOND_FACTOR": "off", "SHEETMARKET_LISTEN": "127.0.0.1:0",
            // No busy machine makes a worker's place another's.
            "SHEETMARKET_JOB_LEASE": "3600", "SHEETMARKET_DB_STATEMENT_TIMEOUT": "3600s",
            "SHEETMARKET_DB_POOL_TIMEOUT": "60s", "SHEETMARKET_READER_CPU": "120", "SHEETMARKET_READER_TIMEOUT": "300",
        ]
        let program = BuildProducts.executable("sheetmarket")
        let migrated = try await Command.run(program, ["migrate"], environment: environment)
        #expect(migrated.status == 0, "\(migrated.errors)")
        let seeded = try await Command.run(program, ["seed", "--no-examples"], environment: environment)
        #expect(seeded.status == 0, "\(seeded.errors)")

        try await Self.holdUntilBothWork(database)

        var servers: [ChildProgram] = []
        var doors: [TestHTTP] = []
        for _ in 0..<2 {
            let server = try ChildProgram(program, ["serve"], environment: environment)
            let line = try #require(await server.line(within: 600) { $0.hasPrefix("ready ") }, "\(server.errors)")
            servers.append(server)
            doors.append(TestHTTP(base: String(line.dropFirst("ready ".count))))
        }
        let workers = try (0..<2).map { _ in try ChildProgram(program, ["work"], environment: environment) }

        let password = "correct horse battery"
        for handle in ["nadia", "moritz"] {
            let answer = try await doors[0].send(
                json: RegisterRequest(handle: handle, email: "\(handle)@example.org", password: password),
                to: "/auth/register")
            #expect(answer.status == 201, "\(answer.text)")
        }
        let role = try await Command.run(
            program, ["admin", "user", "role", "moritz", "moderator"], environment: environment)
        #expect(role.status == 0, "\(role.errors)")
        let author = try await doors[1].tokenHolder(handle: "nadia", password: password)
        let moderator = try await doors[0].tokenHolder(handle: "moritz", password: password)

        var submissions: [SubmissionID] = []
        for index in 0..<24 {
            var builder = PDFDocumentBuilder()
            builder.addPage(headings: ["Sheet \(index)", "Skills", "Combat"])
            let door = doors[index % 2].signedIn(author.token)
            let answer = try await door.upload(metadata: Scene.metadata("Shared \(index)"), file: builder.build())
            #expect(answer.status == 202, "\(answer.text)")
            submissions.append(try answer.json(SubmissionStatus.self).id)
        }
        for (index, id) in submissions.enumerated() {
            let read = try await author.submission(id, reaches: [.awaitingReview])
            #expect(try await moderator.decide(read).status == 200)
            // Published through one node, downloaded through the other, with an address that the first one signed.
            let one = doors[index % 2]
            let other = doors[(index + 1) % 2]
            let ticket = try await one.get(
                "\(Paths.download(read.templateSlug, "latest"))?redirect=false"
            ).json(DownloadTicket.self)
            let path = try #require(URL(string: ticket.url)).withoutHost
            let bytes = try await other.get(path)
            #expect(bytes.status == 200)
            #expect(ContentHash(hashing: bytes.body.readableBytesView) == ticket.sha256)
        }

        let client = PostgresClient(configuration: .calm(connectionString: database), logger: TestLog.logger)
        let done = try await client.scalar(
            "SELECT count(*) FROM jobs WHERE kind = 'ingest_upload' AND state = 'done' AND attempts = 1", as: Int.self)
        #expect(done == submissions.count)
        let helpers = try await client.scalar(
            "SELECT count(DISTINCT worker) FROM jobs WHERE kind = 'ingest_upload'", as: Int.self)
        #expect(helpers == 2)
        await client.shutdown()
        for program in servers + workers {
            program.signal(SIGTERM)
            #expect(await program.waitForExit() == 0, "\(program.errors.suffix(2000))")
        }
    }

    /// No inspection comes to its end before both workers have begun one.
    private static func holdUntilBothWork(_ database: String) async throws {
        let client = PostgresClient(configuration: .calm(connectionString: database), logger: TestLog.logger)
        try await client.execute(
            """
            CREATE FUNCTION wait_for_both() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                WHILE (SELECT count(DISTINCT worker) FROM jobs WHERE kind = 'ingest_upload') < 2 LOOP
                    PERFORM pg_sleep(0.05);
                END LOOP;
                RETURN NEW;
            END $$
            """)
        try await client.execute(
            """
            CREATE TRIGGER wait_for_both BEFORE INSERT ON submission_pages
            FOR EACH ROW EXECUTE FUNCTION wait_for_both()
            """)
        await client.shutdown()
    }

    @Test("An upload of 100 MB raises the server's memory by no more than 32 MB")
    func largeUpload() async throws {
        let folder = try ScratchFolder("large")
        let market = try await RunningMarket(
            data: folder.url.appendingPathComponent("data"),
            environment: ["SHEETMARKET_MAX_UPLOAD_BYTES": "\(128 << 20)", "SHEETMARKET_WORKERS": "0"])
        let author = try await market.person("nadia")
        // A first upload warms what every server holds anyway.
        var small = PDFDocumentBuilder()
        small.addPage(headings: ["Small"])
        _ = try await author.upload(metadata: Scene.metadata("Small"), file: small.build())

        let file = folder.url.appendingPathComponent("large.pdf")
        var builder = PDFDocumentBuilder()
        builder.addPage(headings: ["Large"])
        builder.addBallast(bytes: 100 << 20)
        try builder.build().write(to: file)
        let metadata = folder.url.appendingPathComponent("metadata.json")
        try WireJSON.encoder().encode(Scene.metadata("Large")).write(to: metadata)

        let before = try market.residentBytes()
        let token = try #require(author.token)
        let upload = try ChildProgram(
            URL(fileURLWithPath: "/usr/bin/curl"),
            [
                "-sS", "-w", "%{http_code}", "-o", "/dev/null", "-H", "Authorization: Bearer \(token)",
                "-F", "metadata=@\(metadata.path);type=application/json", "-F",
                "file=@\(file.path);type=application/pdf",
                "\(market.base)\(Paths.base)/templates",
            ])
        var highest = before
        while upload.isRunning {
            highest = max(highest, try market.residentBytes())
            try await Task.sleep(for: .milliseconds(5))
        }
        await upload.waitForExit()
        #expect(upload.output == "202", "\(upload.output)\(upload.errors)")
        #expect(highest - before <= 32 << 20, "rose by \((highest - before) >> 20) MB")
        await market.stop()
    }
}

extension URL {
    /// Path and query, for asking another server.
    var withoutHost: String {
        path(percentEncoded: true) + (query(percentEncoded: true).map { "?\($0)" } ?? "")
    }
}

@Suite("Any client")
struct AnyClientTests {
    @Test("curl is told to go on at once when it asks before it sends a large body")
    func expectContinue() async throws {
        let folder = try ScratchFolder("curl")
        let market = try await RunningMarket(data: folder.url.appendingPathComponent("data"))
        let author = try await market.person("nadia")
        let file = folder.url.appendingPathComponent("big.pdf")
        try Scene.bigSheet().write(to: file)
        let metadata = folder.url.appendingPathComponent("metadata.json")
        try WireJSON.encoder().encode(Scene.metadata("By curl")).write(to: metadata)
        let token = try #require(author.token)
        let curl = try await Command.run(
            URL(fileURLWithPath: "/usr/bin/curl"),
            [
                "-sSv", "-H", "Authorization: Bearer \(token)", "-H", "Expect: 100-continue",
                "-F", "metadata=@\(metadata.path);type=application/json",
                "-F", "file=@\(file.path);type=application/pdf", "\(market.base)\(Paths.base)/templates",
            ])
        #expect(curl.status == 0)
        #expect(curl.errors.contains("< HTTP/1.1 100 Continue"), "\(curl.errors)")
        #expect(curl.errors.contains("< HTTP/1.1 202"), "\(curl.errors)")
        await market.stop()
    }
}
