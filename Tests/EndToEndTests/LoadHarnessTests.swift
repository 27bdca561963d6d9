// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("What benchmarks count by, and what they end with")
struct LoadHarnessTests {
    private static func passes(_ script: String) async throws {
        let path = BuildProducts.root.appendingPathComponent("Benchmarks/\(script)").path
        let outcome = try await Command.run(URL(fileURLWithPath: "/usr/bin/python3"), ["-B", path])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("Ran 16 tests"), "\(outcome.errors)")
    }

    @Test("times count from when they were due, whoever waits; the knee is found; only what grows is blamed")
    func counting() async throws { try await Self.passes("load/test_load.py") }

    @Test("`make bench` ends with what became of its goals; `make bench-trust` sees a version when its bin names it")
    func endings() async throws { try await Self.passes("test_bench.py") }
}
