// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
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

@Suite("A person's own sheets, and the welcome")
struct OwnSheetsPageTests {
    @Test("one page lists what is somebody's, and everything that waits for them")
    func sheets() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let mod = try await scene.person("mod", role: .moderator)
            let home = "/account/sheets"
            let empty = try await scene.page(home, as: bob.http).text
            #expect(empty.contains("Nothing waits for you.") && empty.contains("You have uploaded nothing yet."))
            #expect(try await scene.page(home, as: scene.http).status == 303, "a stranger has none")
            #expect(try await scene.page("/account", as: ada.http).text.contains("href=\"\(home)\">My sheets</a>"))

            let upload = try await scene.waiting(by: ada.id)
            let asked = try await scene.form(
                "/moderation/cases/\(upload.caseID)/messages", "text=Whose+%3Cdrawing%3E%3F", as: mod.http)
            #expect(asked.status == 303, "\(asked.text)")
            let lantern = try await scene.template("Lantern", by: bob.id)
            let wish = InvitationRequest(handle: "ada", role: .maintainer)
            let invited = try await bob.http.send(
                .POST, "\(Paths.base)/templates/\(lantern.slug)/invitations", json: wish)
            #expect(invited.status == 201, "\(invited.text)")
            let page = try await scene.page(home, as: ada.http).text
            #expect(page.contains("Whose &lt;drawing&gt;?"), "\(page)")
            #expect(page.contains("href=\"/submissions/\(upload.submission)#messages\">Draft 2.0.0</a>"))
            #expect(page.contains("Until <time") && !page.contains("You can appeal until"), "an invitation runs out")
            #expect(page.contains("bob asks you to join.") && page.contains("href=\"/sheets/draft/manage\""))
            #expect(page.contains(">0 downloads<") && page.contains("Waiting for a moderator"))
            #expect(!page.contains(">Lantern</a></td>"), "an invitation makes nobody an author")

            scene.clock.advance(by: 1)
            let told = try await scene.form(
                "/submissions/\(upload.submission)/messages", "text=Mine.", as: ada.http)
            #expect(told.status == 303, "\(told.text)")
            #expect(!(try await scene.page(home, as: ada.http).text.contains("Whose &lt;")), "answered")
            try await scene.decide(upload.caseID, .reject, "It is no sheet.", as: mod.http)
            let refused = try await scene.page(home, as: ada.http).text
            #expect(refused.contains("It is no sheet.") && refused.contains("You can appeal until <time"), "\(refused)")
            #expect(!(try await scene.page(home, as: bob.http).text.contains("It is no sheet.")))
        }
    }

    @Test("an upload whose version was taken down or withdrawn is not called published")
    func takenDown() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let lantern = try await scene.template("Lantern", by: ada.id)
            func states(_ tone: String, _ word: String) async throws -> Bool {
                for address in ["/account/sheets", "/account"] {
                    let page = try await scene.page(address, as: ada.http).text
                    guard page.contains("data-label=\"State\"><span class=\"state \(tone)\">\(word)</span>") else {
                        return false
                    }
                }
                return true
            }
            #expect(try await states("good", "Published"))
            try await scene.takeDown(.template(lantern.id))
            #expect(try await states("bad", "Taken down"))
            let upload = try await scene.features.database.scalar(
                "SELECT submission_id FROM versions WHERE template_id = \(lantern.id)", as: SubmissionID.self)
            let page = try await scene.page("/submissions/\(upload)", as: ada.http).text
            #expect(page.contains("taken down later") && !page.contains("find and install"))
            try await scene.restore(.template(lantern.id))
            #expect(try await states("good", "Published"))
            try await scene.features.database.execute(
                "UPDATE versions SET state = 'yanked' WHERE template_id = \(lantern.id)")
            #expect(try await states("quiet", "Withdrawn"))
        }
    }

    @Test("the welcome says what comes next, and where the e-mail lies to nobody but who sits at the machine")
    func welcome() throws {
        func view(_ emails: EmailPlace, isHere: Bool, email: String = "a@example.org") -> WelcomeView {
            let account = Account(
                id: .make(), handle: "ada", displayName: "Ada", email: email, role: .user, createdAt: .now)
            return WelcomeView(
                account, next: ReturnPath("/upload"), emails: emails, isOnThisMachine: isHere)
        }
        #expect(view(.sent, isHere: true).confirming.description.contains("We sent an e-mail to a@example.org"))
        #expect(view(.folder("/data/mail"), isHere: true).folder == "/data/mail")
        let outside = view(.folder("/data/mail"), isHere: false)
        #expect(outside.folder == nil && outside.confirming.description.contains("Whoever runs it"))
        #expect(!view(.kept, isHere: true).isConfirmed && view(.kept, isHere: true).isOnTheWay)
        #expect(!view(.sent, isHere: true, email: "").hasAddress)
        #expect(WelcomePages.address(then: ReturnPath("/")) == "/account/welcome")
        #expect(WelcomePages.address(then: ReturnPath("//evil.example")) == "/account/welcome")
    }
}
