// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPages
import MarketPlatform
import MarketWire
import Postgres
import SheetCore
import StaffPages
import TestSupport
import Testing

@testable import MarketAPI

@Suite("The pages of moderators and administrators")
struct StaffPageTests {
    @Test("Each leads to the others; what administrators alone may is neither shown to moderators nor done for them")
    func places() async throws {
        try await EnforcementScene.run { scene in
            let mod = try await scene.person("mod", role: .moderator)
            let boss = try await scene.person("boss", role: .administrator)
            let bob = try await scene.person("bob")
            let places = ["", "/statistics", "/copyright", "/people", "/people/bob", "/rules", "/games", "/audit"].map {
                "/moderation\($0)"
            }
            for place in places {
                let page = try await scene.page(place, as: mod.http)
                #expect(page.status == 200, "\(place): \(page.text)")
                #expect(page.text.contains("href=\"/moderation/audit\""), "\(place)")
                #expect(!page.text.contains("href=\"/operation\""), "\(place)")
                #expect(try await scene.page(place, as: bob.http).status == 403, "\(place)")
            }
            #expect(try await scene.page("/operation", as: mod.http).status == 403)
            let operation = try await scene.page("/operation", as: boss.http)
            #expect(operation.status == 200 && operation.text.contains("Background work"), "\(operation.text)")
        }
    }

    @Test("A sanction is imposed and taken back on a person's page, and stands in the audit log, which is whole")
    func sanctions() async throws {
        try await EnforcementScene.run { scene in
            let mod = try await scene.person("mod", role: .moderator)
            let boss = try await scene.person("boss", role: .administrator)
            _ = try await scene.person("bob")
            let bob = "/moderation/people/bob"
            let found = try await scene.page("/moderation/people?q=bob", as: mod.http)
            #expect(found.status == 303 && found.location == bob)
            let some = try await scene.page("/moderation/people?q=bo", as: mod.http)
            #expect(some.text.contains("href=\"\(bob)\"") && !some.text.contains("/people/mod\""))

            let mistake = try await scene.form(
                "\(bob)/sanctions", "kind=suspend&until=soon&reasonCode=spam&message=%3Cb%3EStop.", as: mod.http)
            #expect(mistake.status == 422 && mistake.text.contains("id=\"until-mistake\""), "\(mistake.text)")
            #expect(mistake.text.contains(">&lt;b&gt;Stop.</textarea>"), "what was typed is kept")
            let imposed = try await scene.form(
                "\(bob)/sanctions", "kind=suspend&until=2027-12-31&reasonCode=spam&message=Stop.", as: mod.http)
            #expect(imposed.status == 303 && imposed.location == bob, "\(imposed.text)")
            let shown = try await scene.page(bob, as: mod.http)
            #expect(shown.text.contains("Suspension") && shown.text.contains("until 31 December 2027"), "\(shown.text)")
            let lift = try #require(shown.text.firstMatch(of: /action="([^"]+\/lift)"/)?.output.1)
            let lifted = try await scene.form(String(lift), "reason=A+mistake.", as: mod.http)
            #expect(lifted.status == 303, "\(lifted.text)")
            #expect(try await scene.page(bob, as: mod.http).text.contains("taken back"))
            // Nobody sanctions themselves or somebody above.
            for handle in ["mod", "boss"] {
                let page = try await scene.page("/moderation/people/\(handle)", as: mod.http)
                #expect(!page.text.contains("Impose it"), "\(handle)")
                let refused = try await scene.form(
                    "/moderation/people/\(handle)/sanctions", "kind=warn&reasonCode=spam&message=No.", as: mod.http)
                #expect(refused.status == 403, "\(handle): \(refused.text)")
            }

            let log = try await scene.page("/moderation/audit", as: mod.http)
            #expect(log.text.contains("user.sanctioned") && log.text.contains("user.sanction_lifted"), "\(log.text)")
            #expect(!log.text.contains("Check the whole log"))
            #expect(try await scene.page("/moderation/audit/verify", as: mod.http).status == 403)
            let whole = try await scene.page("/moderation/audit/verify", as: boss.http)
            #expect(whole.text.contains("The log is whole"), "\(whole.text)")
            #expect(whole.text.contains("Signatures were not checked"), "this node has no keys")
        }
    }

