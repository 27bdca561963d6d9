// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// Work that waits for the disk, kept off the few threads that carry tasks. A disk flushes eight files in hardly more time
/// than one, so there are eight threads for it, whatever the number of cores.
enum DiskWork {
    private static let threads = 8

    /// Jobs and the threads that do them, which are started with the first and never end.
    private final class Workers: Sendable {
        private let jobs = Mutex<[@Sendable () -> Void]>([])
        private let waiting = DispatchSemaphore(value: 0)

        init() {
            for _ in 0..<DiskWork.threads {
                Thread.detachNewThread { [self] in
                    while true {
                        waiting.wait()
                        let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                        job?()
                    }
                }
            }
        }

        func add(_ job: @escaping @Sendable () -> Void) {
            jobs.withLock { $0.append(job) }
            waiting.signal()
        }
    }

    private static let workers = Workers()

    /// Does something blocking elsewhere.
    static func run<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            workers.add { continuation.resume(with: Result(catching: body)) }
        }
    }

    /// Elements that several threads take one by one, and what came of them.
    private final class Shared<Element: Sendable, R: Sendable>: Sendable {
        private let elements: [Element]
        private let body: @Sendable (Element) -> R
        private let next = Atomic<Int>(0)
        private let results: Mutex<[R?]>
        private let done: DispatchSemaphore

        init(_ elements: [Element], _ body: @escaping @Sendable (Element) -> R) {
            self.elements = elements
            self.body = body
            results = Mutex([R?](repeating: nil, count: elements.count))
            done = DispatchSemaphore(value: 0)
        }

        func help() {
            while true {
                let at = next.add(1, ordering: .relaxed).oldValue
                guard at < elements.count else { return }
                let result = body(elements[at])
                results.withLock { $0[at] = result }
                done.signal()
            }
        }

        func wait() -> [R] {
            for _ in elements { done.wait() }
            return results.withLock { $0.compactMap { $0 } }
        }
    }

    /// Does the same with each element, several at a time; the results are in their order. Blocks: for use within `run`.
    static func together<Element: Sendable, R: Sendable>(
        _ elements: [Element], _ body: @escaping @Sendable (Element) -> R
    ) -> [R] {
        guard elements.count > 1 else { return elements.map(body) }
        let shared = Shared(elements, body)
        for _ in 1..<min(threads, elements.count) { workers.add { shared.help() } }
        // Without a free thread it is done here.
        shared.help()
        return shared.wait()
    }
}
