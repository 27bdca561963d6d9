// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import NIOHTTP1
import SheetCore
import TestSupport
import Testing

@testable import MarketPages
@testable import MemberPages

@Suite("The pages of reports")
struct ReportPageTests {
    @Test("A sheet is reported on its page: signed in, with a reason, once, and the page says what happens next")
    func sheet() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let sheet = try await scene.template("Sheet", by: ada.id)
            let address = "/sheets/\(sheet.slug)/report"
            let shown = try await scene.page("/sheets/\(sheet.slug)", as: bob.http)
            #expect(shown.text.contains("href=\"\(address)\">Report this sheet</a>"), "\(shown.text)")
            let stranger = try await scene.page(address, as: scene.http)
            #expect(stranger.status == 303 && stranger.location == "/login?next=\(address)")
            #expect(try await scene.page("/sheets/none/report", as: bob.http).status == 404)

            let form = try await scene.page(address, as: bob.http)
            #expect(form.status == 200 && form.text.contains("value=\"personal_data\""), "\(form.text)")
            #expect(form.text.contains("Report this sheet</h1>") && form.text.contains("copyright notice"))
            let offered = form.text.matches(of: /name="reason" value="([a-z_]+)"/).map { String($0.output.1) }
            #expect(Set(offered) == Set(ReportReason.allCases.map(\.rawValue)) && offered.last == "other")
            let reasonless = try await scene.form(address, "text=My+%3Cown%3E+book.", as: bob.http)
            #expect(reasonless.status == 422 && reasonless.text.contains("id=\"reason-mistake\""))
            #expect(reasonless.text.contains(">My &lt;own&gt; book.</textarea>"), "what was typed is kept")
            let filed = try await scene.form(address, "reason=copyright&text=My+%3Cown%3E+book.", as: bob.http)
            #expect(filed.status == 303 && filed.location == "\(address)?done=copyright", "\(filed.text)")
            let after = try await scene.page(after: filed, as: bob.http)
            #expect(after.text.contains("Your report is with the moderators"))
            #expect(after.text.contains("Is it your own work?") && !after.text.contains("name=\"reason\""))
            #expect(after.text.contains("href=\"/sheets/\(sheet.slug)/copyright\""))
            // Whoever is given the address is thanked for nothing.
            let told = try await scene.page(filed.location, as: bob.http)
            #expect(told.status == 200 && !told.text.contains("Your report is with the moderators"))
            #expect(told.text.contains("name=\"reason\""))
            let again = try await scene.form(address, "reason=spam&text=Again.", as: bob.http)
            #expect(again.status == 409 && again.text.contains("You have reported this already"))
            #expect(again.text.contains("value=\"spam\" required checked") && again.text.contains(">Again.</textarea>"))
            let mine = try await bob.http.get("\(Paths.base)/reports/mine").json(ReportList.self)
            #expect(mine.reports.map(\.text) == ["My <own> book."])
            #expect(mine.reports.map(\.reason) == [.copyright] && mine.reports.first?.subject.kind == .template)
        }
    }

    @Test("A review is reported with the same form, which shows its words")
    func review() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let sheet = try await scene.template("Sheet", by: ada.id)
            let id = try await scene.review(sheet, by: bob.id)
            let address = "/reviews/\(id)/report"
            let shown = try await scene.page("/sheets/\(sheet.slug)", as: ada.http)
            #expect(shown.text.contains("href=\"\(address)\""))
            let own = try await scene.page("/sheets/\(sheet.slug)", as: bob.http)
            #expect(!own.text.contains(address), "nobody reports their own")
            let form = try await scene.page(address, as: ada.http)
            #expect(form.text.contains("Report this review</h1>") && form.text.contains(">Words.</p>"), "\(form.text)")
            let filed = try await scene.form(address, "reason=offensive&text=It+hurts.", as: ada.http)
            #expect(filed.status == 303 && filed.location == "\(address)?done=offensive", "\(filed.text)")
            let after = try await scene.page(after: filed, as: ada.http)
            #expect(after.text.contains("Your report is with the moderators"), "\(after.text)")
            #expect(!form.text.contains("/copyright") && !after.text.contains("/copyright"), "that is about sheets")
            let list = try await scene.page(ReportPages.home, as: ada.http)
            #expect(list.text.contains("A review of Sheet") && list.text.contains("It is offensive"))
            #expect(list.text.contains("It hurts.") && list.text.contains("With the moderators"))
            #expect(try await scene.page("/reviews/\(ReviewID.make())/report", as: ada.http).status == 404)
        }
    }

    @Test("One's reports tell what became of them, to their writer alone; a dismissal can be appealed")
    func list() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let mod = try await scene.person("mod", role: .moderator)
            let sheet = try await scene.template("Sheet", by: ada.id)
            let none = try await scene.page(ReportPages.home, as: bob.http)
            #expect(none.status == 200 && none.text.contains("You have reported nothing."))
            try await scene.report(sheet, as: bob.http)
            let open = try await scene.page(ReportPages.home, as: bob.http)
            #expect(open.text.contains("With the moderators") && open.text.contains("href=\"/sheets/sheet\""))
            #expect(open.text.contains("It is advertising") && !open.text.contains("/account/appeals/new"))
            #expect(try await scene.page(ReportPages.home, as: ada.http).text.contains("You have reported nothing."))

            let id = try await scene.onlyCase("report", as: mod.http)
            try await scene.decide(id, .dismiss, "It is no advertising.", as: mod.http)
            let closed = try await scene.page(ReportPages.home, as: bob.http)
            #expect(closed.text.contains("Dismissed</span>") && closed.text.contains("It is no advertising."))
            let address = "/account/appeals/new?case=\(id)"
            #expect(closed.text.contains("href=\"\(address)\""), "\(closed.text)")
            #expect(try await scene.page(address, as: bob.http).text.contains("It is no advertising."))
            let concerned = try await scene.page(address, as: ada.http)
            #expect(concerned.status == 404, "whose work it is, is not told of it")
            let lodged = try await scene.form("/account/appeals", "case=\(id)&text=It+is.", as: bob.http)
            #expect(lodged.status == 303, "\(lodged.text)")
            let after = try await scene.page(ReportPages.home, as: bob.http)
            #expect(after.text.contains("You appealed this.") && !after.text.contains(address))
        }
    }

    @Test("Who reported something is told of nobody else who did, but that the dismissal is looked at again, and how")
    func fellow() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let eve = try await scene.person("eve")
            let mod = try await scene.person("mod", role: .moderator)
            let bea = try await scene.person("bea", role: .moderator)
            let sheet = try await scene.template("Sheet", by: ada.id)
            try await scene.report(sheet, as: bob.http)
            try await scene.report(sheet, as: eve.http)
            let id = try await scene.onlyCase("report", as: mod.http)
            try await scene.decide(id, .dismiss, "It is no advertising.", as: mod.http)
            let lodged = try await scene.form("/account/appeals", "case=\(id)&text=It+is.", as: bob.http)
            #expect(lodged.status == 303, "\(lodged.text)")
            let own = try await scene.page("/account/appeals/new?case=\(id)", as: bob.http)
            #expect(own.text.contains("the answer stands among"), "\(own.text)")
            let list = try await scene.page(ReportPages.home, as: eve.http)
            #expect(list.text.contains("It is no advertising.") && !list.text.contains("appealed"), "\(list.text)")
            #expect(list.text.contains("This decision is being looked at again already."))
            let other = try await scene.page("/account/appeals/new?case=\(id)", as: eve.http)
            #expect(other.text.contains("is being looked at again already") && !other.text.contains("has appealed"))
            #expect(!other.text.contains("the answer stands among"), "\(other.text)")

            @Sendable func lodge(_ caller: TestHTTP) async throws -> TestHTTP.Answer {
                try await caller.send(
                    .POST, "\(Paths.base)/appeals",
                    json: AppealRequest(subject: .case, id: id.description, text: "It is."))
            }
            let fellow = try await lodge(eve.http)
            #expect(fellow.problemCode == .appealedBefore, "\(fellow.text)")
            #expect(fellow.text.contains("is being looked at again") && !fellow.text.contains("appealed this"))
            #expect(try await lodge(bob.http).text.contains("You have appealed this decision already"))
            let concerned = try await lodge(ada.http)
            #expect(concerned.status == 403, "whose work it is hears nothing of appeals: \(concerned.text)")

            let appeal = try await scene.onlyCase("appeal", as: bea.http)
            try await scene.decide(appeal, .uphold, "It is none.", as: bea.http)
            let late = try await lodge(eve.http)
            #expect(late.problemCode == .appealedBefore && late.text.contains("again already, and kept"))
            let ended = try await scene.page(ReportPages.home, as: eve.http)
            #expect(ended.text.contains("again already, and kept") && !ended.text.contains("It is none."))
        }
    }
}
