// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore
import TestSupport
import Testing

@Suite("Authors and moderators, in browsers")
struct PeopleTests {
    @Test("An author and two moderators write to each other and decide: by keyboard alone, and without scripts")
    func people() async throws {
        let folder = try ScratchFolder("people")
        let market = try await RunningMarket(data: folder.url.appendingPathComponent("data"))
        _ = try await market.person("moritz", role: .moderator)
        _ = try await market.person("mona", role: .moderator)
        try await BrowserScript.run(
            "people", at: market,
            [
                Scene.sheetURL("far-orbit-dossier").path, "--moderators", "moritz,mona", "--password",
                "correct horse battery",
            ])
        await market.stop()
    }
}
