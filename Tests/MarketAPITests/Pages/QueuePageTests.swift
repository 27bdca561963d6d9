// SPDX-License-Identifier: Apache-2.0
import MarketWire
import NIOHTTP1
import SheetCore
import TestSupport
import Testing

@testable import MarketPages

@Suite("The moderators' page of the queue")
struct QueuePageTests {
    @Test("tabs count what they show, a case tells its promised time and who has it, and words find it")
    func tabs() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let mod = try await scene.person("mod", role: .moderator)
            let bea = try await scene.person("bea", role: .moderator)
            let upload = try await scene.waiting(by: ada.id)
            try await scene.report(try await scene.template("Lantern", by: bob.id), as: ada.http)
            func page(_ query: String = "", as caller: TestHTTP) async throws -> String {
                try await scene.page("/moderation\(query)", as: caller).text
            }
            let all = try await page(as: mod.http)
            #expect(all.contains("To do <span class=\"count\">2</span>") && all.contains("data-label=\"Promised\""))
            #expect(all.contains("Mine <span class=\"count\">0</span>") && all.contains("Take the next"))
            #expect(try await scene.form("/moderation/cases/\(upload.caseID)/claim", "", as: mod.http).status == 303)
            let other = try await page("?state=claimed", as: bea.http)
            #expect(other.contains("With mod") && other.contains("until <time"), "\(other)")
            #expect(other.contains("Claimed <span class=\"count\">1</span>") && !other.contains("Lantern"))
            let mine = try await page("?mine=true", as: mod.http)
            #expect(mine.contains("Mine <span class=\"count\">1</span>") && mine.contains(">Yours</span>"))
            // As a form sends it, with what was left open.
            let found = try await page("?q=LANT&kind=&gameSystem=&state=", as: mod.http)
            #expect(found.contains("Lantern") && !found.contains("/moderation/cases/\(upload.caseID)\""))
            #expect(found.contains("value=\"LANT\"") && found.contains("To do <span class=\"count\">1</span>"))
            #expect(try await page("?q=bob", as: mod.http).contains("Lantern"), "by the person's handle")
            #expect(try await page("?q=%25", as: mod.http).contains("No case fits"), "a sign is only itself")
            let uploads = try await page("?kind=submission", as: mod.http)
            #expect(!uploads.contains("Lantern") && uploads.contains("selected>Uploads"))
            let wrong = try await scene.page("/moderation?kind=letters", as: mod.http)
            #expect(wrong.status == 422, "\(wrong.text)")
            scene.clock.advance(by: 40 * 86_400)
            let late = try await page("?due=over", as: mod.http)
            #expect(late.contains("Overdue</span>") && late.contains("Overdue <span class=\"count\">2</span>"))
        }
    }

    @Test("the next case is taken with one press, and where there is none the page says so")
    func next() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let upload = try await scene.waiting(by: ada.id)
            let taken = try await scene.form("/moderation/next", "", as: mod.http)
            #expect(taken.status == 303 && taken.location == "/moderation/cases/\(upload.caseID)", "\(taken.text)")
            #expect(try await scene.page(taken.location, as: mod.http).text.contains("data-decision"))
            let none = try await scene.form("/moderation/next", "", as: mod.http)
            #expect(none.status == 303)
            let told = try await scene.page(after: none, as: mod.http)
            #expect(told.text.contains("no case that you could take now"), "\(told.text)")
            #expect(try await scene.form("/moderation/next", "", as: ada.http).status == 403)
        }
    }
}
