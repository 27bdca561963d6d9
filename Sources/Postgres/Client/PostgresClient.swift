// SPDX-License-Identifier: Apache-2.0
import Logging
import Tracing

/// A PostgreSQL server as a program sees it: a few connections, shared by many tasks.
///
/// As an executor it runs single independent statements, which many tasks share few connections for by libpq's
/// pipeline mode. Such a statement should be short: the ones behind it wait. What needs a connection of its own, as
/// several statements in a transaction do, goes through `withTransaction` or `withConnection`.
///
/// Connections are made when they are first needed. A statement that was sent when its connection broke fails with
/// `.connectionLost` and is not repeated, since it may have taken effect; one not yet sent waits for the next
/// connection, up to `checkoutTimeout`.
package final class PostgresClient: PostgresExecutor {
    let engine: Engine
    /// Over connections whose sessions are ours alone; where no pooler stands between, the same.
    let direct: Engine
    /// The replicas that `ReplicaReads` may lead to, if there are any.
    package let replicas: PostgresReplicas?

    /// Makes a client; nothing is connected before the first statement.
    package init(configuration: PostgresConfiguration, logger: Logger) {
        engine = Engine(configuration: configuration, logger: logger)
        direct = Self.direct(configuration, logger) ?? engine
        replicas = PostgresReplicas(configuration, primary: engine, logger: logger)
    }

    private static func direct(_ configuration: PostgresConfiguration, _ logger: Logger) -> Engine? {
        guard let connectionString = configuration.directConnectionString else { return nil }
        var own = configuration
        own.connectionString = connectionString
        own.directConnectionString = nil
        return Engine(configuration: own, logger: logger)
    }

    deinit {
        engine.post(.shutdown(nil))
        direct.post(.shutdown(nil))
    }

    /// Refuses new work, lets what is under way end (for ten seconds at most), and closes every connection.
    package func shutdown() async {
        await replicas?.shutdown()
        await withUnsafeContinuation { engine.post(.shutdown($0)) }
        if direct !== engine { await withUnsafeContinuation { direct.post(.shutdown($0)) } }
    }

    /// What the connections are doing right now.
    package var statistics: PostgresPoolStatistics { engine.statistics }

    /// Runs a single statement over a shared connection: of a replica, where the task's `ReplicaReads` say so.
    package func run(_ query: PostgresQuery, at site: PostgresCallSite) async throws -> PostgresResult {
        if let replicas, let reads = ReplicaReads.current {
            return try await replicas.run(query, at: site, for: reads)
        }
        return try await engine.perform(Operation(.statement(query), site: site))
    }

    /// Leases a connection for the time of the body, past any pooler.
    ///
    /// Settings, advisory locks and temporary tables outlive the body unless it ends them; an open transaction does
    /// not: it is rolled back and the session reset.
    @discardableResult
    package func withConnection<T: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: (PostgresConnection) async throws -> T
    ) async throws -> T {
        try await withLease(of: direct, body)
    }

    func withLease<T: Sendable>(
        of engine: Engine,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (PostgresConnection) async throws -> T
    ) async throws -> T {
        ReplicaReads.current?.stayOnPrimary()
        let lease = try await engine.lease()
        let connection = PostgresConnection(engine: engine, lease: lease)
        defer {
            connection.leaseState.close()
            engine.post(.release(lease, discard: connection.leaseState.isDiscarded))
        }
        return try await body(connection)
    }

    /// Subscribes to notifications, over a connection of its own.
    package func listen(_ channels: [String]) -> PostgresNotifications {
        let (stream, continuation) = AsyncStream.makeStream(
            of: PostgresNotification.self,
            bufferingPolicy: .bufferingNewest(Listener.backlog)
        )
        let listener = Listener(channels: channels, continuation: continuation) { [replicas] in replicas?.newsCame() }
        if channels.isEmpty {
            listener.end()
        } else {
            continuation.onTermination = { [weak direct] _ in direct?.post(.unlisten(listener)) }
            direct.post(.listen(listener))
        }
        return PostgresNotifications(stream: stream)
    }
}

extension Engine {
    /// Hands an operation over and waits for its end. Cancelling the task cancels the operation unless it is
    /// `shielded`, as a rollback is.
    func perform(_ operation: Operation, shielded: Bool = false) async throws -> PostgresResult {
        // The common case costs a look at the task.
        guard ServiceContext.current != nil, operation.isTraced else {
            return try await outcome(of: operation, shielded: shielded)
        }
        return try await traced(operation) { try await outcome(of: operation, shielded: shielded) }
    }

    private func outcome(of operation: Operation, shielded: Bool) async throws -> PostgresResult {
        if shielded { return try await submitted(operation) }
        if Task.isCancelled {
            throw PostgresError(.cancelled, "the task was cancelled").at(operation.site, sql: operation.sql)
        }
        return try await withTaskCancellationHandler {
            try await submitted(operation)
        } onCancel: {
            post(.cancel(operation))
        }
    }

    private func submitted(_ operation: Operation) async throws -> PostgresResult {
        try await withUnsafeThrowingContinuation { continuation in
            operation.continuation = continuation
            post(.submit(operation))
        }
    }

    func lease() async throws -> Lease {
        if Task.isCancelled { throw PostgresError(.cancelled, "the task was cancelled") }
        let request = LeaseRequest()
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                request.continuation = continuation
                post(.lease(request))
            }
        } onCancel: {
            post(.cancelLease(request))
        }
    }
}
