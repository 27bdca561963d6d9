// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("Where two people meet, in browsers")
struct MeetingTests {
    @Test("News reaches whom it concerns; visitors, authors and moderators are told what they need: without scripts")
    func meetings() async throws {
        let folder = try ScratchFolder("meetings")
        let market = try await RunningMarket(
            data: folder.url.appendingPathComponent("data"), examples: true,
            environment: ["SHEETMARKET_CONTACT": "desk@example.org", "SHEETMARKET_OUTGOING_ALLOW_PRIVATE": "on"])
        let scene = ["--program", BuildProducts.executable("sheetmarket").path, "--data", market.data.path]
        try await BrowserScript.run("meetings", at: market, scene)
        try await BrowserScript.run("stories", at: market, scene)
        await market.stop()
    }
}
