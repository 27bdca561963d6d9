// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres
import Testing

@Suite("Leased connections")
struct PoolTests {
    @Test("who waits too long for a connection gets checkoutTimeout, and the others go on")
    func exhaustion() async throws {
        try await withClient({
            $0.maxConnections = 2
            $0.checkoutTimeout = .seconds(4)
        }) { client async throws in
            try await client.withConnection { first async throws in
                try await client.withConnection { second async throws in
                    let error = await failure { try await client.withConnection { try await $0.execute("SELECT 1") } }
                    #expect(error?.kind == .checkoutTimeout)
                    #expect(error?.isUnavailable == true)
                    #expect(client.statistics.inUse == 2)
                    try await first.execute("SELECT 1")
                    try await second.execute("SELECT 1")
                }
            }
            #expect(try await client.withConnection { try await $0.scalar("SELECT 2", as: Int.self) } == 2)
        }
    }

    @Test("two hundred transactions take turns on three connections")
    func contention() async throws {
        try await withClient({ $0.maxConnections = 3 }) { client async throws in
            try await client.execute("CREATE TABLE counters (n int)")
            try await client.execute("INSERT INTO counters VALUES (0)")
            try await withThrowingTaskGroup(of: Void.self) { group async throws in
                for _ in 0..<200 {
                    group.addTask {
                        _ = try await client.withTransaction { try await $0.execute("UPDATE counters SET n = n + 1") }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await client.scalar("SELECT n FROM counters", as: Int.self) == 200)
            #expect(client.statistics.inUse + client.statistics.idle <= 3)
        }
    }

    @Test("a connection throws once its closure has ended")
    func escape() async throws {
        try await withClient { client async throws in
            let escaped = try await client.withConnection { $0 }
            #expect(await failure { try await escaped.execute("SELECT 1") }?.kind == .misuse)
        }
    }

    @Test("a transaction left open is rolled back before the connection is used again")
    func dirty() async throws {
        try await withClient({ $0.maxConnections = 1 }) { client async throws in
            try await client.execute("CREATE TABLE notes (n int)")
            let first = try await client.withConnection { connection async throws in
                try await connection.execute("BEGIN")
                try await connection.execute("INSERT INTO notes VALUES (1)")
                return try await connection.scalar("SELECT pg_backend_pid()", as: Int.self)
            }
            try await client.withConnection { connection async throws in
                #expect(try await connection.scalar("SELECT count(*) FROM notes", as: Int.self) == 0)
                #expect(try await connection.scalar("SELECT pg_backend_pid()", as: Int.self) == first)
                try await connection.execute("BEGIN")
                _ = await failure { try await connection.execute("SELECT 1/0") }
            }
            #expect(try await client.withConnection { try await $0.scalar("SELECT 3", as: Int.self) } == 3)
        }
    }

    @Test("statements of several child tasks on one connection take turns")
    func childTasks() async throws {
        try await withClient { client async throws in
            let sum = try await client.withConnection { connection async throws in
                try await withThrowingTaskGroup(of: Int.self) { group async throws in
                    for number in 1...50 { group.addTask { try await connection.scalar("SELECT \(number)") } }
                    return try await group.reduce(0, +)
                }
            }
            #expect(sum == 1275)
        }
    }

    @Test("a cancelled task's statement is gone from the server and the connection still works")
    func cancellation() async throws {
        try await withClient({ $0.maxConnections = 1 }) { client async throws in
            let started = Cell(0)
            let task = Task {
                try await client.withConnection { connection async throws in
                    let pid = try await connection.scalar("SELECT pg_backend_pid()", as: Int.self)
                    started.withLock { $0 = pid }
                    try await connection.execute("SELECT pg_sleep(60)")
                }
            }
            func isSleeping() async throws -> Bool {
                let pid = started.withLock { $0 }
                return try await client.scalar(
                    "SELECT count(*) FROM pg_stat_activity WHERE pid = \(pid) AND query LIKE '%sleep(60)%' AND state = 'active'",
                    as: Int.self
                ) == 1
            }
            #expect(try await eventually { try await isSleeping() })
            task.cancel()
            #expect(await failure { try await task.value }?.kind == .cancelled)
            #expect(try await !isSleeping())
            let pid = started.withLock { $0 }
            #expect(
                try await client.withConnection { try await $0.scalar("SELECT pg_backend_pid()", as: Int.self) } == pid
            )
        }
    }

    @Test("a task cancelled while it waits for a connection stops waiting")
    func cancelledWaiter() async throws {
        try await withClient({
            $0.maxConnections = 1
            $0.checkoutTimeout = .seconds(300)
        }) { client async throws in
            try await client.withConnection { connection async throws in
                let waiter = Task { try await client.withConnection { try await $0.execute("SELECT 1") } }
                #expect(try await eventually { client.statistics.waiting == 1 })
                waiter.cancel()
                #expect(await failure { _ = try await waiter.value }?.kind == .cancelled)
                try await connection.execute("SELECT 1")
            }
        }
    }

    @Test("after shutdown everything is refused, and shutting down twice is fine")
    func shutdown() async throws {
        let client = PostgresClient(
            configuration: PostgresConfiguration(connectionString: TestServer.shared.connectionString),
            logger: quietLogger()
        )
        let slow = Task { try await client.scalar("SELECT 5 FROM pg_sleep(3)", as: Int.self) }
        #expect(try await eventually { client.statistics.pipelineInFlight == 1 })
        await client.shutdown()
        #expect(try await slow.value == 5)
        await client.shutdown()
        #expect(await failure { try await client.execute("SELECT 1") }?.kind == .shutdown)
        #expect(await failure { try await client.withConnection { _ in } }?.kind == .shutdown)
        for await _ in client.listen(["x"]) { Issue.record("a subscription after shutdown") }
    }

    @Test("session settings of the configuration reach the server")
    func settings() async throws {
        try await withClient({
            $0.applicationName = "driver tests"
            $0.statementTimeout = .seconds(7)
        }) { client async throws in
            #expect(try await client.scalar("SHOW application_name", as: String.self) == "driver tests")
            #expect(try await client.scalar("SHOW statement_timeout", as: String.self) == "7s")
            #expect(try await client.scalar("SHOW TimeZone", as: String.self) == "UTC")
            #expect(try await client.scalar("SELECT current_schema()", as: String.self).hasPrefix("t_"))
        }
    }
}
