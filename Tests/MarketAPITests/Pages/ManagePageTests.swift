// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import HummingbirdTesting
import MarketPlatform
import MarketWire
import NIOCore
import Postgres
import SheetCore
import Testing

@testable import MarketAccounts

@Suite("The page of managing a sheet")
struct ManagePageTests {
    struct Answer: Sendable {
        let status: Int
        let location: String?
        /// What the browser is to send along from then on.
        let cookie: String?
        let text: String

        init(_ response: TestResponse) {
            status = response.status.code
            location = response.headers[.location]
            cookie = response.headers[.setCookie].map { line in String(line.prefix { $0 != ";" }) }
            text = String(buffer: response.body)
        }
    }

    static let home = "/sheets/sheet/manage"

    static func page(
        _ path: String, as caller: UserID?, after answer: Answer? = nil, in scene: CatalogScene
    ) async throws -> Answer {
        var headers: HTTPFields = [:]
        headers[.cookie] = answer?.cookie
        return Answer(try await scene.send(.get, path, as: caller, headers: headers))
    }

    static func post(
        _ path: String, _ fields: [(String, String)] = [], as caller: UserID?, in scene: CatalogScene
    ) async throws -> Answer {
        Answer(
            try await scene.send(
                .post, path, as: caller, headers: [.contentType: "application/x-www-form-urlencoded"],
                body: ByteBuffer(string: FormText.encoded(fields))))
    }

    /// A new account with a part in a template.
    static func author(
        _ handle: String, _ role: AuthorRole, of made: CatalogScene.Made, in scene: CatalogScene
    ) async throws -> UserID {
        let user = UserID.make()
        try await scene.addUser(user, handle)
        try await scene.features.database.execute(
            "INSERT INTO template_authors (template_id, user_id, role) VALUES (\(made.id), \(user), \(role))")
        return user
    }

    /// The state that the form with this action carries on a page.
    static func revision(of action: String, in text: String) throws -> (String, String) {
        // Its end, or its query: the actions of other forms begin alike.
        let forms = text.components(separatedBy: "action=\"\(action)").dropFirst()
        let form = try #require(forms.first { $0.hasPrefix("\"") || $0.hasPrefix("?") }, "\(action)")
        let value = try #require(form.components(separatedBy: "name=\"revision\" value=\"").dropFirst().first)
        return ("revision", String(value.prefix { $0 != "\"" }))
    }

    static func revision(
        of action: String, as caller: UserID, in scene: CatalogScene
    ) async throws -> (String, String) {
        try revision(of: action, in: try await page(home, as: caller, in: scene).text)
    }

    /// Sends the form with this action as the page of `reader`, or of who sends it, has it now.
    static func send(
        _ action: String, _ fields: [(String, String)] = [], as caller: UserID, seenBy reader: UserID? = nil,
        in scene: CatalogScene
    ) async throws -> Answer {
        let present = try await Self.revision(of: action, as: reader ?? caller, in: scene)
        return try await Self.post(action, [present] + fields, as: caller, in: scene)
    }

    // MARK: Who sees what

    /// Which forms and links a page has.
    private static func forms(_ text: String) -> [String] {
        let marks = [
            ("entry", "action=\"\(home)\""), ("rename", "name=\"slug\""), ("yank", "/versions/1.0.0/yank"),
            ("channel", "/versions/1.0.0/channel"), ("deprecate", "action=\"/sheets/sheet/deprecation\""),
            ("invite", "id=\"invite\""), ("hand over", "id=\"hand-over\""), ("part of carl", "Make carl a"),
            ("remove mia", "/authors/mia/delete"), ("remove carl", "/authors/carl/delete"),
            ("remove nadia", "/authors/nadia/delete"), ("upload", "href=\"/upload?template="),
        ]
        return marks.filter { text.contains($0.1) }.map { $0.0 }
    }

