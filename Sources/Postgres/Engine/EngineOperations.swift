// SPDX-License-Identifier: Apache-2.0
import CLibPQ
import DequeModule
import Glibc

// Statements on their way to a connection and back.
extension Engine {
    /// Statements in flight on one shared connection.
    private static let depth = 128
    /// A statement that executes for longer than this holds up those behind it, so that no more are put there.
    private static let stuckAfter: UInt64 = 50_000_000
    /// A cancelled statement that ends by itself within this time needs no cancel request.
    private static let cancelAfter: UInt64 = 10_000_000
    private static let cancelAgainAfter: UInt64 = 100_000_000
    /// How long a server may take to answer to a cancel request or a probe before it counts as lost.
    static let answerLimit: UInt64 = 5_000_000_000

    func submit(_ operation: Operation) {
        if operation.cancelRequested { return operation.fail(PostgresError(.cancelled, "the task was cancelled")) }
        if let lease = operation.lease {
            guard let session = session(lease.sessionID) else {
                return operation.fail(PostgresError(.connectionLost, "the leased connection was lost"))
            }
            return session.enqueue(operation)
        }
        guard !isClosing else { return operation.fail(PostgresError(.shutdown, "the client has been shut down")) }
        operation.state = .queued
        operation.deadline = now + configuration.checkoutTimeout.nanosecondsClamped
        pending.append(operation)
    }

    /// Spreads the waiting single statements over the shared connections.
    func dispatchPending() {
        guard !pending.isEmpty else { return }
        while let operation = pending.first {
            guard operation.state == .queued else {
                pending.removeFirst()
                continue
            }
            guard let session = leastLoaded() else { break }
            pending.removeFirst()
            session.start(operation)
        }
        for session in shared { session.flush() }
        if let first = pending.first { arm(first.deadline) }
        growShared()
    }

    private func leastLoaded() -> Session? {
        var best: Session?
        for session in shared where !session.isCancelling && session.inFlight.count < Self.depth {
            if !session.inFlight.isEmpty, now - session.headSince > Self.stuckAfter { continue }
            if session.inFlight.count < best?.inFlight.count ?? .max { best = session }
        }
        return best
    }

    private func growShared() {
        guard shared.count + connectingShared < max(1, configuration.pipelineConnections), mayConnect else { return }
        // One more at a time, and only if those there are busy.
        guard connectingShared == 0, shared.allSatisfy({ !$0.inFlight.isEmpty || $0.isCancelling }) else { return }
        connect(.shared)
    }

    func cancel(_ operation: Operation) {
        operation.cancelRequested = true
        switch operation.state {
        case .new, .done: return
        case .queued:
            session(operation.sessionID)?.queued.removeAll { $0 === operation }
            operation.fail(PostgresError(.cancelled, "the task was cancelled"))
        case .sent:
            guard let session = session(operation.sessionID) else { return }
            if session.isShared {
                operation.detach()
                arm(now + Self.cancelAfter)
            } else if operation.isCancellable {
                operation.deadline = now + Self.answerLimit
                requestCancel(session)
                arm(now + Self.cancelAgainAfter)
            }
        }
    }

    /// An operation has its answer.
    func ended(_ operation: Operation, on session: Session) {
        if let failure = operation.failure {
            if failure.isStalePlan, let statement = operation.statement {
                session.statements.forget(statement)
                if failure.code != .invalidStatementName, !operation.startedInTransaction {
                    _ = session.deallocate(statement)
                }
            }
            if mayResend(operation, failure) { return resend(operation, on: session) }
            if failure.isRetryable { operation.lease?.sawRetryable = true }
            if operation.cancelRequested, failure.code == .queryCanceled {
                var cancelled = PostgresError(.cancelled, failure.message, code: failure.code)
                cancelled.detail = failure.detail
                operation.failure = cancelled
            }
        }
        operation.finish()
        if operation.failure?.isRefusedToWrite == true { lookForPrimary() }
        guard !session.isLost else { return }
        if session.isShared {
            if session.inFlight.isEmpty {
                // Nothing a single statement may do leaves a transaction open; if one is, nothing here can be trusted.
                let status = session.transactionStatus
                if session.isRetired || status == PQTRANS_INTRANS || status == PQTRANS_INERROR { lose(session) }
            } else if session.inFlight.first?.isDetached == true {
                arm(now + Self.cancelAfter)
            }
        } else if session.isReturning {
            finishReturn(session)
        }
    }

