// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Lets so many tasks use the network at one time; the others wait for their turn, first come, first served. What is done
/// with a file once it is here, such as waiting for the disk, needs no turn.
final class TransferSlots: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// Those before it have had their turn.
        var first = 0
    }

    private let state: Mutex<State>

    init(_ count: Int) { state = Mutex(State(free: count)) }

    /// Does it when there is a turn.
    func use<R: Sendable>(_ body: () async throws -> R) async throws -> R {
        await take()
        defer { give() }
        return try await body()
    }

    private func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private func give() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.first < state.waiting.count else {
                state.waiting.removeAll()
                state.first = 0
                state.free += 1
                return nil
            }
            state.first += 1
            return state.waiting[state.first - 1]
        }
        next?.resume()
    }
}
