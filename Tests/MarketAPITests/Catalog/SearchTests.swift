// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import HummingbirdTesting
import MarketWire
import NIOCore
import SheetCore
import Testing

@testable import MarketAPI

@Suite("Searching the catalog")
struct SearchTests {
    private func withSheets(_ body: @escaping @Sendable (CatalogScene) async throws -> Void) async throws {
        try await CatalogScene.run { scene in
            let jose = UserID.make()
            try await scene.addUser(jose, "jose", named: "José Núñez")
            try await scene.addTemplate("Wanderer's Ledger", summary: "Wide margins for café owners.", tags: ["print"])
            try await scene.addTemplate(
                "Pathfinder Classic", gameSystem: "pathfinder2e", summary: "Clean.", tags: ["classic"], owner: jose)
            try await scene.addTemplate(
                "Café Noir Investigator", gameSystem: "call-of-cthulhu", summary: "A ledger of sanity.", tags: ["noir"])
            try await body(scene)
        }
    }

    @Test(
        "Words are found in names, systems, tags, authors and summaries; the last one may be unfinished",
        arguments: [
            ("wanderer", ["Wanderer's Ledger"]), ("WANDER", ["Wanderer's Ledger"]),
            ("wanderer%27s", ["Wanderer's Ledger"]),
            ("cafe%20inv", ["Café Noir Investigator"]), ("caf%C3%A9+noir", ["Café Noir Investigator"]),
            ("coc", ["Café Noir Investigator"]), ("call+of+cth", ["Café Noir Investigator"]),
            ("call-of-cth", ["Café Noir Investigator"]), ("nunez", ["Pathfinder Classic"]),
            ("jos", ["Pathfinder Classic"]),
            ("print", ["Wanderer's Ledger"]), ("d%26d", ["Wanderer's Ledger"]),
            ("%22noir+investigator%22", ["Café Noir Investigator"]),
            ("%22investigator+noir%22", []), ("cafe+-noir", ["Wanderer's Ledger"]), ("%5C", []), ("%27%3A*%21", []),
            ("wanderer+or+pathf", ["Pathfinder Classic", "Wanderer's Ledger"]), ("%22wanderer", ["Wanderer's Ledger"]),
        ])
    func words(query: String, names: [String]) async throws {
        try await withSheets { scene in
            let found = try await scene.names("q=\(query)")
            #expect(found.sorted() == names)
        }
    }

    @Test("A name weighs more than a summary")
    func rank() async throws {
        try await withSheets { scene in
            let found = try await scene.names("q=ledger")
            #expect(found == ["Wanderer's Ledger", "Café Noir Investigator"])
            #expect(try await scene.names("q=ledger&sort=name") == ["Café Noir Investigator", "Wanderer's Ledger"])
        }
    }

    @Test(
        "Typing errors are forgiven when nothing has the word exactly",
        arguments: [
            ("pathfnder", "Pathfinder Classic"), ("cthulu", "Café Noir Investigator"),
            ("investigater", "Café Noir Investigator"),
            ("wanderrer+leger", "Wanderer's Ledger"), ("dungons", "Wanderer's Ledger"),
            ("caf%C3%A8+investgator", "Café Noir Investigator"),
        ])
    func typos(query: String, name: String) async throws {
        try await withSheets { scene in
            let found = try await scene.names("q=\(query)")
            #expect(found.first == name)
            #expect(try await scene.names("q=\(query)&gameSystem=none").isEmpty)
        }
    }

    @Test("Nonsense finds nothing")
    func nonsense() async throws {
        try await withSheets { scene in
            let found = try await scene.names("q=xyzzyplugh")
            #expect(found.isEmpty)
            #expect(try await scene.names("q=a%00b").isEmpty)
        }
    }

    @Test("Pages of corrected words follow each other like those of any list")
    func correctedPages() async throws {
        try await CatalogScene.run { scene in
            for index in 0..<9 { try await scene.addTemplate("Investigator \(index)") }
            var paged: [String] = []
            var cursor = ""
            repeat {
                let list = try await scene.list("q=investigater&limit=4\(cursor)")
                #expect(list.correctedQuery == "investigator")
                paged += list.templates.map(\.name)
                cursor = list.nextCursor.map { "&cursor=\($0)" } ?? ""
            } while !cursor.isEmpty
            #expect(paged.count == 9 && Set(paged).count == 9)
        }
    }

    @Test("The page of results says what was looked up instead of a misspelt word")
    func correctedPage() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("Investigator")
            func html(_ query: String) async throws -> String {
                String(buffer: try await scene.send(.get, "/?q=\(query)").body)
            }
            let misspelt = try await html("investigater")
            #expect(misspelt.contains("Results for “investigator”") && misspelt.contains("/sheets/investigator"))
            #expect(!(try await html("investigator")).contains("Showing results for"))
        }
    }
}
