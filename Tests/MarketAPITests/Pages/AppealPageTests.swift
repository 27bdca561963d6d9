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
@testable import MemberPages
@testable import ModerationService

@Suite("The pages of decisions, appeals and messages")
struct AppealPageTests {
    @Test("A take-down is told to the authors with its reasons, is appealed once, and the answer comes back there")
    func work() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let eve = try await scene.person("eve")
            let mod = try await scene.person("mod", role: .moderator)
            let bea = try await scene.person("bea", role: .moderator)
            let sheet = try await scene.template("Sheet", by: ada.id)
            try await scene.features.database.execute(
                """
                INSERT INTO template_authors (template_id, user_id, role)
                VALUES (\(sheet.id), \(bob.id), 'contributor')
                """)
            let clean = try await scene.page(AppealPages.home, as: ada.http)
            #expect(clean.status == 200 && clean.text.contains("Nothing stands against your account."))
            try await scene.report(sheet, as: eve.http)
            let id = try await scene.onlyCase("report", as: mod.http)
            try await scene.decide(id, .takeDown, "It was <stolen>.", as: mod.http)

            let address = "/account/appeals/new?case=\(id)"
            for author in [ada.http, bob.http] {
                let told = try await scene.page(AppealPages.home, as: author)
                #expect(told.text.contains("Taken down</span>") && told.text.contains("It was &lt;stolen&gt;."))
                #expect(told.text.contains("Reason: other") && told.text.contains("href=\"\(address)\""))
            }
            let other = try await scene.page(AppealPages.home, as: eve.http)
            #expect(!other.text.contains("stolen") && !other.text.contains("/account/appeals/new"))
            #expect(try await scene.page(address, as: eve.http).status == 404)
            #expect(try await scene.page("/account/appeals/new?case=none", as: ada.http).status == 404)

            let form = try await scene.page(address, as: ada.http)
            #expect(form.text.contains("It was &lt;stolen&gt;.") && form.text.contains("name=\"text\""))
            let wordless = try await scene.form(AppealPages.home, "case=\(id)&text=+", as: ada.http)
            #expect(wordless.status == 422 && wordless.text.contains("id=\"text-mistake\""), "\(wordless.text)")
            let lodged = try await scene.form(AppealPages.home, "case=\(id)&text=I+drew+it.", as: ada.http)
            #expect(lodged.status == 303 && lodged.location == "/account/appeals?done=lodged", "\(lodged.text)")
            let after = try await scene.page(after: lodged, as: ada.http)
            #expect(after.text.contains("Your appeal is with the moderators") && after.text.contains("I drew it."))
            #expect(after.text.contains("You appealed this.") && !after.text.contains(address))
            let again = try await scene.page(address, as: ada.http)
            #expect(again.text.contains("the answer stands among") && !again.text.contains("<textarea"))
            // The answer is told to who appealed alone.
            for place in [AppealPages.home, address] {
                let fellow = try await scene.page(place, as: bob.http)
                #expect(fellow.text.contains("Somebody whom it concerns has appealed"), "\(fellow.text)")
                #expect(!fellow.text.contains("You appealed") && !fellow.text.contains("the answer stands among"))
            }
            let twice = try await scene.form(AppealPages.home, "case=\(id)&text=Once+more.", as: bob.http)
            #expect(twice.status == 409 && twice.text.contains(">Once more.</textarea>"), "\(twice.text)")

