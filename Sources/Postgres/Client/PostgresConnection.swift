// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// A leased connection. It works inside the closure it was given to, and throws outside.
///
/// Statements run one after the other, also when several child tasks issue them.
package struct PostgresConnection: PostgresExecutor {
    let engine: Engine
    let lease: Lease
    let leaseState = LeaseState()

    /// Whether the lease is still on; shared by all copies.
    final class LeaseState: Sendable {
        private let open = Atomic(true)
        private let discarded = Atomic(false)

        var isOpen: Bool { open.load(ordering: .acquiring) }
        var isDiscarded: Bool { discarded.load(ordering: .acquiring) }
        func close() { open.store(false, ordering: .releasing) }
        func discard() { discarded.store(true, ordering: .releasing) }
    }

    init(engine: Engine, lease: Lease) {
        self.engine = engine
        self.lease = lease
    }

    /// Runs a statement on this connection.
    package func run(_ query: PostgresQuery, at site: PostgresCallSite) async throws -> PostgresResult {
        try await perform(.statement(query), at: site)
    }

    /// Runs several statements, separated by semicolons, by the simple protocol. Nothing is bound: never from
    /// outside the program. Without a transaction of its own the script is one transaction.
    package func executeScript(_ sql: String, file: String = #fileID, line: Int = #line) async throws {
        _ = try await perform(.script(sql), at: PostgresCallSite(file: file, line: line))
    }

    /// Lets this transaction be idle for as long as it likes, and keep its locks, though the program may have been stopped.
    package func mayBeIdle() async throws {
        try await execute("SET LOCAL idle_in_transaction_session_timeout = 0")
    }

    /// Has the connection closed instead of returned, for when its session was altered for good.
    package func discardAfterUse() {
        leaseState.discard()
    }

    func perform(
        _ work: Operation.Work,
        after ahead: PostgresQuery? = nil,
        at site: PostgresCallSite?,
        shielded: Bool = false
    ) async throws -> PostgresResult {
        guard leaseState.isOpen else {
            throw PostgresError(.misuse, "a leased connection was used outside its closure").at(site)
        }
        let operation = Operation(work, site: site, lease: lease)
        operation.ahead = ahead
        return try await engine.perform(operation, shielded: shielded)
    }
}
