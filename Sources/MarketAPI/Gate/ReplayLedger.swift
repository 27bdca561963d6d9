// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import Postgres
import ServiceLifecycle
import SheetCore
import Synchronization

/// The calls with an `Idempotency-Key` of this node that are under way, or whose answers are still to be written. That a call
/// was made is in its own commit; only its answer waits here, for a moment, so that many are written in one statement. A
/// crash loses what waits: such a call is known to have been made, and its answer is not.
final class ReplayLedger: Service {
    /// What this node knows of a call's place.
    enum Place {
        /// It is the caller's now, until `leave`.
        case entered
        /// The call is under way.
        case taken
        /// The call was made; its answer is still here.
        case ended(ReplayStore.Entry, ReplayStore.End)
    }

    private struct State {
        var underWay: Set<ContentHash> = []
        var ended: [ContentHash: (entry: ReplayStore.Entry, end: ReplayStore.End)] = [:]
        var isFlushComing = false
    }

    /// How long an answer waits for others.
    private static let pause = Duration.milliseconds(50)
    /// Most bytes of answers in one statement, but for a last one that is larger.
    private static let batchBytes = 4 << 20

    private let database: PostgresClient
    private let logger: Logger
    private let state = Mutex(State())

    init(database: PostgresClient, logger: Logger) {
        self.database = database
        self.logger = logger
    }

    func enter(_ slot: ContentHash) -> Place {
        state.withLock { state in
            if let known = state.ended[slot] { return .ended(known.entry, known.end) }
            return state.underWay.insert(slot).inserted ? .entered : .taken
        }
    }

    func leave(_ slot: ContentHash) {
        state.withLock { _ = $0.underWay.remove(slot) }
    }

    /// Has the end of a call written that has been noted.
    func write(_ end: ReplayStore.End, of entry: ReplayStore.Entry) {
        let isFirst = state.withLock { state in
            state.ended[entry.slot] = (entry, end)
            defer { state.isFlushComing = true }
            return !state.isFlushComing
        }
        guard isFirst else { return }
        Task {
            try? await Task.sleep(for: Self.pause)
            await flush()
        }
    }

    /// Writes what waits. What cannot be written is given up: its calls stay known as made, without an answer.
    func flush() async {
        var left = state.withLock { state in
            state.isFlushComing = false
            return Array(state.ended.values)[...]
        }
        while !left.isEmpty {
            var bytes = 0
            let count = left.prefix { one in
                defer { bytes += one.end.answer?.body.count ?? 0 }
                return bytes < Self.batchBytes
            }.count
            let batch = Array(left.prefix(count))
            left = left.dropFirst(count)
            do {
                try await ReplayStore.complete(batch, database)
            } catch {
                logger.warning(
                    "answers to calls with a key are not kept", metadata: ["count": "\(count)", "error": "\(error)"])
            }
            state.withLock { state in
                for one in batch where state.ended[one.entry.slot]?.entry.attempt == one.entry.attempt {
                    state.ended[one.entry.slot] = nil
                }
            }
        }
    }

    /// Waits for the end of the service, and writes what waits then.
    func run() async throws {
        try? await gracefulShutdown()
        await Task { await flush() }.value
    }
}
