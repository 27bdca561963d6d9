// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("What benchmarks count by, and what they end with")
struct LoadHarnessTests {
    @Test("times count from when they were due, whoever waits; the knee is found; only what grows is blamed")
    func counting() async throws {
        let script = BuildProducts.root.appendingPathComponent("Benchmarks/load/test_load.py")
        let outcome = try await Command.run(URL(fileURLWithPath: "/usr/bin/python3"), ["-B", script.path])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("Ran 16 tests"), "\(outcome.errors)")
    }

    @Test("`make bench` ends with what became of its goals; `make bench-trust` sees a version when its bin names it")
    func endings() async throws {
        let script = BuildProducts.root.appendingPathComponent("Benchmarks/test_bench.py")
        let outcome = try await Command.run(URL(fileURLWithPath: "/usr/bin/python3"), ["-B", script.path])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("Ran 16 tests"), "\(outcome.errors)")
    }
}
