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
        let market = try await market(in: folder, offering: provider)
        let program = BuildProducts.executable("sheetmarket").path
        try await BrowserScript.run("pages", at: market, ["--program", program, "--data", market.data.path])
        try await BrowserScript.run("staff", at: market, [])
        try await BrowserScript.run("zooming", at: market, ["--sheet", "oathbound-journal"])
        try await BrowserScript.run(
            "offline", at: market, ["--sheet", "oathbound-journal", "--person", "nell"])
        await market.stop()
    }

    /// A market whose address is known before it runs, since providers send people back to that.
    private func market(in folder: ScratchFolder, offering provider: GuildProvider) async throws -> RunningMarket {
        var tries = 0
        while true {
            let listen = "127.0.0.1:\(Int.random(in: 10_000..<30_000))"
            do {
                return try await RunningMarket(
                    data: folder.url.appendingPathComponent("data"), examples: true,
                    environment: [
                        "SHEETMARKET_SIGN_IN_PROVIDERS": provider.file.path,
                        "SHEETMARKET_PUBLIC_URL": "http://\(listen)",
                    ], listen: listen)
            } catch {
                // Somebody else may have taken that port.
                tries += 1
                if tries == 3 { throw error }
            }
        }
    }
}
