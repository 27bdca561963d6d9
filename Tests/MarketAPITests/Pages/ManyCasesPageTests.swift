// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore
import TestSupport
import Testing

@testable import MarketPages

@Suite("One decision on several cases, on their page")
struct ManyCasesPageTests {
    @Test("what is ticked in the queue is decided together, and what could not be says why; nothing is published so")
    func together() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let bea = try await scene.person("bea", role: .moderator)
            let free = try await scene.waiting(by: ada.id).caseID
            let others = try await scene.waiting(by: ada.id, named: "Other").caseID
            let queue = try await scene.page("/moderation", as: mod.http).text
            #expect(queue.contains("form=\"many\" name=\"case\" value=\"\(free)\"") && queue.contains("id=\"many\""))
            let address = "/moderation/many"
            let chosen = "case=\(free)&case=\(others)&case=\(free)"
            let page = try await scene.page("\(address)?\(chosen)", as: mod.http)
            #expect(page.text.contains("value=\"reject\"") && page.text.contains("value=\"request_changes\""))
            #expect(!page.text.contains("value=\"approve\""), "\(page.text)")
            let list = try #require(page.text.firstRange(of: "The cases</h2>"))
            let decision = try #require(page.text.firstRange(of: "id=\"decide\""))
            #expect(list.lowerBound < decision.lowerBound, "what is decided on is read before the form")
            #expect(page.text.contains("href=\"/moderation/audit\""), "it leads to the team's other pages")

            #expect(try await scene.form("/moderation/cases/\(others)/claim", "", as: bea.http).status == 303)
            let taken = try await scene.page("/moderation", as: mod.http).text
            #expect(!taken.contains("value=\"\(others)\""), "a case that another works on is not ticked")
            let approval = try await scene.form(
                address, "\(chosen)&decision=approve&reasonCode=meets_guidelines", as: mod.http)
            #expect(approval.status == 422 && approval.text.contains("Choose one of these."), "\(approval.text)")
            let open = try await scene.form(address, "\(chosen)&decision=reject&message=Bad.", as: mod.http)
            #expect(open.status == 422 && open.text.contains("id=\"reasonCode-mistake\""), "\(open.text)")
            #expect(open.text.contains(">Bad.</textarea>") && open.text.contains("value=\"reject\" required checked"))
            let done = try await scene.form(
                address, "\(chosen)&decision=reject&reasonCode=spam&message=Advertising.", as: mod.http)
            #expect(done.status == 200 && done.text.contains("1 of 2 decided."), "\(done.text)")
            #expect(done.text.contains("Another moderator has this case"))
            #expect(try await scene.page("/moderation?state=decided", as: mod.http).text.contains("\(free)"))

            let none = try await scene.page(address, as: mod.http)
            #expect(none.status == 200 && none.text.contains("No case was chosen"))
            #expect(try await scene.page("\(address)?case=x", as: mod.http).status == 404)
            #expect(try await scene.page("\(address)?\(chosen)", as: ada.http).status == 403)
            #expect(try await scene.form(address, chosen, as: ada.http).status == 403)
        }
    }

    @Test("reports and uploads together have no decision")
    func mixed() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let upload = try await scene.waiting(by: ada.id).caseID
            try await scene.report(try await scene.template("Lantern", by: ada.id), as: scene.person("bob").http)
            let queue = try await scene.page("/moderation?kind=report", as: mod.http).text
            let report = try #require(queue.firstMatch(of: /name="case" value="([^"]+)"/)?.output.1)
            let both = try await scene.page("/moderation/many?case=\(upload)&case=\(report)", as: mod.http).text
            #expect(both.contains("No decision fits all of these") && !both.contains("id=\"decide\""))
            let alone = try await scene.page("/moderation/many?case=\(report)", as: mod.http).text
            #expect(alone.contains("value=\"dismiss\"") && !alone.contains("value=\"reject\""), "\(alone)")
        }
    }
}
