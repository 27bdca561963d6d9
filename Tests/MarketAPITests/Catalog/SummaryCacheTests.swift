// SPDX-License-Identifier: Apache-2.0
import Foundation
import Hummingbird
import HummingbirdTesting
import MarketPlatform
import MarketWire
import NIOCore
import NIOFoundationCompat
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketCatalog
@testable import MarketHTTP
@testable import MarketPages
@testable import MarketSearch

@Suite("Templates of lists, remembered as JSON")
struct SummaryCacheTests {
    /// Another node on the same database, called without a socket as nobody; no answer of it stands ready.
    private func withOtherNode(
        of scene: CatalogScene, _ summaries: SummaryCache = SummaryCache(),
        _ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
        let features = try Features.test(
            database: scene.features.database, storage: scene.features.storage, signer: scene.features.signer,
            responses: ResponseCache(timeToLive: .zero), summaries: summaries, logger: TestLog.logger)
        let router = Router(context: MarketRequestContext.self)
        let api = APIRoutes(router: router) { _ in nil }.group(Paths.base)
        CatalogRoutes(catalog: features.catalog).register(on: api)
        SearchRoutes(catalog: features.catalog).register(on: api)
        let application = Application(router: router, logger: TestLog.logger)
        try await application.test(.router) { client in try await body(client) }
    }

    @Test("A list is the same, byte for byte, whether its templates are written, remembered or never remembered")
    func same() async throws {
        try await CatalogScene.run(responses: ResponseCache(timeToLive: .zero)) { scene in
            let odd = try await scene.addTemplate(
                #"Wanderer's "Sheet" / ü 🎲 \"#, summary: "One\nand\ttwo, \"templates\":[].", tags: ["print", "a4"],
                rating: 10.0 / 3, downloads: 7)
            try await scene.addTemplate("Investigator", tags: ["print"], rating: 4.5)
            try await scene.addTemplate("Folio", version: "1.2.0+b1", pages: 3)
            try await scene.addTemplate("Ledger", gameSystem: "call-of-cthulhu", language: "de")
            let lists = [
                "", "limit=3", "limit=3&sort=rating", "sort=name&gameSystem=dnd5e", "q=investigator", "q=investigater",
                "facets=true", "q=sheet&facets=true", "author=nobody",
            ]
            let none = SummaryCache(capacityBytes: 0)
            try await withOtherNode(of: scene, none) { other in
                var texts: [String] = []
                for path in lists.map({ "/templates?\($0)" }) + ["/templates/\(odd.slug)/similar"] {
                    let first = try await scene.get(path)
                    let again = try await scene.get(path)
                    let elsewhere = try await other.execute(uri: Paths.base + path, method: .get)
                    #expect(first.status == .ok && first.body == again.body && first.body == elsewhere.body, "\(path)")
                    let encoded =
                        if path.hasSuffix("similar") {
                            try WireJSON.encoder().encode(first.json(SimilarList.self))
                        } else {
                            try WireJSON.encoder().encode(first.json(TemplateList.self))
                        }
                    #expect(String(buffer: first.body) == String(decoding: encoded, as: UTF8.self), "\(path)")
                    texts.append(String(buffer: first.body))
                }
                for member in ["correctedQuery", "facets", "nextCursor"] {
                    #expect(texts.contains { $0.contains("\"\(member)\":") }, "\(member)")
                }
                let figures = scene.features.catalog.summaries.figures
                #expect(figures.misses == 4 && figures.hits > 4)
                #expect(none.figures.hits == 0 && none.figures.misses > 4 && none.figures.bytes == 0)
            }
        }
    }

