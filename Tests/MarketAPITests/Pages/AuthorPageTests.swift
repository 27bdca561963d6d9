// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import HummingbirdTesting
import MarketCatalog
import MarketPages
import MarketWire
import NIOCore
import Postgres
import SheetCore
import Testing

@testable import MarketPlatform

@Suite("Pages of authors")
struct AuthorPageTests {
    private static func page(
        _ path: String, in scene: CatalogScene
    ) async throws -> (status: HTTPResponse.Status, text: String) {
        let answer = try await scene.send(.get, path)
        return (answer.status, String(buffer: answer.body))
    }

    @Test("An author's page shows the name, their sheets by pages, since when, and the feed; sheets lead to it")
    func life() async throws {
        let date = Date(timeIntervalSince1970: 1_790_000_000)
        try await CatalogScene.run(now: { date }) { scene in
            let zoe = UserID.make()
            try await scene.addUser(zoe, "zoe", named: "Zoë & <Co>")
            try await scene.addTemplate("Old", at: date.addingTimeInterval(-86_400 * 100), owner: zoe)
            try await scene.addTemplate("New", at: date, owner: zoe)
            try await scene.addTemplate("Foreign")
            let page = try await Self.page("/authors/zoe", in: scene)
            #expect(page.status == .ok && page.text.contains("<h1>Zoë &amp; &lt;Co&gt;</h1>"))
            #expect(page.text.contains(">Old</a>") && page.text.contains(">New</a>"))
            #expect(!page.text.contains(">Foreign<"))
            let since = DisplayTime(date.addingTimeInterval(-86_400 * 100), now: date)
            #expect(page.text.contains("Sheets on offer since") && page.text.contains(since.day.description))
            #expect(page.text.contains("href=\"/feeds/authors/zoe.atom\"") && !page.text.contains("example.org"))
            #expect(try await Self.page("/sheets/new", in: scene).text.contains("href=\"/authors/zoe\""))

            let part = try await Self.page("/authors/zoe?limit=1", in: scene).text
            #expect(part.contains(">New</a>") && !part.contains(">Old</a>"))
            let next = try #require(part.firstMatch(of: /\/authors\/zoe\?cursor=[A-Za-z0-9_-]+/)?.output)
            let rest = try await Self.page(String(next), in: scene).text
            #expect(rest.contains(">Old</a>") && !rest.contains(">New</a>") && !rest.contains("More sheets"))
            let foreign = try await Self.page("/authors/zoe?cursor=nonsense", in: scene)
            #expect(foreign.status == .badRequest)
            let answer = try await scene.send(.get, "/authors/zoe")
            let tag = try #require(answer.headers[.eTag])
            let held = try await scene.send(.get, "/authors/zoe", headers: [.ifNoneMatch: tag])
            #expect(held.status == .notModified)
        }
    }

    @Test("Of a closed account only what is on offer is shown, and of nobody nothing")
    func closed() async throws {
        try await CatalogScene.run { scene in
            try await scene.addUser(.make(), "quiet", named: "Quiet One")
            let zoe = UserID.make()
            try await scene.addUser(zoe, "zoe", named: "Zoë")
            let made = try await scene.addTemplate("Sheet", owner: zoe)
            try await scene.features.database.execute("UPDATE users SET disabled_at = now() WHERE id = \(zoe)")
            scene.features.catalog.catalogChanged()
            let left = try await Self.page("/authors/zoe", in: scene).text
            #expect(left.contains("<h1>zoe</h1>") && left.contains(">Sheet</a>"))
            #expect(!left.contains("Zoë") && !left.contains("zoe.atom"))
            try await scene.takeDown("1.0.0", of: made)
            for missing in ["zoe", "quiet", "nobody", "Not%20one"] {
                #expect(try await Self.page("/authors/\(missing)", in: scene).status == .notFound, "\(missing)")
            }
        }
    }
}
