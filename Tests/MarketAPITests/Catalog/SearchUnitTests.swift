// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import HummingbirdTesting
import MarketPages
import MarketPlatform
import MarketWire
import Moderation
import Postgres
import SheetCore
import Testing

@testable import MarketAccounts
@testable import MarketCatalog
@testable import MarketSearch

@Suite("Parts of searching")
struct SearchPartsTests {
    @Test(
        "Slips are counted: a letter more, less, changed, or two swapped",
        arguments: [
            ("cthulu", "cthulhu", 1), ("pathfnder", "pathfinder", 1), ("drgaon", "dragon", 1), ("dragon", "dragon", 0),
            ("wizrad", "wizards", 2), ("knight", "dragon", nil), ("", "a", nil), ("abc", "abcdef", nil),
        ])
    func distances(first: String, second: String, distance: Int?) {
        #expect(Spelling.distance(first, second, atMost: 2) == distance)
    }

    @Test("The nearest word is meant, of equally near ones the commonest; a good word is left alone")
    func best() {
        func candidate(_ term: String, _ uses: Int) -> SearchTermStore.Candidate {
            .init(word: "", term: term, uses: uses)
        }
        #expect(Spelling.best(of: [candidate("dragons", 900), candidate("dragon", 9)], for: "dragn") == "dragon")
        #expect(Spelling.best(of: [candidate("wards", 5), candidate("words", 50)], for: "wrds") == "words")
        #expect(Spelling.best(of: [candidate("word", 5), candidate("words", 50)], for: "word") == nil)
        #expect(Spelling.best(of: [candidate("word", 1), candidate("words", 50)], for: "word") == "words")
        #expect(Spelling.best(of: [], for: "word") == nil)
    }

    @Test("A place survives its keys; other keys are none")
    func places() {
        let id = TemplateID.make()
        let places = [
            RelevanceCursor(
                .strong, .popular(generation: 7, from: 300, to: 900), rank: 5, id: id, named: [id, .make()]),
            RelevanceCursor(.strong, .start), RelevanceCursor(.other, .popular(generation: 7, from: 300, to: 300)),
            RelevanceCursor(.other, .few(least: nil), rank: -1, id: id), RelevanceCursor(.strong, .few(least: id)),
            RelevanceCursor(.other, .tail(generation: nil, before: id)),
            RelevanceCursor(.other, .tail(generation: 3, before: nil), named: [id]),
        ]
        for place in places { #expect(RelevanceCursor(keys: place.keys) == place) }
        let bad: [[String]] = [
            [], ["s", "x", "", "", "", "", ""], ["s", "p", "0", "0", "", "", ""], ["s", "p1", "a", "0", "", "", ""],
            ["s", "p1", "0", "99999999999", "", "", ""], ["o", "f", "nobody", "", "", "", ""],
            ["o", "r", "", "", "1", "", ""], ["o", "r", "", "", "", id.description, ""],
            ["o", "r", "", "", "many", id.description, ""], ["o", "r", "", "", "", "", "me"],
            ["o", "r99999999999", "", "", "", "", ""], ["o", "r-9999999999", "", "", "", "", ""],
            ["o", "r-1", "", "", "", "", ""], ["o", "rx", "", "", "", "", ""],
            ["s", "p-9999999999", "0", "0", "", "", ""],
            ["x", "b", "", "", "", "", ""],
        ]
        for keys in bad { #expect(RelevanceCursor(keys: keys) == nil, "\(keys)") }
    }

    @Test("Filters are one query over lexemes; what they say too roughly is compared")
    func filters() {
        var query = CatalogQuery()
        #expect(SearchFilters(query).lexemes == nil)
        query.gameSystem = "dnd5e"
        query.tags = ["it's"]
        query.minRating = 4.25
        query.minPages = 3
        query.maxPages = 4
        let filters = SearchFilters(query)
        #expect(
            filters.lexemes
                == "'=t:it''s' & ('=r:8' | '=r:9' | '=r:10') & ('=p:3' | '=p:4') & '=s:dnd5e'")
        #expect(filters.lexemesBesideSystem?.contains("dnd5e") == false)
        #expect(filters.residual.map(\.sql) == ["rating >= $1"])
        query.minPages = 40
        query.maxPages = 3
        #expect(SearchFilters(query).residual.map(\.sql).contains("false"))
        query.maxPages = nil
        #expect(SearchFilters(query).residual.map(\.sql).contains("page_count >= $1"))
    }

    @Test("Corrected text keeps everything but the corrected words")
    func corrected() {
        let words = SearchWords("Caf\u{e9} investgator, d&d")
        #expect(words.corrected(["investgator": "investigator"]) == "Caf\u{e9} investigator, d&d")
    }
}

@Suite("Facets, suggestions, similar sheets")
struct SearchListsTests {
    private func withSheets(_ body: @escaping @Sendable (CatalogScene) async throws -> Void) async throws {
        try await CatalogScene.run { scene in
            let zoe = UserID.make()
            try await scene.addUser(zoe, "zoe", named: "Zoë Maker")
            try await scene.addTemplate("Dragon Rider", tags: ["print", "a4"], downloads: 50)
            try await scene.addTemplate("Dragon Hoard", tags: ["print"], language: "de", downloads: 9)
            try await scene.addTemplate("Dragoon Drill", tags: ["a4"], license: "CC0-1.0", downloads: 70)
            try await scene.addTemplate("Noir Files", gameSystem: "call-of-cthulhu", tags: ["noir"], owner: zoe)
            try await body(scene)
        }
    }

