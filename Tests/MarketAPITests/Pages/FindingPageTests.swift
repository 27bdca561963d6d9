// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import HummingbirdTesting
import MarketPlatform
import MarketWire
import NIOCore
import Testing

@testable import MarketCatalog
@testable import MarketHTTP
@testable import MarketPages

@Suite("Finding a sheet on the pages")
struct FindingPageTests {
    private static func page(_ path: String, in scene: CatalogScene) async throws -> String {
        let answer = try await scene.send(.get, path)
        #expect(answer.status == .ok, "\(path)")
        return String(buffer: answer.body)
    }

    private static func fill(_ scene: CatalogScene) async throws {
        try await scene.addTemplate("Lantern", tags: ["fillable", "dark"], language: "de", pages: 1, rating: 4.5)
        try await scene.addTemplate("Blade", tags: ["fillable"], language: "en", pages: 4)
        try await scene.addTemplate("Rust", gameSystem: "call-of-cthulhu", license: "CC0-1.0", language: "en")
    }

    @Test("The list offers what narrows it, with how many sheets each leaves, and takes out what does already")
    func facets() async throws {
        try await CatalogScene.run { scene in
            try await Self.fill(scene)
            let front = try await Self.page("/", in: scene)
            for (address, label, count) in [
                ("/?language=en", "English", "2"), ("/?language=de", "German", "1"),
                ("/?license=CC-BY-4.0", "CC BY 4.0", "2"), ("/?tag=fillable", "fillable", "2"),
            ] {
                let link = "href=\"\(address)\" rel=\"nofollow\"><span>\(label)</span><span class=\"number\">\(count)<"
                #expect(front.contains(link), "\(address)")
            }
            for (address, label, count) in [
                ("/?minRating=4", "4 stars and up", 1), ("/?minPages=3&amp;maxPages=5", "3 to 5 pages", 1),
                ("/?minPages=1&amp;maxPages=1", "1 page", 1),
            ] {
                let link = "href=\"\(address)\" rel=\"nofollow\"><span>\(label)</span><span class=\"number\">\(count)<"
                #expect(front.contains(link), "\(address)")
            }
            // What would leave nothing, or all there is, is not offered.
            for address in ["/?minPages=6", "/?kind=skill_library", "/?kind=sheet"] {
                #expect(!front.contains("href=\"\(address)\""), "\(address)")
            }
            for query in ["facets=true", "facets=true&q=lantern", "facets=true&tag=fillable"] {
                let facets = try #require(try await scene.list(query).facets, "\(query)")
                #expect(facets.kind?.map(\.value) == ["sheet"], "\(query)")
                #expect(facets.minRating?.first { $0.value == "4" }?.count == 1, "\(query)")
            }
            #expect(!front.contains("id=\"filter-gameSystem\""), "the front page has games already")

            let english = try await Self.page("/?language=en&sort=name", in: scene)
            #expect(english.contains("<a class=\"on\" href=\"/?sort=name\" rel=\"nofollow\"><span>English</span>"))
            #expect(english.contains("href=\"/?sort=name&amp;language=en&amp;gameSystem=call-of-cthulhu\""))
            #expect(english.contains("chosen</span>") && !english.contains("Clear all filters"))
            let both = try await Self.page("/?tag=fillable&tag=dark&minPages=1&maxPages=1", in: scene)
            #expect(both.contains("Lantern") && !both.contains(">Blade<"))
            #expect(both.contains("<a class=\"on\" href=\"/?tag=fillable&amp;tag=dark\""), "both ends of the pages go")
            #expect(both.contains("<a class=\"on\" href=\"/?tag=dark&amp;minPages=1&amp;maxPages=1\""))
            #expect(both.contains("href=\"/\">Clear all filters") && both.contains("<span>1 page</span>"))
            let none = try await Self.page("/?q=nothing-has-this", in: scene)
            #expect(!none.contains("class=\"filters\""), "nothing to choose")
        }
    }

    @Test("Facets are those of the answer that is kept for everybody, which is made once")
    func cached() async throws {
        try await CatalogScene.run { scene in
            try await Self.fill(scene)
            _ = try await Self.page("/", in: scene)
            let kept = scene.features.catalog.responses.count
            let tag = try await scene.send(.get, "/").headers[.eTag]
            #expect(scene.features.catalog.responses.count == kept && kept > 0)
            let again = try await scene.send(.get, "/", headers: [.ifNoneMatch: tag ?? ""])
            #expect(again.status == .notModified)
        }
    }

    @Test("A filter whose name is mistyped is refused by that name; what other sites hang on links is let be")
    func mistyped() async throws {
        try await CatalogScene.run { scene in
            try await Self.fill(scene)
            for (query, near) in [("gamesystem=cairn", "gameSystem"), ("langauge=de", "language"), ("tags=x", "tag")] {
                let answer = try await scene.send(.get, "/?\(query)")
                let text = String(buffer: answer.body)
                #expect(answer.status == .badRequest && text.contains("Did you mean '\(near)'?"), "\(query): \(text)")
            }
            #expect(try await Self.page("/?utm_source=news&ref=a&fbclid=b", in: scene).contains("Lantern"))
        }
    }

    @Test("A corrected word is said, stands in the box, and can be searched as it was typed")
    func literal() async throws {
        try await CatalogScene.run { scene in
            try await Self.fill(scene)
            let page = try await Self.page("/?q=lantrn&language=de", in: scene)
            #expect(page.contains("Showing results for <strong>lantern</strong>"))
            #expect(page.contains("href=\"/?q=lantrn&amp;literal=true&amp;language=de\">Search for <em>lantrn</em>"))
            #expect(page.contains("value=\"lantern\"") && page.contains("<h1>Results for “lantern”</h1>"))
            let literal = try await Self.page("/?q=lantrn&literal=true", in: scene)
            #expect(literal.contains("value=\"lantrn\"") && literal.contains("No matching sheets"))
            #expect(!literal.contains("Showing results for"))
            let list = try await scene.list("q=lantrn&literal=true")
            #expect(list.templates.isEmpty && list.correctedQuery == nil)
            #expect(try await scene.get("/templates?q=lantrn&literal=perhaps").status == .unprocessableContent)
        }
    }

    @Test("Filters of a list stay when it is narrowed further, and its words as they were typed go literally")
    func literalFilters() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("Lantrn", tags: ["one"])
            try await scene.addTemplate("Lantrn two", tags: ["two"])
            let page = try await Self.page("/?q=lantrn&literal=true", in: scene)
            #expect(page.contains("href=\"/?q=lantrn&amp;literal=true&amp;tag=one\""))
        }
    }

    @Test("A sheet's page ends with sheets like it")
    func similar() async throws {
        try await CatalogScene.run { scene in
            let lantern = try await scene.addTemplate("Lantern", tags: ["dark"])
            let alone = try await Self.page("/sheets/\(lantern.slug)", in: scene)
            #expect(!alone.contains("Similar sheets"))
            try await scene.addTemplate("Torch", tags: ["dark"])
            try await scene.addTemplate("Rust", gameSystem: "call-of-cthulhu", tags: ["dark"])
            scene.features.catalog.catalogChanged()
            let page = try await Self.page("/sheets/\(lantern.slug)", in: scene)
            let similar = try #require(page.split(separator: "Similar sheets").last)
            #expect(page.contains("Similar sheets") && similar.contains("href=\"/sheets/torch\""))
            #expect(!similar.contains("/sheets/rust\""))
        }
    }
}
