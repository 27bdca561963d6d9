// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// A story of `Tests/Browser`, told in browsers against a market that runs.
enum BrowserScript {
    /// Runs `name.py` and expects it to end well.
    static func run(_ name: String, at market: RunningMarket, _ arguments: [String]) async throws {
        let python = BuildProducts.root.appendingPathComponent(".venv/bin/python")
        for needed in [python.path, "/usr/lib/chromium/chromium-headless-shell", "/usr/bin/chromedriver"] {
            try #require(
                FileManager.default.isExecutableFile(atPath: needed), "\(needed) is missing: run 'make setup' first")
        }
        let script = BuildProducts.root.appendingPathComponent("Tests/Browser/\(name).py").path
        let outcome = try await Command.run(python, [script, market.base] + arguments)
        #expect(outcome.status == 0, "\(outcome.output)\n\(outcome.errors)")
    }
}