    @Test("Facets count the list, whole where that is little or known")
    func facets() async throws {
        try await withSheets { scene in
            #expect(try await scene.list("").facets == nil)
            let all = try #require(try await scene.list("facets=true").facets)
            #expect(all.isExact && all.counted == 4)
            #expect(all.gameSystem == [.init(value: "dnd5e", count: 3), .init(value: "call-of-cthulhu", count: 1)])
            #expect(all.tag.map(\.value) == ["a4", "print", "noir"] && all.tag.map(\.count) == [2, 2, 1])
            #expect(all.license == [.init(value: "CC-BY-4.0", count: 3), .init(value: "CC0-1.0", count: 1)])
            #expect(all.language == [.init(value: "en", count: 3), .init(value: "de", count: 1)])
            let system = try #require(try await scene.list("facets=true&gameSystem=dnd5e").facets)
            #expect(system.isExact && system.counted == 3 && system.tag.map(\.value) == ["a4", "print"])
            let words = try #require(try await scene.list("facets=true&q=%22dragon%22").facets)
            #expect(words.isExact && words.counted == 2 && words.tag.map(\.value) == ["print", "a4"])
            let filtered = try #require(try await scene.list("facets=true&tag=a4&limit=1").facets)
            #expect(filtered.isExact && filtered.counted == 2)
            // The same once the counts are brought up to date.
            try await SearchIndex(database: scene.features.database).applyPending()
            scene.features.catalog.catalogChanged()
            #expect(try await scene.list("facets=true").facets == all)
        }
    }

    @Test("Facets of many matches are those of the popular ones, and say so")
    func manyFacets() async throws {
        try await CatalogScene.run { scene in
            try await scene.add((0..<300).map { .init("Dragon \($0)", downloads: $0, tags: ["t\($0 % 2)"]) })
            try await scene.index(popular: 100)
            let facets = try #require(try await scene.list("q=dragon&facets=true").facets)
            #expect(!facets.isExact && facets.counted == 100 && facets.tag.map(\.count) == [50, 50])
        }
    }

