// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres
import Testing

@Suite("Single statements over shared connections")
struct PipelineTests {
    @Test("a thousand tasks share two connections and each gets its own answer")
    func manyTasks() async throws {
        try await withClient { client async throws in
            try await withThrowingTaskGroup(of: Bool.self) { group async throws in
                for number in 0..<1000 {
                    group.addTask {
                        let text = try await client.scalar("SELECT \(number)::text || '!'", as: String.self)
                        return text == "\(number)!"
                    }
                }
                for try await right in group { #expect(right) }
            }
            let statistics = client.statistics
            #expect(statistics.pipelineConnections <= 2)
            #expect(statistics.inUse == 0)
            #expect(
                try await client.scalar(
                    "SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND application_name = 'x'",
                    as: Int.self
                ) == 0
            )
        }
    }

    @Test("an error stays with its own statement, whatever was sent around it")
    func isolation() async throws {
        try await withClient({ $0.pipelineConnections = 1 }) { client async throws in
            try await withThrowingTaskGroup(of: Void.self) { group async throws in
                for number in 0..<300 {
                    group.addTask { () async throws in
                        switch number % 3 {
                        case 0:
                            #expect(try await client.scalar("SELECT \(number)", as: Int.self) == number)
                        case 1:
                            let error = await failure { try await client.execute("SELECT 1 / (\(number) - \(number))") }
                            #expect(error?.code == "22012")
                        default:
                            // Fails while it is prepared, and many at once.
                            let error = await failure { try await client.execute("SELECT no_such_column") }
                            #expect(error?.code == .undefinedColumn)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("the statement cache stays within its bounds and evicted statements go on working")
    func eviction() async throws {
        try await withClient({
            $0.statementCacheSize = 4
            $0.pipelineConnections = 1
        }) { client async throws in
            for round in 0..<3 {
                for number in 0..<12 {
                    #expect(
                        try await client.scalar("SELECT \(round) + \(unsafe: String(number))", as: Int.self) == round
                            + number
                    )
                }
            }
            let kept = try await client.scalar("SELECT count(*) FROM pg_prepared_statements", as: Int.self)
            #expect(kept <= 5)
            try await client.withConnection { connection async throws in
                for number in 0..<12 {
                    #expect(try await connection.scalar("SELECT \(unsafe: String(number))", as: Int.self) == number)
                }
                #expect(try await connection.scalar("SELECT count(*) FROM pg_prepared_statements", as: Int.self) <= 5)
            }
            try await client.withTransaction { connection async throws in
                for number in 20..<32 {
                    #expect(try await connection.scalar("SELECT \(unsafe: String(number))", as: Int.self) == number)
                }
            }
        }
    }

    @Test("a schema change under a cached plan goes unnoticed outside transactions, also in a full pipeline")
    func schemaChange() async throws {
        try await withClient({ $0.pipelineConnections = 1 }) { client async throws in
            try await client.execute("CREATE TABLE things (id int)")
            try await client.execute("INSERT INTO things VALUES (1)")
            let query: PostgresQuery = "SELECT * FROM things"
            #expect(try await client.query(query).columns == ["id"])
            try await client.execute("ALTER TABLE things ADD COLUMN name text DEFAULT 'x'")
            try await withThrowingTaskGroup(of: [String].self) { group async throws in
                for _ in 0..<100 { group.addTask { try await client.query(query).columns } }
                for try await columns in group { #expect(columns == ["id", "name"]) }
            }
            try await client.withConnection { connection async throws in
                _ = try await connection.query(query)
                try await client.execute("ALTER TABLE things ALTER COLUMN id TYPE bigint")
                #expect(try await connection.query(query).columns == ["id", "name"])
                // The session forgets everything behind the driver's back.
                try await connection.execute("DISCARD ALL")
                try await connection.execute("SELECT 1")
            }
        }
    }

    @Test("in a transaction a stale plan runs the whole transaction again")
    func schemaChangeInTransaction() async throws {
        try await withClient({ $0.maxConnections = 1 }) { client async throws in
            try await client.execute("CREATE TABLE things (id int)")
            let query: PostgresQuery = "SELECT * FROM things"
            try await client.withTransaction { _ = try await $0.query(query) }
            try await client.execute("ALTER TABLE things ADD COLUMN name text")
            let columns = try await client.withTransaction { try await $0.query(query).columns }
            #expect(columns == ["id", "name"])
        }
    }

    @Test("one text with differently typed values works")
    func typeChange() async throws {
        try await withClient({ $0.pipelineConnections = 1 }) { client async throws in
            for value in [1 as any PostgresEncodable, "two", 3.5, true, 4] {
                let text = try await client.first("SELECT \(value) AS v") { $0["v"] }
                #expect(text != nil)
            }
        }
    }

    @Test("a slow statement ends with the server's statement timeout, and its neighbours live")
    func statementTimeout() async throws {
        try await withClient({ $0.statementTimeout = .seconds(3) }) { client async throws in
            let shared = await failure { try await client.execute("SELECT pg_sleep(20)") }
            #expect(shared?.isStatementTimeout == true)
            #expect(shared?.code == .queryCanceled)
            let leased = await failure {
                try await client.withConnection { try await $0.execute("SELECT pg_sleep(20)") }
            }
            #expect(leased?.isStatementTimeout == true)
            #expect(try await client.scalar("SELECT 1", as: Int.self) == 1)
        }
    }

    @Test("a cancelled task's statement ends on the server, and the statements behind it succeed")
    func cancellation() async throws {
        try await withClient({
            $0.pipelineConnections = 1
            // Nothing but the cancellation ends the statement while the test waits.
            $0.statementTimeout = .seconds(3600)
        }) { client async throws in
            let slow = Task { try await client.execute("SELECT pg_sleep(3600), 'slow one'") }
            #expect(try await eventually { try await Self.running("slow one", client) == 1 })
            let neighbours = (0..<50).map { number in
                Task { try await client.scalar("SELECT \(number)", as: Int.self) }
            }
            slow.cancel()
            let error = await failure { _ = try await slow.value }
            #expect(error?.kind == .cancelled)
            for (number, task) in neighbours.enumerated() { #expect(try await task.value == number) }
            #expect(try await eventually { try await Self.running("slow one", client) == 0 })
        }
    }

    @Test("cancelling many tasks at random harms no other task's statement")
    func cancellationStorm() async throws {
        try await withClient { client async throws in
            try await client.execute("CREATE TABLE counts (n int)")
            try await client.execute("INSERT INTO counts VALUES (0)")
            let kept = (0..<200).map { number in
                Task { try await client.scalar("SELECT \(number) FROM pg_sleep(0.002)", as: Int.self) }
            }
            let dropped = (0..<100).map { _ in Task { try await client.execute("SELECT pg_sleep(0.05)") } }
            for task in dropped {
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...3)))
                task.cancel()
            }
            for (number, task) in kept.enumerated() { #expect(try await task.value == number) }
            for task in dropped {
                let error = await failure { _ = try await task.value }
                #expect(error == nil || error?.kind == .cancelled)
            }
        }
    }

    /// How many sessions execute a statement with this text; asked over a leased connection.
    static func running(_ marker: String, _ client: PostgresClient) async throws -> Int {
        try await client.withConnection {
            try await $0.scalar(
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE state = 'active' AND pid <> pg_backend_pid() AND query LIKE \("%" + marker + "%")
                """
            )
        }
    }
}
