// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("Where two people meet, in browsers")
struct MeetingTests {
    @Test("Reviews, appeals, news, proposed games and cases reach whom they concern, without scripts")
    func meetings() async throws {
        let folder = try ScratchFolder("meetings")
        let market = try await RunningMarket(data: folder.url.appendingPathComponent("data"), examples: true)
        try await BrowserScript.run(
            "meetings", at: market,
            ["--program", BuildProducts.executable("sheetmarket").path, "--data", market.data.path])
        await market.stop()
    }
}
