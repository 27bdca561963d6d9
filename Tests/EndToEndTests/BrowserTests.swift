// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore
import TestSupport
import Testing

@Suite("The main job, in a browser")
struct BrowserTests {
    @Test("Upload, approval and download by three people, with nothing serious for axe to say of any page")
    func journey() async throws {
        let python = BuildProducts.root.appendingPathComponent(".venv/bin/python")
        for needed in [python.path, "/usr/bin/chromium", "/usr/bin/chromedriver"] {
            try #require(
                FileManager.default.isExecutableFile(atPath: needed), "\(needed) is missing: run 'make setup' first")
        }
        let folder = try ScratchFolder("browser")
        let market = try await RunningMarket(data: folder.url.appendingPathComponent("data"))
        _ = try await market.person("moritz", role: .moderator)
        let outcome = try await Command.run(
            python,
            [
                BuildProducts.root.appendingPathComponent("Tests/Browser/journey.py").path, market.base,
                Scene.sheetURL("dossier-d-enquete").path, "--moderator", "moritz", "--password",
                RunningMarket.password(of: "moritz"),
            ])
        #expect(outcome.status == 0, "\(outcome.output)\n\(outcome.errors)")
        await market.stop()
    }
}
