// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import MarketPlatform
import MarketWire
import Postgres
import ServiceLifecycle
import SheetCore
import Synchronization

/// Wakes whoever watches a submission when it changes: one LISTEN connection per process, any number of watchers.
///
/// A wake-up carries nothing: the watcher reads the present state. So wake-ups that come while a watcher is busy melt
/// into one, and a slow watcher costs no memory and misses no outcome, only steps between.
package final class SubmissionChanges: Service {
    /// Most watchers in one process.
    package static let maximumWatchers = 4096
    /// How often every watcher is woken, whatever happened: time for a heartbeat, and for news that got lost.
    package static let beat = Duration.seconds(15)

    private struct Watchers {
        var bySubmission: [SubmissionID: [UUID: AsyncStream<Void>.Continuation]] = [:]
        var count = 0
    }

    private let platform: Platform
    private let beat: Duration
    private let subscribers = Mutex(Watchers())

    /// Begins to listen when it is run.
    package init(platform: Platform, beat: Duration = SubmissionChanges.beat) {
        self.platform = platform
        self.beat = beat
    }

    /// Listens until the task is cancelled or the service group shuts down, then lets every watcher go.
    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                group.addTask { [self] in await listen() }
                group.addTask { [self] in
                    await repeating(every: beat, firstAfter: beat) { notifyAll() }
                }
            }
        }
        cancelAll()
    }

    /// Wakes once at the beginning, then at each change of the submission. Throws when too many watch.
    package func subscribe(_ id: SubmissionID) throws(SubmissionError) -> AsyncStream<Void> {
        let (wakeUps, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let key = UUID()
        let isTaken = subscribers.withLock { subscribers in
            guard subscribers.count < Self.maximumWatchers else { return false }
            subscribers.bySubmission[id, default: [:]][key] = continuation
            subscribers.count += 1
            return true
        }
        guard isTaken else { throw .tooManyWatchers }
        continuation.onTermination = { [weak self] _ in self?.unsubscribe(id, key) }
        continuation.yield()
        return wakeUps
    }

    /// How many watch.
    package var subscriberCount: Int { subscribers.withLock { $0.count } }

    private func listen() async {
        for await news in platform.database.listen(["submissions"]) {
            switch news {
            case .notification(_, let payload):
                if let id = SubmissionID(payload) { notify(id) }
            case .reconnected: notifyAll()
            }
        }
    }

    private func notify(_ id: SubmissionID) {
        let waiting = subscribers.withLock { Array(($0.bySubmission[id] ?? [:]).values) }
        for continuation in waiting { continuation.yield() }
    }

    private func notifyAll() {
        for continuation in all { continuation.yield() }
    }

    private func cancelAll() {
        for continuation in all { continuation.finish() }
    }

    private var all: [AsyncStream<Void>.Continuation] {
        subscribers.withLock { $0.bySubmission.values.flatMap(\.values) }
    }

    private func unsubscribe(_ id: SubmissionID, _ key: UUID) {
        subscribers.withLock { subscribers in
            guard subscribers.bySubmission[id]?.removeValue(forKey: key) != nil else { return }
            subscribers.count -= 1
            if subscribers.bySubmission[id]?.isEmpty == true { subscribers.bySubmission[id] = nil }
        }
    }
}
