// SPDX-License-Identifier: Apache-2.0
import SheetCore
import Synchronization

/// Gathers files that get their places among the objects at the same time: those that come while others are flushed go
/// together, so that a disk is waited for once and not for each.
final class ObjectQueue: Sendable {
    private struct Waiting: Sendable {
        let file: Library.WholeFile
        let done: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var waiting: [Waiting] = []
        var isPlacing = false
    }

    private let library: Library
    private let state = Mutex(State())

    init(_ library: Library) { self.library = library }

    /// Gives a complete and verified file its place; when this returns, it lasts. The caller has the object's lock.
    func place(_ partial: PartialFile, as hash: ContentHash) async throws {
        try await withCheckedThrowingContinuation { done in
            let isFirst = state.withLock { state in
                state.waiting.append(Waiting(file: .init(partial: partial, hash: hash), done: done))
                defer { state.isPlacing = true }
                return !state.isPlacing
            }
            if isFirst { Task { await place() } }
        }
    }

    private func place() async {
        while let batch = next() {
            do {
                let results = try await DiskWork.run { [library] in library.place(batch.map(\.file)) }
                for (waiting, result) in zip(batch, results) { waiting.done.resume(with: result) }
            } catch {
                for waiting in batch { waiting.done.resume(throwing: error) }
            }
        }
    }

    private func next() -> [Waiting]? {
        state.withLock { state in
            let batch = state.waiting
            state.waiting = []
            state.isPlacing = !batch.isEmpty
            return batch.isEmpty ? nil : batch
        }
    }
}
