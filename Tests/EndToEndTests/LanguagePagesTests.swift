// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("Pages in German, in a browser")
struct LanguagePagesTests {
    @Test("The language is changed without scripts and by keyboard; pages fit, and scripts speak it")
    func browser() async throws {
        let folder = try ScratchFolder("language")
        let market = try await RunningMarket(data: folder.url.appendingPathComponent("data"), examples: true)
        try await BrowserScript.run("language", at: market, [])
        await market.stop()
    }
}