            let appeal = try await scene.onlyCase("appeal", as: bea.http)
            try await scene.decide(appeal, .overturn, "It is hers.", as: bea.http)
            let answered = try await scene.page(AppealPages.home, as: ada.http)
            #expect(answered.text.contains("Decision undone</span>") && answered.text.contains("It is hers."))
            #expect(answered.text.contains("Undone</span>"))
        }
    }

    @Test("Whoever is kept from all else is led to the page from what refuses them, and appeals there")
    func account() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let mod = try await scene.person("mod", role: .moderator)
            let sheet = try await scene.template("Sheet", by: ada.id)
            let until = scene.clock.now.addingTimeInterval(3 * 86_400)
            let imposed = try await mod.http.send(
                .POST, "\(Paths.base)/moderation/users/bob/sanctions",
                json: SanctionRequest(kind: "suspend", until: until, reasonCode: "spam", message: "Advertising."))
            #expect(imposed.status == 201, "\(imposed.text)")
            let refused = try await scene.form("/sheets/\(sheet.slug)/report", "reason=spam", as: bob.http)
            #expect(refused.status == 403 && refused.text.contains("href=\"/account/appeals\""), "\(refused.text)")
            #expect(refused.text.contains("You can appeal on the page") && !refused.text.contains("/api/v1/appeals"))
            let called = try await bob.http.send(
                .POST, "\(Paths.base)/reports",
                json: ReportRequest(subject: .init(kind: .template, id: sheet.slug), reason: .spam))
            #expect(called.text.contains("POST /api/v1/appeals"), "\(called.text)")
            let own = try await scene.page("/account", as: bob.http)
            #expect(own.text.contains("href=\"/account/appeals\"") && own.text.contains("href=\"/account/reports\""))

            let told = try await scene.page(AppealPages.home, as: bob.http)
            #expect(told.text.contains("Suspended</span>") && told.text.contains("In force</span>"))
            #expect(told.text.contains("Advertising.") && told.text.contains("Reason: spam"))
            let start = try #require(told.text.range(of: "/account/appeals/new?case="))
            let id = String(told.text[start.upperBound...].prefix(36))
            let lodged = try await scene.form(AppealPages.home, "case=\(id)&text=It+was+none.", as: bob.http)
            #expect(lodged.status == 303, "\(lodged.text)")
            let appeals = try await bob.http.get("\(Paths.base)/appeals").json(AppealList.self)
            #expect(appeals.appeals.map(\.text) == ["It was none."])
            #expect(appeals.appeals.map(\.decision.decision) == [.suspend])

            _ = try await scene.impose(.ban, on: bob.id)
            // As after signing in again.
            let again = try await scene.person("bob").http
            let banned = try await scene.page(AppealPages.home, as: again)
            #expect(banned.status == 200 && banned.text.contains("Banned</span>"), "\(banned.text)")
            let others = try await scene.page(AppealPages.home, as: ada.http)
            #expect(others.text.contains("Nothing stands against your account."))
        }
    }

    @Test("What came of a copyright notice is not denied, and leads to the counter-notice instead of an appeal")
    func copyright() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let sheet = try await scene.template("Sheet", by: ada.id)
            try await scene.takeDown(.template(sheet.id))
            _ = try await scene.impose(.warning, on: ada.id, reasonCode: "copyright")
            let told = try await scene.page(AppealPages.home, as: ada.http)
            #expect(told.text.contains("If a copyright notice took something down, its e-mail"), "\(told.text)")
            #expect(told.text.contains("Reason: copyright") && !told.text.contains("/account/appeals/new"))
            #expect(told.text.contains("href=\"/docs/moderation/counterCopyrightNotice\""))

            _ = try await scene.impose(.warning, on: bob.id)
            let other = try await scene.page(AppealPages.home, as: bob.http)
            #expect(other.text.contains("Warned</span>") && !other.text.contains("counterCopyrightNotice"))
        }
    }

    @Test("A sanction of the owner is told to no co-author, and a refused upload to its uploader alone")
    func privacy() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let eve = try await scene.person("eve")
            let mod = try await scene.person("mod", role: .moderator)
            let waiting = try await scene.waiting(by: ada.id)
            let sheet = try await scene.template("Sheet", by: ada.id)
            try await scene.features.database.execute(
                """
                INSERT INTO template_authors (template_id, user_id, role)
                SELECT t.id, \(bob.id), 'contributor' FROM templates AS t WHERE t.owner_id = \(ada.id)
                """)
            try await scene.report(sheet, as: eve.http)
            try await scene.decide(
                try await scene.onlyCase("report", as: mod.http), .warn, "Mind the rules.", as: mod.http)
            try await scene.decide(waiting.caseID, .reject, "It is unreadable.", as: mod.http)
            let owner = try await scene.page(AppealPages.home, as: ada.http)
            #expect(owner.text.contains("Warned</span>") && owner.text.contains("Mind the rules."))
            #expect(owner.text.contains("Rejected</span>") && owner.text.contains("It is unreadable."))
            #expect(owner.text.contains("href=\"/submissions/\(waiting.submission)\""))
            let author = try await scene.page(AppealPages.home, as: bob.http)
            #expect(!author.text.contains("Mind the rules.") && !author.text.contains("It is unreadable."))

            scene.clock.advance(by: 31 * 86_400)
            let late = try await scene.page(AppealPages.home, as: ada.http)
            #expect(late.text.contains("It is unreadable.") && !late.text.contains("/account/appeals/new"))
            let form = try await scene.page("/account/appeals/new?case=\(waiting.caseID)", as: ada.http)
            #expect(form.status == 200 && form.text.contains("cannot be appealed") && !form.text.contains("<textarea"))
        }
    }

    @Test("The uploader reads and answers the moderators on the upload's page; a hidden name stays hidden")
    func thread() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let mod = try await scene.person("mod", role: .moderator)
            let waiting = try await scene.waiting(by: ada.id)
            let address = "/submissions/\(waiting.submission)"
            let quiet = try await scene.page(address, as: ada.http)
            #expect(quiet.text.contains("Write to the moderators</label>"), "\(quiet.text)")
            let path = Paths.moderationCase(waiting.caseID.description)
            #expect(try await mod.http.send(.POST, "\(path)/claim").status == 200)
            let question = MessageRequest(text: "Which <edition>?", waits: true, isHidden: true)
            #expect(try await mod.http.send(.POST, "\(path)/messages", json: question).status == 201)

            let asked = try await scene.page(address, as: ada.http)
            #expect(asked.text.contains("Which &lt;edition&gt;?") && asked.text.contains("A moderator</strong>"))
            #expect(!asked.text.contains(">mod,") && asked.text.contains("Your answer</label>"))
            let team = try await scene.page(address, as: mod.http)
            #expect(team.text.contains("Which &lt;edition&gt;?") && !team.text.contains("id=\"answer\""))
            let foreign = try await scene.form("\(address)/messages", "text=Hello.", as: bob.http)
            #expect(foreign.status == 404)
            let wordless = try await scene.form("\(address)/messages", "text=+", as: ada.http)
            #expect(wordless.status == 422 && wordless.text.contains("id=\"answer-mistake\""), "\(wordless.text)")
            scene.clock.advance(by: 1)
            let sent = try await scene.form("\(address)/messages", "text=The+fifth.", as: ada.http)
            #expect(sent.status == 303 && sent.location == "\(address)#messages", "\(sent.text)")
            let after = try await scene.page(address, as: ada.http)
            #expect(after.text.contains("The fifth.") && after.text.contains("ada</strong>"))
            let detail = try await mod.http.get(path).json(CaseDetail.self)
            #expect(detail.summary.state == .open, "the answer brings the case back")

            try await scene.decide(waiting.caseID, .reject, "No.", as: mod.http)
            let ended = try await scene.page(address, as: ada.http)
            #expect(ended.text.contains("The fifth.") && !ended.text.contains("id=\"answer\""))
            let late = try await scene.form("\(address)/messages", "text=Wait.", as: ada.http)
            #expect(late.status == 409 && late.text.contains(">Wait.</textarea>"), "\(late.text)")
        }
    }

    @Test("Of a long thread the newest messages are shown first, with the form; earlier ones are a page back")
    func longThread() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let waiting = try await scene.waiting(by: ada.id)
            for number in 1...ThreadView.shown {
                scene.clock.advance(by: 1)
                _ = try await ConversationStore.insertMessage(
                    "Question \(number).", on: waiting.caseID, by: mod.id, side: .moderator, isHidden: false,
                    at: scene.clock.now, in: scene.features.database)
            }
            scene.clock.advance(by: 1)
            let address = "/submissions/\(waiting.submission)"
            let sent = try await scene.form("\(address)/messages", "text=The+first.", as: ada.http)
            #expect(sent.status == 303 && sent.location == "\(address)#messages", "\(sent.text)")
            for (place, person) in [(address, ada), ("/moderation/cases/\(waiting.caseID)", mod)] {
                let end = try await scene.page(place, as: person.http)
                #expect(end.text.contains("The first.") && end.text.contains("id=\"answer\""), "\(end.text)")
                #expect(!end.text.contains("Question 1.<") && end.text.contains("Question 2.<"))
                // The order is that of the conversation, and the moderator is led to what is new.
                let places = ["Question 49.<", "Question 50.<", "The first.<"].compactMap {
                    end.text.firstRange(of: $0)?.lowerBound
                }
                #expect(places.count == 3 && places == places.sorted())
                #expect(end.text.contains("id=\"new\"") == (person.id == mod.id))
                let back = try #require(end.text.firstMatch(of: #/href="([^"]*\?messages=[^"]*)#messages"/#)?.output.1)
                let start = try await scene.page(String(back), as: person.http)
                #expect(start.text.contains("Question 1.<") && !start.text.contains("The first."), "\(start.text)")
                #expect(start.text.contains("Newest messages") && !start.text.contains("id=\"answer\""))
            }
            let wordless = try await scene.form("\(address)/messages", "text=+", as: ada.http)
            #expect(wordless.status == 422 && wordless.text.contains("The first."), "\(wordless.text)")
        }
    }

    @Test("A moderator's question about what is published already is answered on its page while the case is open")
    func audit() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let waiting = try await scene.waiting(by: ada.id)
            let database = scene.features.database
            // As what the rules publish and a moderator looks at afterwards.
            try await database.execute("UPDATE cases SET is_audit = true WHERE id = \(waiting.caseID)")
            try await database.execute(
                "UPDATE submissions SET state = 'published' WHERE id = \(waiting.submission)")
            let address = "/submissions/\(waiting.submission)"
            let quiet = try await scene.page(address, as: ada.http)
            #expect(quiet.status == 200 && !quiet.text.contains("id=\"answer\""), "nobody has asked")
            let path = Paths.moderationCase(waiting.caseID.description)
            let question = MessageRequest(text: "Which edition?")
            let asked = try await mod.http.send(.POST, "\(path)/messages", json: question)
            #expect(asked.status == 201, "\(asked.text)")

            let shown = try await scene.page(address, as: ada.http)
            #expect(shown.text.contains("Which edition?") && shown.text.contains("id=\"answer\""), "\(shown.text)")
            scene.clock.advance(by: 1)
            let sent = try await scene.form("\(address)/messages", "text=The+fifth.", as: ada.http)
            #expect(sent.status == 303, "\(sent.text)")
            let after = try await scene.page(address, as: ada.http)
            #expect(after.text.contains("The fifth."))
            try await database.execute("UPDATE cases SET state = 'closed' WHERE id = \(waiting.caseID)")
            let ended = try await scene.page(address, as: ada.http)
            #expect(ended.text.contains("The fifth.") && !ended.text.contains("id=\"answer\""))
        }
    }
}
