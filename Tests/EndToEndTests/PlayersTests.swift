// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore
import TestSupport
import Testing

@Suite("A player's story, in a browser")
struct PlayersTests {
    @Test("Filters, suggestions, corrected words, favourites and news, by keyboard, on a phone and without scripts")
    func story() async throws {
        let folder = try ScratchFolder("players")
        let market = try await RunningMarket(data: folder.url.appendingPathComponent("data"))
        let ada = try await market.person("ada")
        let moderator = try await market.person("moritz", role: .moderator)
        try await Scene.publish(
            "Lantern & Blade", file: Scene.sheet("lantern-and-blade"), as: ada, approvedBy: moderator, language: "en")
        try await Scene.publish(
            "Lantern Ledger", file: Scene.sheet("wayfarers-ledger"), as: ada, approvedBy: moderator, language: "de")
        try await Scene.publish(
            "Rust Season", file: Scene.sheet("rust-season"), as: ada, approvedBy: moderator, language: "en")
        try await Self.walk("find", at: market)
        try await Scene.publish(
            "Other Hands", file: Scene.sheet("oathbound-journal"), as: try await market.person("ben"),
            approvedBy: moderator, language: "en")
        try await Scene.publish(
            "Night Watch", file: Scene.sheet("burrow-and-briar"), as: ada, approvedBy: moderator, language: "en")
        try await Self.walk("news", at: market)
        await market.stop()
    }

    private static func walk(_ part: String, at market: RunningMarket) async throws {
        try await BrowserScript.run(
            "players", at: market,
            [part, "--password", RunningMarket.password(of: "rita")])
    }
}
