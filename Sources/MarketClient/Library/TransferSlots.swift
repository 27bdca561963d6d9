// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Lets so many tasks use something at one time, as the network; the others wait for their turn, first come, first served.
/// What is done with a file once it is here, such as waiting for the disk, needs no turn of the network's.
final class TransferSlots: Sendable {
    private struct State {
        var free: Int
        var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        /// Those before it have had their turn.
        var first = 0
    }

    private let state: Mutex<State>

    init(_ count: Int) { state = Mutex(State(free: count)) }

    /// Does it when there is a turn; something large takes several, of which there must be as many.
    func use<R: Sendable>(_ count: Int = 1, _ body: () async throws -> R) async throws -> R {
        await take(count)
        defer { give(count) }
        return try await body()
    }

    private func take(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.first < state.waiting.count || state.free < count else {
                    state.free -= count
                    return true
                }
                state.waiting.append((count, continuation))
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private func give(_ count: Int) {
        let next = state.withLock { state in
            state.free += count
            var next: [CheckedContinuation<Void, Never>] = []
            while state.first < state.waiting.count, state.waiting[state.first].count <= state.free {
                state.free -= state.waiting[state.first].count
                next.append(state.waiting[state.first].continuation)
                state.first += 1
            }
            if state.first == state.waiting.count {
                state.waiting.removeAll()
                state.first = 0
            }
            return next
        }
        for continuation in next { continuation.resume() }
    }
}
