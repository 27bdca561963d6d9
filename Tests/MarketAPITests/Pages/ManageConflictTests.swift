// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore
import Testing

@testable import MarketHTTP

@Suite("Two people at the page of managing a sheet")
struct ManageConflictTests {
    private typealias Manage = ManagePageTests

    private static let home = Manage.home
    private static let version = "/sheets/sheet/versions/1.0.0"
    private static let deprecation = "/sheets/sheet/deprecation"

    @Test("Who saves over somebody else's change is shown it first, and can then save theirs")
    func lostUpdate() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("Sheet", tags: ["old"])
            let owner = scene.owner
            let revision = try await Manage.revision(of: "\(Self.home)", as: owner, in: scene)
            let first = Manage.entry(["summary": "By the first."], revision)
            #expect(try await Manage.post(Self.home, first, as: owner, in: scene).status == 303)
            let second = Manage.entry(["summary": "By the second."], revision)
            let refused = try await Manage.post(Self.home, second, as: owner, in: scene)
            #expect(refused.status == 412 && refused.text.contains("changed since you opened the page"))
            #expect(refused.text.contains("It says now: By the first."))
            #expect(refused.text.components(separatedBy: "It says now").count == 2)
            #expect(refused.text.contains("value=\"By the second.\""))
            let present = try Manage.revision(of: "\(Self.home)", in: refused.text)
            #expect(present.1 != revision.1)
            let again = Manage.entry(["summary": "By the second."], present)
            #expect(try await Manage.post(Self.home, again, as: owner, in: scene).status == 303)
            let detail = try await scene.get("/templates/sheet").json(TemplateDetail.self)
            #expect(detail.summary.summary == "By the second.")
        }
    }

    /// Which of these fields a page tells the present words of, each named by the field itself for who cannot see them.
    private static func explained(_ fields: [String], in text: String) -> [String] {
        var named: Set<String> = []
        for part in text.components(separatedBy: "aria-describedby=\"").dropFirst() {
            named.formUnion(part.prefix { $0 != "\"" }.split(separator: " ").map(String.init))
        }
        return fields.filter { text.contains(" id=\"\($0)-now\"") && named.contains("\($0)-now") }
    }

    @Test("What a field says by now is tied to the field")
    func description() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("Sheet", tags: ["old"])
            let owner = scene.owner
            let fields = ["name", "summary", "description", "tags", "language", "license"]
            let revision = try await Manage.revision(of: "\(Self.home)", as: owner, in: scene)
            let others = [
                "name": "Another Sheet", "summary": "By the first.", "description": "Other words.", "tags": "new",
                "language": "de", "license": "CC0-1.0",
            ]
            let first = Manage.entry(others, revision)
            let saved = try await Manage.post(Self.home, first, as: owner, in: scene)
            #expect(saved.status == 303 && Self.explained(fields, in: saved.text).isEmpty)
            let late = try await Manage.post(Self.home, Manage.entry([:], revision), as: owner, in: scene)
            #expect(late.status == 412)
            #expect(Self.explained(fields, in: late.text) == fields)
            let page = try await Manage.page(Self.home, as: owner, in: scene).text
            #expect(!page.contains("-now\""))
        }
    }

    @Test("Mending a mistake in an older form does not make it fit: the other's change is shown before it is lost")
    func mistakes() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("Sheet", tags: ["old"])
            let owner = scene.owner
            let long = String(repeating: "x", count: 501)
            let before = try await Manage.page(Self.home, as: owner, in: scene).text

            let entry = try Manage.revision(of: "\(Self.home)", in: before)
            let first = Manage.entry(["summary": "By the first."], entry)
            #expect(try await Manage.post(Self.home, first, as: owner, in: scene).status == 303)
            let bad = ["summary": "By the second.", "slug": "Not One"]
            let wrong = try await Manage.post(Self.home, Manage.entry(bad, entry), as: owner, in: scene)
            #expect(wrong.status == 422 && wrong.text.contains("id=\"slug-mistake\""))
            let kept = try Manage.revision(of: "\(Self.home)", in: wrong.text)
            let mended = Manage.entry(["summary": "By the second."], kept)
            let late = try await Manage.post(Self.home, mended, as: owner, in: scene)
            #expect(late.status == 412 && late.text.contains("It says now: By the first."))
            let detail = try await scene.get("/templates/sheet").json(TemplateDetail.self)
            #expect(detail.summary.summary == "By the first.")

            let advice = try Manage.revision(of: "\(Self.deprecation)", in: before)
            let empty = try await Manage.post(Self.deprecation, [advice], as: owner, in: scene)
            #expect(empty.status == 422)
            let still = try Manage.revision(of: "\(Self.deprecation)", in: empty.text)
            let said = [still, ("message", "Too small.")]
            #expect(try await Manage.post(Self.deprecation, said, as: owner, in: scene).status == 412)

            let yank = try Manage.revision(of: "\(Self.version)/yank", in: before)
            let moved = try await Manage.send(
                "\(Self.version)/channel", [("channel", "beta")], as: owner, in: scene)
            #expect(moved.status == 303)
            let tooLong = try await Manage.post("\(Self.version)/yank", [yank, ("reason", long)], as: owner, in: scene)
            #expect(tooLong.status == 422)
            let older = try Manage.revision(of: "\(Self.version)/yank", in: tooLong.text)
            let short = [older, ("reason", "A wrong table.")]
            let refused = try await Manage.post("\(Self.version)/yank", short, as: owner, in: scene)
            #expect(refused.status == 412 && refused.text.contains("value=\"A wrong table.\""))
            // A bare button stands beside what it is about, and fits that.
            let button = try Manage.revision(of: "\(Self.version)/channel", in: tooLong.text)
            let back = [button, ("channel", "stable")]
            #expect(try await Manage.post("\(Self.version)/channel", back, as: owner, in: scene).status == 303)
        }
    }

    @Test("A form that does not say what it was made of changes nothing")
    func withoutRevision() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet", tags: ["old"])
            _ = try await Manage.author("carl", .contributor, of: made, in: scene)
            let owner = scene.owner
            let forms: [(String, [(String, String)])] = [
                (Self.home, Manage.entry(["summary": "New."], ("revision", ""))),
                ("\(Self.version)/yank", [("reason", "A wrong table.")]), ("\(Self.version)/unyank", []),
                ("\(Self.version)/channel", [("channel", "beta")]), (Self.deprecation, [("message", "Too small.")]),
                ("\(Self.deprecation)/delete", []), ("/sheets/sheet/authors/carl", [("role", "maintainer")]),
                ("/sheets/sheet/authors/carl/delete", []),
            ]
            for (path, fields) in forms {
                let answer = try await Manage.post(path, fields, as: owner, in: scene)
                #expect(answer.status == 412, "\(path)")
            }
            let detail = try await scene.get("/templates/sheet").json(TemplateDetail.self)
            #expect(detail.summary.summary == "A sheet." && detail.deprecation == nil)
            #expect(detail.latest.state == .published && detail.latest.channel == .stable)
            let authors = try await scene.get("/templates/sheet/authors").json(AuthorList.self).authors
            #expect(authors.map(\.role) == [.owner, .contributor])
        }
    }

    @Test("A form that could not be done is shown again where it stood, among the older versions too")
    func olderVersions() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet")
            try await scene.addVersion("1.1.0", of: made)
            let owner = scene.owner
            let cursor = Cursor(list: "versions", keys: ["1.1.0"]).text
            let older = try await Manage.page("\(Self.home)?versions=\(cursor)", as: owner, in: scene).text
            #expect(!older.contains("id=\"version-1.1.0\""))
            for act in ["yank", "channel"] {
                #expect(
                    older.contains("action=\"\(Self.version)/\(act)?versions=\(cursor)\""), "\(act)")
            }
            let yank = "\(Self.version)/yank?versions=\(cursor)"
            let revision = try Manage.revision(of: yank, in: older)
            let long = String(repeating: "x", count: 501)
            let wrong = try await Manage.post(yank, [revision, ("reason", long)], as: owner, in: scene)
            #expect(wrong.status == 422 && wrong.text.contains("id=\"reason-0-mistake\""))
            #expect(wrong.text.contains("id=\"version-1.0.0\"") && !wrong.text.contains("id=\"version-1.1.0\""))
            #expect(wrong.text.contains("value=\"\(long)\""))
            let right = try Manage.revision(of: yank, in: wrong.text)
            let done = try await Manage.post(yank, [right, ("reason", "Old.")], as: owner, in: scene)
            #expect(done.status == 303 && done.location == "\(Self.home)?done=withdrawn&versions=\(cursor)")
            let after = try await Manage.page("\(Self.home)?versions=\(cursor)", as: owner, in: scene).text
            #expect(after.contains("action=\"\(Self.version)/unyank?versions=\(cursor)\""))
        }
    }

    @Test("Who advises against a sheet that somebody has advised against is shown what is said there")
    func advice() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("Sheet")
            try await scene.addTemplate("New Sheet")
            let owner = scene.owner
            let path = Self.deprecation
            let older = try await Manage.revision(of: "\(path)", as: owner, in: scene)
            let first = [older, ("message", "Too small."), ("successor", "new-sheet")]
            #expect(try await Manage.post(path, first, as: owner, in: scene).status == 303)
            let second = try await Manage.post(path, [older, ("message", "Mine.")], as: owner, in: scene)
            #expect(second.status == 412 && second.text.contains("what you typed is still here"))
            #expect(second.text.contains("value=\"Mine.\""))
            #expect(second.text.contains("It says now: Too small."))
            #expect(second.text.contains("It says now: new-sheet"))
            let fields = ["message", "successor"]
            #expect(Self.explained(fields, in: second.text) == fields)
            // Nothing was typed beside the button, so the fields hold what is there.
            let button = try await Manage.post("\(path)/delete", [older], as: owner, in: scene)
            #expect(button.status == 412 && button.text.contains("do it again if you still want to"))
            #expect(button.text.contains("value=\"Too small.\"") && !button.text.contains("It says now"))
            #expect(!button.text.contains("what you typed is still here"))
            let present = try Manage.revision(of: "\(path)", in: second.text)
            let deleted = try await Manage.post("\(path)/delete", [present], as: owner, in: scene)
            #expect(deleted.status == 303)
            let third = try await Manage.post(path, [present, ("message", "Mine.")], as: owner, in: scene)
            #expect(third.status == 412 && third.text.contains("It says now: (nothing)"))
        }
    }
}
