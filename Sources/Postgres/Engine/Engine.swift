// SPDX-License-Identifier: Apache-2.0
import CLibPQ
import DequeModule
import Glibc
import Logging
import Synchronization

/// The one thread that owns a client's connections: it waits on all their sockets at once, and every libpq call but
/// connecting and cancelling is made here, none of them blocking. Tasks talk to it through its inbox.
///
/// `@unchecked Sendable`: what is not behind a mutex is touched by that thread alone.
final class Engine: SessionDelegate, @unchecked Sendable {
    enum Purpose: Sendable {
        case shared
        case exclusive
        case listener(Listener)
    }

    enum Message {
        case submit(Operation)
        case cancel(Operation)
        case lease(LeaseRequest)
        case cancelLease(LeaseRequest)
        case release(Lease, discard: Bool)
        case connected(Purpose, Result<OpenConnection, PostgresError>)
        case cancelSent(session: Int)
        case listen(Listener)
        case unlisten(Listener)
        /// Gives all connections up as lost: the server does not answer.
        case abandon
        case shutdown(UnsafeContinuation<Void, Never>?)
    }

    private struct Inbox {
        var messages: [Message] = []
        /// The thread waits on its sockets and has to be woken.
        var isAsleep = false
        var isClosed = false
    }

    /// An idle thread looks after its connections at least this often.
    private static let tick: UInt64 = 1_000_000_000
    /// How long a clean shutdown waits for what is under way.
    static let drainLimit: UInt64 = 10_000_000_000

    let configuration: PostgresConfiguration
    let logger: Logger
    let connector: Connector?
    private let inbox = Mutex(Inbox())
    private let published = Mutex(PostgresPoolStatistics())
    private let poller: Int32
    private let waker: Int32

    // From here on: the engine's thread only.
    var now = monotonicNow()
    var wakeAt: UInt64 = 0
    let scratch = ParameterScratch()
    var sessions: [Int: Session] = [:]
    var lastSessionID = 0
    var shared: [Session] = []
    var exclusive: [Session] = []
    var idle: [Session] = []
    var waiters = Deque<LeaseRequest>()
    /// Single statements that no connection could take yet.
    var pending = Deque<Operation>()
    var listeners: [Listener] = []
    var connectingShared = 0
    var connectingExclusive = 0
    var connectingListeners = 0
    var connectionsLost = 0
    /// When the connections were last given up because the server took no writes.
    var lastRetirement: UInt64 = 0
    /// Since when no connection could be made.
    var outageSince: UInt64?
    var lastConnectFailure: PostgresError?
    var connectFailures = 0
    var retryConnectAt: UInt64 = 0
    var isClosing = false
    var closeBy: UInt64 = .max
    var closers: [UnsafeContinuation<Void, Never>] = []

