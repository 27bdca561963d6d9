// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("The checker of `make nightly`")
struct ClusterHistoryTests {
    @Test("finds every fault that is made in a history, and none in one that is right")
    func checker() async throws {
        let script = BuildProducts.root.appendingPathComponent("Tests/Cluster/test_history.py")
        let outcome = try await Command.run(URL(fileURLWithPath: "/usr/bin/python3"), ["-B", script.path])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("Ran 22 tests"), "\(outcome.errors)")
    }
}