    @Test("Whatever changes in a template is in the next list, on this node and on another")
    func changes() async throws {
        try await CatalogScene.run(responses: ResponseCache(timeToLive: .zero)) { scene in
            let made = try await scene.addTemplate("Sheet")
            let ann = try await scene.person("ann")
            try await withOtherNode(of: scene) { other in
                /// What both list, which must be what the database says now.
                func listed() async throws -> TemplateSummary? {
                    let here = try await scene.get("/templates")
                    let there = try await other.execute(uri: "\(Paths.base)/templates", method: .get)
                    let values = try await CatalogSearch(
                        database: scene.features.database, cache: SearchCache()
                    ).page(CatalogQuery())
                    let encoded = try WireJSON.encoder().encode(values)
                    #expect(String(buffer: here.body) == String(decoding: encoded, as: UTF8.self))
                    #expect(String(buffer: there.body) == String(decoding: encoded, as: UTF8.self))
                    return values.templates.first
                }
                #expect(try await listed()?.name == "Sheet")
                let patch = TemplatePatch(name: "Folio", slug: "folio")
                let patched = try await scene.send(.patch, "/templates/sheet", as: scene.owner, json: patch)
                #expect(patched.status == .ok)
                let renamed = try await listed()
                #expect(renamed?.name == "Folio" && renamed?.slug == "folio")

                try await scene.addVersion("1.1.0", of: made, pages: 3)
                let updated = try await listed()
                #expect(updated?.version == SemanticVersion(1, 1, 0) && updated?.pageCount == 3)
                #expect(try await scene.review("folio", as: ann, 4).status == .created)
                #expect(try await listed()?.ratingCount == 1)
                let path = "/templates/folio/versions/1.1.0/yank"
                let yanked = try await scene.send(.post, path, as: scene.owner, json: YankRequest(reason: nil))
                #expect(yanked.status == .ok)
                #expect(try await listed()?.version == SemanticVersion(1, 0, 0))
                let deprecation = DeprecationRequest(message: "Old.")
                let deprecated = try await scene.send(
                    .put, "/templates/folio/deprecation", as: scene.owner, json: deprecation)
                #expect(deprecated.status == .ok)
                _ = try await listed()

                // Behind the nodes' backs.
                try await scene.features.database.execute("UPDATE templates SET downloads = downloads + 7")
                #expect(try await listed()?.downloads == 7)
                // A table made anew says the same of it.
                let before = scene.features.catalog.summaries.figures
                try await scene.index()
                #expect(try await listed()?.downloads == 7)
                let after = scene.features.catalog.summaries.figures
                #expect(after.hits == before.hits + 1 && after.misses == before.misses)
                try await scene.takeDown("1.0.0", of: made)
                #expect(try await listed() == nil)
            }
        }
    }

    @Test("The memory stays within its bound, whatever is asked")
    func bounded() async throws {
        let memory = SummaryCache(capacityBytes: 5000)
        try await CatalogScene.run(responses: ResponseCache(timeToLive: .zero), summaries: memory) { scene in
            try await scene.add((0..<60).map { CatalogScene.Entry("Sheet \($0)") })
            try await scene.index()
            for sort in ["name", "updated", "downloads"] {
                let list = try await scene.list("limit=60&sort=\(sort)")
                #expect(list.templates.count == 60)
                let figures = memory.figures
                #expect(figures.bytes > 0 && figures.bytes <= 5000, "\(figures)")
            }
            let figures = memory.figures
            #expect(figures.hits + figures.misses == 180 && figures.misses > 60)
        }
    }

    @Test("What the memory does is in the metrics")
    func metrics() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            _ = try await scene.template("Sheet", by: ada.id)
            // Two lists, which are two ready answers, of one template.
            for limit in 5...6 {
                let list = try await scene.http.get("\(Paths.base)/templates?limit=\(limit)")
                let templates = try list.json(TemplateList.self).templates
                #expect(templates.count == 1)
            }
            let text = try await scene.http.get("/metrics").text
            let lines = text.split(separator: "\n").map(String.init).filter { $0.contains("_summary_cache_") }
            #expect(lines.contains(#"sheetmarket_summary_cache_requests_total{result="hit"} 1"#), "\(lines)")
            #expect(lines.contains(#"sheetmarket_summary_cache_requests_total{result="miss"} 1"#), "\(lines)")
            #expect(lines.contains { $0.hasPrefix("sheetmarket_summary_cache_bytes ") && !$0.hasSuffix(" 0") })
        }
    }
}
