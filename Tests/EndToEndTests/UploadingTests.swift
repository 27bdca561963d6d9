// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore
import TestSupport
import Testing

@Suite("Uploading, in a browser")
struct UploadingTests {
    @Test("An author drops several files, mends one, and sees how each fares: by keyboard where it can be")
    func uploading() async throws {
        let folder = try ScratchFolder("uploading")
        let market = try await RunningMarket(data: folder.url.appendingPathComponent("data"))
        _ = try await market.person("tess")
        try await BrowserScript.run(
            "uploading", at: market,
            [
                Scene.sheetURL("lantern-and-blade").path, "--handle", "tess", "--password",
                RunningMarket.password(of: "tess"),
            ])
        await market.stop()
    }
}