    @Test("Each author sees of the page what they may do, and nobody else sees it or the way to it")
    func rights() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet")
            let mia = try await Self.author("mia", .maintainer, of: made, in: scene)
            let carl = try await Self.author("carl", .contributor, of: made, in: scene)
            let people: [(UserRole, UserID)] = [(.user, .make()), (.moderator, .make()), (.administrator, .make())]
            for (role, id) in people { try await scene.addUser(id, "the-\(role.rawValue)", role: role) }
            let seen: [(UserID, [String])] = [
                (
                    scene.owner,
                    [
                        "entry", "rename", "yank", "channel", "deprecate", "invite", "hand over", "part of carl",
                        "remove mia", "remove carl", "upload",
                    ]
                ),
                (mia, ["entry", "yank", "channel", "deprecate", "remove mia", "upload"]),
                (carl, ["remove carl", "upload"]), (people[2].1, ["yank", "deprecate"]),
            ]
            for (caller, forms) in seen {
                let page = try await Self.page(Self.home, as: caller, in: scene)
                #expect(page.status == 200 && Self.forms(page.text) == forms, "\(forms)")
                let sheet = try await Self.page("/sheets/sheet", as: caller, in: scene)
                #expect(sheet.text.contains("href=\"\(Self.home)\""), "\(forms)")
            }
            let kept: [(UserID?, Int)] = [(nil, 401), (people[0].1, 403), (people[1].1, 403)]
            for (caller, status) in kept {
                let page = try await Self.page(Self.home, as: caller, in: scene)
                #expect(page.status == status)
                let sheet = try await Self.page("/sheets/sheet", as: caller, in: scene)
                #expect(!sheet.text.contains(Self.home))
                for path in [
                    "manage", "versions/1.0.0/yank", "versions/1.0.0/unyank", "versions/1.0.0/channel", "deprecation",
                    "deprecation/delete", "authors/mia", "authors/mia/delete", "invitations",
                ] {
                    let fields = [("channel", "beta"), ("message", "Old."), ("role", "contributor"), ("handle", "x")]
                    let answer = try await Self.post("/sheets/sheet/\(path)", fields, as: caller, in: scene)
                    #expect(answer.status == status, "\(path)")
                }
            }
            // A form that the page does not show is refused, and the page says why.
            let forged = try await Self.post(Self.home, [("name", "Mine")], as: carl, in: scene)
            #expect(forged.status == 403 && forged.text.contains("contributor, who may not do this"))
            #expect(try await Self.page("/sheets/none/manage", as: scene.owner, in: scene).status == 404)
            #expect(try await scene.get("/templates/sheet").json(TemplateDetail.self).summary.name == "Sheet")
        }
    }

    // MARK: The entry

    static func entry(_ changes: [String: String], _ revision: (String, String)) -> [(String, String)] {
        let before = [
            ("name", "Sheet"), ("summary", "A sheet."), ("description", "Words."), ("tags", "old"),
            ("license", "CC-BY-4.0"), ("language", "en"), ("slug", "sheet"),
        ]
        return [revision] + before.map { ($0.0, changes[$0.0] ?? $0.1) }
    }

    @Test("The entry is changed as by the API; what is wrong stands beside its field, and what was typed is kept")
    func editing() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("Sheet", tags: ["old"])
            try await scene.addTemplate("Taken")
            let owner = scene.owner
            let before = try await Self.page(Self.home, as: owner, in: scene).text
            #expect(before.contains("value=\"A sheet.\"") && before.contains("\nWords.</textarea>"))
            #expect(before.contains("<option value=\"CC-BY-4.0\" selected>"))
            let revision = try Self.revision(of: "\(Self.home)", in: before)
            let bad = ["name": "", "summary": "Kept \"too\".", "tags": "fine, No Tag!"]
            let wrong = try await Self.post(Self.home, Self.entry(bad, revision), as: owner, in: scene)
            #expect(wrong.status == 422 && wrong.text.contains("2 fields need another look."))
            #expect(wrong.text.contains("id=\"name-mistake\"") && wrong.text.contains("id=\"tags-mistake\""))
            #expect(wrong.text.contains("value=\"Kept &quot;too&quot;.\""))
            #expect(wrong.text.contains("value=\"fine, No Tag!\""))
            let taken = try await Self.post(Self.home, Self.entry(["slug": "taken"], revision), as: owner, in: scene)
            #expect(taken.status == 409 && taken.text.contains("id=\"slug-mistake\""))

            let good = [
                "name": "Better Sheet", "summary": "New.", "description": "", "tags": "one, , two",
                "license": "CC0-1.0", "language": "pt-br",
            ]
            let saved = try await Self.post(Self.home, Self.entry(good, revision), as: owner, in: scene)
            #expect(saved.status == 303 && saved.location == "\(Self.home)?done=saved")
            let after = try await Self.page("\(Self.home)?done=saved", as: owner, after: saved, in: scene).text
            #expect(after.contains("Saved.") && after.contains("<h1>Manage Better Sheet</h1>"))
            let detail = try await scene.get("/templates/sheet").json(TemplateDetail.self)
            #expect(detail.summary.name == "Better Sheet" && detail.summary.summary == "New.")
            #expect(detail.description.isEmpty && detail.summary.tags == ["one", "two"])
            #expect(detail.summary.license == "CC0-1.0" && detail.summary.language == "pt-BR")
        }
    }

    @Test("A new name in addresses leads on at once, and the old one leads to the page")
    func renaming() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("Sheet", tags: ["old"])
            let revision = try await Self.revision(of: "\(Self.home)", as: scene.owner, in: scene)
            let renamed = try await Self.post(
                Self.home, Self.entry(["slug": "new-name"], revision), as: scene.owner, in: scene)
            #expect(renamed.status == 303 && renamed.location == "/sheets/new-name/manage?done=saved")
            let old = try await Self.page(Self.home, as: scene.owner, in: scene)
            #expect(old.status == 308 && old.location == "/sheets/new-name/manage")
            let sent = try await Self.post(
                "/sheets/sheet/versions/1.0.0/yank", [("reason", "x")], as: scene.owner, in: scene)
            #expect(sent.status == 308 && sent.location == "/sheets/new-name/versions/1.0.0/yank")
        }
    }

    // MARK: Versions

    @Test("Versions are withdrawn with a reason, put back, and moved between the channels")
    func versions() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet")
            try await scene.addVersion("1.1.0", of: made)
            let owner = scene.owner
            let path = "/sheets/sheet/versions/1.1.0"
            func sent(_ act: String, _ fields: [(String, String)] = []) async throws -> Answer {
                try await Self.send("\(path)/\(act)", fields, as: owner, in: scene)
            }
            func version() async throws -> VersionDetail {
                try await scene.get("/templates/sheet/versions/1.1.0").json(VersionDetail.self)
            }
            let long = try await sent("yank", [("reason", String(repeating: "x", count: 501))])
            #expect(long.status == 422 && long.text.contains("id=\"reason-0-mistake\""))
            #expect(long.text.contains("<details open>") && !long.text.contains("id=\"reason-1-mistake\""))
            let stale = try await Self.revision(of: "\(path)/channel", as: owner, in: scene)
            let yanked = try await sent("yank", [("reason", "A wrong table.")])
            #expect(yanked.status == 303 && yanked.location == "\(Self.home)?done=withdrawn")
            #expect(try await version().yankReason == "A wrong table.")
            let shown = try await Self.page(Self.home, as: owner, in: scene).text
            #expect(shown.contains("It is withdrawn by its author: A wrong table."))
            #expect(!shown.contains("\(path)/yank") && !shown.contains("\(path)/channel"))
            let late = try await Self.post("\(path)/unyank", [stale], as: owner, in: scene)
            #expect(late.status == 412 && late.text.contains("changed since you opened the page"))
            #expect(try await sent("unyank").location == "\(Self.home)?done=offered")
            #expect(try await version().state == .published)
            #expect(try await sent("channel", [("channel", "beta")]).location == "\(Self.home)?done=channel")
            #expect(try await version().channel == .beta)
            #expect(try await sent("channel", [("channel", "gamma")]).status == 422)
            #expect(try await sent("channel", [("channel", "stable")]).status == 303)
            #expect(try await version().channel == .stable)
            let missing = try await Self.post("/sheets/sheet/versions/9.9.9/yank", as: owner, in: scene)
            #expect(missing.status == 404 && missing.text.contains("<h1>Manage Sheet</h1>"))
        }
    }

    @Test("A pre-release has no other channel, and what an administrator withdrew only an administrator puts back")
    func limits() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet")
            try await scene.addVersion("2.0.0-rc.1", of: made, channel: .beta)
            let ada = UserID.make()
            try await scene.addUser(ada, "ada", role: .administrator)
            let early = "/sheets/sheet/versions/2.0.0-rc.1"
            let before = try await Self.page(Self.home, as: scene.owner, in: scene).text
            #expect(before.contains("\(early)/yank") && !before.contains("\(early)/channel"))
            let revision = try Self.revision(of: "\(early)/yank", in: before)
            let forged = try await Self.post(
                "\(early)/channel", [revision, ("channel", "stable")], as: scene.owner, in: scene)
            #expect(forged.status == 422 && forged.text.contains("A pre-release can only be offered as a beta"))
            let yank = try await Self.send("\(early)/yank", [("reason", "Stolen.")], as: ada, in: scene)
            #expect(yank.status == 303)
            let shown = try await Self.page(Self.home, as: scene.owner, in: scene).text
            #expect(shown.contains("withdrawn by an administrator: Stolen.") && !shown.contains("\(early)/unyank"))
            let back = try await Self.send("\(early)/unyank", as: scene.owner, seenBy: ada, in: scene)
            #expect(back.status == 403 && back.text.contains("only an administrator can put it back"))
            #expect(try await Self.page(Self.home, as: ada, in: scene).text.contains("\(early)/unyank"))
            #expect(try await Self.send("\(early)/unyank", as: ada, in: scene).status == 303)
        }
    }

    @Test("A sheet of which nothing is on offer has its page of managing still, to put a version back")
    func withdrawn() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet")
            let path = "/sheets/sheet/versions/1.0.0"
            let carl = try await Self.author("carl", .contributor, of: made, in: scene)
            #expect(try await Self.send("\(path)/yank", as: scene.owner, in: scene).status == 303)
            #expect(try await Self.page("/sheets/sheet", as: scene.owner, in: scene).status == 404)
            let page = try await Self.page(Self.home, as: scene.owner, in: scene)
            #expect(page.status == 200 && page.text.contains("Nothing of this sheet is on offer"))
            #expect(!page.text.contains("action=\"\(Self.home)\"") && page.text.contains("\(path)/unyank"))
            #expect(page.text.contains("/upload?template=\(made.id)"))
            #expect(page.text.contains("Put a version back on offer, or upload a new one."))
            let theirs = try await Self.page(Self.home, as: carl, in: scene).text
            #expect(theirs.contains("Upload a new version to change that.") && !theirs.contains("Put a version back"))
            #expect(try await Self.send("\(path)/unyank", as: scene.owner, in: scene).status == 303)
            #expect(try await Self.page("/sheets/sheet", as: scene.owner, in: scene).status == 200)
        }
    }

    // MARK: Deprecation

    @Test("A sheet is advised against with a message and another to use, and that is taken back")
    func deprecation() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("Sheet")
            try await scene.addTemplate("New Sheet")
            let owner = scene.owner
            let path = "/sheets/sheet/deprecation"
            let revision = try await Self.revision(of: "\(path)", as: owner, in: scene)
            let empty = try await Self.post(path, [revision, ("successor", "new-sheet")], as: owner, in: scene)
            #expect(empty.status == 422 && empty.text.contains("id=\"message-mistake\""))
            #expect(empty.text.contains("value=\"new-sheet\""))
            for nothing in ["nobody", "No Slug"] {
                let fields = [revision, ("message", "Too small."), ("successor", nothing)]
                let answer = try await Self.post(path, fields, as: owner, in: scene)
                #expect(answer.status == 422 && answer.text.contains("id=\"successor-mistake\""), "\(nothing)")
                #expect(answer.text.contains("value=\"Too small.\"") && answer.text.contains("value=\"\(nothing)\""))
            }
            let fields = [revision, ("message", "Too small."), ("successor", "new-sheet")]
            let done = try await Self.post(path, fields, as: owner, in: scene)
            #expect(done.status == 303 && done.location == "\(Self.home)?done=deprecated")
            #expect(try await Self.post("\(path)/delete", [revision], as: owner, in: scene).status == 412)
            let shown = try await Self.page(Self.home, as: owner, in: scene).text
            #expect(shown.contains("value=\"Too small.\"") && shown.contains("value=\"new-sheet\""))
            let sheet = try await Self.page("/sheets/sheet", as: nil, in: scene).text
            #expect(sheet.contains("This sheet is deprecated") && sheet.contains("href=\"/sheets/new-sheet\""))
            let present = try Self.revision(of: "\(path)/delete", in: shown)
            let back = try await Self.post("\(path)/delete", [present], as: owner, in: scene)
            #expect(back.status == 303 && back.location == "\(Self.home)?done=undeprecated")
            #expect(try await scene.get("/templates/sheet").json(TemplateDetail.self).deprecation == nil)
        }
    }

    // MARK: People

    @Test("The owner asks somebody to be an author or the new owner, and takes that back")
    func inviting() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("Sheet")
            for handle in ["mia", "carl"] { try await scene.addUser(.make(), handle) }
            let owner = scene.owner
            let path = "/sheets/sheet/invitations"
            func invited(_ handle: String, _ role: String) async throws -> Answer {
                try await Self.post(path, [("handle", handle), ("role", role)], as: owner, in: scene)
            }
            let unknown = try await invited("no-body", "contributor")
            #expect(unknown.status == 422 && unknown.text.contains("id=\"invite-handle-mistake\""))
            #expect(unknown.text.contains("value=\"no-body\"") && unknown.text.contains("id=\"hand-over\">"))
            #expect(unknown.text.contains("value=\"contributor\" required checked"))
            let partless = try await Self.post(path, [("handle", "mia")], as: owner, in: scene)
            #expect(partless.status == 422 && partless.text.contains("aria-describedby=\"invite-role-mistake\""))
            #expect(partless.text.contains("id=\"invite-role-mistake\">Choose one of these."))
            let asked = try await invited("mia", "contributor")
            #expect(asked.status == 303 && asked.location == "\(Self.home)?done=invited")
            let twice = try await invited("mia", "maintainer")
            #expect(twice.status == 409 && twice.text.contains("They are invited already"))
            let offered = try await invited("carl", "owner")
            #expect(offered.status == 303)
            let again = try await invited("mia", "owner")
            #expect(again.status == 409 && again.text.contains("id=\"hand-over\" open>"))
            let shown = try await Self.page(Self.home, as: owner, in: scene).text
            #expect(shown.contains("is asked to be a contributor") && shown.contains("is offered the sheet"))
            let open = try await scene.get("/templates/sheet/invitations", as: owner).json(InvitationList.self)
            #expect(open.invitations.count == 2)
            for invitation in open.invitations {
                let action = "\(path)/\(invitation.id)/withdraw"
                #expect(shown.contains("action=\"\(action)\""))
                let gone = try await Self.post(action, as: owner, in: scene)
                #expect(gone.status == 303 && gone.location == "\(Self.home)?done=uninvited")
                let late = try await Self.post(action, as: owner, in: scene)
                #expect(late.status == 409 && late.text.contains("This invitation is withdrawn."))
            }
            #expect(try await !Self.page(Self.home, as: owner, in: scene).text.contains("id=\"invitations\""))
        }
    }

    @Test("The owner changes parts and removes authors; an author leaves by themselves")
    func authors() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet")
            let mia = try await Self.author("mia", .maintainer, of: made, in: scene)
            _ = try await Self.author("carl", .contributor, of: made, in: scene)
            let owner = scene.owner
            let path = "/sheets/sheet/authors"
            func parts() async throws -> [String] {
                try await scene.get("/templates/sheet/authors").json(AuthorList.self).authors.map {
                    "\($0.handle) \($0.role.rawValue)"
                }
            }
            let revision = try await Self.revision(of: "\(path)/carl", as: owner, in: scene)
            let role = ("role", "maintainer")
            let changed = try await Self.post("\(path)/carl", [revision, role], as: owner, in: scene)
            #expect(changed.status == 303 && changed.location == "\(Self.home)?done=changed")
            #expect(try await parts() == ["nadia owner", "mia maintainer", "carl maintainer"])
            let late = try await Self.post("\(path)/carl/delete", [revision], as: owner, in: scene)
            #expect(late.status == 412 && late.text.contains("changed since you opened the page"))
            let present = try Self.revision(of: "\(path)/carl/delete", in: late.text)
            let removed = try await Self.post("\(path)/carl/delete", [present], as: owner, in: scene)
            #expect(removed.status == 303 && removed.location == "\(Self.home)?done=removed")
            let crowned = try await Self.post("\(path)/mia", [("role", "owner")], as: owner, in: scene)
            #expect(crowned.status == 422 && crowned.text.contains("handed over by an invitation"))
            let kept = try await Self.revision(of: "\(path)/mia/delete", as: owner, in: scene)
            #expect(try await Self.post("\(path)/nadia/delete", [kept], as: owner, in: scene).status == 409)
            let left = try await Self.post("\(path)/mia/delete", [kept], as: mia, in: scene)
            #expect(left.status == 303 && left.location == "/account")
            #expect(try await Self.page(Self.home, as: mia, in: scene).status == 403)
            #expect(try await parts() == ["nadia owner"])
        }
    }
}