    @Test("Suggestions of every kind begin as was typed; slips are corrected")
    func suggestions() async throws {
        try await withSheets { scene in
            func list(_ text: String) async throws -> SuggestionList {
                try await scene.get("/suggest?q=\(text)").json(SuggestionList.self)
            }
            for _ in 0..<2 {
                #expect(
                    try await list("drag").templates.map(\.name) == ["Dragoon Drill", "Dragon Rider", "Dragon Hoard"])
                #expect(try await list("dragon%20r").templates.map(\.name) == ["Dragon Rider"])
                #expect(try await list("cthu").gameSystems == [.init(slug: "call-of-cthulhu", name: "Call of Cthulhu")])
                #expect(try await list("D%26D").gameSystems.map(\.slug) == ["dnd5e"])
                #expect(try await list("zo").authors == [.init(handle: "zoe", displayName: "Zoë Maker")])
                #expect(try await list("Zo%C3%AB%20m").authors.map(\.handle) == ["zoe"])
                #expect(try await list("pri").tags == [.init(value: "print", count: 2)])
                #expect(try await list("").isEmpty)
                #expect(try await list("%27%5C%3A*").isEmpty)
                let corrected = try await list("dragn")
                #expect(corrected.correctedQuery == "dragon" && corrected.templates.first?.name == "Dragon Rider")
                // Once more with the popular ones in their own table.
                try await scene.index()
            }
            let long = try await scene.get("/suggest?q=\(String(repeating: "x", count: 201))")
            #expect(long.pointers == ["q"])
        }
    }

    @Test("Similar sheets are of the same system and share tags or words")
    func similar() async throws {
        try await withSheets { scene in
            for _ in 0..<2 {
                let found = try await scene.get("/templates/dragon-rider/similar").json(SimilarList.self)
                #expect(found.templates.map(\.name) == ["Dragon Hoard", "Dragoon Drill"])
                #expect(try await scene.get("/templates/noir-files/similar").json(SimilarList.self).templates.isEmpty)
                #expect(try await scene.get("/templates/nothing/similar").status == .notFound)
                try await scene.index()
            }
        }
    }

    @Test("What is published is found at once, and gone when it is withdrawn")
    func fresh() async throws {
        try await CatalogScene.run { scene in
            try await scene.index()
            let made = try await scene.addTemplate("Zyxgard Chronicle", tags: ["saga"])
            scene.features.catalog.catalogChanged()
            #expect(try await scene.names("q=zyxg") == ["Zyxgard Chronicle"])
            #expect(try await scene.names("q=zyxgrad") == ["Zyxgard Chronicle"])
            #expect(try await scene.names("q=skills") == ["Zyxgard Chronicle"])
            #expect(try await scene.names("tag=saga&sort=trending") == ["Zyxgard Chronicle"])
            let suggested = try await scene.get("/suggest?q=zyx").json(SuggestionList.self)
            #expect(suggested.templates.map(\.name) == ["Zyxgard Chronicle"])
            try await scene.takeDown("1.0.0", of: made)
            #expect(try await scene.names("q=zyxg").isEmpty)
            #expect(try await scene.names("tag=saga").isEmpty)
            #expect(try await scene.get("/suggest?q=zyx").json(SuggestionList.self).templates.isEmpty)
        }
    }

