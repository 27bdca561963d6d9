// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import MarketHTTP
import MarketPlatform
import MarketWire
import Moderation
import NIOCore
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAccounts
@testable import MarketCatalog
@testable import MarketPages
@testable import MemberPages

@Suite("The pages of copyright notices")
struct CopyrightPageTests {
    private static let notice = [
        ("work", "My book, page 12."), ("explanation", "It is my <page>."), ("name", "Cora Copeland"),
        ("email", "cora@example.org"), ("phone", "+1 555 0100"), ("address", "1 Main Street"), ("inGoodFaith", "yes"),
        ("underPenaltyOfPerjury", "yes"), ("signature", "Cora Copeland"),
    ]

    static let counter = [
        ("explanation", "I drew <it>."), ("name", "Ada Author"), ("phone", "+1 555 0101"), ("address", "2 Side Street"),
        ("underPenaltyOfPerjury", "yes"), ("consentsToJurisdiction", "yes"), ("signature", "Ada Author"),
    ]

    /// The fields without one of them.
    private static func encoded(_ fields: [(String, String)], without name: String = "") -> String {
        FormText.encoded(fields.filter { $0.0 != name })
    }

    private static func notices(as moderator: TestHTTP) async throws -> [CopyrightNotice] {
        try await moderator.get("\(Paths.base)/copyright/notices").json(CopyrightNoticeList.self).notices
    }

    private static func decide(
        _ id: CopyrightNoticeID, _ decision: String, as moderator: TestHTTP
    ) async throws {
        let answer = try await moderator.send(
            .POST, "\(Paths.base)/copyright/notices/\(id)/decision",
            json: CopyrightDecisionRequest(decision: decision, message: "Looked <at> it."))
        try #require(answer.status == 200, "\(answer.text)")
    }

    @Test("Anybody gives a notice on the sheet's form, which asks for all that the law does, and is told its number")
    func giving() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let sheet = try await scene.template("Sheet", by: ada.id)
            let address = "/sheets/\(sheet.slug)/copyright"
            let shown = try await scene.page("/sheets/\(sheet.slug)", as: scene.http)
            #expect(shown.text.contains("href=\"\(address)\">Copyright notice</a>"), "\(shown.text)")
            let report = try await scene.page("/sheets/\(sheet.slug)/report", as: mod.http)
            #expect(report.text.contains("href=\"\(address)\""), "\(report.text)")
            let form = try await scene.page(address, as: scene.http)
            #expect(form.status == 200 && form.text.contains("Copyright notice</h1>"), "\(form.text)")
            #expect(form.text.contains("<option value=\"1.0.0\">Version 1.0.0 alone</option>"))
            let missing = try await scene.page("/sheets/none/copyright", as: scene.http)
            #expect(missing.status == 404)

            for (name, _) in Self.notice {
                let wrong = try await scene.form(address, Self.encoded(Self.notice, without: name), as: scene.http)
                #expect(wrong.status == 422 && wrong.text.contains("id=\"\(name)-mistake\""), "\(name): \(wrong.text)")
                if name == "signature" {
                    #expect(wrong.text.contains(">It is my &lt;page&gt;.</textarea>"), "what was typed is kept")
                    #expect(wrong.text.contains("value=\"Cora Copeland\""))
                    #expect(wrong.text.contains("name=\"inGoodFaith\" value=\"yes\" required checked"))
                }
            }
            let foreign = try await scene.http.send(
                .POST, address,
                headers: [("Sec-Fetch-Site", "cross-site"), ("Content-Type", "application/x-www-form-urlencoded")],
                body: ByteBuffer(string: Self.encoded(Self.notice)))
            #expect(foreign.status == 403 && foreign.problemCode == .crossSite)
            let none = try await Self.notices(as: mod.http)
            #expect(none.isEmpty)

            let fields = Self.encoded(Self.notice + [("version", "1.0.0"), ("once", UUID().uuidString)])
            let sent = try await scene.form(address, fields, as: scene.http)
            #expect(sent.status == 303 && sent.location.hasPrefix("\(address)?done="), "\(sent.text)")
            let again = try await scene.form(address, fields, as: scene.http)
            #expect(again.status == 303 && again.location == sent.location, "the same notice")
            let notices = try await Self.notices(as: mod.http)
            let notice = try #require(notices.first)
            #expect(notices.count == 1 && notice.subject.kind == .version && notice.subject.version == "1.0.0")
            #expect(notice.explanation == "It is my <page>." && notice.contact?.address == "1 Main Street")

