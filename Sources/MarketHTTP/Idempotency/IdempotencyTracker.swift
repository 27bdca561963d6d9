// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import Postgres
import ServiceLifecycle
import SheetCore
import Synchronization

/// The calls with an `Idempotency-Key` of this node that are under way, or whose answers are still to be written. That
/// a call was made is in its own commit; only its answer waits here, for a moment, so that many are written in one
/// statement. A crash loses what waits: such a call is known to have been made, and its answer is not.
package final class IdempotencyTracker: Service {
    /// What this node knows of the call with a key.
    package enum SlotState {
        /// No such call was under way; it is now, until `leave`.
        case entered
        /// The call is under way.
        case taken
        /// The call was made; its answer is still here.
        case ended(IdempotencyStore.Entry, IdempotencyStore.End)
    }

    private struct Ended: Sendable {
        var entry: IdempotencyStore.Entry
        var end: IdempotencyStore.End
        let since: ContinuousClock.Instant

        var bytes: Int { end.answer?.body.count ?? 0 }
    }

    private struct State {
        var underWay: Set<ContentHash> = []
        var refused = 0
        var ended: [ContentHash: Ended] = [:]
        /// Of the answers in `ended`.
        var bytes = 0
        var isFlushComing = false
        /// The last of the flushes, which come one after the other.
        var flush: Task<Void, Never>?
    }

    /// How long an answer waits for others.
    private static let pause = Duration.milliseconds(50)
    /// How long what could not be written waits for the next try, and for how long it is tried.
    private static let retryPause = Duration.seconds(1)
    private static let retryTimeout = Duration.seconds(30)
    /// Most bytes of answers in one statement, but for a last one that is larger.
    private static let batchBytes = 4 << 20
    /// Most bytes of answers that wait. Of calls beyond it is only known that they were made, and how they ended.
    private static let capacity = 64 << 20

    private let database: PostgresClient
    private let logger: Logger
    private let state = Mutex(State())

    package init(database: PostgresClient, logger: Logger) {
        self.database = database
        self.logger = logger
    }

    package func enter(_ slot: ContentHash) -> SlotState {
        state.withLock { state in
            if let known = state.ended[slot] { return .ended(known.entry, known.end) }
            if state.underWay.insert(slot).inserted { return .entered }
            state.refused += 1
            return .taken
        }
    }

    /// How often a call was told that the same is under way.
    package var refused: Int { state.withLock { $0.refused } }

    package func leave(_ slot: ContentHash) {
        state.withLock { _ = $0.underWay.remove(slot) }
    }

    /// Has the end of a call written that has been noted.
    package func write(_ end: IdempotencyStore.End, of entry: IdempotencyStore.Entry) {
        state.withLock { state in
            var ended = Ended(entry: entry, end: end, since: .now)
            if state.bytes + ended.bytes > Self.capacity { ended.end.answer = nil }
            state.bytes += ended.bytes
            state.ended[entry.slot] = ended
        }
        flush(in: Self.pause)
    }

    private func flush(in pause: Duration) {
        let isFirst = state.withLock { state in
            defer { state.isFlushComing = true }
            return !state.isFlushComing
        }
        guard isFirst else { return }
        // Unowned, but `run` writes everything at the end of the service, before the pool closes; this one then finds
        // nothing left. Nobody cancels it, so that the sleep does not fail.
        Task {
            try? await Task.sleep(for: pause)
            await flush()
        }
    }

    /// Writes the pending entries, after a write that is already running.
    package func flush() async {
        let mine = state.withLock { state in
            let before = state.flush
            let mine = Task { [self] in
                await before?.value
                await writeAll()
            }
            state.flush = mine
            return mine
        }
        await mine.value
    }

    private func writeAll() async {
        var left = state.withLock { state in
            state.isFlushComing = false
            return Array(state.ended.values)[...]
        }
        while !left.isEmpty {
            var bytes = 0
            let count = left.prefix { one in
                defer { bytes += one.bytes }
                return bytes < Self.batchBytes
            }.count
            let batch = left.prefix(count)
            left = left.dropFirst(count)
            do {
                try await IdempotencyStore.complete(batch.map { ($0.entry, $0.end) }, database)
                remove(batch)
            } catch {
                let late = batch.filter { $0.since.duration(to: .now) > Self.retryTimeout }
                remove(late[...])
                logger.warning(
                    "answers to calls with a key cannot be kept yet",
                    metadata: ["count": "\(batch.count)", "abandoned": "\(late.count)", "error": "\(error)"])
                return flush(in: Self.retryPause)
            }
        }
    }

    private func remove(_ gone: ArraySlice<Ended>) {
        state.withLock { state in
            for one in gone where state.ended[one.entry.slot]?.entry.attempt == one.entry.attempt {
                state.ended[one.entry.slot] = nil
                state.bytes -= one.bytes
            }
        }
    }

    /// Waits for the end of the service, and writes what waits then.
    package func run() async throws {
        // Throws when the task is cancelled, which is an end, too.
        try? await gracefulShutdown()
        // In a task of its own, as this one may be cancelled.
        await Task { await flush() }.value
    }
}
