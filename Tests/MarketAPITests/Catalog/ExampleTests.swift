// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import MarketWire
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAPI
@testable import MarketCatalog

@Suite("Examples that come with the market")
struct ExampleTests {
    @Test("A first start has sheets, and collections of them; a collection that was deleted stays so")
    func collections() async throws {
        let folder = try ScratchFolder("examples")
        let own = BuildProducts.root.appendingPathComponent("examples")
        let sheets = folder.url.appendingPathComponent("sheets")
        try FileManager.default.createDirectory(at: sheets, withIntermediateDirectories: true)
        for name in ["game-systems.json", "collections.json"] {
            try FileManager.default.copyItem(
                at: own.appendingPathComponent(name), to: folder.url.appendingPathComponent(name))
        }
        for name in ["burrow-and-briar", "lantern-and-blade"] {
            for suffix in ["json", "pdf", "regions.json"] {
                try FileManager.default.copyItem(
                    at: own.appendingPathComponent("sheets/\(name).\(suffix)"),
                    to: sheets.appendingPathComponent("\(name).\(suffix)"))
            }
        }
        try await withMarket(workers: 1) { market in
            let seeder = ExampleSeeder(features: market.features, examples: folder.url)
            try await seeder.seedGameSystems()
            try await seeder.publishExamples()
            let list = try await market.http.get("\(Paths.base)/collections").json(CollectionList.self)
            #expect(list.collections.map(\.slug) == ["long-campaigns", "one-page"])
            #expect(list.collections.map(\.templateCount) == [1, 1])
            let one = try await market.http.get("\(Paths.base)/collections/one-page").json(CollectionDetail.self)
            #expect(one.items.map(\.template.slug) == ["burrow-briar"] && one.items.first?.note.isEmpty == false)

            // With the zoom regions that they were drawn with, not with those that were found.
            struct Drawn: Decodable { var regions: [ZoomRegion] }
            let drawn = try JSONDecoder().decode(
                Drawn.self, from: Data(contentsOf: sheets.appendingPathComponent("burrow-and-briar.regions.json"))
            ).regions
            let offered = try await market.http.get("\(Paths.template("burrow-briar"))/versions/latest/regions")
                .json(RegionList.self).pages.flatMap(\.regions)
            #expect(offered.map(\.name) == drawn.map(\.name))
            #expect(zip(offered, drawn).allSatisfy { abs($0.rect.y - $1.rect.y) + abs($0.rect.x - $1.rect.x) < 1e-6 })
            #expect(offered.allSatisfy { $0.source == .corrected } && offered.contains { $0.kind != nil })

            let moderator = try await market.person("mara", role: .moderator)
            let gone = try await moderator.send(.DELETE, "\(Paths.base)/collections/one-page")
            #expect(gone.status == 204, "\(gone.text)")
            try await seeder.publishExamples()
            #expect(try await market.http.get("\(Paths.base)/collections/one-page").status == 404)

            // One that a start that was broken off had not come to.
            try await market.features.database.execute("DELETE FROM collections WHERE slug = 'long-campaigns'")
            try await seeder.publishExamples()
            #expect(try await market.http.get("\(Paths.base)/collections/long-campaigns").status == 200)
        }
    }

    @Test("Every sheet that a collection of the examples names is one of them")
    func names() throws {
        let own = BuildProducts.root.appendingPathComponent("examples")
        struct Item: Decodable { var sheet: String }
        struct Collection: Decodable { var items: [Item] }
        let collections = try JSONDecoder().decode(
            [Collection].self, from: Data(contentsOf: own.appendingPathComponent("collections.json")))
        let files = try FileManager.default.contentsOfDirectory(
            at: own.appendingPathComponent("sheets"), includingPropertiesForKeys: nil)
        let slugs = try files.filter { $0.pathExtension == "json" && !$0.path.hasSuffix(".regions.json") }.map { file in
            let metadata = try WireJSON.decoder().decode(UploadMetadata.self, from: Data(contentsOf: file))
            return Slug(slugging: metadata.name ?? "")?.text
        }
        #expect(collections.count == 2)
        for item in collections.flatMap(\.items) { #expect(slugs.contains(item.sheet), "\(item.sheet)") }
    }
}
