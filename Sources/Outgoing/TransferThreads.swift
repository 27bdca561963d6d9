// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// A few threads on which curl may block. They come when there is something to do and go when there is nothing: next to
/// a request over the network a thread costs nothing.
final class TransferThreads: Sendable {
    /// Told to a transfer by whoever waits for it.
    final class Cancellation: Sendable {
        private let flag = Atomic(false)

        var isCancelled: Bool { flag.load(ordering: .relaxed) }
        func cancel() { flag.store(true, ordering: .relaxed) }
    }

    private struct State {
        var running = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let limit: Int
    private let maximumWaiting: Int
    private let state = Mutex(State())

    init(limit: Int, maximumWaiting: Int) {
        self.limit = limit
        self.maximumWaiting = maximumWaiting
    }

    /// Runs `work` on a thread. A cancelled task does not wait for the thread to notice.
    func run<Value: Sendable>(
        _ work: @escaping @Sendable (Cancellation) -> Result<Value, OutgoingError>
    ) async -> Result<Value, OutgoingError> {
        let cancellation = Cancellation()
        let answer = Answer<Value>()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                answer.isAwaited(by: continuation)
                let accepted = enter {
                    answer.give(cancellation.isCancelled ? .failure(.cancelled) : work(cancellation))
                }
                if !accepted { answer.give(.failure(.busy)) }
            }
        } onCancel: {
            cancellation.cancel()
            answer.give(.failure(.cancelled))
        }
    }

    private func enter(_ job: @escaping @Sendable () -> Void) -> Bool {
        let (accepted, needsThread) = state.withLock { state -> (Bool, Bool) in
            guard state.waiting.count < maximumWaiting else { return (false, false) }
            state.waiting.append(job)
            guard state.running < limit else { return (true, false) }
            state.running += 1
            return (true, true)
        }
        if needsThread {
            Thread.detachNewThread { [self] in
                while let job = next() { job() }
            }
        }
        return accepted
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.running -= 1
                return nil
            }
            return state.waiting.removeFirst()
        }
    }
}

/// Resumes whoever waits exactly once, with whatever comes first.
private final class Answer<Value: Sendable>: Sendable {
    private enum State {
        case nothing
        case awaited(CheckedContinuation<Result<Value, OutgoingError>, Never>)
        case given(Result<Value, OutgoingError>)
        case over
    }

    private let state = Mutex(State.nothing)

    func isAwaited(by continuation: CheckedContinuation<Result<Value, OutgoingError>, Never>) {
        let early = state.withLock { state -> Result<Value, OutgoingError>? in
            guard case .given(let value) = state else {
                state = .awaited(continuation)
                return nil
            }
            state = .over
            return value
        }
        if let early { continuation.resume(returning: early) }
    }

    func give(_ value: Result<Value, OutgoingError>) {
        let waiting = state.withLock { state -> CheckedContinuation<Result<Value, OutgoingError>, Never>? in
            switch state {
            case .nothing:
                state = .given(value)
                return nil
            case .awaited(let continuation):
                state = .over
                return continuation
            case .given, .over: return nil
            }
        }
        waiting?.resume(returning: value)
    }
}
