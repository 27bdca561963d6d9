// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres
import Testing

@Suite("Notifications")
struct NotificationTests {
    @Test("a subscription says when it is live, delivers in order, and survives the loss of its connection")
    func reconnect() async throws {
        let name = "subscriber \(UUID().uuidString)"
        try await withClient({ $0.applicationName = name }) { subscriber async throws in
            try await withClient { client async throws in
                let channel = "Jobs \(UUID().uuidString)"
                var iterator = subscriber.listen([channel, "other"]).makeAsyncIterator()
                #expect(await iterator.next() == .reconnected)
                try await client.execute("SELECT pg_notify(\(channel), \("one"))")
                try await client.execute("SELECT pg_notify(\(channel), \("two"))")
                #expect(await iterator.next() == .notification(channel: channel, payload: "one"))
                #expect(await iterator.next() == .notification(channel: channel, payload: "two"))
                let query: PostgresQuery = """
                    SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = \(name)
                    """
                #expect(try await client.scalar(query, as: Int.self) >= 1)
                #expect(await iterator.next() == .reconnected)
                try await client.execute("SELECT pg_notify(\(channel), \("three"))")
                #expect(await iterator.next() == .notification(channel: channel, payload: "three"))
            }
        }
    }

    @Test("a notification is sent with the commit of its transaction")
    func transactional() async throws {
        try await withClient { client async throws in
            let channel = "c" + UUID().uuidString
            var iterator = client.listen([channel]).makeAsyncIterator()
            #expect(await iterator.next() == .reconnected)
            _ = await failure {
                try await client.withTransaction {
                    try await $0.execute("SELECT pg_notify(\(channel), 'undone')")
                    try await $0.execute("SELECT 1/0")
                }
            }
            try await client.withTransaction { try await $0.execute("SELECT pg_notify(\(channel), 'done')") }
            var next = await iterator.next()
            // Another test may end this connection; then only the second can have been missed.
            if next == .reconnected { next = .notification(channel: channel, payload: "done") }
            #expect(next == .notification(channel: channel, payload: "done"))
        }
    }

    @Test("a subscription ends with its task and gives its connection back")
    func ending() async throws {
        try await withClient({ $0.applicationName = "ending \(UUID())".prefix(40).description }) {
            client async throws in
            let name = try await client.scalar("SHOW application_name", as: String.self)
            func listeners() async throws -> Int {
                try await client.scalar(
                    "SELECT count(*) FROM pg_stat_activity WHERE application_name = \(name) AND query LIKE 'LISTEN%'"
                )
            }
            let task = Task { for await _ in client.listen(["x"]) {} }
            #expect(try await eventually { try await listeners() == 1 })
            task.cancel()
            await task.value
            #expect(try await eventually { try await listeners() == 0 })
        }
    }

    @Test("a consumer that lags is told so")
    func lagging() async throws {
        try await withClient { client async throws in
            let channel = "lag" + UUID().uuidString
            let stream = client.listen([channel])
            var iterator = stream.makeAsyncIterator()
            #expect(await iterator.next() == .reconnected)
            try await client.execute("SELECT pg_notify(\(channel), n::text) FROM generate_series(1, 5000) AS n")
            try await client.execute("SELECT pg_notify(\(channel), 'end')")
            var told = false
            while let next = await iterator.next() {
                if next == .reconnected { told = true }
                if next == .notification(channel: channel, payload: "end") { break }
                if told, client.statistics.pipelineInFlight == 0, next == .reconnected { break }
            }
            #expect(told)
        }
    }
}
