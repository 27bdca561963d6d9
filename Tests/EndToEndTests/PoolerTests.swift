// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import NIOCore
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@Suite("A pooler in transaction mode stands before the database")
struct PoolerTests {
    private static func setRole(_ database: String) async throws {
        let client = PostgresClient(configuration: .calm(connectionString: database), logger: TestLog.logger)
        let name = try await client.scalar("SELECT current_database()::text", as: String.self)
        for (setting, value) in [
            ("statement_timeout", "300s"), ("idle_in_transaction_session_timeout", "300s"), ("TimeZone", "UTC"),
        ] {
            try await client.execute(
                "ALTER ROLE sheetmarket IN DATABASE \(ident: name) SET \(ident: setting) = \(unsafe: "'\(value)'")")
        }
        await client.shutdown()
    }

    @Test("statements, transactions, failures and notifications are as without it")
    func driver() async throws {
        let database = try await TestCluster.shared.makeDatabase()
        try await Self.setRole(database)
        let pooler = try await Pooler(before: database, connections: 2)
        var configuration = PostgresConfiguration.calm(connectionString: pooler.connection)
        configuration.directConnectionString = database
        configuration.maxConnections = 8
        let client = PostgresClient(configuration: configuration, logger: TestLog.logger)
        #expect(try await client.missingRoleSettings() == [])
        var news = client.listen(["things"]).makeAsyncIterator()
        #expect(await news.next() == .reconnected)
        try await client.execute("CREATE TABLE things (n bigint PRIMARY KEY, name text NOT NULL)")
        // Eight transactions at a time over two sessions, and single statements in between.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    try await client.withTransaction { connection in
                        try await connection.execute("SET LOCAL lock_timeout = '7s'")
                        try await connection.execute("INSERT INTO things VALUES (\(number), \("thing \(number)"))")
                        #expect(try await connection.scalar("SHOW lock_timeout", as: String.self) == "7s")
                    }
                    #expect(try await client.scalar("SHOW lock_timeout", as: String.self) == "0")
                    #expect(try await client.scalar("SELECT \(number) + 1", as: Int.self) == number + 1)
                    // A failure stays with its statement.
                    await #expect(throws: PostgresError.self) {
                        try await client.execute("INSERT INTO things VALUES (\(number), 'again')")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await client.scalar("SELECT count(*) FROM things", as: Int.self) == 40)
        try await client.withTransaction { try await $0.execute("NOTIFY things, 'told'") }
        #expect(await news.next() == .notification(channel: "things", payload: "told"))
        // A session of its own keeps what it is told.
        try await client.withConnection { connection in
            connection.discardAfterUse()
            try await connection.execute("SET lock_timeout = '9s'")
            #expect(try await connection.scalar("SHOW lock_timeout", as: String.self) == "9s")
        }
        await client.shutdown()
        await pooler.stop()
    }

    @Test("two servers and a worker work through three connections, and refuse sessions that begin otherwise")
    func market() async throws {
        let folder = try ScratchFolder("pooled")
        let database = try await TestCluster.shared.makeDatabase()
        let unset = try await Pooler(before: database, connections: 1)
        let environment = [
            "DATABASE_URL": unset.connection, "SHEETMARKET_DB_DIRECT_URL": "\(database) application_name=direct",
            "SHEETMARKET_STORAGE": folder.url.appendingPathComponent("storage").path,
            "SHEETMARKET_DOWNLOAD_KEYS": "k1:\(Data(repeating: 7, count: 32).base64EncodedString())",
            "SHEETMARKET_SECRET_KEYS": "s1:\(Data(repeating: 8, count: 32).base64EncodedString())",
            "SHEETMARKET_STAFF_SECOND_FACTOR": "off", "SHEETMARKET_LISTEN": "127.0.0.1:0",
            "SHEETMARKET_JOB_LEASE": "3600",
        ]
        let refused = try await Command.run(TwoNodes.program, ["serve"], environment: environment)
        #expect(refused.status != 0)
        for setting in ["statement_timeout = '30000'", "idle_in_transaction_session_timeout = '10000'"] {
            #expect(refused.errors.contains("ALTER ROLE sheetmarket SET \(setting)"), "\(refused.errors)")
        }
        await unset.stop()

        try await Self.setRole(database)
        let pooler = try await Pooler(before: database, connections: 3)
        let nodes = TwoNodes(environment: environment.merging(["DATABASE_URL": pooler.connection]) { $1 })
        for arguments in [["migrate"], ["seed", "--no-examples"]] {
            let outcome = try await nodes.operate(arguments)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        for index in 0..<2 { try await nodes.restart(server: index, keys: [:]) }
        try await nodes.restartWorker(keys: [:])
        let (author, moderator) = try await Self.people(nodes)
        let doors = await nodes.doors
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<6 {
                group.addTask {
                    try await Self.publish(number, doors, author: author.token, moderator: moderator.token)
                }
            }
            try await group.waitForAll()
        }
        try await Self.expectFewSessions(database)
        try await nodes.stop()
        await pooler.stop()
    }

    private static func people(_ nodes: TwoNodes) async throws -> (author: TestHTTP, moderator: TestHTTP) {
        let doors = await nodes.doors
        let password = "correct horse battery"
        for handle in ["nadia", "moritz"] {
            let answer = try await doors[0].send(
                json: RegisterRequest(handle: handle, email: "\(handle)@example.org", password: password),
                to: "/auth/register")
            try #require(answer.status == 201, "\(answer.text)")
        }
        let role = try await nodes.operate(["admin", "user", "role", "moritz", "moderator"])
        #expect(role.status == 0, "\(role.errors)")
        return (
            try await doors[1].tokenHolder(handle: "nadia", password: password),
            try await doors[0].tokenHolder(handle: "moritz", password: password)
        )
    }

    /// Uploaded at one server, followed at the other, decided, found and downloaded there.
    private static func publish(_ number: Int, _ doors: [TestHTTP], author: String?, moderator: String?) async throws {
        let here = doors[number % 2]
        let there = doors[(number + 1) % 2]
        var builder = PDFDocumentBuilder()
        builder.addPage(headings: ["Sheet \(number)", "Skills", "Combat"])
        let name = "Pooled\(number)"
        let answer = try await here.signedIn(author).upload(metadata: Scene.metadata(name), file: builder.build())
        try #require(answer.status == 202, "\(answer.text)")
        let id = try answer.json(SubmissionStatus.self).id
        let events = try await there.signedIn(author).get("\(Paths.submission(id.description))/events?until=review")
        #expect(events.text.contains("\"awaiting_review\""), "\(events.text)")
        let read = try await there.signedIn(author).submission(id, reaches: [.awaitingReview])
        #expect(try await there.signedIn(moderator).decide(read).status == 200)
        #expect(
            try await eventually {
                let found = try await here.get("\(Paths.base)/templates?q=\(name)").json(TemplateList.self)
                return found.templates.map(\.name) == [name]
            })
        let ticket = try await here.get("\(Paths.download(read.templateSlug, "latest"))?redirect=false")
            .json(DownloadTicket.self)
        let bytes = try await there.get(try #require(URL(string: ticket.url)).withoutHost)
        #expect(ContentHash(hashing: bytes.body.readableBytesView) == ticket.sha256)
    }

    /// Besides those who listen nobody has a connection of their own.
    private static func expectFewSessions(_ database: String) async throws {
        let client = PostgresClient(
            configuration: .calm(connectionString: "\(database) application_name=counts"), logger: TestLog.logger)
        let others: PostgresQuery = """
            FROM pg_stat_activity
            WHERE datname = current_database() AND backend_type = 'client backend' AND application_name <> 'counts'
            """
        let listening = try await client.scalar(
            "SELECT count(*) \(fragment: others) AND application_name = 'direct'", as: Int.self)
        // Four channels of each server and two of the worker; what asked for the schema has hung up.
        #expect((10...12).contains(listening), "\(listening)")
        let pooled = try await client.scalar(
            "SELECT count(*) \(fragment: others) AND application_name <> 'direct'", as: Int.self)
        #expect((1...3).contains(pooled), "\(pooled)")
        await client.shutdown()
    }
}
