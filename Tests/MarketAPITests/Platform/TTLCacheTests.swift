// SPDX-License-Identifier: Apache-2.0
import Synchronization
import Testing

@testable import MarketPlatform

@Suite("What was looked up a moment ago")
final class TTLCacheTests {
    private let asked = Mutex(0)

    private func find(_ cache: TTLCache<String, Int>, keeping: Bool = true) async throws -> Int {
        try await cache.value(for: "word", keeping: { _ in keeping }) {
            asked.withLock {
                $0 += 1; return $0
            }
        }
    }

    @Test("is not looked up again until it is forgotten")
    func forgotten() async throws {
        let cache = TTLCache<String, Int>(capacity: 8, seconds: 600)
        #expect(try await find(cache) == 1)
        #expect(try await find(cache) == 1)
        cache.removeAll()
        #expect(try await find(cache) == 2)
    }

    @Test("is not kept when that changed in between, nor when nobody wants it kept, nor for no time")
    func notKept() async throws {
        let cache = TTLCache<String, Int>(capacity: 8, seconds: 600)
        let first = try await cache.value(for: "word") {
            cache.removeAll()
            return 7
        }
        #expect(first == 7)
        #expect(try await find(cache, keeping: false) == 1)
        #expect(try await find(cache) == 2)
        let none = TTLCache<String, Int>(capacity: 8, seconds: 0)
        #expect(try await find(none) == 3)
        #expect(try await find(none) == 4)
    }

    @Test("is forgotten first where others were used later")
    func bounded() async throws {
        let cache = TTLCache<String, Int>(capacity: 2, seconds: 600)
        for word in ["word", "other", "word", "third"] {
            _ = try await cache.value(for: word) {
                asked.withLock {
                    $0 += 1; return $0
                }
            }
        }
        #expect(try await cache.value(for: "word") { 0 } == 1)
        #expect(try await cache.value(for: "other") { 0 } == 0)
    }
}
