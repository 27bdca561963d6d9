// SPDX-License-Identifier: Apache-2.0
import Synchronization
import Testing

@testable import MarketPlatform

@Suite("What was looked up a moment ago")
final class TTLCacheTests {
    private let asked = Mutex(0)

    private func find(_ memory: TTLCache<String, Int>, keeping: Bool = true) async throws -> Int {
        try await memory.value(for: "word", keeping: { _ in keeping }) {
            asked.withLock {
                $0 += 1; return $0
            }
        }
    }

    @Test("is not looked up again until it is forgotten")
    func forgotten() async throws {
        let memory = TTLCache<String, Int>(capacity: 8, seconds: 600)
        #expect(try await find(memory) == 1)
        #expect(try await find(memory) == 1)
        memory.removeAll()
        #expect(try await find(memory) == 2)
    }

    @Test("is not kept when that changed in between, nor when nobody wants it kept, nor for no time")
    func notKept() async throws {
        let memory = TTLCache<String, Int>(capacity: 8, seconds: 600)
        let first = try await memory.value(for: "word") {
            memory.removeAll()
            return 7
        }
        #expect(first == 7)
        #expect(try await find(memory, keeping: false) == 1)
        #expect(try await find(memory) == 2)
        let none = TTLCache<String, Int>(capacity: 8, seconds: 0)
        #expect(try await find(none) == 3)
        #expect(try await find(none) == 4)
    }

    @Test("is forgotten first where others were used later")
    func bounded() async throws {
        let memory = TTLCache<String, Int>(capacity: 2, seconds: 600)
        for word in ["word", "other", "word", "third"] {
            _ = try await memory.value(for: word) {
                asked.withLock {
                    $0 += 1; return $0
                }
            }
        }
        #expect(try await memory.value(for: "word") { 0 } == 1)
        #expect(try await memory.value(for: "other") { 0 } == 0)
    }
}
