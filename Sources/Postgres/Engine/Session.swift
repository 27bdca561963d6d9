// SPDX-License-Identifier: Apache-2.0
import CLibPQ
import DequeModule
import Glibc
import Logging

/// Who owns a session, and hears what becomes of it and of its operations.
protocol SessionDelegate: AnyObject {
    /// When the events at hand were read, in monotonic nanoseconds.
    var now: UInt64 { get }
    var logger: Logger { get }
    /// Shared by all sessions of one thread.
    var scratch: ParameterScratch { get }

    /// The session watches for its socket to drain, or no longer.
    func watch(_ session: Session, writable: Bool)
    /// An operation has its answer.
    func ended(_ operation: Operation, on session: Session)
    /// The connection is of no use any more. `unsent` provably did not reach the server.
    func lose(_ session: Session, _ reason: PostgresError?, unsent: Operation?)
}

/// One open connection. Lives on the engine's thread and nowhere else.
///
/// It stays in libpq's pipeline mode, every statement followed by a Sync of its own, so that an error stays with its
/// statement; scripts and COPY leave that mode for as long as they take.
final class Session {
    enum Role {
        case shared
        case exclusive
        case listener(Listener)
    }

    enum Mode {
        case pipeline
        case simple
        /// The server takes COPY data.
        case copying
    }

    let connection: OpaquePointer
    let descriptor: Int32
    let id: Int
    let role: Role
    unowned let delegate: any SessionDelegate

    /// Sent and not yet answered, in order.
    var inFlight = Deque<Operation>()
    /// Not yet sent: an exclusive connection does one thing at a time.
    var queued = Deque<Operation>()
    var statements: StatementCache
    var mode = Mode.pipeline
    var lease: Lease?
    var isLost = false
    /// A cancel request is under way; whatever is sent now might be what it hits.
    var isCancelling = false
    var lastCancel: UInt64 = 0
    /// The lease was given back while something was still under way.
    var isReturning = false
    var wasReset = false
    /// It ends as soon as nothing is under way on it.
    var isRetired = false
    /// The server announced the end of the session while nothing was under way.
    var isEnding = false
    var watchesWritability = false
    /// Since when the statement at the head has been the one executing.
    var headSince: UInt64
    var lastUsed: UInt64

    init(_ connection: OpenConnection, id: Int, role: Role, statementCacheSize: Int, delegate: any SessionDelegate) {
        self.connection = connection.pointer
        descriptor = PQsocket(connection.pointer)
        self.id = id
        self.role = role
        self.delegate = delegate
        statements = StatementCache(capacity: statementCacheSize)
        headSince = delegate.now
        lastUsed = delegate.now
        receiveNotices()
    }

    /// Takes the server's notices, which libpq would write to standard error. A fatal error of an idle session
    /// comes as a notice too, shortly before the socket closes.
    private func receiveNotices() {
        let receiver: PQnoticeReceiver = { argument, result in
            guard let argument, let result else { return }
            let session = Unmanaged<Session>.fromOpaque(argument).takeUnretainedValue()
            let notice = ServerMessage(result).error(.server)
            if notice.code?.endsSession == true { session.isEnding = true }
            session.delegate.logger.debug("notice from PostgreSQL", metadata: ["notice": "\(notice.message)"])
        }
        PQsetNoticeReceiver(connection, receiver, Unmanaged.passUnretained(self).toOpaque())
    }

    var isShared: Bool {
        if case .shared = role { true } else { false }
    }

    /// Meaningful only with nothing in flight.
    var transactionStatus: PGTransactionStatusType { PQtransactionStatus(connection) }

    /// Looks, before a connection is given out, whether the server has hung up and nobody has noticed yet.
    func isAlive() -> Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        if count > 0 { receive() }
        return !isLost && (count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR)))
    }

    func enqueue(_ operation: Operation) {
        operation.state = .queued
        operation.sessionID = id
        queued.append(operation)
        pump()
    }

    /// Starts what is queued, as far as it may.
    func pump() {
        while !isLost, !isCancelling, inFlight.isEmpty, let operation = queued.popFirst() {
            start(operation)
        }
        flush()
        // The server may have ended a COPY before its data ended: then the answer has been read already, and no
        // further event will come for it.
        if !isLost, case .copyEnd? = inFlight.first?.work { takeResults() }
    }

    /// Sends an operation. What cannot be sent ends here.
    func start(_ operation: Operation) {
        operation.sessionID = id
        if inFlight.isEmpty { headSince = delegate.now }
        let sent: Bool
        switch operation.work {
        case .statement(let query):
            sent = sendStatement(query, operation)
        case .script(let sql), .copyStart(let sql):
            sent = sendSimple(sql, operation)
        case .copyData(let bytes):
            sent = sendCopyData(bytes, operation)
        case .copyEnd(let reason):
            sent = sendCopyEnd(reason, operation)
        }
        if !sent { delegate.lose(self, nil, unsent: operation.state == .sent ? nil : operation) }
    }

    /// Hands what libpq has buffered to the socket; what does not fit waits for the socket to drain.
    func flush() {
        guard !isLost else { return }
        let left = PQflush(connection)
        // A failed write is reported by the read that follows, with the server's last words if there are any.
        let wants = left == 1
        if wants != watchesWritability {
            watchesWritability = wants
            delegate.watch(self, writable: wants)
        }
        if !wants, let head = inFlight.first, case .copyData = head.work { complete(head) }
    }

    /// Takes an operation that has its answer out of the line.
    func complete(_ operation: Operation) {
        _ = inFlight.popFirst()
        headSince = delegate.now
        lastUsed = delegate.now
        delegate.ended(operation, on: self)
        if !isShared { pump() }
    }

    /// Puts an operation back that the server provably did not carry out.
    func prepareResend(_ operation: Operation) {
        operation.failure = nil
        operation.result = PostgresResult(nil)
        operation.statement = nil
        operation.layout = nil
        operation.wasResent = true
        operation.isExposedToCancel = false
        operation.sessionID = isShared ? nil : id
        operation.state = .queued
    }
}
