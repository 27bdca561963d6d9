// SPDX-License-Identifier: Apache-2.0
import CLibPQ
import DequeModule
import Glibc
import Logging

// Making, losing and closing connections.
extension Engine {
    private static let firstBackOff: UInt64 = 25_000_000
    private static let lastBackOff: UInt64 = 1_000_000_000

    func connect(_ purpose: Purpose) {
        switch purpose {
        case .shared: connectingShared += 1
        case .exclusive: connectingExclusive += 1
        case .listener(let listener):
            connectingListeners += 1
            listener.isConnecting = true
        }
        guard let connector else {
            var error = PostgresError(.connectionFailed, "the connection string cannot be read")
            error.isPermanent = true
            return connected(purpose, .failure(error))
        }
        let started = runOnOwnThread { self.post(.connected(purpose, connector.open())) }
        if !started {
            connected(purpose, .failure(PostgresError(.connectionFailed, "no thread could be started")))
        }
    }

    func connected(_ purpose: Purpose, _ outcome: Result<OpenConnection, PostgresError>) {
        switch purpose {
        case .shared: connectingShared -= 1
        case .exclusive: connectingExclusive -= 1
        case .listener(let listener):
            connectingListeners -= 1
            listener.isConnecting = false
        }
        switch outcome {
        case .success(let connection): opened(connection, purpose)
        case .failure(let error): failedToConnect(purpose, error)
        }
    }

    private func opened(_ connection: OpenConnection, _ purpose: Purpose) {
        outageSince = nil
        lastConnectFailure = nil
        connectFailures = 0
        let role: Session.Role =
            switch purpose {
            case .shared: .shared
            case .exclusive: .exclusive
            case .listener(let listener): .listener(listener)
            }
        if case .listener(let listener) = purpose, listener.isEnded { return PQfinish(connection.pointer) }
        lastSessionID += 1
        let session = Session(
            connection,
            id: lastSessionID,
            role: role,
            statementCacheSize: configuration.isPooled ? 0 : max(1, configuration.statementCacheSize),
            delegate: self
        )
        sessions[session.id] = session
        beginWatching(session)
        switch role {
        case .shared: shared.append(session)
        case .exclusive:
            exclusive.append(session)
            idle.append(session)
        case .listener(let listener): subscribe(listener, session)
        }
    }

    private func failedToConnect(_ purpose: Purpose, _ error: PostgresError) {
        connectFailures += 1
        lastConnectFailure = error
        logger.debug("no connection to PostgreSQL", metadata: ["error": "\(error)"])
        if case .listener(let listener) = purpose { return scheduleRetry(listener) }
        let since = outageSince ?? now
        outageSince = since
        let shift = UInt64(min(connectFailures - 1, 6))
        retryConnectAt = now + min(Self.firstBackOff << shift, Self.lastBackOff)
        arm(retryConnectAt)
        // Those who were waiting when the outage began get their full time, as a restart takes less; once it has
        // lasted, nobody waits for what is not going to happen.
        let lasting = now - since >= configuration.checkoutTimeout.nanosecondsClamped
        guard lasting || !error.isTransientConnectFailure else { return }
        if case .shared = purpose, shared.isEmpty {
            while let operation = pending.popFirst() { operation.fail(error) }
        }
        if case .exclusive = purpose, exclusive.isEmpty {
            while let request = waiters.popFirst() { request.fail(error) }
        }
    }

    var mayConnect: Bool { now >= retryConnectAt || outageSince == nil }

