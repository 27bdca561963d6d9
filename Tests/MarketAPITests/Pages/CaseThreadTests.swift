// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import MarketWire
import Moderation
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketPages
@testable import ModerationService

@Suite("The thread on a case's page, and what the page offers")
struct CaseThreadTests {
    @Test("what the uploader wrote is told in the queue and on the case's page, until a moderator answers there")
    func thread() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let upload = try await scene.waiting(by: ada.id)
            let address = "/moderation/cases/\(upload.caseID)"
            let quiet = try await scene.page(address, as: mod.http).text
            #expect(quiet.contains("Write to the uploader") && !quiet.contains("nobody has answered"))
            scene.clock.advance(by: 1)
            let told = try await scene.form(
                "/submissions/\(upload.submission)/messages", "text=It+is+%3Cmine%3E.", as: ada.http)
            #expect(told.status == 303, "\(told.text)")
            #expect(try await scene.page("/moderation", as: mod.http).text.contains("New message</span>"))
            let page = try await scene.page(address, as: mod.http).text
            #expect(page.contains("It is &lt;mine&gt;.") && page.contains("<span class=\"state wait\">new</span>"))
            #expect(page.contains("href=\"#new\">read it</a>"))
            #expect(!page.contains("name=\"waits\""), "a case waits for an answer once it is claimed")

            let empty = try await scene.form("\(address)/messages", "text=+&hides=true", as: mod.http)
            #expect(empty.status == 422 && empty.text.contains("id=\"answer-mistake\""))
            #expect(empty.text.contains("name=\"hides\" value=\"true\" checked"), "what was chosen is kept")
            #expect(try await scene.form("\(address)/claim", "", as: mod.http).status == 303)
            #expect(try await scene.page(address, as: mod.http).text.contains("name=\"waits\""))
            scene.clock.advance(by: 1)
            let answer = try await scene.form(
                "\(address)/messages", "text=Show+a+sketch.&waits=true&hides=true", as: mod.http)
            #expect(answer.status == 303 && answer.location == "\(address)#messages", "\(answer.text)")
            let seen = try await scene.page("/submissions/\(upload.submission)", as: ada.http).text
            #expect(seen.contains("Show a sketch.") && seen.contains("A moderator</strong>"))
            let after = try await scene.page(address, as: mod.http).text
            #expect(after.contains("Waits for the uploader") && !after.contains(">new</span>"))
            #expect(!(try await scene.page("/moderation", as: mod.http).text.contains("New message</span>")))
            let fromElsewhere = try await scene.form("\(address)/messages", "text=Hello.", as: ada.http)
            #expect(fromElsewhere.status == 403, "\(fromElsewhere.text)")
        }
    }

    @Test("a co-author who moderates is offered neither the case nor its form")
    func own() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bea = try await scene.person("bea", role: .moderator)
            let upload = try await scene.waiting(by: ada.id)
            try await scene.features.database.execute(
                """
                INSERT INTO template_authors (template_id, user_id, role)
                SELECT template_id, \(bea.id), 'contributor' FROM submissions WHERE id = \(upload.submission)
                """)
            let page = try await scene.page("/moderation/cases/\(upload.caseID)", as: bea.http).text
            #expect(page.contains("about your own work"))
            #expect(!page.contains("/claim") && !page.contains("id=\"answer\""))
        }
    }

    @Test("a report's case offers nothing that would be refused: restoring what is up, sanctions on an equal")
    func fitting() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let eve = try await scene.person("eve", role: .moderator)
            let mod = try await scene.person("mod", role: .moderator)
            let sheet = try await scene.template("Sheet", by: ada.id)
            try await scene.report(sheet, as: bob.http)
            let id = try await scene.onlyCase("report", as: mod.http)
            func offered(_ id: CaseID) async throws -> [String] {
                _ = try await scene.form("/moderation/cases/\(id)/claim", "", as: mod.http)
                let page = try await scene.page("/moderation/cases/\(id)", as: mod.http).text
                return page.matches(of: /name="decision" value="([a-z_]+)"/).map { String($0.output.1) }
            }
            #expect(try await offered(id) == ["dismiss", "take_down", "warn", "suspend", "ban"])
            try await scene.takeDown(.template(sheet.id))
            #expect(try await offered(id) == ["dismiss", "restore", "warn", "suspend", "ban"])
            let request = NewCaseRequest(subject: ReportSubject(kind: .user, id: "eve"), note: "Again.")
            let opened = try await mod.http.send(.POST, "\(Paths.base)/moderation/cases", json: request)
            #expect(try await offered(try opened.json(CaseSummary.self).id) == ["dismiss", "take_down", "lift"])
            _ = eve
        }
    }

    @Test("without scripts a decision takes its usual reason, and one with several asks for it")
    func reasons() async throws {
        let folder = BuildProducts.root.appendingPathComponent("web/reasons")
        try await EnforcementScene.run(reasons: CannedReasonFiles.read([folder]).reasons) { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let mod = try await scene.person("mod", role: .moderator)
            let sheet = try await scene.template("Sheet", by: ada.id)
            try await scene.report(sheet, as: bob.http)
            let id = try await scene.onlyCase("report", as: mod.http)
            let address = "/moderation/cases/\(id)"
            _ = try await scene.form("\(address)/claim", "", as: mod.http)
            let page = try await scene.page(address, as: mod.http).text
            #expect(page.contains("<option value=\"\">Choose a reason</option><optgroup label=\"Dismiss\""))
            #expect(page.firstRange(of: "</select>") != nil && !page.contains("selected>"), "no reason is chosen yet")
            let warned = try await scene.form(
                "\(address)/decision", "decision=warn&reasonCode=&message=Mind+it.", as: mod.http)
            #expect(warned.status == 422 && warned.text.contains("Choose why."), "\(warned.text)")
            let dismissed = try await scene.form("\(address)/decision", "decision=dismiss&reasonCode=", as: mod.http)
            #expect(dismissed.status == 303, "\(dismissed.text)")
            let after = try await scene.page(address, as: mod.http).text
            #expect(after.contains("found nothing against the rules") && after.contains("Take the next case"))
        }
    }
}