            let after = try await scene.page(after: sent, as: scene.http)
            #expect(after.text.contains("<code id=\"number\">\(notice.id)</code>"), "\(after.text)")
            #expect(after.text.contains("ten to fourteen business days") && !after.text.contains("name=\"signature\""))
            #expect(!after.text.contains("/account/copyright/"), "it has a page for accounts alone")
            let told = try await scene.page(sent.location, as: scene.http)
            #expect(!told.text.contains(">Your notice came in<"), "nobody is known to have been led there")
            #expect(told.text.contains("<code id=\"number\">\(notice.id)</code>"), "who takes no cookies needs it")
            #expect(told.text.contains("What happens next") && told.text.contains("href=\"\(address)\">Send another"))
            let nonsense = try await scene.page("\(address)?done=nonsense", as: scene.http)
            #expect(nonsense.status == 200 && nonsense.text.contains("name=\"signature\""))
            let route = try #require(
                scene.node.routes.first { $0.path == "/sheets/{id}/copyright" && $0.method == .post })
            #expect(route.cost == .upload && route.access == .optionalAuthentication)
        }
    }

    @Test("A notice can be given about what is not on offer, and about what another notice has taken down")
    func unseen() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let yanked = try await scene.template("Yanked Sheet", by: ada.id)
            let answer = try await ada.http.send(
                .POST, "\(Paths.base)/templates/\(yanked.slug)/versions/1.0.0/yank", json: YankRequest(reason: "Old."))
            #expect(answer.status == 200, "\(answer.text)")
            let beta = try await scene.template("Beta Sheet", by: ada.id)
            try await scene.features.database.withTransaction { connection in
                try await connection.execute("UPDATE versions SET channel = 'beta' WHERE template_id = \(beta.id)")
                try await Publishing.recomputeLatest(connection, templateID: beta.id)
            }
            let down = try await scene.template("Down Sheet", by: ada.id)
            try await scene.takeDown(.template(down.id))
            for (sheet, name) in [(yanked, "Yanked Sheet"), (beta, "Beta Sheet"), (down, down.slug)] {
                let address = "/sheets/\(sheet.slug)/copyright"
                let form = try await scene.page(address, as: scene.http)
                #expect(form.status == 200 && form.text.contains("“\(name)” copies"), "\(form.text)")
                #expect(form.text.contains("Version 1.0.0 alone") == (sheet.id != down.id))
                let isLinked = form.text.contains("href=\"/sheets/\(sheet.slug)\"")
                #expect(isLinked == (sheet.id == beta.id), "of the others there is no page")
                let sent = try await scene.form(address, Self.encoded(Self.notice), as: scene.http)
                #expect(sent.status == 303, "\(sent.text)")
                let after = try await scene.page(after: sent, as: scene.http)
                #expect(after.status == 200 && after.text.contains(">Your notice came in<"), "\(after.text)")
            }
            let notices = try await Self.notices(as: mod.http)
            #expect(Set(notices.map(\.subject.id)) == Set([yanked, beta, down].map(\.id.description)))
        }
    }

    @Test("Of a notice about one version its page says that this is gone, and no more")
    func oneVersion() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let sheet = try await scene.template("Sheet", by: ada.id)
            try await scene.publish("1.1.0", of: sheet)
            _ = try await scene.form(
                "/sheets/\(sheet.slug)/copyright", Self.encoded(Self.notice + [("version", "1.0.0")]), as: scene.http)
            let notices = try await Self.notices(as: mod.http)
            let id = try #require(notices.first?.id)
            try await Self.decide(id, "accept", as: mod.http)
            let page = try await scene.page("\(CopyrightPages.home)/\(id)", as: ada.http)
            #expect(page.text.contains("Version 1.0.0 of the sheet can no longer be seen"), "\(page.text)")
            #expect(page.text.contains("href=\"/sheets/\(sheet.id)\">Sheet 1.0.0</a>"))
            let left = try await scene.page("/sheets/\(sheet.slug)", as: scene.http)
            #expect(left.status == 200)
        }
    }

    @Test("A claimant with an account reads how the notice stands, and nobody else does before it is found in order")
    func following() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let cora = try await scene.person("cora")
            let eve = try await scene.person("eve")
            let mod = try await scene.person("mod", role: .moderator)
            let sheet = try await scene.template("Sheet", by: ada.id)
            let sent = try await scene.form(
                "/sheets/\(sheet.slug)/copyright", Self.encoded(Self.notice), as: cora.http)
            #expect(sent.status == 303, "\(sent.text)")
            let notices = try await Self.notices(as: mod.http)
            let id = try #require(notices.first?.id)
            let address = "\(CopyrightPages.home)/\(id)"
            let after = try await scene.page(after: sent, as: cora.http)
            #expect(after.text.contains("href=\"\(address)\""), "\(after.text)")
            let shown = try await scene.page(address, as: cora.http)
            #expect(shown.status == 200 && shown.text.contains("With the moderators"), "\(shown.text)")
            #expect(shown.text.contains("It is my &lt;page&gt;.") && shown.text.contains("1 Main Street"))
            #expect(shown.text.contains("href=\"/sheets/\(sheet.id)\">Sheet</a>"))
            #expect(!shown.text.contains("id=\"object\""), "it is not theirs to object")
            for other in [ada.http, eve.http] {
                let hidden = try await scene.page(address, as: other)
                #expect(hidden.status == 404)
                let early = try await scene.form(address, Self.encoded(Self.counter), as: other)
                #expect(early.status == 404, "\(early.text)")
            }
            let stranger = try await scene.page(address, as: scene.http)
            #expect(stranger.status == 303 && stranger.location == "/login?next=\(address)")
            try await Self.decide(id, "reject", as: mod.http)
            let ended = try await scene.page(address, as: cora.http)
            #expect(ended.text.contains("Rejected</span>") && ended.text.contains("Looked &lt;at&gt; it."))
        }
    }

    @Test("The author finds the notice among what was decided, and objects to it on its page, suspended or not")
    func objecting() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let eve = try await scene.person("eve")
            let mod = try await scene.person("mod", role: .moderator)
            let sheet = try await scene.template("Sheet", by: ada.id)
            _ = try await scene.form("/sheets/\(sheet.slug)/copyright", Self.encoded(Self.notice), as: scene.http)
            let notices = try await Self.notices(as: mod.http)
            let id = try #require(notices.first?.id)
            let address = "\(CopyrightPages.home)/\(id)"
            try await Self.decide(id, "accept", as: mod.http)

            let gone = try await scene.page("/sheets/\(sheet.slug)", as: ada.http)
            #expect(gone.status == 410 && gone.text.contains("href=\"\(AppealPages.home)\""), "\(gone.text)")
            let decided = try await scene.page(AppealPages.home, as: ada.http)
            #expect(decided.text.contains("href=\"\(address)\""), "\(decided.text)")
            let form = try await scene.page(address, as: ada.http)
            #expect(form.status == 200 && form.text.contains("Taken down</span>"), "\(form.text)")
            #expect(form.text.contains("It is my &lt;page&gt;.") && form.text.contains("Looked &lt;at&gt; it."))
            #expect(form.text.contains("id=\"object\"") && !form.text.contains("1 Main Street"))
            let hidden = try await scene.page(address, as: eve.http)
            #expect(hidden.status == 404)
            let page = try await scene.page(address, as: mod.http)
            #expect(page.status == 200 && page.text.contains("1 Main Street") && !page.text.contains("id=\"object\""))

            let until = scene.clock.now.addingTimeInterval(86_400)
            _ = try await scene.impose(.suspension([.all], until: until), on: ada.id)
            for (name, _) in Self.counter {
                let wrong = try await scene.form(address, Self.encoded(Self.counter, without: name), as: ada.http)
                #expect(wrong.status == 422 && wrong.text.contains("id=\"\(name)-mistake\""), "\(name): \(wrong.text)")
                if name == "signature" { #expect(wrong.text.contains(">I drew &lt;it&gt;.</textarea>")) }
            }
            let sent = try await scene.form(address, Self.encoded(Self.counter), as: ada.http)
            #expect(sent.status == 303 && sent.location == "\(address)?done=countered", "\(sent.text)")
            let after = try await scene.page(after: sent, as: ada.http)
            #expect(after.text.contains("Your counter-notice came in") && after.text.contains("Objected to</span>"))
            #expect(after.text.contains("I drew &lt;it&gt;.") && !after.text.contains("id=\"object\""))
            let told = try await Self.notices(as: mod.http)
            #expect(told.first?.counter?.contact?.address == "2 Side Street" && told.first?.state == "countered")
            let late = try await scene.form(address, Self.encoded(Self.counter), as: ada.http)
            #expect(late.status == 409 && late.text.contains(">I drew &lt;it&gt;.</textarea>"), "\(late.text)")
        }
    }

    @Test("Moderators find what waits, decide it on its page and are offered only what can happen to it now")
    func deciding() async throws {
        try await EnforcementScene.run { scene in
            let mod = try await scene.person("mod", role: .moderator)
            let own = try await scene.person("own", role: .moderator)
            let ada = try await scene.person("ada")
            let sheet = try await scene.template("Sheet", by: ada.id)
            let home = "/moderation/copyright"
            #expect(try await scene.page(home, as: mod.http).text.contains("No notice waits"))
            #expect(try await scene.page(home, as: ada.http).status == 403)
            _ = try await scene.form("/sheets/\(sheet.slug)/copyright", Self.encoded(Self.notice), as: scene.http)
            let waiting = try await scene.page(home, as: mod.http)
            let found = try #require(
                waiting.text.firstMatch(of: /href="(\/moderation\/copyright\/[^"?]+)">Sheet</)?.output.1,
                "\(waiting.text)")
            let address = String(found)
            let shown = try await scene.page(address, as: mod.http)
            #expect(shown.text.contains("1 Main Street") && shown.text.contains("It is my &lt;page&gt;."))
            #expect(shown.text.contains("value=\"accept\"") && !shown.text.contains("value=\"suit\""))
            #expect(!shown.text.contains("required checked"), "nothing is chosen where there is a choice")
            #expect(try await scene.page(address, as: ada.http).status == 403)

            let wordless = try await scene.form("\(address)/decision", "decision=accept&message=+", as: mod.http)
            #expect(wordless.status == 422 && wordless.text.contains("id=\"message-mistake\""), "\(wordless.text)")
            #expect(wordless.text.contains("value=\"accept\" required checked"), "the choice is kept")
            #expect(wordless.text.contains("Write why, in at most 4000 characters."), "\(wordless.text)")
            let silent = try await scene.form("\(address)/decision", "message=Why.", as: mod.http)
            #expect(silent.status == 422 && silent.text.contains(">Why.</textarea>"), "\(silent.text)")
            #expect(
                try await scene.form("\(address)/decision", "decision=accept&message=No.", as: ada.http).status == 403)
            let accepted = try await scene.form("\(address)/decision", "decision=accept&message=%3Cb%3E", as: mod.http)
            #expect(accepted.status == 303 && accepted.location == "\(address)?done=decided", "\(accepted.text)")
            let after = try await scene.page(after: accepted, as: mod.http)
            #expect(
                after.text.contains("Your decision is entered") && after.text.contains("&lt;b&gt;"), "\(after.text)")
            #expect(after.text.contains("value=\"withdraw\" required checked"), "the only choice is chosen")
            #expect(!after.text.contains("value=\"accept\""))
            #expect(try await scene.page("/sheets/\(sheet.slug)", as: scene.http).status == 410)
            let late = try await scene.form("\(address)/decision", "decision=reject&message=Late.", as: mod.http)
            #expect(late.status == 409 && late.text.contains(">Late.</textarea>"), "\(late.text)")
            #expect(try await scene.page(home, as: mod.http).text.contains("No notice waits"))
            let down = try await scene.page("\(home)?state=taken_down", as: mod.http)
            #expect(down.text.contains("href=\"\(address)\">Sheet"), "\(down.text)")

            let back = try await scene.form("\(address)/decision", "decision=withdraw&message=Settled.", as: mod.http)
            #expect(back.status == 303, "\(back.text)")
            #expect(try await scene.page("/sheets/\(sheet.slug)", as: scene.http).status == 200)
            let ended = try await scene.page(address, as: mod.http)
            #expect(ended.text.contains("There is nothing to decide on it now."), "\(ended.text)")
            #expect(try await scene.page("/moderation/audit", as: mod.http).text.contains("copyright.withdrawn"))

            let theirs = try await scene.template("Their Sheet", by: own.id)
            _ = try await scene.form("/sheets/\(theirs.slug)/copyright", Self.encoded(Self.notice), as: scene.http)
            let all = try await scene.page("\(home)?state=all", as: own.http)
            let about = try #require(
                all.text.firstMatch(of: /href="(\/moderation\/copyright\/[^"?]+)">Their Sheet</)?.output.1)
            let barred = try await scene.page(String(about), as: own.http)
            #expect(barred.text.contains("Another moderator has to decide."), "\(barred.text)")
            #expect(!barred.text.contains("Enter the decision"), "no button that would be refused")
        }
    }
}
