// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres
import Testing

@Suite("Transactions")
struct TransactionTests {
    struct Refused: Error {}

    /// Lets two tasks wait for one another, once.
    final class Meeting: Sendable {
        private let arrived = Cell(0)

        func wait() async throws {
            arrived.withLock { $0 += 1 }
            _ = try await eventually { arrived.withLock { $0 >= 2 } }
        }
    }

    @Test("what a transaction did is gone when its body throws")
    func rollback() async throws {
        try await withClient { client async throws in
            try await client.execute("CREATE TABLE notes (n int)")
            await #expect(throws: Refused.self) {
                try await client.withTransaction { connection async throws in
                    try await connection.execute("INSERT INTO notes VALUES (1)")
                    throw Refused()
                }
            }
            #expect(try await client.scalar("SELECT count(*) FROM notes", as: Int.self) == 0)
        }
    }

    @Test("isolation level and read-only reach the server")
    func modes() async throws {
        try await withClient { client async throws in
            let level = try await client.withTransaction(isolation: .serializable, readOnly: true) {
                try await $0.scalar("SHOW transaction_isolation", as: String.self)
            }
            #expect(level == "serializable")
            let error = await failure {
                try await client.withTransaction(readOnly: true) { try await $0.execute("CREATE TABLE a ()") }
            }
            #expect(error?.code == "25006")
        }
    }

    @Test("a program that is stopped within a transaction lets go of its locks, and can commit nothing of it")
    func stopped() async throws {
        try await withClient({ $0.idleTransactionTimeout = .seconds(1) }) { client async throws in
            try await client.execute("CREATE TABLE counters (n int)")
            try await client.execute("INSERT INTO counters VALUES (0)")
            let error = await failure {
                try await client.withTransaction { connection async throws in
                    try await connection.execute("UPDATE counters SET n = 1")
                    // Waits for the row until the server has ended the transaction.
                    try await client.execute("UPDATE counters SET n = 2")
                    try await connection.execute("UPDATE counters SET n = 3")
                }
            }
            #expect(error?.isUnavailable == true, "\(String(describing: error))")
            #expect(try await client.scalar("SELECT n FROM counters", as: Int.self) == 2)
            try await client.withTransaction { connection async throws in
                try await connection.mayBeIdle()
                try await connection.execute("UPDATE counters SET n = 4")
                try await Task.sleep(for: .seconds(2))
            }
            #expect(try await client.scalar("SELECT n FROM counters", as: Int.self) == 4)
        }
    }

    @Test("of two transactions that cannot be serialized one runs again, and both count")
    func serialization() async throws {
        try await withClient { client async throws in
            try await client.execute("CREATE TABLE counters (n int)")
            try await client.execute("INSERT INTO counters VALUES (0)")
            let meeting = Meeting()
            let runs = Cell(0)
            try await withThrowingTaskGroup(of: Void.self) { group async throws in
                for _ in 0..<2 {
                    group.addTask {
                        try await client.withTransaction(isolation: .serializable, attempts: 10) {
                            connection async throws in
                            runs.withLock { $0 += 1 }
                            let value = try await connection.scalar("SELECT n FROM counters", as: Int.self)
                            try await meeting.wait()
                            try await connection.execute("UPDATE counters SET n = \(value + 1)")
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await client.scalar("SELECT n FROM counters", as: Int.self) == 2)
            #expect(runs.withLock { $0 } > 2)
        }
    }

    @Test("of two deadlocked transactions one runs again, and both succeed")
    func deadlock() async throws {
        try await withClient { client async throws in
            try await client.execute("CREATE TABLE pairs (id int PRIMARY KEY, n int)")
            try await client.execute("INSERT INTO pairs VALUES (1, 0), (2, 0)")
            let meeting = Meeting()
            let runs = Cell(0)
            try await withThrowingTaskGroup(of: Void.self) { group async throws in
                for (first, second) in [(1, 2), (2, 1)] {
                    group.addTask {
                        try await client.withTransaction { connection async throws in
                            runs.withLock { $0 += 1 }
                            try await connection.execute("UPDATE pairs SET n = n + 1 WHERE id = \(first)")
                            try await meeting.wait()
                            try await connection.execute("UPDATE pairs SET n = n + 1 WHERE id = \(second)")
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await client.scalar("SELECT sum(n) FROM pairs", as: Int.self) == 4)
            #expect(runs.withLock { $0 } == 3)
        }
    }

    @Test("attempts have a limit, and other errors are not tried again")
    func attempts() async throws {
        try await withClient { client async throws in
            let runs = Cell(0)
            let error = await failure {
                try await client.withTransaction(attempts: 4) { connection async throws in
                    runs.withLock { $0 += 1 }
                    try await connection.execute(
                        "DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$"
                    )
                }
            }
            #expect(error?.code == .serializationFailure)
            #expect(runs.withLock { $0 } == 4)
            _ = await failure {
                try await client.withTransaction {
                    runs.withLock { $0 += 1 }
                    try await $0.execute("SELECT 1/0")
                }
            }
            #expect(runs.withLock { $0 } == 5)
        }
    }

    @Test("an error that the body swallows does not end in a silent rollback")
    func swallowed() async throws {
        try await withClient { client async throws in
            let error = await failure {
                try await client.withTransaction { connection async throws in
                    _ = await failure { try await connection.execute("SELECT 1/0") }
                }
            }
            #expect(error?.kind == .transactionAborted)
        }
    }

    @Test("a savepoint undoes only its own part, nested ones too")
    func savepoints() async throws {
        try await withClient { client async throws in
            try await client.execute("CREATE TABLE notes (n int UNIQUE)")
            try await client.withTransaction { connection async throws in
                try await connection.execute("INSERT INTO notes VALUES (1)")
                let error = await failure {
                    try await connection.withSavepoint { inner in
                        try await inner.execute("INSERT INTO notes VALUES (2)")
                        try await inner.withSavepoint { try await $0.execute("INSERT INTO notes VALUES (3)") }
                        try await inner.execute("INSERT INTO notes VALUES (1)")
                    }
                }
                #expect(error?.isUniqueViolation() == true)
                try await connection.withSavepoint { try await $0.execute("INSERT INTO notes VALUES (4)") }
            }
            #expect(try await client.all("SELECT n FROM notes ORDER BY n") { try $0.get(0, as: Int.self) } == [1, 4])
        }
    }

    @Test("cancelling a task rolls its transaction back")
    func cancellation() async throws {
        try await withClient({ $0.maxConnections = 1 }) { client async throws in
            try await client.execute("CREATE TABLE notes (n int)")
            let reached = Cell(false)
            let task = Task {
                try await client.withTransaction { connection async throws in
                    try await connection.execute("INSERT INTO notes VALUES (1)")
                    reached.withLock { $0 = true }
                    try await connection.execute("SELECT pg_sleep(60)")
                }
            }
            #expect(try await eventually { reached.withLock { $0 } })
            task.cancel()
            #expect(await failure { _ = try await task.value }?.kind == .cancelled)
            #expect(
                try await client.withConnection { try await $0.scalar("SELECT count(*) FROM notes", as: Int.self) } == 0
            )
            #expect(client.statistics.connectionsLost == 0)
        }
    }

    @Test("a commit hook's statement is committed with what a transaction did, or neither is")
    func commitHook() async throws {
        try await withClient { client async throws in
            try await client.execute("CREATE TABLE notes (n int)")
            try await client.execute("CREATE TABLE marks (n int CONSTRAINT marks_once UNIQUE)")
            let mark = Cell(1)
            let committed = Cell(0)
            let hook = PostgresCommitHook(
                statement: {
                    let n = mark.withLock { $0 }
                    return n == 0 ? nil : "INSERT INTO marks VALUES (\(n))"
                },
                failure: { error -> any Error in
                    error.isUniqueViolation(constraint: "marks_once") ? Refused() : error
                },
                committed: { committed.withLock { $0 += 1 } })
            func write(_ n: Int, readOnly: Bool = false) async throws {
                try await PostgresCommitHook.$current.withValue(hook) {
                    try await client.withTransaction(readOnly: readOnly) { connection async throws in
                        if readOnly { return }
                        try await connection.execute("INSERT INTO notes VALUES (\(n))")
                    }
                }
            }
            func rows(_ table: String) async throws -> [Int] {
                try await client.all("SELECT n FROM \(ident: table) ORDER BY n") { try $0.get(0, as: Int.self) }
            }
            try await write(1)
            #expect(try await rows("notes") == [1])
            #expect(try await rows("marks") == [1])
            #expect(committed.withLock { $0 } == 1)
            // The mark is there already: nothing of the transaction stays, and the connection is as good as before.
            await #expect(throws: Refused.self) { try await write(2) }
            #expect(try await rows("notes") == [1])
            #expect(committed.withLock { $0 } == 1)
            // Another failure is thrown as it is.
            mark.withLock { $0 = -1 }
            try await client.execute("ALTER TABLE marks ADD CONSTRAINT marks_positive CHECK (n > 0)")
            let error = await failure { try await write(3) }
            #expect(error?.isCheckViolation(constraint: "marks_positive") == true)
            // Nothing to add, and nothing to write.
            mark.withLock { $0 = 0 }
            try await write(4)
            mark.withLock { $0 = 5 }
            try await write(5, readOnly: true)
            #expect(try await rows("notes") == [1, 4])
            #expect(try await rows("marks") == [1])
        }
    }
}