    init(configuration: PostgresConfiguration, logger: Logger) {
        self.configuration = configuration
        self.logger = logger
        // A connection string that cannot be read fails the first statement; see `connect`.
        connector = try? Connector(configuration)
        poller = epoll_create1(Int32(EPOLL_CLOEXEC))
        waker = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: 0))
        epoll_ctl(poller, EPOLL_CTL_ADD, waker, &event)
        let started = runOnOwnThread { self.loop() }
        if !started || poller < 0 || waker < 0 {
            logger.critical("PostgreSQL client could not start its thread")
            inbox.withLock { $0.isClosed = true }
        }
    }

    deinit {
        Glibc.close(poller)
        Glibc.close(waker)
    }

    var statistics: PostgresPoolStatistics { published.withLock { $0 } }

    /// Hands a message to the thread. After the end it is answered right here.
    func post(_ message: Message) {
        let (isDelivered, mustWake) = inbox.withLock { inbox in
            guard !inbox.isClosed else { return (false, false) }
            inbox.messages.append(message)
            defer { inbox.isAsleep = false }
            return (true, inbox.isAsleep)
        }
        if !isDelivered { return Self.reject(message) }
        guard mustWake else { return }
        var one: UInt64 = 1
        _ = write(waker, &one, 8)
    }

    private static func reject(_ message: Message) {
        let error = PostgresError(.shutdown, "the client has been shut down")
        switch message {
        case .submit(let operation): operation.fail(error)
        case .lease(let request): request.fail(error)
        case .listen(let listener): listener.end()
        case .shutdown(let closer): closer?.resume()
        case .connected(_, .success(let connection)): PQfinish(connection.pointer)
        case .cancel, .cancelLease, .release, .connected, .cancelSent, .unlisten, .abandon: break
        }
    }

    func watch(_ session: Session, writable: Bool) {
        let events = EPOLLIN.rawValue | (writable ? EPOLLOUT.rawValue : 0)
        var event = epoll_event(events: events, data: epoll_data_t(u64: UInt64(session.id)))
        epoll_ctl(poller, EPOLL_CTL_MOD, session.descriptor, &event)
    }

    func beginWatching(_ session: Session) {
        var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: UInt64(session.id)))
        epoll_ctl(poller, EPOLL_CTL_ADD, session.descriptor, &event)
    }

    func endWatching(_ session: Session) {
        var event = epoll_event()
        epoll_ctl(poller, EPOLL_CTL_DEL, session.descriptor, &event)
    }

    /// The open session with this id; a lost one has none.
    func session(_ id: Int?) -> Session? {
        id.flatMap { sessions[$0] }
    }

    /// Asks for housekeeping no later than the given time.
    func arm(_ deadline: UInt64) {
        wakeAt = min(wakeAt, deadline)
    }

    private func loop() {
        var events = [epoll_event](repeating: epoll_event(), count: 64)
        var messages: [Message] = []
        while true {
            let count = epoll_wait(poller, &events, 64, timeout())
            now = monotonicNow()
            for index in 0..<max(0, Int(count)) { handle(events[index]) }
            inbox.withLock {
                $0.isAsleep = false
                swap(&messages, &$0.messages)
            }
            for message in messages { handle(message) }
            messages.removeAll(keepingCapacity: true)
            dispatchPending()
            serveWaiters()
            if now >= wakeAt { keepHouse() }
            publish()
            if isClosing, mayClose { return close() }
        }
    }

    /// Milliseconds to sleep: none if there is a message already.
    private func timeout() -> Int32 {
        let maySleep = inbox.withLock { inbox in
            inbox.isAsleep = inbox.messages.isEmpty
            return inbox.isAsleep
        }
        guard maySleep else { return 0 }
        let time = monotonicNow()
        guard wakeAt > time else { return 0 }
        return Int32(clamping: min(wakeAt - time, Self.tick) / 1_000_000 + 1)
    }

    private func handle(_ event: epoll_event) {
        guard event.data.u64 != 0 else {
            var count: UInt64 = 0
            _ = read(waker, &count, 8)
            return
        }
        guard let session = sessions[Int(truncatingIfNeeded: event.data.u64)] else { return }
        if event.events & EPOLLOUT.rawValue != 0 { session.flush() }
        if event.events & ~EPOLLOUT.rawValue != 0 { session.receive() }
    }

    private func handle(_ message: Message) {
        switch message {
        case .submit(let operation): submit(operation)
        case .cancel(let operation): cancel(operation)
        case .lease(let request): lease(request)
        case .cancelLease(let request): cancelLease(request)
        case .release(let lease, let discard): release(lease, discard: discard)
        case .connected(let purpose, let outcome): connected(purpose, outcome)
        case .cancelSent(let id): cancelSent(id)
        case .listen(let listener): listen(listener)
        case .unlisten(let listener): unlisten(listener)
        case .abandon: abandon()
        case .shutdown(let closer): beginClosing(closer)
        }
    }

    private func publish() {
        var current = PostgresPoolStatistics()
        for session in exclusive where session.lease != nil { current.inUse += 1 }
        current.idle = idle.count
        current.waiting = waiters.count
        current.connecting = connectingShared + connectingExclusive + connectingListeners
        current.pipelineConnections = shared.count
        for session in shared { current.pipelineInFlight += session.inFlight.count }
        current.pipelineQueued = pending.count
        current.connectionsLost = connectionsLost
        published.withLock { $0 = current }
    }

    private func close() {
        let error = PostgresError(.shutdown, "the client has been shut down")
        for listener in listeners { listener.end() }
        listeners.removeAll()
        while let operation = pending.popFirst() { operation.fail(error) }
        while let request = waiters.popFirst() { request.fail(error) }
        for session in Array(sessions.values) { lose(session, error) }
        publish()
        let left = inbox.withLock { inbox in
            inbox.isClosed = true
            defer { inbox.messages.removeAll() }
            return inbox.messages
        }
        for message in left { Self.reject(message) }
        for closer in closers { closer.resume() }
        closers.removeAll()
    }
}
