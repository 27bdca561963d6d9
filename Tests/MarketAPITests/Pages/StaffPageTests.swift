// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketPages
import MarketPlatform
import MarketSearch
import MarketWire
import Moderation
import ModerationService
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAPI
@testable import StaffPages

@Suite("The pages of moderators and administrators")
struct StaffPageTests {
    private static func people(_ handles: [String], in scene: EnforcementScene) async throws -> [(
        id: UserID, http: TestHTTP
    )] {
        var people: [(id: UserID, http: TestHTTP)] = []
        for handle in handles { people.append(try await scene.person(handle)) }
        return people
    }

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
            #expect(operation.text.contains("Sent in the last two weeks"))
            #expect(OperationView.sent(.folder("/data/mail")) == "Written in the last two weeks", "none is sent")
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
            #expect(try await scene.page(bob, as: mod.http).text.contains(">lifted "))
            let warned = try await scene.form(
                "\(bob)/sanctions", "kind=warn&reasonCode=spam&message=Mind+it.", as: mod.http)
            #expect(warned.status == 303, "\(warned.text)")
            let both = try await scene.page(bob, as: mod.http)
            let ends = both.text.matches(of: /until [^<]*<\/span>/).map { String($0.output) }
            #expect(ends == ["until 31 December 2027</span>"], "a warning has no end: \(ends)")
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

    @Test("A sanction's reason is told in the words that it was chosen by")
    func sanctionReason() async throws {
        let spam = try CannedReason(
            code: "spam", language: "en",
            markdown: "---\ntitle: Spam or advertising\ndecisions: warn, suspend\n---\nIt advertises.\n")
        try await EnforcementScene.run(reasons: ReasonBook([spam])) { scene in
            let mod = try await scene.person("mod", role: .moderator)
            _ = try await scene.person("bob")
            let bob = "/moderation/people/bob"
            let warned = try await scene.form(
                "\(bob)/sanctions", "kind=warn&reasonCode=spam&message=Mind+it.", as: mod.http)
            #expect(warned.status == 303, "\(warned.text)")
            let page = try await scene.page(bob, as: mod.http).text
            #expect(page.contains("Warning</span> Spam or advertising <time"), "\(page)")
        }
    }

