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
        // Only at this level there is a line for each request, with what it asked for.
        let market = try await RunningMarket(
            data: folder.url.appendingPathComponent("data"), environment: ["SHEETMARKET_LOG_LEVEL": "debug"])
        let author = try await market.person("nadia")
        try await Scene.publish(
            "Target", file: try Data(contentsOf: try Scene.anySheet()), as: author, approvedBy: market.administrator)
        let outcome = try await Command.run(
            BuildProducts.root.appendingPathComponent(".venv/bin/python"),
            [
                BuildProducts.root.appendingPathComponent("Tests/Attacks/attacks.py").path, market.base,
                // Ten thousand connections at once take a debug build ten seconds on two cores that others use, too.
                "--pid", "\(market.processID)", "--patience", "120", "--longest-wait", "60",
            ])
        #expect(outcome.status == 0, "\(outcome.output)\n\(outcome.errors)")
        await market.stop()
        check(log: market.log)
    }

    /// Each line of the log is one JSON object, whatever was written into paths and fields.
    private func check(log: String) {
        var paths: Set<String> = []
        var answers = 0
        var faults: [Substring] = []
        var wrong: [Substring] = []
        for line in log.split(separator: "\n") {
            let parsed = (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any]
            let isAnswer = parsed?["message"] as? String == "answered"
            if isAnswer {
                answers += 1
                if let path = parsed?["path"] as? String { paths.insert(path) }
                if parsed?["status"] as? String == "500" { faults.append(line) }
            }
            // Nothing of what was sent may look like a line of ours.
            if line.hasPrefix("{") ? parsed == nil : line.contains("forged") { wrong.append(line) }
            if line.contains("forged"), !isAnswer { wrong.append(line) }
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(3))")
        #expect(faults.isEmpty, "what a client does wrong is no fault of ours: \(faults.prefix(3))")
        #expect(answers > 1000)
        // What was sent to end a text, or a line, stands there as text.
        #expect(paths.contains(#"/no/"},{"level":"error","message":"forged"#))
        #expect(paths.contains(#"/no/\","message":"forged"#))
        #expect(log.contains(#""path":"/no/\"},{\"level\":\"error\",\"message\":\"forged""#))
        #expect(log.contains(#""path":"/no/\\\",\"message\":\"forged""#))
    }
}
