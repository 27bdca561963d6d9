// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import MarketPlatform

@Suite("A time limit")
struct TimeLimitTests {
    private struct Refusal: Error {}

    @Test("lets answers and errors through")
    func inTime() async throws {
        #expect(try await withTimeLimit(.seconds(600)) { 7 } == 7)
        await #expect(throws: Refusal.self) { try await withTimeLimit(.seconds(600)) { throw Refusal() } }
    }

    @Test("does not wait for what takes no notice of its end")
    func late() async throws {
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let (ends, sink) = AsyncStream<Bool>.makeStream()
        await #expect(throws: TimeLimitExceeded.self) {
            try await withTimeLimit(.milliseconds(50)) {
                // A task of its own is not cancelled with this one.
                await Task { for await _ in gate { return } }.value
                sink.yield(Task.isCancelled)
            }
        }
        opener.yield()
        var iterator = ends.makeAsyncIterator()
        #expect(await iterator.next() == true)
    }

    @Test("ends with whoever waits")
    func cancelled() async throws {
        let waiting = Task { try await withTimeLimit(.seconds(600)) { try await Task.sleep(for: .seconds(600)) } }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}
