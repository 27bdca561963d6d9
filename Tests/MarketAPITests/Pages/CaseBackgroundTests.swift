// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import NIOHTTP1
import SheetCore
import TestSupport
import Testing

@testable import MarketPages

@Suite("What the team knows beside a case")
struct CaseBackgroundTests {
    @Test("a case tells whose work it is, with sanctions and other cases; notes are for the team alone")
    func background() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let upload = try await scene.waiting(by: ada.id)
            let address = "/moderation/cases/\(upload.caseID)"
            let before = try await scene.page(address, as: mod.http).text
            #expect(before.contains("About ada") && before.contains("href=\"/moderation/people/ada\""))
            #expect(before.contains("<dt>Strikes</dt><dd>0.0</dd>") && !before.contains("Suspension until"))
            let file = "/api/v1/moderation/cases/\(upload.caseID)/download"
            #expect(before.contains("href=\"\(file)\" download"))
            let imposed = try await scene.form(
                "/moderation/people/ada/sanctions", "kind=suspend&until=2027-12-31&reasonCode=spam&message=Stop.",
                as: mod.http)
            #expect(imposed.status == 303, "\(imposed.text)")
            let sanctioned = try await scene.page(address, as: mod.http).text
            #expect(sanctioned.contains("Suspension until 31 December 2027"), "\(sanctioned)")

            let empty = try await scene.form("\(address)/notes", "text=+", as: mod.http)
            #expect(empty.status == 422 && empty.text.contains("id=\"note-mistake\""), "\(empty.text)")
            #expect(!empty.text.contains("id=\"answer-mistake\""), "a note is not a message")
            let noted = try await scene.form("\(address)/notes", "text=Ask+%3Cbea%3E.", as: mod.http)
            #expect(noted.status == 303 && noted.location == "\(address)#notes", "\(noted.text)")
            let after = try await scene.page(address, as: mod.http).text
            #expect(after.contains("Ask &lt;bea&gt;.") && after.contains("<strong>mod</strong>"))
            let seen = try await scene.page("/submissions/\(upload.submission)", as: ada.http).text
            #expect(!seen.contains("Ask &lt;bea&gt;."))
            #expect(try await scene.form("\(address)/notes", "text=Hello.", as: ada.http).status == 403)
        }
    }

    @Test("an upload among the other cases is not called what the case itself is")
    func kinds() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let profile = try await ada.http.send(
                .PUT, "\(Paths.base)/me/profile", json: ProfileEdit(bio: "I draw."))
            #expect(profile.status == 200, "only what shows something can be reported")
            let upload = try await scene.waiting(by: ada.id).caseID
            let report = try await scene.form(
                "/authors/ada/report", "reason=other&text=Hm.", as: scene.person("bob").http)
            #expect(report.status == 303, "\(report.text)")
            let cases = try await mod.http.get("/api/v1/moderation/queue?kind=report").json(CaseList.self).cases
            let id = try #require(cases.first).id
            let page = try await scene.page("/moderation/cases/\(id)", as: mod.http).text
            #expect(page.contains("id=\"earlier\"") && page.contains("href=\"/moderation/cases/\(upload)\">Draft"))
            #expect(page.ranges(of: "Reported profile</span>").count == 1, "\(page)")
            let other = try await scene.page("/moderation/cases/\(upload)", as: mod.http).text
            #expect(!other.contains("id=\"earlier\""), "a profile is no case of the sheet")
        }
    }

    @Test("moderators see none of it on their own work")
    func own() async throws {
        try await EnforcementScene.run { scene in
            let bea = try await scene.person("bea", role: .moderator)
            let mod = try await scene.person("mod", role: .moderator)
            let upload = try await scene.waiting(by: bea.id)
            let address = "/moderation/cases/\(upload.caseID)"
            #expect(try await scene.form("\(address)/notes", "text=Hm.", as: mod.http).status == 303)
            let own = try await scene.page(address, as: bea.http).text
            #expect(own.contains("your own work") && !own.contains("Hm.") && !own.contains("About bea"), "\(own)")
        }
    }
}
