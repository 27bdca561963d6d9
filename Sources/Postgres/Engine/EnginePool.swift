// SPDX-License-Identifier: Apache-2.0
import CLibPQ
import DequeModule
import Glibc
import Logging

// Leasing exclusive connections, and the listeners' own ones.
extension Engine {
    func lease(_ request: LeaseRequest) {
        request.hasArrived = true
        guard !request.isCancelled else { return request.fail(PostgresError(.cancelled, "the task was cancelled")) }
        guard !isClosing else { return request.fail(PostgresError(.shutdown, "the client has been shut down")) }
        request.deadline = now + configuration.checkoutTimeout.nanosecondsClamped
        arm(request.deadline)
        waiters.append(request)
    }

    func cancelLease(_ request: LeaseRequest) {
        request.isCancelled = true
        guard request.hasArrived else { return }
        request.fail(PostgresError(.cancelled, "the task was cancelled"))
    }

    /// Gives free connections to those who wait, first come first served, and makes more if there is room.
    func serveWaiters() {
        while let request = waiters.first {
            if request.isCancelled {
                waiters.removeFirst()
                continue
            }
            guard let session = idle.popLast() else { break }
            guard session.isAlive() else {
                lose(session)
                continue
            }
            waiters.removeFirst()
            let lease = Lease()
            lease.sessionID = session.id
            session.lease = lease
            session.wasReset = false
            request.grant(lease)
        }
        guard !waiters.isEmpty, mayConnect else { return }
        let room = max(1, configuration.maxConnections) - exclusive.count - connectingExclusive
        for _ in 0..<max(0, min(room, waiters.count - connectingExclusive)) { connect(.exclusive) }
    }

    func release(_ lease: Lease, discard: Bool) {
        guard let session = session(lease.sessionID) else { return }
        if discard { return lose(session, PostgresError(.misuse, "the connection was discarded")) }
        session.isReturning = true
        finishReturn(session)
    }

    /// Takes a connection back once nothing is under way on it. An open transaction is rolled back and the session
    /// reset; if that does not help, the connection is closed.
    func finishReturn(_ session: Session) {
        guard !session.isLost, session.inFlight.isEmpty, session.queued.isEmpty, !session.isCancelling else { return }
        guard case .pipeline = session.mode else {
            return lose(session, PostgresError(.misuse, "a COPY was left unfinished"))
        }
        switch session.transactionStatus {
        case PQTRANS_IDLE where session.isRetired:
            lose(session, PostgresError(.connectionLost, "the server takes no writes"))
        case PQTRANS_IDLE:
            session.isReturning = false
            session.lease?.sessionID = nil
            session.lease = nil
            session.lastUsed = now
            idle.append(session)
            serveWaiters()
        case PQTRANS_INTRANS, PQTRANS_INERROR:
            guard !session.wasReset, !configuration.isPooled else {
                return lose(session, PostgresError(.misuse, "the session is not usable"))
            }
            logger.warning("a PostgreSQL connection was given back with a transaction open; it is rolled back")
            session.wasReset = true
            session.statements.removeAll()
            for sql in ["ROLLBACK", "DISCARD ALL"] {
                let reset = Operation(.statement(PostgresQuery(unsafeSQL: sql)), isInternal: true)
                reset.deadline = now + Self.answerLimit
                arm(reset.deadline)
                session.queued.append(reset)
            }
            session.pump()
        default:
            lose(session, PostgresError(.misuse, "the session is not usable"))
        }
    }

    // MARK: - Listeners

    func listen(_ listener: Listener) {
        guard !isClosing else { return listener.end() }
        listeners.append(listener)
        connect(.listener(listener))
    }

    func unlisten(_ listener: Listener) {
        listener.end()
        listeners.removeAll { $0 === listener }
        if let session = session(listener.sessionID) {
            lose(session, PostgresError(.shutdown, "the subscription ended"))
        }
    }

    func subscribe(_ listener: Listener, _ session: Session) {
        listener.sessionID = session.id
        for (index, channel) in listener.channels.enumerated() {
            let sql = "LISTEN \(PostgresQuery.quoted(channel))"
            let operation = Operation(.statement(PostgresQuery(unsafeSQL: sql)), isInternal: true)
            operation.deadline = now + Self.answerLimit
            arm(operation.deadline)
            let isLast = index == listener.channels.count - 1
            operation.completion = { [unowned self, weak listener] operation in
                guard let listener, !listener.isEnded else { return }
                if let failure = operation.failure {
                    self.logger.error("LISTEN failed", metadata: ["error": "\(failure)"])
                    if let session = self.session(operation.sessionID) { self.lose(session) }
                } else if isLast {
                    listener.failures = 0
                    listener.yield(.reconnected)
                }
            }
            session.enqueue(operation)
        }
    }

    func scheduleRetry(_ listener: Listener) {
        guard !listener.isEnded else { return }
        listener.failures += 1
        let base = UInt64(50_000_000) << UInt64(min(listener.failures - 1, 7))
        listener.retryAt = now + base / 2 + UInt64.random(in: 0...(base / 2))
        arm(listener.retryAt)
    }
}
