// SPDX-License-Identifier: Apache-2.0
import Logging
import Synchronization

/// One streaming replica: its connections, and how much of the primary's log it has replayed.
final class Replica: Sendable {
    private struct State {
        /// How far it was when it was last asked.
        var position: LogPosition?
        /// It shows everything that was committed before this moment; 0 where that was never known.
        var currentAsOf: UInt64 = 0
        /// Why nothing is read from it, besides being late.
        var failure: String? = "it has not been asked yet"
        /// It was ahead of the primary, so that its history is another one; only a restart can mend that.
        var hasForked = false
        /// What the log last said.
        var wasUsable: Bool?
    }

    /// How long it may take to tell where it is. One that does not is not waited for by those who read, either.
    private static let answerLimit = Duration.seconds(2)

    /// Where it is, for metrics and the log.
    let name: String
    let engine: Engine
    /// Asks it where it is: over a connection of its own, since the others' statements may take their time.
    private let probe: Engine
    private let logger: Logger
    private let began = monotonicNow()
    private let state = Mutex(State())

    init(name: String, configuration: PostgresConfiguration, logger: Logger) {
        self.name = name
        self.logger = logger
        engine = Engine(configuration: configuration, logger: logger)
        var alone = configuration
        alone.pipelineConnections = 1
        probe = Engine(configuration: alone, logger: logger)
    }

    deinit {
        engine.post(.shutdown(nil))
        probe.post(.shutdown(nil))
    }

    func shutdown() async {
        for engine in [engine, probe] {
            await withUnsafeContinuation { engine.post(.shutdown($0)) }
        }
    }

    /// Whether it works, and shows everything that was committed before `moment`.
    func isCurrent(asOf moment: UInt64, from position: LogPosition? = nil) -> Bool {
        state.withLock { state in
            guard state.failure == nil, state.currentAsOf >= moment else { return false }
            return position.map { wanted in state.position.map { $0 >= wanted } ?? false } ?? true
        }
    }

    var isWorking: Bool { state.withLock { $0.failure == nil } }

    /// How old what it shows may be, in nanoseconds; `nil` where nobody knows.
    func age(at now: UInt64) -> UInt64? {
        state.withLock { $0.currentAsOf == 0 ? nil : now - min(now, $0.currentAsOf) }
    }

    /// A statement found it gone: nothing more is read from it before it has answered again.
    func lost(_ error: PostgresError) {
        state.withLock { $0.failure = error.description }
    }

    /// Asks it how far it is. `primary` is where the primary was just now, `time` tells when it was at a position.
    func update(primary: LogPosition?, time: (LogPosition) -> UInt64?) async {
        do {
            let row = try await answer(
                to: "SELECT pg_is_in_recovery(), coalesce(pg_last_wal_replay_lsn(), '0/0')::text")
            guard try row.get(0, as: Bool.self) else {
                return state.withLock { $0.failure = "it is no replica any more, or never was one" }
            }
            guard let position = LogPosition(try row.get(1, as: String.self)) else { return }
            state.withLock { state in
                if let before = state.position, let primary, before > primary { state.hasForked = true }
                state.position = position
                state.failure = state.hasForked ? "it was ahead of the primary: its history is another one" : nil
                guard !state.hasForked, let reached = time(position) else { return }
                state.currentAsOf = max(state.currentAsOf, reached)
            }
        } catch {
            let reason = (error as? PostgresError)?.description ?? "it does not answer"
            state.withLock { state in
                // When it comes back it may be another server.
                state.position = nil
                state.hasForked = false
                state.failure = reason
            }
            if !(error is PostgresError) {
                engine.post(.abandon)
                probe.post(.abandon)
            }
        }
    }

    private struct NoAnswer: Error {}

    private func answer(to query: PostgresQuery) async throws -> PostgresRow {
        try await withThrowingTaskGroup(of: PostgresResult?.self) { group in
            group.addTask { [probe] in try await probe.perform(Operation(.statement(query))) }
            group.addTask {
                try await Task.sleep(for: Self.answerLimit)
                return nil
            }
            defer { group.cancelAll() }
            guard let result = try await group.next(), let row = result?.first else { throw NoAnswer() }
            return row
        }
    }

    /// Has the log tell when reads begin to come here, and when they no longer do. `oldest` is the moment that it must be
    /// current as of.
    func report(since oldest: UInt64, now: UInt64) {
        let isUsable = isCurrent(asOf: oldest)
        let (changed, failure) = state.withLock { state in
            // At the start it is given the time to show how far it is.
            if state.wasUsable == nil, !isUsable, state.failure == nil, began >= oldest {
                return (false, nil as String?)
            }
            defer { state.wasUsable = isUsable }
            return (state.wasUsable != isUsable, state.failure)
        }
        guard changed else { return }
        if isUsable {
            logger.notice("reads go to the replica", metadata: ["replica": "\(name)"])
        } else {
            let lag = age(at: now).map { "it lags by \($0 / 1_000_000_000) s" } ?? "it lags"
            logger.warning(
                "no reads go to the replica: they are answered by the primary",
                metadata: ["replica": "\(name)", "reason": "\(failure ?? lag)"])
        }
    }
}
