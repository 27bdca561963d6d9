// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore
import TestSupport
import Testing

@Suite("A member's collections, in a browser")
struct CollectionStoryTests {
    @Test(
        "Sheets are collected and sorted by dragging, by keyboard and without scripts; profile, inbox and proposed games"
    )
    func story() async throws {
        let folder = try ScratchFolder("collections")
        let market = try await RunningMarket(data: folder.url.appendingPathComponent("data"))
        let ada = try await market.person("ada")
        let moderator = try await market.person("moritz", role: .moderator)
        for (name, file) in [
            ("Lantern & Blade", "lantern-and-blade"), ("Wayfarers Ledger", "wayfarers-ledger"),
            ("Rust Season", "rust-season"),
        ] {
            try await Scene.publish(
                name, file: Scene.sheet(file), as: ada, approvedBy: moderator, language: "en")
        }
        try await BrowserScript.run(
            "collecting", at: market, ["--moderator", "moritz", "--password", RunningMarket.password(of: "")])
        await market.stop()
    }
}
