// SPDX-License-Identifier: Apache-2.0
import DequeModule
import Logging
import Synchronization

/// The streaming replicas of a client's primary, and which of them may be read from now.
///
/// `follow` asks all servers where they are, some times a second, so that no statement has to. A replica that has
/// replayed what the primary had written when it was asked shows everything that was committed before that moment: it
/// is read from while that moment is no longer ago than the bound. What it cannot do is done by the primary. While that does
/// not answer, replicas are read from however late they are.
package final class PostgresReplicas: Sendable {
    private struct State {
        /// Where the primary was, and when, the oldest first.
        var history = Deque<(moment: UInt64, position: LogPosition)>()
        /// What was committed before this moment must be in every read: a notification told of it.
        var news: UInt64 = 0
        /// It did not tell where it is when it was last asked.
        var isPrimaryAway = false
        var turn = 0
        var reads = Reads()
        var nap: Task<Void, Never>?
    }

    /// How often statements that a replica might have answered were answered by whom.
    package struct Reads: Sendable, Equatable {
        package var replica = 0
        /// By the primary, since no replica was far enough.
        package var primary = 0
        /// By the primary, after a replica had failed.
        package var repeated = 0
    }

    /// One replica, for `/metrics`.
    package struct Standing: Sendable {
        /// Host and port.
        package let name: String
        package let isUsable: Bool
        /// How old what it shows may be.
        package let ageSeconds: Double?
    }

    private static let longestHistory = 4096
    private static let shortestPause = Duration.milliseconds(20)
    /// How long the primary may take to tell where it is, at least.
    private static let answerLimit = Duration.seconds(2)

    /// How old what is read may be.
    package let bound: Duration
    private let replicas: [Replica]
    private let primary: Engine
    private let logger: Logger
    private let state = Mutex(State())

    /// `nil` where the configuration names none.
    init?(_ configuration: PostgresConfiguration, primary: Engine, logger: Logger) {
        guard !configuration.replicas.isEmpty else { return nil }
        self.primary = primary
        self.logger = logger
        bound = configuration.replicaBound
        var names: Set<String> = []
        replicas = configuration.replicas.enumerated().map { index, connectionString in
            var own = configuration
            own.connectionString = connectionString
            own.directConnectionString = nil
            own.replicas = []
            own.isReplica = true
            // Nobody waits for it long: there is the primary.
            own.checkoutTimeout = min(own.checkoutTimeout, .seconds(2))
            var name = (try? ConnectionOptions(connectionString))?.place ?? "replica"
            if !names.insert(name).inserted { name += " (\(index + 1))" }
            return Replica(name: name, configuration: own, logger: logger)
        }
    }

    func shutdown() async {
        for replica in replicas { await replica.shutdown() }
    }

    // MARK: - Reading

    func run(_ query: PostgresQuery, at site: PostgresCallSite, for reads: ReplicaReads) async throws -> PostgresResult
    {
        guard let replica = reads.replica(mayAsk: mayAsk, choose: choose) else {
            state.withLock { $0.reads.primary += 1 }
            return try await primary.perform(Operation(.statement(query), site: site))
        }
        do {
            let result = try await replica.engine.perform(Operation(.statement(query), site: site))
            state.withLock { $0.reads.replica += 1 }
            return result
        } catch let error as PostgresError where error.mayFareBetterOnPrimary {
            reads.stayOnPrimary()
            if error.kind == .connectionLost || error.kind == .connectionFailed {
                replica.lost(error)
                report()
            }
            state.withLock { $0.reads.repeated += 1 }
            return try await primary.perform(Operation(.statement(query), site: site))
        }
    }

    /// The next in turn that is far enough.
    private func choose(from position: LogPosition?) -> Replica? {
        let turn = state.withLock { state in
            state.turn = (state.turn + 1) % replicas.count
            return state.turn
        }
        return (0..<replicas.count).lazy.map { self.replicas[(turn + $0) % self.replicas.count] }
            .first { mayAsk($0, from: position) }
    }

    private func mayAsk(_ replica: Replica, from position: LogPosition?) -> Bool {
        let news = state.withLock { $0.news }
        return replica.isCurrent(asOf: max(oldestAllowed(at: monotonicNow()), news), from: position)
    }

    private func oldestAllowed(at now: UInt64) -> UInt64 {
        // Nobody has anything newer then.
        let isAnyAllowed = state.withLock { $0.isPrimaryAway }
        // Not 0, which is the moment of those that were never current.
        return isAnyAllowed ? 1 : max(1, now - min(now, bound.nanosecondsClamped))
    }

    /// What has been committed until now must be in whatever is read from now on: somebody was told of a change, and may
    /// have forgotten what was read before.
    func newsCame() {
        state.withLock { state in
            state.news = monotonicNow()
            // The replicas are asked at once how far they are.
            state.nap?.cancel()
        }
    }

    // MARK: - Following

    /// Keeps asking the servers where they are, until the task is cancelled.
    package func follow() async {
        let interval = min(max(bound / 4, Self.shortestPause), .milliseconds(500))
        var pause = interval
        while !Task.isCancelled {
            await poll()
            let news = state.withLock { $0.news }
            // Those that are about to catch up are asked again soon, and ever more seldom while they do not.
            let isAwaited = replicas.contains { $0.isWorking && !$0.isCurrent(asOf: news) }
            if !isAwaited { pause = interval }
            if await nap(pause) {
                pause = Self.shortestPause
                // News often comes in crowds.
                _ = await nap(pause)
            } else {
                pause = min(pause * 2, interval)
            }
        }
    }

    /// Whether it was cut short by news.
    private func nap(_ duration: Duration) async -> Bool {
        let sleep = Task {
            // Cancelled, it ends sooner.
            _ = try? await Task.sleep(for: duration)
        }
        state.withLock { $0.nap = sleep }
        await withTaskCancellationHandler {
            await sleep.value
        } onCancel: {
            sleep.cancel()
        }
        return sleep.isCancelled
    }

    /// Asks every server once.
    package func poll() async {
        let moment = monotonicNow()
        let position = await primaryPosition()
        state.withLock { $0.isPrimaryAway = position == nil }
        if let position { note(position, at: moment) }
        let history = state.withLock { $0.history }
        await withDiscardingTaskGroup { group in
            for replica in replicas {
                group.addTask {
                    await replica.update(primary: position) { reached in
                        history.last { $0.position <= reached }?.moment
                    }
                }
            }
        }
        report()
    }

    /// How far the primary has written: whoever has replayed up to there has everything that was committed before the
    /// question was asked.
    package func position() async throws -> LogPosition {
        let text = try await primary.perform(
            Operation(
                .statement(
                    // Where the next record goes is behind the header of its page, where no replica gets before there is one.
                    """
                    SELECT (CASE WHEN written - flushed IN (24, 40) AND (flushed - '0/0') % 8192 = 0
                        THEN flushed ELSE written END)::text
                    FROM (SELECT pg_current_wal_insert_lsn() AS written, pg_current_wal_flush_lsn() AS flushed) AS here
                    """))
        ).first?.get(0, as: String.self)
        guard let position = text.flatMap({ LogPosition($0) }) else {
            throw PostgresError(.noRow, "the server did not tell its position")
        }
        return position
    }

    private func primaryPosition() async -> LogPosition? {
        await withTaskGroup(of: LogPosition?.self) { group in
            group.addTask { [self] in
                do {
                    return try await position()
                } catch {
                    logger.debug("the primary does not tell its position", metadata: ["error": "\(error)"])
                    return nil
                }
            }
            group.addTask { [bound] in
                // Cancelled when the answer comes first.
                try? await Task.sleep(for: max(Self.answerLimit, bound / 2))
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    private func note(_ position: LogPosition, at moment: UInt64) {
        state.withLock { state in
            if let last = state.history.last, last.position > position {
                // Another server has become the primary, and what the one before wrote last is lost.
                state.history.removeAll()
            } else if state.history.last?.position == position {
                state.history.removeLast()
            }
            state.history.append((moment, position))
            if state.history.count > Self.longestHistory { state.history.removeFirst() }
        }
    }

    private func report() {
        let now = monotonicNow()
        let oldest = oldestAllowed(at: now)
        for replica in replicas { replica.report(since: oldest, now: now) }
    }

    // MARK: - Figures

    package var reads: Reads { state.withLock { $0.reads } }

    package var standings: [Standing] {
        let now = monotonicNow()
        let oldest = oldestAllowed(at: now)
        return replicas.map { replica in
            Standing(
                name: replica.name, isUsable: replica.isCurrent(asOf: oldest),
                ageSeconds: replica.age(at: now).map { Double($0) / 1e9 })
        }
    }
}

extension PostgresError {
    /// Whether the primary may answer what a replica did not: it is there, has all tables of the newest schema, writes,
    /// and cancels nothing for the sake of what is replayed. A statement that took too long would do so there as well.
    fileprivate var mayFareBetterOnPrimary: Bool {
        switch kind {
        case .server: code != .queryCanceled
        case .connectionFailed, .connectionLost, .checkoutTimeout, .shutdown: true
        default: false
        }
    }
}