    @Test(
        "Words are looked for in names by what marks their lexemes, whatever stands in them",
        arguments: [
            ("'dragon' & 'heist'", "'dragon':A & 'heist':A"), ("'o''neill'", "'o''neill':A"),
            (#"'back\\slash' | !'a\'b'"#, #"'back\\slash':A | !'a\'b':A"#), ("'' <-> 'x'", "'':A <-> 'x':A"), ("", ""),
        ])
    func lexemesInNames(query: String, expected: String) {
        #expect(SuggestStore.restrictedToNames(query) == expected)
    }

    @Test("Trending is installs that fade: many long ago weigh less than some of late")
    func trending() async throws {
        try await CatalogScene.run { scene in
            let old = try await scene.addTemplate("Old favourite")
            let new = try await scene.addTemplate("New one")
            let none = try await scene.addTemplate("Nobody's")
            try await scene.features.database.execute(
                """
                INSERT INTO download_days (template_id, day, downloads) VALUES
                    (\(old.id), '2026-08-01', 800), (\(old.id), '2026-08-02', 800), (\(new.id), '2026-10-01', 8),
                    (\(new.id), '2026-10-02', 8)
                """)
            let index = SearchIndex(database: scene.features.database)
            try await index.recomputeTrending(since: Date(timeIntervalSince1970: 0))
            scene.features.catalog.catalogChanged()
            #expect(try await scene.names("sort=trending") == ["New one", "Old favourite", "Nobody's"])
            let scores = try await scene.features.database.all(
                "SELECT trending FROM templates WHERE id IN (\(new.id), \(none.id)) ORDER BY trending"
            ) { try $0.get(0, as: Double.self) }
            // 8 on the last day and 8 fading since the day before, in weeks since 2020.
            let weeks = 2466.0 / 7
            #expect(scores[0] == 0 && abs(scores[1] - (weeks + log2(8 + 8 * pow(2, -1.0 / 7)))) < 0.000001)
        }
    }
}

@Suite("Curated collections")
struct CollectionTests {
    @Test("A moderator makes, changes and deletes one; others read what is on offer in it")
    func life() async throws {
        try await CatalogScene.run { scene in
            let moderator = UserID.make()
            try await scene.addUser(moderator, "mara", role: .moderator)
            let first = try await scene.addTemplate("First")
            let second = try await scene.addTemplate("Second")
            let edit = CollectionEdit(
                title: " Staff picks ", summary: "Good ones.",
                items: [.init(templateId: second.id, note: "Neat."), .init(templateId: first.id)])
            let path = "/collections/staff-picks"
            #expect(try await scene.send(.put, path, as: scene.owner, json: edit).status == .forbidden)
            #expect(try await scene.send(.put, path, as: moderator, json: edit).status == .created)
            let read = try await scene.get(path).json(CollectionDetail.self)
            #expect(read.title == "Staff picks" && read.items.map(\.template.name) == ["Second", "First"])
            #expect(read.items.map(\.note) == ["Neat.", ""])
            try await scene.takeDown("1.0.0", of: second)
            let list = try await scene.get("/collections").json(CollectionList.self)
            #expect(list.collections.map(\.slug) == ["staff-picks"] && list.collections[0].templateCount == 1)
            let less = CollectionEdit(title: "Picks", items: [])
            #expect(try await scene.send(.put, path, as: moderator, json: less).status == .ok)
            #expect(try await scene.get(path).json(CollectionDetail.self).items.isEmpty)
            #expect(try await scene.send(.delete, Paths.base + path, as: moderator).status == .noContent)
            #expect(try await scene.get(path).status == .notFound)
            let entries = try await AuditLog.entries(before: nil, limit: 9, in: scene.features.database)
            #expect(entries.map(\.action) == ["collection.deleted", "collection.put", "collection.put"])
        }
    }

    @Test("Everything that is wrong with one is said at once")
    func mistakes() async throws {
        try await CatalogScene.run { scene in
            let moderator = UserID.make()
            try await scene.addUser(moderator, "mara", role: .moderator)
            let made = try await scene.addTemplate("First")
            let twice = CollectionEdit(
                title: "",
                items: [
                    .init(templateId: made.id), .init(templateId: made.id, note: String(repeating: "x", count: 501)),
                ])
            let answer = try await scene.send(.put, "/collections/a", as: moderator, json: twice)
            #expect(Set(answer.pointers) == ["/title", "/items/1/note", "/items/1/templateId"])
            let unknown = CollectionEdit(title: "A", items: [.init(templateId: .make())])
            #expect(
                try await scene.send(.put, "/collections/a", as: moderator, json: unknown).pointers
                    == ["/items/0/templateId"])
            #expect(
                try await scene.send(.put, "/collections/Not%20one", as: moderator, json: unknown).status == .notFound)
        }
    }
}
