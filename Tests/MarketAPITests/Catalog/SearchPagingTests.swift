// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import HummingbirdTesting
import MarketPages
import MarketPlatform
import MarketWire
import Postgres
import SheetCore
import Testing

@testable import MarketCatalog
@testable import MarketHTTP
@testable import MarketSearch

@Suite("Paging through what was found")
struct SearchPagingTests {
    /// 900 wyrms among 1,000 templates, 500 of which are popular; the name of every seventh is exactly the query.
    private func withWyrms(_ body: @escaping @Sendable (CatalogScene) async throws -> Void) async throws {
        try await CatalogScene.run { scene in
            try await scene.add(
                (0..<1000).map { index in
                    let name = index % 10 == 9 ? "Knight \(index)" : index % 7 == 0 ? "Wyrm" : "Wyrm \(index)"
                    var entry = CatalogScene.Entry(
                        name, downloads: index % 2 == 0 ? 10 + index : 0, tags: ["t\(index % 3)"])
                    entry.text = "Wisdom"
                    return entry
                })
            try await scene.index(popular: 500)
            try await body(scene)
        }
    }

    /// All pages of a list; `between` runs after each.
    private func pages(
        _ scene: CatalogScene, _ query: String, between: (Int) async throws -> Void = { _ in }
    ) async throws -> [TemplateID] {
        var ids: [TemplateID] = []
        var cursor = ""
        var count = 0
        repeat {
            scene.features.catalog.catalogChanged()
            let list = try await scene.list("\(query)&limit=37\(cursor)")
            #expect(list.templates.count == 37 || list.nextCursor == nil)
            ids += list.templates.map(\.id)
            cursor = list.nextCursor.map { "&cursor=\($0)" } ?? ""
            count += 1
            try await between(count)
        } while !cursor.isEmpty && count < 100
        return ids
    }

    @Test(
        "Every match comes once: popular blocks, the rest, few, and every other order",
        arguments: [
            ("q=wyrm", 900), ("q=wyrm&tag=t1", 300), ("q=wyr&tag=t1", 300), ("q=wyrm&minPages=1", 900),
            ("q=knight", 100), ("q=wisdom", 1000), ("q=wisdom+-knight", 900), ("q=%22wyrm%22+or+knight", 1000),
            ("q=wyrm&sort=downloads", 900), ("q=wyrm&sort=name", 900),
            ("q=wyrm&sort=trending", 900), ("tag=t1&sort=updated", 333), ("tag=t1&tag=t2", 0),
            ("gameSystem=dnd5e&sort=newest", 1000), ("q=wyrm&author=nadia&sort=rating", 900),
        ])
    func once(query: String, count: Int) async throws {
        try await withWyrms { scene in
            let ids = try await pages(scene, query)
            #expect(ids.count == count)
            #expect(Set(ids).count == ids.count)
        }
    }

    @Test("Templates whose name is exactly the query come first, the most downloaded of them before the others")
    func named() async throws {
        try await withWyrms { scene in
            let list = try await scene.list("q=wyrm&limit=10")
            #expect(list.templates.prefix(RelevanceCursor.mostNamed).allSatisfy { $0.name == "Wyrm" })
            let downloads = list.templates.prefix(RelevanceCursor.mostNamed).map(\.downloads)
            #expect(downloads == downloads.sorted(by: >) && downloads[0] > 900)
        }
    }

