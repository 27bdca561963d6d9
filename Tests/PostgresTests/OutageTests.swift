// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres
import Testing

@Suite("Outages")
struct OutageTests {
    @Test("a killed server fails what was sent, and the client finds the next server by itself")
    func killedServer() async throws {
        let server = try TestServer()
        defer { server.stop() }
        try await withClient(on: server, { $0.checkoutTimeout = .seconds(300) }) { client async throws in
            try await client.execute("CREATE TABLE notes (n int)")
            let shared = Task { try await client.execute("SELECT pg_sleep(60)") }
            let leased = Task {
                try await client.withTransaction { connection async throws in
                    try await connection.execute("INSERT INTO notes VALUES (1)")
                    try await connection.execute("SELECT pg_sleep(60)")
                }
            }
            #expect(try await eventually { client.statistics.pipelineInFlight == 1 && client.statistics.inUse == 1 })
            server.killHard()
            #expect(await failure { _ = try await shared.value }?.kind == .connectionLost)
            #expect(await failure { _ = try await leased.value }?.kind == .connectionLost)
            // Sent nowhere yet: they wait for the server to come back.
            let waiting = (0..<20).map { number in
                Task { try await client.scalar("SELECT \(number)", as: Int.self) }
            }
            let transaction = Task {
                try await client.withTransaction { try await $0.scalar("SELECT 7", as: Int.self) }
            }
            try server.start()
            for (number, task) in waiting.enumerated() { #expect(try await task.value == number) }
            #expect(try await transaction.value == 7)
            #expect(try await client.scalar("SELECT count(*) FROM notes", as: Int.self) == 0)
            #expect(client.statistics.connectionsLost >= 2)
        }
    }

    @Test("a terminated session fails its statement and is replaced, shared and leased")
    func terminatedSession() async throws {
        try await withClient({
            $0.maxConnections = 1
            $0.pipelineConnections = 1
        }) { client async throws in
            let marker = "terminate \(UUID())"
            let slow = Task { try await client.execute("SELECT pg_sleep(60), \(marker)::text") }
            #expect(try await eventually { client.statistics.pipelineInFlight == 1 })
            try await client.withConnection { connection async throws in
                let killed = try await eventually {
                    try await connection.scalar(
                        """
                        SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                        WHERE query LIKE 'SELECT pg_sleep(60), $1::text%' AND state = 'active'
                        """,
                        as: Int.self
                    ) > 0
                }
                #expect(killed)
            }
            let error = await failure { _ = try await slow.value }
            #expect(error?.kind == .connectionLost)
            #expect(try await client.scalar("SELECT 1", as: Int.self) == 1)

            let lost = await failure {
                try await client.withConnection { connection async throws in
                    let pid = try await connection.scalar("SELECT pg_backend_pid()", as: Int32.self)
                    try await client.execute("SELECT pg_terminate_backend(\(pid))")
                    try await connection.execute("SELECT pg_sleep(5)")
                }
            }
            #expect(lost?.kind == .connectionLost)
            #expect(lost?.isUnavailable == true)
            #expect(try await client.withConnection { try await $0.scalar("SELECT 1", as: Int.self) } == 1)
        }
    }

    @Test("idle sessions that the server ended are replaced before anybody notices")
    func idleSessions() async throws {
        try await withClient({ $0.maxConnections = 2 }) { client async throws in
            let pid = try await client.withConnection { try await $0.scalar("SELECT pg_backend_pid()", as: Int32.self) }
            try await client.execute("SELECT pg_terminate_backend(\(pid), 60000)")
            for _ in 0..<5 {
                #expect(try await client.withConnection { try await $0.scalar("SELECT 1", as: Int.self) } == 1)
            }
        }
    }

    @Test("an idle connection is probed and stays usable")
    func probing() async throws {
        try await withClient({ $0.idleCheckInterval = .milliseconds(20) }) { client async throws in
            try await client.withConnection { try await $0.execute("SELECT 1") }
            let before = client.statistics
            try await Task.sleep(for: .milliseconds(300))
            #expect(client.statistics.connectionsLost == before.connectionsLost)
            #expect(try await client.withConnection { try await $0.scalar("SELECT 1", as: Int.self) } == 1)
            #expect(try await client.scalar("SELECT 1", as: Int.self) == 1)
        }
    }

    @Test("a server that takes no writes is an outage to them, and left for whoever takes them")
    func readOnlyServer() async throws {
        let server = try TestServer()
        defer { server.stop() }
        try await withClient(on: server) { administrator async throws in
            try await administrator.execute("CREATE TABLE public.notes (n int)")
            // Sessions keep what they began with.
            try await administrator.execute("ALTER DATABASE postgres SET default_transaction_read_only = on")
            let client = PostgresClient(
                configuration: PostgresConfiguration(connectionString: server.connectionString), logger: quietLogger())
            let insert: PostgresQuery = "INSERT INTO public.notes VALUES (1)"
            let error = await failure { try await client.execute(insert) }
            #expect(error?.code == .readOnlyTransaction)
            #expect(error?.isUnavailable == true)
            let leased = await failure { try await client.withConnection { try await $0.execute(insert) } }
            #expect(leased?.isUnavailable == true)
            #expect(try await client.scalar("SELECT 1", as: Int.self) == 1)
            try await administrator.execute("ALTER DATABASE postgres SET default_transaction_read_only = off")
            #expect(try await eventually { await failure { try await client.execute(insert) } == nil })
            #expect(
                try await eventually {
                    await failure { try await client.withConnection { try await $0.execute(insert) } } == nil
                })
            #expect(client.statistics.connectionsLost > 0)
            await client.shutdown()
        }
    }

    @Test("a server that is not there is connectionFailed, within the time limit")
    func absentServer() async throws {
        var configuration = PostgresConfiguration(connectionString: "host=/nonexistent user=nobody")
        configuration.checkoutTimeout = .seconds(1)
        let client = PostgresClient(configuration: configuration, logger: quietLogger())
        let shared = await failure { try await client.execute("SELECT 1") }
        #expect(shared?.kind == .connectionFailed)
        #expect(shared?.description.contains("nonexistent") == false)
        #expect(await failure { try await client.withConnection { _ in } }?.kind == .connectionFailed)
        await client.shutdown()
    }

    @Test("an unknown database is refused at once and by its code")
    func unknownDatabase() async throws {
        var configuration = PostgresConfiguration(
            connectionString: "host=\(TestServer.shared.folder) user=postgres dbname=no_such"
        )
        configuration.checkoutTimeout = .seconds(60)
        let client = PostgresClient(configuration: configuration, logger: quietLogger())
        let error = await failure { try await client.execute("SELECT 1") }
        #expect(error?.kind == .connectionFailed)
        #expect(error?.code == "3D000")
        #expect(await failure { try await client.withTransaction { _ in } }?.code == "3D000")
        await client.shutdown()
    }

    @Test("a connection string that cannot be read is an error that does not quote it")
    func badConnectionString() async throws {
        let client = PostgresClient(
            configuration: PostgresConfiguration(connectionString: "postgres://user:hunter2@[bad"),
            logger: quietLogger()
        )
        let error = await failure { try await client.execute("SELECT 1") }
        #expect(error?.kind == .connectionFailed)
        #expect(error?.debugDescription.contains("hunter2") == false)
        await client.shutdown()
    }
}