    /// Closes a connection for good and answers what was under way on it.
    ///
    /// What was sent may have taken effect, so it fails; `unsent` provably was not, and goes back to the queue.
    func lose(_ session: Session, _ reason: PostgresError? = nil, unsent: Operation? = nil) {
        guard !session.isLost else { return }
        session.isLost = true
        let words = PQerrorMessage(session.connection).map { String(cString: $0).trimmingNewlines } ?? ""
        endWatching(session)
        sessions[session.id] = nil
        shared.removeAll { $0 === session }
        exclusive.removeAll { $0 === session }
        idle.removeAll { $0 === session }
        PQfinish(session.connection)
        session.lease?.sessionID = nil
        session.lease = nil
        let error = reason ?? PostgresError(.connectionLost, words.isEmpty ? "the connection was closed" : words)
        if error.kind == .connectionLost {
            connectionsLost += 1
            logger.debug("connection to PostgreSQL lost", metadata: ["error": "\(error.debugDescription)"])
        }
        while let operation = session.inFlight.popFirst() {
            // The server's last words, if it had any for this statement, say more.
            operation.fail(operation.failure ?? error)
        }
        while let operation = session.queued.popFirst() { operation.fail(error) }
        if let unsent {
            if session.isShared {
                unsent.sessionID = nil
                pending.prepend(unsent)
            } else {
                unsent.fail(error)
            }
        }
        if case .listener(let listener) = session.role {
            listener.sessionID = nil
            scheduleRetry(listener)
        }
        arm(now)
    }

    /// The server takes no writes, so that another may be the primary: new connections find it, those there are end once
    /// nothing is under way on them. Where there is no other one, that is not tried all the time.
    func lookForPrimary() {
        guard !configuration.isReplica, now - lastRetirement >= Self.lastBackOff else { return }
        lastRetirement = now
        let reason = PostgresError(.connectionLost, "the server takes no writes")
        for session in shared + exclusive {
            session.isRetired = true
            let isFree = session.isShared ? session.inFlight.isEmpty : session.lease == nil
            if isFree { lose(session, reason) }
        }
        shared.removeAll { $0.isRetired }
    }

    /// Answers everybody who waits for a server that does not answer any more.
    func abandon() {
        let error = PostgresError(.connectionLost, "the server did not answer")
        for session in Array(sessions.values) { lose(session, error) }
        while let operation = pending.popFirst() { operation.fail(error) }
    }

    /// Asks the server to cancel what the connection is executing. Until the request has been delivered nothing
    /// else is sent there, lest it be hit instead.
    func requestCancel(_ session: Session) {
        guard !session.isCancelling, let handle = PQgetCancel(session.connection) else { return }
        session.isCancelling = true
        session.lastCancel = now
        for operation in session.inFlight { operation.isExposedToCancel = true }
        let cancel = CancelHandle(pointer: handle)
        let id = session.id
        let started = runOnOwnThread {
            cancel.send()
            self.post(.cancelSent(session: id))
        }
        if !started { cancelSent(id) }
    }

    func cancelSent(_ id: Int) {
        guard let session = sessions[id] else { return }
        session.isCancelling = false
        if session.isShared { dispatchPending() } else { session.pump() }
        if session.isReturning { finishReturn(session) }
    }

    // MARK: - Closing

    func beginClosing(_ closer: UnsafeContinuation<Void, Never>?) {
        if let closer { closers.append(closer) }
        guard !isClosing else { return }
        isClosing = true
        closeBy = now + Self.drainLimit
        arm(closeBy)
        let error = PostgresError(.shutdown, "the client is being shut down")
        while let request = waiters.popFirst() { request.fail(error) }
        for listener in listeners { unlisten(listener) }
    }

    var mayClose: Bool {
        if now >= closeBy { return true }
        guard pending.isEmpty, connectingShared + connectingExclusive + connectingListeners == 0 else { return false }
        return sessions.values.allSatisfy { $0.lease == nil && $0.inFlight.isEmpty && !$0.isCancelling }
    }
}

/// A libpq cancel handle, used once on a thread of its own: it makes a connection, which blocks.
///
/// `@unchecked Sendable`: only that thread has it.
private struct CancelHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    func send() {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            _ = PQcancel(pointer, buffer.baseAddress, 256)
        }
        PQfreeCancel(pointer)
    }
}
