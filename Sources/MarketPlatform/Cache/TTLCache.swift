// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// What was looked up a moment ago, so that asking for it again costs no query: bounded, for some seconds, and
/// forgotten at once when somebody says that it may have changed. What was begun before such word is not remembered
/// after it.
package final class TTLCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Known: Sendable {
        let value: Value
        let until: ContinuousClock.Instant
    }

    private struct State {
        var known: LRUCache<Key, Known>
        var generation = 0
    }

    private let state: Mutex<State>
    private let timeToLive: Duration

    /// Remembers `capacity` values at most, each for at most `seconds`; with 0 nothing.
    package init(capacity: Int, seconds: Double) {
        state = Mutex(State(known: LRUCache(capacity: capacity)))
        timeToLive = .milliseconds(Int64(seconds * 1000))
    }

    /// Whether anything is remembered at all.
    package var isEnabled: Bool { timeToLive > .zero }

    /// The value for `key`, as is known or as `find` says; what `keeping` does not want is asked for anew each time.
    package func value(
        for key: Key, keeping: (Value) -> Bool = { _ in true }, find: () async throws -> Value
    ) async throws -> Value {
        guard isEnabled else { return try await find() }
        let now = ContinuousClock.now
        let (known, generation) = state.withLock { ($0.known.use(key), $0.generation) }
        if let known, known.until > now { return known.value }
        let value = try await find()
        if keeping(value) {
            let fresh = Known(value: value, until: now + timeToLive)
            state.withLock { state in
                if state.generation == generation { state.known.enter(fresh, for: key, cost: 1) }
            }
        }
        return value
    }

    package func removeAll() {
        state.withLock { state in
            state.generation += 1
            if state.known.count > 0 { state.known.removeAll() }
        }
    }
}
