// SPDX-License-Identifier: Apache-2.0

/// The time ran out.
package struct TimeLimitExceeded: Error, CustomStringConvertible {
    package let description = "no answer in time"
}

/// What `body` answers within `limit`; after that it is cancelled, and nobody waits for it, even if it takes no notice.
package func withTimeLimit<Value: Sendable>(
    _ limit: Duration, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let (results, sink) = AsyncStream<Result<Value, any Error>>.makeStream()
    let work = Task {
        do { sink.yield(.success(try await body())) } catch { sink.yield(.failure(error)) }
    }
    let clock = Task {
        try await Task.sleep(for: limit)
        sink.yield(.failure(TimeLimitExceeded()))
    }
    defer {
        work.cancel()
        clock.cancel()
    }
    for await result in results { return try result.get() }
    throw CancellationError()
}
