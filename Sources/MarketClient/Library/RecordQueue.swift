// SPDX-License-Identifier: Apache-2.0
import MarketWire
import SheetCore
import Synchronization

/// Gathers changes of records that come at the same time: those that come while others are written are written together,
/// under one lock and with one flush of the folder.
final class RecordQueue: Sendable {
    private struct Waiting: Sendable {
        let change: Library.RecordChange
        let done: CheckedContinuation<LibraryRecord?, any Error>
    }

    private struct State {
        var waiting: [Waiting] = []
        var isWriting = false
    }

    private let library: Library
    private let state = Mutex(State())

    init(_ library: Library) { self.library = library }

    /// As `Library.changeRecord`.
    func change(
        _ id: TemplateID, _ change: @escaping @Sendable (LibraryRecord?) throws -> LibraryRecord?
    ) async throws -> LibraryRecord? {
        try await withCheckedThrowingContinuation { done in
            let isFirst = state.withLock { state in
                state.waiting.append(Waiting(change: .init(id: id, change: change), done: done))
                defer { state.isWriting = true }
                return !state.isWriting
            }
            if isFirst { Task { await write() } }
        }
    }

    private func write() async {
        while let batch = next() {
            do {
                let results = try await library.changeRecords(batch.map(\.change))
                for (waiting, result) in zip(batch, results) { waiting.done.resume(with: result) }
            } catch {
                for waiting in batch { waiting.done.resume(throwing: error) }
            }
        }
    }

    /// What is written next, each record once; `nil` when nothing waits.
    private func next() -> [Waiting]? {
        state.withLock { state in
            var ids: Set<TemplateID> = []
            var later: [Waiting] = []
            var batch: [Waiting] = []
            for waiting in state.waiting {
                if ids.insert(waiting.change.id).inserted { batch.append(waiting) } else { later.append(waiting) }
            }
            state.waiting = later
            state.isWriting = !batch.isEmpty
            return batch.isEmpty ? nil : batch
        }
    }
}