    /// A failed statement outside a transaction left nothing behind, so it may run again where the fault was not its
    /// own: its plan was outdated, or a cancel request meant for its neighbour hit it.
    private func mayResend(_ operation: Operation, _ failure: PostgresError) -> Bool {
        guard operation.isStatement, !operation.wasResent, !operation.isInternal, !operation.cancelRequested,
            !operation.startedInTransaction
        else { return false }
        if failure.isStalePlan { return operation.statement != nil }
        guard failure.code == .queryCanceled, operation.isExposedToCancel, let sql = operation.sql else { return false }
        // A procedure may have committed a part of its work.
        return !["CALL", "DO", "VACUUM", "REINDEX", "CREATE", "DROP"].contains(StatementRules.firstWord(of: sql))
    }

    private func resend(_ operation: Operation, on session: Session) {
        session.prepareResend(operation)
        if session.isShared {
            operation.deadline = now + configuration.checkoutTimeout.nanosecondsClamped
            pending.prepend(operation)
            arm(now)
        } else {
            session.queued.prepend(operation)
        }
    }

    // MARK: - What time brings

    func keepHouse() {
        wakeAt = now + 1_000_000_000
        while let operation = pending.first, operation.state != .queued || operation.deadline <= now {
            pending.removeFirst()
            if operation.state == .queued { operation.fail(waitingFailure(connected: !shared.isEmpty)) }
        }
        while let request = waiters.first, request.isCancelled || request.deadline <= now {
            waiters.removeFirst()
            request.fail(waitingFailure(connected: !exclusive.isEmpty))
        }
        for session in Array(sessions.values) { lookAfter(session) }
        for listener in listeners where !listener.isConnecting && listener.sessionID == nil {
            if listener.retryAt <= now { connect(.listener(listener)) } else { arm(listener.retryAt) }
        }
        dispatchPending()
        serveWaiters()
        if let first = pending.first { arm(first.deadline) }
        if let first = waiters.first { arm(first.deadline) }
        if retryConnectAt > now, !pending.isEmpty || !waiters.isEmpty { arm(retryConnectAt) }
        if isClosing { arm(closeBy) }
    }

    private func waitingFailure(connected: Bool) -> PostgresError {
        if !connected, let lastConnectFailure { return lastConnectFailure }
        return PostgresError(.checkoutTimeout, "no connection became free within \(configuration.checkoutTimeout)")
    }

    private func lookAfter(_ session: Session) {
        guard let head = session.inFlight.first else { return probe(session) }
        if !session.isShared || head.isInternal, head.cancelRequested || head.isInternal {
            guard head.deadline > now else {
                return lose(session, PostgresError(.connectionLost, "the server did not answer"))
            }
            if head.deadline < .max { arm(head.deadline) }
            if head.cancelRequested { repeatCancel(session) }
        }
        if session.isShared, head.isDetached, head.cancelRequested, !session.isCancelling {
            if now - session.headSince >= Self.cancelAfter {
                repeatCancel(session)
            } else {
                arm(session.headSince + Self.cancelAfter)
            }
        }
    }

    /// A cancel request that overtook its statement found the server idle and did nothing: it is sent again until
    /// the statement has ended.
    private func repeatCancel(_ session: Session) {
        let due = session.lastCancel + Self.cancelAgainAfter
        if now >= due, !session.isCancelling { requestCancel(session) }
        arm(max(due, now + Self.cancelAgainAfter))
    }

    /// Sends a connection that has been idle for long an empty statement: a peer that is gone does not answer.
    private func probe(_ session: Session) {
        let interval = max(configuration.idleCheckInterval.nanosecondsClamped, 1_000_000)
        guard session.lease == nil, !session.isCancelling, case .pipeline = session.mode else { return }
        guard now - session.lastUsed >= interval else { return arm(session.lastUsed + interval) }
        let probe = Operation(.statement(PostgresQuery(unsafeSQL: "")), isInternal: true)
        probe.deadline = now + Self.answerLimit
        arm(probe.deadline)
        session.start(probe)
        session.flush()
    }
}

extension Operation {
    /// COPY data and its end are short; what takes time is the statement.
    fileprivate var isCancellable: Bool {
        switch work {
        case .statement, .script, .copyStart, .copyEnd: true
        case .copyData: false
        }
    }
}
