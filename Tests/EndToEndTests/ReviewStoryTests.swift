// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore
import TestSupport
import Testing

@Suite("Reviews and downloads, through the doors that people use")
struct ReviewStoryTests {
    @Test("A player installs a sheet and reviews it; its author sees the download, an operator makes the ratings anew")
    func story() async throws {
        let folder = try ScratchFolder("reviews")
        let data = folder.url.appendingPathComponent("data")
        let market = try await RunningMarket(data: data)
        let author = try await market.person("nadia")
        let moderator = try await market.person("moritz", role: .moderator)
        let ann = try await market.person("ann")
        var builder = PDFDocumentBuilder()
        builder.addPage(headings: ["Hero", "Skills", "Combat"])
        let done = try await Scene.publish("Hero Sheet", file: builder.build(), as: author, approvedBy: moderator)
        let slug = done.templateSlug

        let player = try Player(server: market.base, token: ann.token)
        for _ in 0..<2 { #expect(try await player.sheets("install", slug).status == 0) }
        // Counted within seconds, once, though nobody waits for it.
        var timeline: DownloadTimeline?
        let isCounted = try await eventually {
            timeline = try await author.get("\(Paths.template(slug))/downloads").json(DownloadTimeline.self)
            return timeline?.total != 0
        }
        // Once on each day on which it was fetched: midnight may lie between the two.
        let counts = (timeline?.days ?? []).map(\.downloads).filter { $0 > 0 }
        #expect(isCounted && counts.allSatisfy { $0 == 1 } && counts.count <= 2 && timeline?.total == counts.count)

        let written = try await player.sheets("review", slug, "--stars", "5", "--text", "Room for everything.")
        #expect(written.status == 0 && written.output.contains("has it"), "\(written.output)\(written.errors)")
        let own = try await Player(server: market.base, token: author.token).sheets("review", slug, "--stars", "5")
        #expect(own.status == 3, "\(own.output)\(own.errors)")
        let shown = try await Player(server: market.base).sheets("review", slug)
        #expect(shown.output.contains("Room for everything.") && shown.output.contains("5 stars  1"))
        let before = try await market.http.get("\(Paths.template(slug))/reviews").json(ReviewList.self)
        #expect(before.rating.count == 1 && before.reviews.first?.version == SemanticVersion(1, 0, 0))

        let rebuilt = try await Command.run(
            BuildProducts.executable("sheetmarket"), ["admin", "ratings", "rebuild", "--data", data.path])
        #expect(rebuilt.status == 0 && rebuilt.output.contains("anew: 1."), "\(rebuilt.errors)")
        let after = try await market.http.get("\(Paths.template(slug))/reviews").json(ReviewList.self)
        #expect(after.rating.histogram == before.rating.histogram && after.rating.count == 1)
        #expect(after.rating.prior?.gameSystem == "dnd5e")
        #expect(await market.stop() == 0)
    }
}
