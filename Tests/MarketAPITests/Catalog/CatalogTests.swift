// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import HummingbirdTesting
import MarketPages
import MarketPlatform
import MarketWire
import NIOCore
import NIOFoundationCompat
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAPI
@testable import MarketCatalog
@testable import MarketHTTP
@testable import MarketSearch

@Suite("Browsing the catalog")
struct CatalogTests {
    @Test("Game systems come by name, with what is on offer for them")
    func gameSystems() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("One")
            try await scene.addTemplate("Two")
            let gone = try await scene.addTemplate("Gone", gameSystem: "pathfinder2e")
            try await scene.takeDown("1.0.0", of: gone)
            let list = try await scene.get("/game-systems").json(GameSystemList.self)
            #expect(list.gameSystems.map(\.slug) == ["call-of-cthulhu", "dnd5e", "pathfinder2e"])
            #expect(list.gameSystems.map(\.templateCount) == [0, 2, 0])
            #expect(list.gameSystems[1].aliases == ["dnd", "d&d"])
            #expect(list.gameSystems[0].publisher == nil)
            try await scene.features.database.execute(
                """
                INSERT INTO game_systems (slug, name, aliases)
                VALUES ('mothership', 'Mothership', '{}'), ('mork-borg', 'Mörk Borg', '{}')
                """)
            scene.features.catalog.catalogChanged()
            let more = try await scene.get("/game-systems").json(GameSystemList.self).gameSystems.map(\.slug)
            #expect(more == ["call-of-cthulhu", "dnd5e", "mork-borg", "mothership", "pathfinder2e"], "as people look")
        }
    }

    @Test("A line of the list says everything that a client needs")
    func line() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate(
                "Wanderer's Ledger", summary: "Wide margins.", tags: ["print", "a4"], version: "1.2.0+b1", pages: 3,
                downloads: 7)
            let list = try await scene.list("")
            let line = try #require(list.templates.first)
            #expect(list.nextCursor == nil)
            #expect(line.id == made.id && line.slug == "wanderers-ledger" && line.author == "nadia")
            #expect(line.version == SemanticVersion("1.2.0+b1") && line.pageCount == 3 && line.downloads == 7)
            #expect(line.tags == ["print", "a4"] && line.license == "CC-BY-4.0" && line.language == "en")
            #expect(line.previewURL == "/api/v1/templates/\(made.id)/versions/1.2.0+b1/pages/0/preview")
            #expect(line.downloadURL == "/api/v1/templates/\(made.id)/versions/1.2.0+b1/download")
            let text = String(buffer: try await scene.get("/templates").body)
            #expect(text.contains("\"nextCursor\":null"))
        }
    }

    @Test("Every filter keeps what it should, alone and together")
    func filters() async throws {
        try await CatalogScene.run { scene in
            let other = UserID.make()
            try await scene.addUser(other, "zoe")
            try await scene.addTemplate("A", tags: ["print", "simple"], pages: 1, rating: 4.5)
            try await scene.addTemplate(
                "B", gameSystem: "pathfinder2e", tags: ["print"], language: "en-GB", pages: 4, owner: other)
            try await scene.addTemplate("C", license: "CC0-1.0", language: "enm", pages: 2, rating: 2)
            let cases: [(String, [String])] = [
                ("gameSystem=dnd5e", ["A", "C"]), ("gameSystem=none", []), ("tag=print", ["A", "B"]),
                ("tag=print&tag=simple", ["A"]), ("tag=PRINT", ["A", "B"]), ("author=zoe", ["B"]),
                ("author=nobody", []),
                ("license=cc0-1.0", ["C"]), ("language=en", ["A", "B"]), ("language=en-gb", ["B"]),
                ("language=English", ["A", "B"]), ("language=klingon", []),
                ("minRating=2", ["A", "C"]), ("minRating=4.5", ["A"]), ("minPages=2", ["B", "C"]),
                ("maxPages=2", ["A", "C"]), ("minPages=2&maxPages=2", ["C"]), ("tag=print&gameSystem=dnd5e", ["A"]),
                ("q=", ["A", "B", "C"]),
            ]
            for (query, names) in cases { #expect(try await scene.names("sort=name&\(query)") == names, "\(query)") }
        }
    }

    @Test("A language that was stored by name or a longer code is found by its tag once the migration has run")
    func languagesByName() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("A", language: "german")
            try await scene.addTemplate("B", language: "deu-AT")
            try await scene.addTemplate("C", language: "klingon")
            // Another address than below: what was answered is kept for a moment.
            #expect(try await scene.names("language=de").isEmpty)
            let migration = BuildProducts.root
                .appendingPathComponent("migrations/20261125091400_language_names.sql")
            try await scene.features.database.execute(
                PostgresQuery(unsafeSQL: String(contentsOf: migration, encoding: .utf8)))
            #expect(try await scene.names("sort=name&language=de") == ["A", "B"])
            #expect(try await scene.names("sort=name&language=de-AT") == ["B"])
        }
    }

    @Test("Every order pages through everything once, whatever is equal", arguments: CatalogQuery.Sort.allCases)
    func paging(sort: CatalogQuery.Sort) async throws {
        try await CatalogScene.run { scene in
            // Ties in every key: what tells them apart is the id.
            let moments = [1_700_000_000.123456, 1_700_000_000.123457, 1_700_000_001].map {
                Date(timeIntervalSince1970: $0)
            }
            for index in 0..<23 {
                try await scene.addTemplate(
                    "Sheet \(index)", rating: [0, 3.3333333333333335, 4.1][index % 3], downloads: index % 4,
                    at: moments[index % 3])
            }
            let words = sort == .relevance ? "q=sheet&" : ""
            let all = try await scene.names("\(words)sort=\(sort.rawValue)&limit=100")
            #expect(Set(all).count == 23)
            var paged: [String] = []
            var next: String? = "/api/v1/templates?\(words)sort=\(sort.rawValue)&limit=5"
            while let path = next {
                let answer = try await scene.send(.get, path)
                let list = try answer.json(TemplateList.self)
                #expect(list.templates.count == 5 || list.nextCursor == nil)
                paged += list.templates.map(\.name)
                next = answer.headers[.link].map { link in
                    #expect(link.hasSuffix(">; rel=\"next\""))
                    return String(link.dropFirst().prefix { $0 != ">" })
                }
                #expect((next == nil) == (list.nextCursor == nil))
            }
            #expect(paged == all)
        }
    }

    @Test("Orders put first what they say")
    func orders() async throws {
        try await CatalogScene.run { scene in
            let day = Date(timeIntervalSince1970: 1_700_000_000)
            try await scene.addTemplate("beta", rating: 1, downloads: 9, at: day)
            try await scene.addTemplate("Alpha", rating: 5, downloads: 1, at: day.addingTimeInterval(60))
            try await scene.addTemplate("Émile", rating: 3, downloads: 5, at: day.addingTimeInterval(-60))
            #expect(try await scene.names("sort=downloads") == ["beta", "Émile", "Alpha"])
            #expect(try await scene.names("sort=rating") == ["Alpha", "Émile", "beta"])
            #expect(try await scene.names("sort=newest") == ["Alpha", "beta", "Émile"])
            #expect(try await scene.names() == ["Alpha", "beta", "Émile"])
            #expect(try await scene.names("sort=relevance") == ["Alpha", "beta", "Émile"])
            #expect(try await scene.names("sort=name").prefix(2) == ["Alpha", "beta"])
        }
    }

    @Test("Everything that is wrong with a query is said at once")
    func mistakes() async throws {
        try await CatalogScene.run { scene in
            let answer = try await scene.get(
                "/templates?sort=best&limit=0&minRating=6&minPages=none&maxPages=0&q=\(String(repeating: "x", count: 201))"
            )
            #expect(answer.status == .unprocessableContent)
            #expect(answer.problem == .validationFailed)
            #expect(Set(answer.pointers) == ["q", "sort", "limit", "minRating", "minPages", "maxPages"])
            let tags = (0..<11).map { "tag=t\($0)" }.joined(separator: "&")
            #expect(try await scene.get("/templates?\(tags)").pointers == ["tag"])
        }
    }

    @Test("A cursor of another list, or no cursor at all, is refused")
    func cursors() async throws {
        try await CatalogScene.run { scene in
            for index in 0..<3 { try await scene.addTemplate("Sheet \(index)") }
            let cursor = try #require(try await scene.list("sort=name&limit=1").nextCursor)
            #expect(try await scene.names("sort=name&limit=1&cursor=\(cursor)") == ["Sheet 1"])
            let forged = [
                Cursor(list: "templates.downloads", keys: ["many", TemplateID.make().description]),
                Cursor(list: "templates.downloads", keys: ["1", "nobody"]),
                Cursor(list: "templates.rating", keys: ["nan", TemplateID.make().description]),
                Cursor(list: "templates.name~", keys: ["a", TemplateID.make().description]),
                Cursor(list: "templates.name", keys: ["a\u{0}", TemplateID.make().description]),
            ].map(\.text)
            for (sort, text) in [("updated", cursor), ("name", "bm9wZQ"), ("name", "???")]
                + zip(["downloads", "downloads", "rating", "name", "name"], forged)
            {
                let answer = try await scene.get("/templates?sort=\(sort)&cursor=\(text)")
                #expect(answer.status == .badRequest && answer.problem == .badCursor, "\(sort) \(text)")
                #expect(answer.pointers == ["cursor"], "\(sort) \(text)")
            }
        }
    }

    @Test("Who takes gzip is given it, under a tag of its own; a CDN may keep what nobody's name is on")
    func smaller() async throws {
        try await CatalogScene.run { scene in
            for index in 0..<9 { try await scene.addTemplate("Sheet \(index)") }
            let plain = try await scene.get("/templates")
            let zipped = try await scene.get("/templates", headers: [.acceptEncoding: "br, gzip;q=0.5"])
            #expect(plain.headers[.contentEncoding] == nil && zipped.headers[.contentEncoding] == "gzip")
            #expect(plain.headers[.vary] == "Accept-Encoding" && zipped.headers[.vary] == "Accept-Encoding")
            #expect(zipped.headers[.contentLength] == String(zipped.body.readableBytes))
            #expect(zipped.body.readableBytes * 3 < plain.body.readableBytes)
            let folder = try ScratchFolder("gzip")
            let file = folder.url.appendingPathComponent("list.gz")
            try Data(buffer: zipped.body).write(to: file)
            let unzipped = try await Command.run(URL(fileURLWithPath: "/usr/bin/gzip"), ["-dc", file.path])
            #expect(unzipped.output == String(buffer: plain.body))
            let tag = try #require(zipped.headers[.eTag])
            #expect(tag != plain.headers[.eTag])
            let again = try await scene.get("/templates", headers: [.acceptEncoding: "gzip", .ifNoneMatch: tag])
            #expect(again.status == .notModified)
            for refused in ["gzip;q=0", "identity", "*;q=0.0"] {
                let answer = try await scene.get("/templates", headers: [.acceptEncoding: refused])
                #expect(answer.headers[.contentEncoding] == nil)
            }
            #expect(plain.headers[.cacheControl] == ResponseCache.shared)
            #expect(try await scene.get("/templates", as: scene.owner).headers[.cacheControl] == "private, no-cache")
            // Little stays as it is.
            let little = try await scene.get("/collections", headers: [.acceptEncoding: "gzip"])
            #expect(little.headers[.contentEncoding] == nil)
        }
    }

    @Test("A list that the client holds is not sent again; a change of the catalog makes it another")
    func revalidation() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("First")
            let first = try await scene.get("/templates")
            let tag = try #require(first.headers[.eTag])
            let again = try await scene.get("/templates", headers: [.ifNoneMatch: tag])
            #expect(again.status == .notModified && again.body.readableBytes == 0)
            #expect(again.headers[.eTag] == tag)
            let patch = TemplatePatch(name: "Second")
            #expect(try await scene.send(.patch, "/templates/\(made.slug)", as: scene.owner, json: patch).status == .ok)
            let changed = try await scene.get("/templates", headers: [.ifNoneMatch: tag])
            #expect(changed.status == .ok)
            #expect(try changed.json(TemplateList.self).templates.map(\.name) == ["Second"])
        }
    }

    @Test("A word that comes into the catalog is found by who has just looked for it")
    func newWord() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("First")
            #expect(try await scene.names("q=gobl").isEmpty)
            try await scene.addTemplate("Goblin")
            scene.features.catalog.catalogChanged()
            #expect(try await scene.names("q=gobl") == ["Goblin"])
        }
    }

    @Test(
        "Another node's change empties the cache, whichever table it is in",
        arguments: [
            "UPDATE templates SET name = 'Second'", "UPDATE versions SET state_reason = 'later'",
            "UPDATE submission_pages SET regions = '[]'", "UPDATE game_systems SET name = 'Second'",
        ])
    func notifications(statement: String) async throws {
        try await CatalogScene.run { scene in
            let cache = scene.features.catalog.responses
            let listener = CatalogChangeListener(catalog: scene.features.catalog)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await listener.run() }
                try await scene.addTemplate("First")
                #expect(try await scene.names() == ["First"])
                let isListening = try await eventually {
                    try await scene.features.database.execute("NOTIFY catalog")
                    return cache.changes > 0
                }
                #expect(isListening)
                // What was told before has arrived by now.
                try await Task.sleep(for: .milliseconds(200))
                let before = cache.changes
                // As another process would, behind this one's back.
                try await scene.features.database.execute(PostgresQuery(unsafeSQL: statement))
                let isTold = try await eventually { cache.changes > before }
                #expect(isTold)
                group.cancelAll()
            }
        }
    }
}