    @Test("A moderator opens a case on a sheet, a review or a person, and what was written beside it is its first note")
    func openingCases() async throws {
        try await EnforcementScene.run { scene in
            let mod = try await scene.person("mod", role: .moderator)
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let sheet = try await scene.template("Sheet", by: ada.id)
            let review = try await scene.review(sheet, by: bob.id)
            let places = [
                ("/sheets/\(sheet.slug)", "kind=template&id=\(sheet.id)", "The sheet Sheet"),
                ("/sheets/\(sheet.slug)", "kind=review&id=\(review)", "The review by bob"),
                ("/moderation/people/bob", "kind=user&id=bob", "The account bob"),
            ]
            for (place, query, about) in places {
                let (home, address) = ("/moderation/new-case", "/moderation/new-case?\(query)")
                let link = address.replacing("&", with: "&amp;")
                #expect(try await scene.page(place, as: mod.http).text.contains("href=\"\(link)\""), "\(query)")
                #expect(try await scene.page(address, as: ada.http).status == 403)
                let form = try await scene.page(address, as: mod.http)
                #expect(form.status == 200 && form.text.contains(about), "\(form.text)")
                let empty = try await scene.form(home, "\(query)&note=+", as: mod.http)
                #expect(empty.status == 422 && empty.text.contains("id=\"note-mistake\""), "\(empty.text)")
                let opened = try await scene.form(home, "\(query)&note=Look+%3Cclosely%3E.", as: mod.http)
                #expect(opened.status == 303 && opened.location.hasPrefix("/moderation/cases/"), "\(opened.text)")
                let page = try await scene.page(opened.location, as: mod.http)
                #expect(page.status == 200 && page.text.contains("Look &lt;closely&gt;."), "\(page.text)")
                let again = try await scene.form(home, "\(query)&note=More.", as: mod.http)
                #expect(again.location == opened.location, "it joins the case that is open")
            }
            #expect(
                !(try await scene.page("/sheets/\(sheet.slug)", as: bob.http).text.contains("/moderation/new-case")))
            for query in ["", "?kind=template&id=none", "?kind=review&id=none", "?kind=user&id=none", "?kind=x&id=bob"]
            {
                #expect(try await scene.page("/moderation/new-case\(query)", as: mod.http).status == 404, "\(query)")
            }
        }
    }

    @Test("People can be narrowed to those who are suspended, banned or were warned")
    func sanctionedPeople() async throws {
        try await EnforcementScene.run { scene in
            let mod = try await scene.person("mod", role: .moderator)
            let people = try await Self.people(["ann", "ben", "cat", "dan", "eve"], in: scene)
            let until = scene.clock.now.addingTimeInterval(86_400)
            _ = try await scene.impose(.warning, on: people[0].id)
            _ = try await scene.impose(.suspension([.all], until: until), on: people[1].id)
            _ = try await scene.impose(.ban, on: people[2].id)
            _ = try await scene.impose(
                .suspension([.uploads], until: scene.clock.now.addingTimeInterval(1)), on: people[3].id)
            scene.clock.advance(by: 2)
            func listed(_ query: String) async throws -> [String] {
                let text = try await scene.page("/moderation/people\(query)", as: mod.http).text
                return text.matches(of: /href="\/moderation\/people\/([a-z]+)"/).map { String($0.output.1) }
            }
            #expect(try await listed("?sanction=warn") == ["ann"])
            #expect(try await listed("?sanction=suspend") == ["ben"])
            #expect(try await listed("?sanction=ban") == ["cat"])
            #expect(try await listed("?sanction=ban&q=b") == [])
            #expect(Set(try await listed("")).isSuperset(of: ["ann", "ben", "cat", "dan", "eve", "mod"]))
            let all = try await scene.page("/moderation/people", as: mod.http).text
            #expect(all.contains(">ben</a> <span class=\"state bad\">Suspended until"), "\(all)")
            #expect(all.contains(">cat</a> <span class=\"state bad\">Ban<") && all.contains(">dan</a></td>"))
            // A warning has no end.
            #expect(try await scene.page("/moderation/people/ben", as: mod.http).text.contains(">until "))
            #expect(try await !scene.page("/moderation/people/ann", as: mod.http).text.contains(">until "))
        }
    }

    @Test("Rules are tried with other points on the page, which changes nothing; mistakes are shown at their fields")
    func trial() async throws {
        let policy = RiskPolicy(rules: try TestRules.shared.get())
        let rule = try #require(policy.rules?.rules.first)
        try await EnforcementScene.run(risk: policy) { scene in
            let mod = try await scene.person("mod", role: .moderator)
            let bob = try await scene.person("bob")
            let rules = try await scene.page("/moderation/rules", as: mod.http)
            #expect(rules.text.contains("name=\"weight-\(rule.code)\"") && !rules.text.contains("id=\"outcome\""))
            let tried = try await scene.page(
                "/moderation/rules/trial?trial=yes&weight-\(rule.code)=7&mode-\(rule.code)=shadow", as: mod.http)
            #expect(tried.status == 200 && tried.text.contains("id=\"outcome\""), "\(tried.text)")
            #expect(tried.text.contains("name=\"weight-\(rule.code)\" inputmode=\"numeric\" size=\"5\" value=\"7\""))
            let wrong = try await scene.page(
                "/moderation/rules/trial?trial=yes&weight-\(rule.code)=%3C7%3E", as: mod.http)
            #expect(wrong.status == 422 && wrong.text.contains("id=\"weight-\(rule.code)-mistake\""), "\(wrong.text)")
            #expect(wrong.text.contains("value=\"&lt;7&gt;\"") && !wrong.text.contains("id=\"outcome\""))
            #expect(try await scene.page("/moderation/rules/trial?trial=yes", as: bob.http).status == 403)
        }
    }

    @Test("The team's statistics say what was promised for each kind of case, and how often it was kept")
    func promises() async throws {
        try await EnforcementScene.run { scene in
            let mod = try await scene.person("mod", role: .moderator)
            let ada = try await scene.person("ada")
            let soon = try await scene.waiting(by: ada.id)
            let path = Paths.moderationCase(soon.caseID.description)
            #expect(try await mod.http.send(.POST, "\(path)/claim").status == 200)
            let decided = try await mod.http.send(
                .POST, "\(path)/decision",
                json: DecisionRequest(decision: .reject, reasonCode: "other", message: "No.", until: nil))
            #expect(decided.status == 200, "\(decided.text)")
            let page = try await scene.page("/moderation/statistics", as: mod.http).text
            let row = try #require(page.firstMatch(of: #/New versions</td>(.*?)</tr>/#)?.output.1, "\(page)")
            #expect(row.contains(">72 hours<") || row.contains(">3 days<"), "\(row)")
            #expect(row.contains("data-label=\"Decided\">1<") && row.contains(">100%<"), "\(row)")
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

    @Test("A moderator renames a game: its sheets are found by the new names, its address stays, and the log has both")
    func editedGame() async throws {
        try await EnforcementScene.run { scene in
            let mod = try await scene.person("mod", role: .moderator)
            let member = try await scene.person("member")
            _ = try await scene.template("Long Winter", by: member.id)
            let address = "/moderation/games/dnd5e"
            let games = try await scene.page("/moderation/games", as: mod.http)
            #expect(games.text.contains("href=\"\(address)\" aria-label=\"Edit "), "\(games.text)")
            #expect(try await scene.page(address, as: member.http).status == 403)
            #expect(try await scene.form(address, "name=Mine", as: member.http).status == 403)
            #expect(try await scene.page("/moderation/games/there-is-none", as: mod.http).status == 404)
            #expect(try await scene.form("/moderation/games/there-is-none", "name=Any", as: mod.http).status == 404)
            let form = try await scene.page(address, as: mod.http)
            #expect(form.text.contains("id=\"name\" name=\"name\" required") && form.text.contains("1 sheet"))
            let nameless = try await scene.form(address, "name=+&publisher=Kept", as: mod.http)
            #expect(nameless.status == 422 && nameless.text.contains("id=\"name-mistake\""), "\(nameless.text)")
            #expect(nameless.text.contains("value=\"Kept\""), "what was typed is kept")
            let added = try await scene.form("/moderation/games", "name=Blades+in+the+Dark", as: mod.http)
            #expect(added.status == 303)
            let taken = try await scene.form(address, "name=blades+in+the+DARK", as: mod.http)
            #expect(taken.status == 422 && taken.text.contains("Another game has this name."), "\(taken.text)")
            let long = String(repeating: "p", count: 81)
            let wordy = try await scene.form(address, "name=Any&publisher=\(long)", as: mod.http)
            #expect(wordy.status == 422 && wordy.text.contains("id=\"publisher-mistake\""), "\(wordy.text)")

            let saved = try await scene.form(
                address, "name=Heroes+of+Old&publisher=Old+Press&aliases=Zyrkania,+HoO", as: mod.http)
            #expect(saved.status == 303, "\(saved.text)")
            let shown = try await scene.page("/moderation/games", as: mod.http)
            for words in ["Heroes of Old", "Old Press", "Zyrkania, HoO", "dnd5e"] {
                #expect(shown.text.contains(words), "\(words): \(shown.text)")
            }
            // As a periodic service does.
            try await SearchIndex(database: scene.features.database).applyPending()
            #expect(try await scene.page("/?q=zyrkania", as: scene.http).text.contains("Long Winter"))
            #expect(try await scene.page("/sheets/long-winter", as: scene.http).text.contains("Heroes of Old"))
            #expect(try await scene.page("/moderation/audit", as: mod.http).text.contains("game_system.edited"))
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
        #expect(lines["SHEETMARKET_LISTEN"]?.origin == "default")
        var told = configuration
        told.takeConnections(at: try #require(ListenAddress("127.0.0.1:9090")))
        let listen = told.lines.first { $0.name == "SHEETMARKET_LISTEN" }
        #expect(listen?.value == "127.0.0.1:9090" && listen?.origin == "command line")
    }
}
