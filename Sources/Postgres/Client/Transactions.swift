// SPDX-License-Identifier: Apache-2.0

/// How far a transaction is kept apart from the others.
package enum PostgresIsolation: String, Sendable {
    case readCommitted = "READ COMMITTED"
    case repeatableRead = "REPEATABLE READ"
    case serializable = "SERIALIZABLE"
}

/// A statement that a task has sent with the `COMMIT` of each of its transactions that may write: for what must be written
/// with whatever is written, and whose writers cannot be told one by one. It costs no trip to the server of its own.
package struct PostgresCommitHook: Sendable {
    /// The one of this task. A structure around functions, since an optional function as a task-local value crashes in
    /// optimized programs (Swift 6.3.1: `swift_task_localValuePush` without the type's metadata).
    @TaskLocal package static var current: PostgresCommitHook?

    let statement: @Sendable () -> PostgresQuery?
    let failure: @Sendable (PostgresError) -> any Error
    let committed: @Sendable () -> Void
    let rest: @Sendable () -> Void

    /// - Parameters:
    ///   - statement: asked before each commit; `nil` adds nothing to this one. When the statement fails, the transaction is
    ///     rolled back.
    ///   - failure: what such a failure is thrown as.
    ///   - committed: hears that the statement has been committed.
    ///   - rest: hears that what is committed from now on is none of what the statement is for.
    package init(
        statement: @escaping @Sendable () -> PostgresQuery?,
        failure: @escaping @Sendable (PostgresError) -> any Error,
        committed: @escaping @Sendable () -> Void,
        rest: @escaping @Sendable () -> Void = {}
    ) {
        self.statement = statement
        self.failure = failure
        self.committed = committed
        self.rest = rest
    }

    /// Has the one of this task, if there is one, rest from here on.
    package static func setAside() { current?.rest() }
}

extension PostgresClient {
    /// Runs the body in a transaction: committed when it returns, rolled back when it throws.
    ///
    /// A serialization failure or a deadlock runs the whole body again, up to `attempts` times in all, so that the
    /// body should do nothing but talk to the database.
    @discardableResult
    package func withTransaction<T: Sendable>(
        isolation level: PostgresIsolation = .readCommitted,
        readOnly: Bool = false,
        attempts: Int = 3,
        on actor: isolated (any Actor)? = #isolation,
        file: String = #fileID,
        line: Int = #line,
        _ body: (PostgresConnection) async throws -> T
    ) async throws -> T {
        let site = PostgresCallSite(file: file, line: line)
        let begin = "BEGIN ISOLATION LEVEL \(level.rawValue) \(readOnly ? "READ ONLY" : "READ WRITE")"
        return try await withLease(of: engine) { connection in
            var attempt = 1
            while true {
                do {
                    return try await connection.transaction(begin, readOnly: readOnly, at: site, body)
                } catch {
                    let retryable = connection.lease.sawRetryable || (error as? PostgresError)?.isRetryable == true
                    let lost = (error as? PostgresError)?.isUnavailable == true
                    guard retryable, !lost, attempt < attempts, !Task.isCancelled else { throw error }
                    // Two transactions that got in each other's way should not do so again in step.
                    let pause = Int.random(in: 1...(5 << min(attempt, 6)))
                    try await Task.sleep(for: .milliseconds(pause))
                    attempt += 1
                }
            }
        }
    }
}

extension PostgresConnection {
    /// One attempt at a transaction.
    fileprivate func transaction<T: Sendable>(
        _ begin: String,
        readOnly: Bool,
        at site: PostgresCallSite,
        on actor: isolated (any Actor)? = #isolation,
        _ body: (PostgresConnection) async throws -> T
    ) async throws -> T {
        lease.sawRetryable = false
        _ = try await run(PostgresQuery(stringLiteral: begin), at: site)
        let value: T
        do {
            value = try await body(self)
            try Task.checkCancellation()
        } catch {
            await rollBack("ROLLBACK", at: site)
            if error is CancellationError, Task.isCancelled {
                throw PostgresError(.cancelled, "the task was cancelled").at(site)
            }
            throw error
        }
        try await commit(with: readOnly ? nil : PostgresCommitHook.current, at: site)
        return value
    }

    private func commit(with hook: PostgresCommitHook?, at site: PostgresCallSite) async throws {
        let ahead = hook?.statement()
        do {
            let tag = try await perform(.statement("COMMIT"), after: ahead, at: site, shielded: true).commandTag
            // The server answers COMMIT in a failed transaction with ROLLBACK and no error.
            guard tag == "COMMIT" else {
                throw PostgresError(
                    .transactionAborted,
                    "COMMIT was answered with \(tag): an error in the transaction was swallowed"
                ).at(site)
            }
        } catch let error as PostgresError where error.kind == .connectionLost {
            throw PostgresError(.commitOutcomeUnknown, error.message, code: error.code).at(site)
        } catch let error as PostgresError {
            guard ahead != nil, let hook else { throw error }
            // When it was not COMMIT that failed but what went ahead of it, the transaction is still there.
            await rollBack("ROLLBACK", at: site)
            throw hook.failure(error)
        }
        if ahead != nil { hook?.committed() }
    }

    /// Rolls back even in a cancelled task. If it fails the connection is not given to anybody else: it is either
    /// lost already or found with its transaction open when it is returned.
    private func rollBack(_ sql: String, at site: PostgresCallSite?) async {
        _ = try? await perform(.statement(PostgresQuery(stringLiteral: sql)), at: site, shielded: true)
    }

    /// Runs the body under a savepoint of the transaction at hand: if it throws, only what it did is undone.
    @discardableResult
    package func withSavepoint<T: Sendable>(
        on actor: isolated (any Actor)? = #isolation,
        file: String = #fileID,
        line: Int = #line,
        _ body: (PostgresConnection) async throws -> T
    ) async throws -> T {
        let site = PostgresCallSite(file: file, line: line)
        // Savepoints of one name shadow one another, which is just what nesting wants.
        _ = try await run("SAVEPOINT driver_savepoint", at: site)
        do {
            let value = try await body(self)
            _ = try await run("RELEASE SAVEPOINT driver_savepoint", at: site)
            return value
        } catch {
            await rollBack("ROLLBACK TO SAVEPOINT driver_savepoint", at: site)
            await rollBack("RELEASE SAVEPOINT driver_savepoint", at: site)
            throw error
        }
    }
}
