// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore
import TestSupport
import Testing

@Suite("The main job, in a browser")
struct BrowserTests {
    @Test("Upload, approval and download by three people, with nothing serious for axe to say of any page")
    func journey() async throws {
        let folder = try ScratchFolder("browser")
        let market = try await RunningMarket(data: folder.url.appendingPathComponent("data"))
        _ = try await market.person("moritz", role: .moderator)
        try await BrowserScript.run(
            "journey", at: market,
            [
                Scene.sheetURL("dossier-d-enquete").path, "--moderator", "moritz", "--password",
                RunningMarket.password(of: "moritz"),
            ])
        await market.stop()
    }
}
