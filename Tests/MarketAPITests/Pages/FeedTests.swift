// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import HummingbirdTesting
import MarketWire
import NIOCore
import SheetCore
import TestSupport
import Testing

@testable import MarketAPI

@Suite("Atom feeds")
struct FeedTests {
    /// A feed as a feed reader understood it.
    private struct Understood: Decodable {
        struct Entry: Decodable {
            let id: String
            let title: String
            let link: String
            let author: String
            let summary: String
            let tags: [String]
        }

        let version: String
        let id: String
        let title: String
        let links: [String: String]
        let entries: [Entry]
    }

    private static func read(_ response: TestResponse) async throws -> Understood {
        #expect(response.status == .ok)
        #expect(response.headers[.contentType] == "application/atom+xml; charset=utf-8")
        let outcome = try await Command.run(
            BuildProducts.root.appendingPathComponent(".venv/bin/python"),
            [BuildProducts.root.appendingPathComponent("Tests/Servers/read_feed.py").path],
            input: String(buffer: response.body))
        try #require(outcome.status == 0, "\(outcome.errors)\n\(String(buffer: response.body))")
        let feed = try JSONDecoder().decode(Understood.self, from: Data(outcome.output.utf8))
        #expect(feed.version == "atom10")
        return feed
    }

    @Test("Newest, by game system, by author and by template: well-formed, with ids that stay")
    func feeds() async throws {
        try await CatalogScene.run { scene in
            let other = UserID.make()
            try await scene.addUser(other, "zoe", named: "Zoë & <Co>")
            let start = Date().addingTimeInterval(-10_000)
            let odd = "R&D <\"sheet\"> \u{1}\u{FFFE}\u{1F409} ☃"
            let first = try await scene.addTemplate(
                odd, summary: "]]> & <b>bold</b>", at: start, owner: other)
            let second = try await scene.addTemplate(
                "Second", gameSystem: "pathfinder2e", at: start.addingTimeInterval(100))
            try await scene.addVersion("1.1.0", of: second, at: start.addingTimeInterval(200))

            let newest = try await Self.read(try await scene.send(.get, "/feeds/newest.atom"))
            #expect(newest.entries.map(\.title) == ["Second", "R&D <\"sheet\"> \u{1F409} ☃"])
            #expect(newest.entries.map(\.id) == [second.id, first.id].map { "urn:uuid:\($0)" })
            #expect(newest.entries.first?.link == "/sheets/second")
            #expect(newest.entries.map(\.author) == ["nadia", "zoe"])
            #expect(newest.entries.map(\.tags) == [["pathfinder2e"], ["dnd5e"]])
            #expect(newest.links == ["self": "/feeds/newest.atom", "alternate": "/?sort=newest"])

            let system = try await Self.read(try await scene.send(.get, "/feeds/systems/pathfinder2e.atom"))
            #expect(system.entries.map(\.title) == ["Second"])
            let author = try await Self.read(try await scene.send(.get, "/feeds/authors/zoe.atom"))
            #expect(author.entries.map(\.id) == ["urn:uuid:\(first.id)"])
            #expect(author.title.contains("Zoë & <Co>"))
            let versions = try await Self.read(try await scene.send(.get, "/feeds/templates/second.atom"))
            #expect(versions.entries.map(\.title) == ["Second 1.1.0", "Second 1.0.0"])
            #expect(versions.entries.first?.summary == "News.")
            #expect(Set([newest, system, author, versions].map(\.id)).count == 4)

            // The ids stay when everything else is called otherwise.
            let patch = try await scene.send(
                .patch, "/templates/second", as: scene.owner, json: TemplatePatch(slug: "renamed"))
            #expect(patch.status == .ok)
            let later = try await Self.read(try await scene.send(.get, "/feeds/newest.atom"))
            #expect(later.id == newest.id)
            #expect(later.entries.map(\.id) == newest.entries.map(\.id))
            #expect(later.entries.first?.link == "/sheets/renamed")
            let moved = try await scene.send(.get, "/feeds/templates/second.atom")
            #expect(moved.status == .permanentRedirect)
            #expect(moved.headers[.location] == "/feeds/templates/renamed.atom")
            for missing in ["systems/nothing", "authors/nobody", "templates/nothing"] {
                #expect(try await scene.send(.get, "/feeds/\(missing).atom").status == .notFound, "\(missing)")
            }
        }
    }

    @Test("A feed is revalidated by its tag, and says at once what was taken down")
    func revalidation() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet")
            let first = try await scene.send(.get, "/feeds/newest.atom")
            let tag = try #require(first.headers[.eTag])
            let again = try await scene.send(.get, "/feeds/newest.atom", headers: [.ifNoneMatch: tag])
            #expect(again.status == .notModified)
            try await scene.takeDown("1.0.0", of: made)
            let after = try await scene.send(.get, "/feeds/newest.atom", headers: [.ifNoneMatch: tag])
            #expect(after.status == .ok)
            #expect(try await Self.read(after).entries.isEmpty)
            #expect(try await scene.send(.get, "/feeds/templates/sheet.atom").status == .gone)
        }
    }

    @Test("Pages name their feeds")
    func links() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("Sheet")
            let home = String(buffer: try await scene.send(.get, "/?gameSystem=dnd5e&author=nadia").body)
            for feed in ["newest", "systems/dnd5e", "authors/nadia"] {
                #expect(home.contains("type=\"application/atom+xml\"") && home.contains("href=\"/feeds/\(feed).atom\""))
            }
            let sheet = String(buffer: try await scene.send(.get, "/sheets/sheet").body)
            #expect(sheet.contains("href=\"/feeds/templates/sheet.atom\""))
        }
    }
}