    @Test("While others publish, edit, withdraw and install, nobody else is skipped or comes twice")
    func changes() async throws {
        try await withWyrms { scene in
            let database = scene.features.database
            let before = Set(try await pages(scene, "q=wyrm"))
            var touched: Set<TemplateID> = []
            let ids = try await pages(scene, "q=wyrm") { page in
                // Each way to change, spread over the list, popular or not.
                touched.formUnion(
                    try await database.all(
                        """
                        WITH picked AS (SELECT id, n FROM (SELECT id, row_number() OVER (ORDER BY md5(id::text)) AS n FROM templates
                            WHERE latest_version_id IS NOT NULL) AS t WHERE n % 97 = \(Int32(page)))
                        UPDATE templates AS t SET
                            name = CASE WHEN n % 3 = 0 THEN 'Griffin' ELSE name END,
                            downloads = CASE WHEN n % 3 = 1 THEN 5000 ELSE downloads END,
                            latest_version_id = CASE WHEN n % 3 = 2 THEN NULL ELSE latest_version_id END
                        FROM picked AS p WHERE t.id = p.id RETURNING t.id
                        """
                    ) { try $0.get(0, as: TemplateID.self) })
                let new = try await scene.addTemplate("Wyrm number \(page) of the new ones")
                touched.insert(new.id)
                if page == 5 { try await SearchIndex(database: database, popular: 400).rebuildPopular() }
            }
            let kept = ids.filter { !touched.contains($0) }
            #expect(kept.count == Set(kept).count)
            #expect(Set(kept) == before.subtracting(touched))
        }
    }

    @Test("A cursor outlives one generation of popular templates, not two")
    func generations() async throws {
        try await withWyrms { scene in
            let cursor = try #require(try await scene.list("q=wyrm&limit=20").nextCursor)
            let index = SearchIndex(database: scene.features.database, popular: 400)
            try await index.rebuildPopular()
            scene.features.catalog.catalogChanged()
            #expect(try await scene.list("q=wyrm&limit=20&cursor=\(cursor)").templates.count == 20)
            try await index.rebuildPopular()
            scene.features.catalog.catalogChanged()
            let late = try await scene.get("/templates?q=wyrm&limit=20&cursor=\(cursor)")
            #expect(late.status == .badRequest && late.problem == .badCursor && late.pointers == ["cursor"])
        }
    }

    @Test(
        "A cursor that names a generation that cannot be is refused",
        arguments: ["r-9999999999", "r99999999999", "r-1", "p-9999999999", "p0"])
    func madeUp(_ section: String) async throws {
        try await withWyrms { scene in
            let isBlock = section.hasPrefix("p")
            let keys = ["o", section, isBlock ? "0" : "", isBlock ? "300" : "", "", "", "", "", ""]
            let cursor = Cursor(list: "templates.relevance", keys: keys).text
            let answer = try await scene.get("/templates?q=wyrm&sort=relevance&cursor=\(cursor)")
            #expect(answer.status == .badRequest && answer.problem == .badCursor, "\(section)")
            #expect(try await scene.list("q=wyrm&limit=20").templates.count == 20)
        }
    }

    @Test("What is rebuilt is what the triggers had kept")
    func rebuilt() async throws {
        try await CatalogScene.run { scene in
            let database = scene.features.database
            // Words of systems' names, also one that comes later.
            try await scene.index()
            try await database.execute("INSERT INTO system_words VALUES ('fifth')")
            let made = try await scene.addTemplate("Émile's Ledger", tags: ["a"], rating: 3.4, downloads: 5)
            let gone = try await scene.addTemplate("Gone", tags: ["a", "b"])
            try await scene.takeDown("1.0.0", of: gone)
            try await database.execute("UPDATE users SET display_name = 'Nadia Néw' WHERE handle = 'nadia'")
            try await database.execute("UPDATE game_systems SET aliases = '{fifth}' WHERE slug = 'dnd5e'")
            try await database.execute("UPDATE templates SET downloads = 9, rating = 4.6 WHERE id = \(made.id)")
            try await SearchIndex(database: database).applyPending()
            func tables() async throws -> [String?] {
                try await database.all(
                    """
                    SELECT (SELECT string_agg(l::text, E'\\n' ORDER BY id) FROM listings AS l)
                        || (SELECT string_agg(l::text, E'\\n' ORDER BY id) FROM listing_words AS l)
                        || (SELECT string_agg(f::text, E'\\n' ORDER BY f::text) FROM facet_counts AS f)
                    """
                ) { try $0.get(0, as: String?.self) }
            }
            let kept = try await tables()
            try await scene.index()
            #expect(try await tables() == kept)
            #expect(kept.first??.contains("'fifth'") == true && kept.first??.contains("'new'") == true)
            #expect(kept.first??.contains("'=w:dnd5e/fifth'") == true)
            #expect(try await scene.names("q=fifth") == ["Émile's Ledger"])
        }
    }
}