    @Test("A moderator adds a game, under an address made of its name; mistakes are shown at their fields")
    func games() async throws {
        try await EnforcementScene.run { scene in
            let mod = try await scene.person("mod", role: .moderator)
            let boss = try await scene.person("boss", role: .administrator)
            let games = "/moderation/games"
            let member = try await scene.person("member")
            #expect(try await scene.form(games, "name=Blades+in+the+Dark", as: member.http).status == 403)
            let added = try await scene.form(
                games, "name=Blades+in+the+Dark&publisher=Evil+Hat&aliases=BitD,+Blades", as: mod.http)
            #expect(added.status == 303, "\(added.text)")
            let shown = try await scene.page(games, as: mod.http)
            #expect(shown.text.contains("blades-in-the-dark") && shown.text.contains("BitD, Blades"), "\(shown.text)")
            let again = try await scene.form(games, "name=Blades+in+the+Dark", as: boss.http)
            #expect(again.status == 422 && again.text.contains("another game&#39;s"), "\(again.text)")
            let nameless = try await scene.form(games, "name=+&slug=A+B", as: boss.http)
            #expect(nameless.status == 422 && nameless.text.contains("id=\"name-mistake\""))
            #expect(nameless.text.contains("value=\"A B\""), "what was typed is kept")
            #expect(try await scene.page("/moderation/audit", as: mod.http).text.contains("game_system.added"))
        }
    }

    @Test("Work that was given up is listed with why, and done again where that helps")
    func deadJobs() async throws {
        try await EnforcementScene.run { scene in
            let boss = try await scene.person("boss", role: .administrator)
            let id = try await JobQueue.enqueue(.renderDifferences, subject: UUID(), in: scene.features.database)
            let upload = try await JobQueue.enqueue(.ingestUpload, subject: UUID(), in: scene.features.database)
            try await scene.features.database.execute(
                "UPDATE jobs SET state = 'dead', finished_at = now(), attempts = 5, last_error = 'no <room> left'")
            let page = try await scene.page("/operation", as: boss.http)
            #expect(page.text.contains("no &lt;room&gt; left") && page.text.contains("5 attempts"), "\(page.text)")
            #expect(!page.text.contains("jobs/\(upload)/retry"), "its uploader was told to send the file again")
            #expect(try await scene.form("/operation/jobs/\(upload)/retry", "", as: boss.http).status == 404)
            let retry = "/operation/jobs/\(id)/retry"
            #expect(page.text.contains("action=\"\(retry)\""))
            #expect(try await scene.form(retry, "", as: boss.http).status == 303)
            #expect(try await JobQueue(platform: scene.features.platform).statistics().ready == 1)
            #expect(try await scene.form(retry, "", as: boss.http).status == 404)
        }
    }

    @Test("Settings are told with where they come from, and no secret is")
    func settings() throws {
        let configuration = try ServerConfiguration.load(environment: [
            "DATABASE_URL": "postgresql://secret@/x", "SHEETMARKET_DB_POOL": "7",
        ])
        let lines = Dictionary(configuration.lines.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        #expect(lines["DATABASE_URL"]?.value == "(secret)" && lines["DATABASE_URL"]?.origin == "environment")
        #expect(lines["SHEETMARKET_DB_POOL"]?.value == "7")
        #expect(lines["SHEETMARKET_DB_PIPELINE"]?.value == "2" && lines["SHEETMARKET_DB_PIPELINE"]?.origin == "default")
        #expect(lines["SHEETMARKET_PUBLIC_URL"]?.origin == "not set")
    }
}
