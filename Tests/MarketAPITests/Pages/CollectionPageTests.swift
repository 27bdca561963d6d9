// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import HummingbirdTesting
import MarketPlatform
import MarketWire
import Moderation
import NIOCore
import Postgres
import SheetCore
import Testing

@testable import MarketAccounts
@testable import MarketCatalog
@testable import MarketHTTP
@testable import MarketPages

@Suite("Pages of collections")
struct CollectionPageTests {
    private static let home = "/moderation/collections"

    private static func page(
        _ path: String, as caller: UserID? = nil, in scene: CatalogScene
    ) async throws -> (status: HTTPResponse.Status, text: String) {
        let answer = try await scene.send(.get, path, as: caller)
        return (answer.status, String(buffer: answer.body))
    }

    private static func post(
        _ path: String, _ fields: [(String, String)], as caller: UserID?, in scene: CatalogScene
    ) async throws -> (status: HTTPResponse.Status, location: String?, text: String) {
        let answer = try await scene.send(
            .post, path, as: caller, headers: [.contentType: "application/x-www-form-urlencoded"],
            body: ByteBuffer(string: FormText.encoded(fields)))
        return (answer.status, answer.headers[.location], String(buffer: answer.body))
    }

    /// The state that a form of a collection carries.
    private static func state(_ path: String, as caller: UserID, in scene: CatalogScene) async throws -> String {
        let text = try await page(path, as: caller, in: scene).text
        return String(try #require(text.firstMatch(of: /name="state" value="([0-9a-f]+)"/)?.output.1))
    }

    private static func moderator(in scene: CatalogScene) async throws -> UserID {
        let moderator = UserID.make()
        try await scene.addUser(moderator, "mara", role: .moderator)
        return moderator
    }

    private static func places(of words: [String], in text: String) -> [String] {
        let found = words.compactMap { word -> (word: String, place: String.Index)? in
            text.firstRange(of: word).map { (word: word, place: $0.lowerBound) }
        }
        return found.sorted { $0.place < $1.place }.map { $0.word }
    }

    @Test("Anybody sees the list, a collection's cards in its order with the notes, and a row on the front page")
    func reading() async throws {
        try await CatalogScene.run { scene in
            let mara = try await Self.moderator(in: scene)
            let empty = try await Self.page("/collections", in: scene)
            #expect(empty.status == .ok && empty.text.contains("No collections yet"))
            let first = try await scene.addTemplate("First")
            let second = try await scene.addTemplate("Second")
            let edit = CollectionEdit(
                title: "Picks <b>", summary: "Good ones.",
                items: [.init(templateId: second.id, note: "Neat & small."), .init(templateId: first.id)])
            let put = try await scene.send(.put, "/collections/picks", as: mara, json: edit)
            #expect(put.status == .created)
            let none = CollectionEdit(title: "Nothing", items: [])
            #expect(try await scene.send(.put, "/collections/nothing", as: mara, json: none).status == .created)

            let list = try await Self.page("/collections", in: scene).text
            #expect(list.contains("Picks &lt;b&gt;") && list.contains("Good ones.") && list.contains("2 sheets"))
            #expect(list.contains(Paths.preview(second.id.description, "1.0.0", page: 0)))
            #expect(list.contains("aria-current=\"page\">Collections") && !list.contains(Self.home))
            let part = try await Self.page("/collections?limit=1", in: scene).text
            let next = try #require(part.firstMatch(of: /\/collections\?cursor=[A-Za-z0-9_-]+/)?.output)
            #expect(part.contains("More collections") && !part.contains("Picks"))
            let rest = try await Self.page(String(next), in: scene).text
            #expect(rest.contains("Picks") && !rest.contains("More collections"))

            let shown = try await Self.page("/collections/picks", in: scene).text
            #expect(Self.places(of: [">First</a>", ">Second</a>"], in: shown) == [">Second</a>", ">First</a>"])
            #expect(shown.contains("Neat &amp; small.") && shown.contains("Dungeons &amp; Dragons 5e"))
            #expect(!shown.contains(Self.home))
            #expect(try await Self.page("/collections/none", in: scene).status == .notFound)
            #expect(try await Self.page("/collections/Not%20one", in: scene).status == .notFound)

            let front = try await Self.page("/", in: scene).text
            #expect(front.contains("/collections/picks\"") && !front.contains("/collections/nothing\""))
            let search = try await Self.page("/?gameSystem=dnd5e", in: scene).text
            #expect(search.contains(">First</a>") && !search.contains("/collections/picks\""))
        }
    }

    @Test("Ready pages are asked for by their tags, and a change makes new ones")
    func tags() async throws {
        try await CatalogScene.run { scene in
            let mara = try await Self.moderator(in: scene)
            let edit = CollectionEdit(title: "Picks", items: [])
            #expect(try await scene.send(.put, "/collections/picks", as: mara, json: edit).status == .created)
            for path in ["/collections", "/collections/picks"] {
                let answer = try await scene.send(.get, path)
                let tag = try #require(answer.headers[.eTag])
                #expect(answer.headers[.cacheControl] == "private, no-cache")
                #expect(answer.headers[.contentSecurityPolicy] == PageSecurity.policy)
                #expect(try await scene.send(.get, path, headers: [.ifNoneMatch: tag]).status == .notModified)
                let other = CollectionEdit(title: "Other than \(path)", items: [])
                #expect(try await scene.send(.put, "/collections/picks", as: mara, json: other).status == .ok)
                #expect(try await scene.send(.get, path, headers: [.ifNoneMatch: tag]).status == .ok)
            }
        }
    }

    @Test("A moderator makes a collection of slugs and addresses, and gets back what is wrong with it, line by line")
    func making() async throws {
        try await CatalogScene.run { scene in
            let mara = try await Self.moderator(in: scene)
            try await scene.addTemplate("First")
            try await scene.addTemplate("Second")
            #expect(try await Self.page(Self.home, in: scene).status == .unauthorized)
            #expect(try await Self.page(Self.home, as: scene.owner, in: scene).status == .forbidden)
            #expect(try await Self.post(Self.home, [], as: scene.owner, in: scene).status == .forbidden)
            #expect(try await Self.page("/collections", as: mara, in: scene).text.contains("href=\"\(Self.home)\""))
            #expect(try await Self.page(Self.home, as: mara, in: scene).text.contains("<h1>New collection</h1>"))

            let right = "https://market.example/sheets/second?x=1 Neat & small.\r\n\r\n  FIRST  "
            let fields = [("title", "Picks"), ("slug", "Not one"), ("summary", "Good."), ("sheets", right)]
            let slug = try await Self.post(Self.home, fields, as: mara, in: scene)
            #expect(slug.status == .unprocessableContent && slug.text.contains("id=\"slug-mistake\""))
            #expect(slug.text.contains("Neat &amp; small.") && slug.text.contains("value=\"Not one\""))
            func sheets(_ text: String) -> [(String, String)] {
                [("title", "Picks"), ("slug", "picks"), ("summary", "Good."), ("sheets", text)]
            }
            let unknown = try await Self.post(Self.home, sheets("first\n\nnone"), as: mara, in: scene)
            #expect(unknown.status == .unprocessableContent)
            #expect(unknown.text.contains("Line 3: There is no sheet “none”."))
            let twice = try await Self.post(Self.home, sheets("first\n\nfirst again"), as: mara, in: scene)
            #expect(twice.text.contains("Line 3: It is in the list already."))

            let made = try await Self.post(Self.home, sheets(right), as: mara, in: scene)
            #expect(made.status == .seeOther && made.location == "/collections/picks")
            let detail = try await scene.get("/collections/picks").json(CollectionDetail.self)
            #expect(detail.title == "Picks" && detail.summary == "Good.")
            #expect(detail.items.map(\.template.name) == ["Second", "First"])
            #expect(detail.items.map(\.note) == ["Neat & small.", ""])
            let again = try await Self.post(Self.home, sheets(""), as: mara, in: scene)
            #expect(again.status == .preconditionFailed && again.text.contains("with this address already"))
            #expect(try await scene.get("/collections/picks").json(CollectionDetail.self) == detail)
        }
    }

    @Test("An edit loses nobody else's, keeps what is not on offer now, and can move and take out sheets")
    func editing() async throws {
        try await CatalogScene.run { scene in
            let mara = try await Self.moderator(in: scene)
            let made = try await scene.addTemplate("First")
            try await scene.addTemplate("Second")
            let fields = [("title", "Picks"), ("slug", "picks"), ("sheets", "first Neat.\nsecond")]
            _ = try await Self.post(Self.home, fields, as: mara, in: scene)
            try await scene.takeDown("1.0.0", of: made)
            let path = "\(Self.home)/picks"
            let form = try await Self.page(path, as: mara, in: scene)
            #expect(form.status == .ok && form.text.contains("\">\nfirst Neat.\nsecond</textarea>"))
            #expect(try await Self.page(path, as: scene.owner, in: scene).status == .forbidden)
            #expect(try await Self.page("\(Self.home)/none", as: mara, in: scene).status == .notFound)
            let state = try await Self.state(path, as: mara, in: scene)

            func save(_ title: String, _ sheets: String, _ state: String) async throws -> HTTPResponse.Status {
                try await Self.post(
                    path, [("title", title), ("sheets", sheets), ("state", state)], as: mara, in: scene
                ).status
            }
            #expect(try await save("Moved", "second\nfirst Neat.", state) == .seeOther)
            let slug = try #require(Slug("picks"))
            let lines = try await CollectionService(catalog: scene.features.catalog).lines(slug)
            #expect(lines.map(\.slug) == ["second", "first"] && lines.map(\.note) == ["", "Neat."])
            let stale = try await Self.post(
                path, [("title", "Mine"), ("sheets", "first"), ("state", state)], as: mara, in: scene)
            #expect(stale.status == .preconditionFailed && stale.text.contains("This collection was changed"))
            #expect(stale.text.contains("value=\"Mine\"") && stale.text.contains("value=\"\(state)\""))
            #expect(try await save("Mine", "first", "") == .preconditionFailed)
            #expect(try await scene.get("/collections/picks").json(CollectionDetail.self).title == "Moved")
            let present = try await Self.state(path, as: mara, in: scene)
            #expect(try await save("Mine", "", present) == .seeOther)
            #expect(try await CollectionService(catalog: scene.features.catalog).lines(slug).isEmpty)
        }
    }

    @Test("Deleting is asked for once more, and not done to what has changed meanwhile")
    func deleting() async throws {
        try await CatalogScene.run { scene in
            let mara = try await Self.moderator(in: scene)
            let fields = [("title", "Picks"), ("slug", "picks")]
            _ = try await Self.post(Self.home, fields, as: mara, in: scene)
            let path = "\(Self.home)/picks/delete"
            #expect(try await Self.page("/collections/picks", as: mara, in: scene).text.contains("href=\"\(path)\""))
            let asked = try await Self.page(path, as: mara, in: scene)
            #expect(asked.text.contains("Delete “Picks”?") && asked.text.contains("<form"))
            let state = try await Self.state(path, as: mara, in: scene)
            let other = CollectionEdit(title: "Changed", items: [])
            #expect(try await scene.send(.put, "/collections/picks", as: mara, json: other).status == .ok)
            let stale = try await Self.post(path, [("state", state)], as: mara, in: scene)
            #expect(stale.status == .preconditionFailed && stale.text.contains("Delete “Changed”?"))
            #expect(try await Self.post(path, [], as: mara, in: scene).status == .preconditionFailed)
            #expect(try await Self.post(path, [], as: scene.owner, in: scene).status == .forbidden)
            let present = try await Self.state(path, as: mara, in: scene)
            let done = try await Self.post(path, [("state", present)], as: mara, in: scene)
            #expect(done.status == .seeOther && done.location == "/collections")
            #expect(try await Self.page("/collections/picks", in: scene).status == .notFound)
            #expect(try await Self.page(path, as: mara, in: scene).status == .notFound)
        }
    }

    @Test("A sheet's page leads moderators to a form that puts it at a collection's end, once")
    func adding() async throws {
        try await CatalogScene.run { scene in
            let mara = try await Self.moderator(in: scene)
            for name in ["First", "Second"] { try await scene.addTemplate(name) }
            let path = "/moderation/add-to-collection"
            let link = "\(path)?sheet=second"
            #expect(try await Self.page("/sheets/second", as: mara, in: scene).text.contains("href=\"\(link)\""))
            let others = try await Self.page("/sheets/second", as: scene.owner, in: scene).text
            #expect(!others.contains(path))
            #expect(try await Self.page(link, as: scene.owner, in: scene).status == .forbidden)
            #expect(try await Self.page(link, as: mara, in: scene).text.contains("There are no collections yet."))
            let fields = [("title", "Picks"), ("slug", "picks"), ("sheets", "first Neat.")]
            _ = try await Self.post(Self.home, fields, as: mara, in: scene)
            #expect(try await Self.page(link, as: mara, in: scene).text.contains("value=\"picks\""))
            #expect(try await Self.page("\(path)?sheet=none", as: mara, in: scene).status == .notFound)
            let unchosen = try await Self.post(path, [("sheet", "second")], as: mara, in: scene)
            #expect(unchosen.status == .unprocessableContent && unchosen.text.contains("Choose one of these."))
            for _ in 1...2 {
                let added = try await Self.post(
                    path, [("sheet", "second"), ("collection", "picks")], as: mara, in: scene)
                #expect(added.status == .seeOther && added.location == "/collections/picks", "\(added.text)")
            }
            let detail = try await scene.get("/collections/picks").json(CollectionDetail.self)
            #expect(detail.items.map(\.template.name) == ["First", "Second"])
            #expect(detail.items.map(\.note) == ["Neat.", ""])
            let entries = try await AuditLog.entries(before: nil, limit: 9, in: scene.features.database)
            #expect(entries.map(\.action) == ["collection.put", "collection.put"])
            #expect(entries.first?.details?.contains(#""added":"second""#) == true)
            let missing = try await Self.post(
                path, [("sheet", "second"), ("collection", "none")], as: mara, in: scene)
            #expect(missing.status == .notFound && missing.text.contains("This collection does not exist."))
        }
    }

    /// As many templates as a collection may hold, called `filler-1` and so on.
    private static func addFillers(in scene: CatalogScene) async throws {
        try await scene.features.database.execute(
            """
            INSERT INTO templates (id, slug, owner_id, game_system, name, summary, description, license, language)
            SELECT gen_random_uuid(), 'filler-' || n, \(scene.owner), 'dnd5e', 'Filler', 'A sheet.', '', 'CC0-1.0', 'en'
            FROM generate_series(1, \(Int32(CollectionService.maximumItems))) AS n
            """)
    }

    @Test("A full collection takes no more sheets; what was chosen, and the page of the list, are kept")
    func full() async throws {
        try await CatalogScene.run { scene in
            let mara = try await Self.moderator(in: scene)
            let last = try await scene.addTemplate("Last")
            // The list goes by title, and the form shows a page of it.
            let others = Int32(PageRequest.longest)
            try await scene.features.database.execute(
                "INSERT INTO collections (slug, title) SELECT 'a-' || n, 'A' FROM generate_series(1, \(others)) AS n")
            let edit = CollectionEdit(title: "Full", items: [])
            #expect(try await scene.send(.put, "/collections/full", as: mara, json: edit).status == .created)
            try await Self.addFillers(in: scene)
            try await scene.features.database.execute(
                """
                INSERT INTO collection_items (collection, template_id, position)
                SELECT 'full', id, 1 FROM templates WHERE slug LIKE 'filler-%'
                """)
            let link = "/moderation/add-to-collection?sheet=last"
            let first = try await Self.page(link, as: mara, in: scene).text
            let cursor = try #require(first.firstMatch(of: /cursor=([A-Za-z0-9_-]+)/)?.output.1)
            let page = try await Self.page("\(link)&cursor=\(cursor)", as: mara, in: scene).text
            let action = "/moderation/add-to-collection?cursor=\(cursor)"
            #expect(page.contains("action=\"\(action)\"") && page.contains("value=\"full\" required>"))
            let answer = try await Self.post(
                action, [("sheet", last.slug), ("collection", "full")], as: mara, in: scene)
            #expect(answer.status == .unprocessableContent && answer.text.contains("It is full: at most 200"))
            #expect(answer.text.contains("value=\"full\" required checked>"))
            #expect(answer.text.contains("aria-describedby=\"collection-mistake\""))
            #expect(answer.text.contains("action=\"\(action)\""))
            let slug = try #require(Slug("full"))
            let lines = try await CollectionService(catalog: scene.features.catalog).lines(slug)
            #expect(lines.count == CollectionService.maximumItems && !lines.contains { $0.slug == last.slug })
        }
    }

    @Test("An older form undoes nothing that was done to what is not on offer, and outlives that it went")
    func hidden() async throws {
        try await CatalogScene.run { scene in
            let mara = try await Self.moderator(in: scene)
            let made = try await scene.addTemplate("First")
            try await scene.addTemplate("Second")
            try await scene.takeDown("1.0.0", of: try await scene.addTemplate("Fourth"))
            let whole = "first Neat.\nsecond"
            let fields = [("title", "Picks"), ("slug", "picks"), ("sheets", whole)]
            _ = try await Self.post(Self.home, fields, as: mara, in: scene)
            let path = "\(Self.home)/picks"
            func save(_ sheets: String, _ state: String) async throws -> HTTPResponse.Status {
                let fields = [("title", "Picks"), ("sheets", sheets), ("state", state)]
                return try await Self.post(path, fields, as: mara, in: scene).status
            }
            let early = try await Self.state(path, as: mara, in: scene)
            try await scene.takeDown("1.0.0", of: made)
            #expect(try await save(whole, early) == .seeOther)

            let changes = ["second", "second\nfirst Neat.", "first Other.\nsecond", "\(whole)\nfourth"]
            for change in changes {
                let old = try await Self.state(path, as: mara, in: scene)
                let read = try await scene.get("/collections/picks")
                let tag = try #require(read.headers[.eTag])
                let changed = try await save(change, old)
                #expect(changed == .seeOther, "\(change)")
                let late = try await save(whole, old)
                #expect(late == .preconditionFailed, "\(change)")
                let deleted = try await scene.send(
                    .delete, "\(Paths.base)/collections/picks", as: mara, headers: [.ifMatch: tag])
                #expect(deleted.status == .preconditionFailed, "\(change)")
                let again = try await save(whole, try await Self.state(path, as: mara, in: scene))
                #expect(again == .seeOther, "\(change)")
            }
        }
    }

    @Test("Sheets may be named by their ids")
    func ids() async throws {
        try await CatalogScene.run { scene in
            let mara = try await Self.moderator(in: scene)
            let first = try await scene.addTemplate("First")
            let second = try await scene.addTemplate("Second")
            func make(_ sheets: String) async throws -> (status: HTTPResponse.Status, location: String?, text: String) {
                let fields = [("title", "Picks"), ("slug", "picks"), ("sheets", sheets)]
                return try await Self.post(Self.home, fields, as: mara, in: scene)
            }
            let unknown = try await make("first\n\(TemplateID.make())")
            #expect(unknown.status == .unprocessableContent && unknown.text.contains("Line 2: No such template."))
            let address = "https://market.example/sheets/\(second.id.description.uppercased())/manage"
            let made = try await make("\(address) Neat.\n\(first.id)")
            #expect(made.status == .seeOther, "\(made.text)")
            let detail = try await scene.get("/collections/picks").json(CollectionDetail.self)
            #expect(detail.items.map(\.template.id) == [second.id, first.id])
            #expect(detail.items.map(\.note) == ["Neat.", ""])
        }
    }

    @Test("The longest collection that may be fits into its form; of longer ones no line is looked at")
    func longest() async throws {
        try await CatalogScene.run { scene in
            let mara = try await Self.moderator(in: scene)
            try await Self.addFillers(in: scene)
            let note = String(repeating: "\u{10348}", count: CollectionService.maximumTextLength)
            let lines = (1...CollectionService.maximumItems).map { "filler-\($0) \(note)" }
            let whole = [("title", "Long"), ("slug", "long"), ("sheets", lines.joined(separator: "\r\n"))]
            let made = try await Self.post(Self.home, whole, as: mara, in: scene)
            #expect(made.status == .seeOther && made.location == "/collections/long")
            let slug = try #require(Slug("long"))
            let stored = try await CollectionService(catalog: scene.features.catalog).lines(slug)
            #expect(stored.count == CollectionService.maximumItems && stored.allSatisfy { $0.note == note })

            let unknown = (0...CollectionService.maximumItems).map { "none-\($0)" }.joined(separator: "\n")
            let fields = [("title", "More"), ("slug", "more"), ("sheets", unknown)]
            let refused = try await Self.post(Self.home, fields, as: mara, in: scene)
            #expect(refused.status == .unprocessableContent && refused.text.contains("At most 200 sheets."))
            #expect(!refused.text.contains("There is no sheet"))
        }
    }
}
