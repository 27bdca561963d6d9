// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("All pages, in a browser")
struct AllPagesTests {
    @Test("Nothing for axe to say of any page, the team's by keyboard, the viewer by touch, sheets without a network")
    func pages() async throws {
        let folder = try ScratchFolder("pages")
        let provider = try await GuildProvider(named: "The Guild", in: folder.url)
        defer { provider.stop() }
        let market = try await RunningMarket(
            data: folder.url.appendingPathComponent("data"), examples: true,
            environment: ["SHEETMARKET_SIGN_IN_PROVIDERS": provider.file.path])
        let program = BuildProducts.executable("sheetmarket").path
        try await BrowserScript.run("pages", at: market, ["--program", program, "--data", market.data.path])
        try await BrowserScript.run("staff", at: market, [])
        try await BrowserScript.run("zooming", at: market, ["--sheet", "oathbound-journal"])
        try await BrowserScript.run(
            "offline", at: market, ["--sheet", "oathbound-journal", "--person", "nell"])
        await market.stop()
    }
}
