// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore
import TestSupport
import Testing

@Suite("Zoom regions, in a browser")
struct RegionPagesTests {
    @Test("A visitor looks at regions in the viewer; an author draws them, and mends what a moderator wants changed")
    func regions() async throws {
        let folder = try ScratchFolder("regions")
        let market = try await RunningMarket(data: folder.url.appendingPathComponent("data"))
        let moderator = try await market.person("moritz", role: .moderator)
        let author = try await market.person("tess")
        let sheet = try await Scene.publish(
            "Lantern Sheet", file: Scene.sheet("lantern-and-blade"), as: author, approvedBy: moderator)
        let answer = try await author.upload(
            metadata: Scene.metadata("Ledger Sheet"), file: Scene.sheet("wayfarers-ledger"))
        let upload = try await author.submission(
            try answer.json(SubmissionStatus.self).id, reaches: [.awaitingReview, .rejected])
        let decision = try await moderator.decide(
            upload, .requestChanges, reasonCode: "regions_need_work", message: "The regions miss the inventory.")
        #expect(decision.status == 200, "\(decision.text)")
        try await BrowserScript.run(
            "regions", at: market,
            [
                "--sheet", sheet.templateSlug, "--upload", upload.id.description, "--author", "tess", "--moderator",
                "moritz",
            ])
        await market.stop()
    }
}
