// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore
import TestSupport
import Testing

@Suite("Under attack")
struct AttackTests {
    @Test("The service stays up and small, and goes on answering others, whatever is sent to it")
    func attacks() async throws {
        let folder = try ScratchFolder("attacks")
        let market = try await RunningMarket(data: folder.url.appendingPathComponent("data"))
        let author = try await market.person("nadia")
        try await Scene.publish(
            "Target", file: try Data(contentsOf: try Scene.anySheet()), as: author, approvedBy: market.administrator)
        let outcome = try await Command.run(
            BuildProducts.root.appendingPathComponent(".venv/bin/python"),
            [
                BuildProducts.root.appendingPathComponent("Tests/Attacks/attacks.py").path, market.base,
                "--pid", "\(market.processID)", "--patience", "120",
            ])
        #expect(outcome.status == 0, "\(outcome.output)\n\(outcome.errors)")
        // Each line of the log is one JSON object, whatever was written into paths and fields.
        for line in market.log.split(separator: "\n") where line.hasPrefix("{") {
            let parsed = try? JSONSerialization.jsonObject(with: Data(line.utf8))
            #expect(parsed != nil, "\(line)")
        }
        await market.stop()
    }
}
