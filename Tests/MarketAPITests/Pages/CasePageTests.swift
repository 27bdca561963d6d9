// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Moderation
import NIOCore
import NIOHTTP1
import SheetCore
import TestSupport
import Testing

@testable import MarketPages
@testable import MarketPlatform
@testable import StaffPages

@Suite("The moderators' pages of cases")
struct CasePageTests {
    private static let html = [("Accept", "text/html"), ("Sec-Fetch-Site", "same-origin")]

    private static func page(_ id: CaseID, as caller: TestHTTP) async throws -> String {
        let answer = try await caller.get("/moderation/cases/\(id)", headers: html)
        #expect(answer.status == 200, "\(answer.text)")
        return answer.text
    }

    /// Sends a form of the case's page.
    private static func act(
        _ act: String, _ fields: String = "", on id: CaseID, as caller: TestHTTP
    ) async throws -> TestHTTP.Answer {
        try await caller.send(
            .POST, "/moderation/cases/\(id)/\(act)",
            headers: html + [("Content-Type", "application/x-www-form-urlencoded")], body: ByteBuffer(string: fields))
    }

    /// Whether a form is taken, and leads back to the case.
    private static func does(
        _ act: String, _ fields: String = "", on id: CaseID, as caller: TestHTTP
    ) async throws -> Bool {
        let answer = try await Self.act(act, fields, on: id, as: caller)
        let isTaken = answer.status == 303 && answer.headers.first(name: "location") == "/moderation/cases/\(id)"
        if !isTaken { Issue.record("\(act): \(answer.status) \(answer.text)") }
        return isTaken
    }

    @Test("a report's page tells who complained of what, a suspension's form takes its end, and an appeal has its text")
    func reported() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let mod = try await scene.person("mod", role: .moderator)
            let bea = try await scene.person("bea", role: .moderator)
            let sheet = try await scene.template("Sheet", by: ada.id)
            let report = ReportRequest(
                subject: .init(kind: .template, id: sheet.slug), reason: .copyright, text: "My <own> book.")
            #expect(try await bob.http.send(.POST, "\(Paths.base)/reports", json: report).status == 201)
            let waiting = try await mod.http.get("\(Paths.base)/moderation/queue").json(CaseList.self)
            let id = try #require(waiting.cases.first).id
            let queue = try await mod.http.get("/moderation", headers: Self.html).text
            #expect(queue.contains("Reported sheet") && queue.contains("/moderation/cases/\(id)"))

            let before = try await Self.page(id, as: mod.http)
            #expect(before.contains("It is somebody else&#39;s work") && before.contains("My &lt;own&gt; book."))
            #expect(before.contains("1 report</h2>") && before.contains("bob"))
            #expect(try await Self.does("claim", on: id, as: mod.http))
            let decision = "decision=suspend&reasonCode=spam&message=Some+days."
            let endless = try await Self.act("decision", decision, on: id, as: mod.http)
            #expect(endless.status == 422 && endless.text.contains("id=\"until-mistake\""), "\(endless.text)")
            let crooked = try await Self.act("decision", decision + "&until=soon", on: id, as: mod.http)
            #expect(crooked.status == 422 && crooked.text.contains("A day such as") && crooked.text.contains("soon"))
            let end = UTCDay(scene.clock.now.addingTimeInterval(3 * 86_400))
            #expect(try await Self.does("decision", decision + "&until=\(end.text)", on: id, as: mod.http))
            let me = try await ada.http.get("\(Paths.base)/me").json(Account.self)
            #expect(me.sanctions?.first?.until == end.date)

            scene.clock.advance(by: 4 * 86_400)
            let appeal = AppealRequest(subject: .case, id: id.description, text: "It was never advertising.")
            let lodged = try await ada.http.send(.POST, "\(Paths.base)/appeals", json: appeal)
            #expect(lodged.status == 201, "\(lodged.text)")
            let appeals = try await bea.http.get("\(Paths.base)/moderation/queue?kind=appeal").json(CaseList.self)
            let text = try await Self.page(try #require(appeals.cases.first).id, as: bea.http)
            #expect(text.contains("Appeal by ada") && text.contains("It was never advertising."))
            #expect(text.contains("Some days.") && text.contains("href=\"/moderation/cases/\(id)\""))
        }
    }

    @Test("a proposed decision is shown, and a second moderator confirms or declines it on the page")
    func proposed() async throws {
        try await EnforcementScene.run { scene in
            _ = try await scene.person("eve")
            let mod = try await scene.person("mod", role: .moderator)
            let bea = try await scene.person("bea", role: .moderator)
            let request = NewCaseRequest(subject: ReportSubject(kind: .user, id: "eve"), note: "Again.")
            let opened = try await mod.http.send(.POST, "\(Paths.base)/moderation/cases", json: request)
            let id = try opened.json(CaseSummary.self).id
            func propose() async throws {
                #expect(try await Self.does("claim", on: id, as: mod.http))
                let ban = "decision=ban&reasonCode=spam&message=Nothing+but+advertising."
                #expect(try await Self.does("decision", ban, on: id, as: mod.http))
            }
            try await propose()
            let own = try await Self.page(id, as: mod.http)
            #expect(own.contains("Proposed: Banned") && own.contains("You proposed it"))
            #expect(!own.contains("/moderation/cases/\(id)/claim"), "whoever proposed it cannot confirm it")

            #expect(try await Self.does("claim", on: id, as: bea.http))
            let second = try await Self.page(id, as: bea.http)
            #expect(second.contains("Nothing but advertising.") && second.contains("/moderation/cases/\(id)/confirm"))
            #expect(!second.contains("data-decision"), "the form would be refused while a decision waits")
            let wordless = try await Self.act("decline", "reason=", on: id, as: bea.http)
            #expect(wordless.status == 422 && wordless.text.contains("id=\"decline-mistake\""), "\(wordless.text)")
            #expect(try await Self.does("decline", "reason=Warn+first.", on: id, as: bea.http))
            let after = try await Self.page(id, as: bea.http)
            #expect(!after.contains("id=\"proposal\"") && after.contains("data-decision"))

            #expect(try await Self.does("release", on: id, as: bea.http))
            try await propose()
            #expect(try await Self.does("claim", on: id, as: bea.http))
            #expect(try await Self.does("confirm", on: id, as: bea.http))
            #expect(try await Self.page(id, as: bea.http).contains("Banned"))
            let detail = try await bea.http.get(Paths.moderationCase(id.description)).json(CaseDetail.self)
            #expect(detail.summary.state == .decided && detail.decisions.map(\.decision) == [.ban])
        }
    }

    @Test("a risk is told by score and level, the weightiest rule first, each in words")
    func risk() throws {
        let now = try Date("2026-11-22T12:00:00Z", strategy: .iso8601)
        func hit(_ code: String, _ weight: Int, isShadow: Bool = false) -> CaseRisk.Hit {
            .init(code: code, weight: weight, evidence: [], isShadow: isShadow)
        }
        let view = RiskView(
            CaseRisk(
                score: 65, rulesVersion: "1",
                hits: [
                    hit("account_new", 10), hit("words_profane", 90, isShadow: true), hit("approved_often", -10),
                    hit("house_rule", 20), hit("link_risky", 45),
                ], alike: [], route: "moderator", obstacles: ["new_template", "house_reason"], shadow: nil,
                assessedAt: now), isPast: false, now: now)
        #expect(view.level.text == "High risk" && view.level.tone == "bad")
        #expect(view.hits.map(\.points) == ["+45", "+20", "+10", "−10", "+90"])
        #expect(view.hits.map(\.tone) == ["bad", "wait", "quiet", "good", "quiet"])
        #expect(view.hits.map(\.name).prefix(2) == ["A risky link", "House rule"])
        #expect(view.obstacles.map(\.text) == ["It is the first version of its sheet.", "House reason"])
        let levels = [0, 1, 30, 60].map { StateLabel(risk: $0).text }
        #expect(levels == ["No risk seen", "Low risk", "Some risk", "High risk"])
    }

    @Test("every rule that is shipped, and every reason for a moderator, has words")
    func words() throws {
        struct Rules: Decodable {
            struct Rule: Decodable { var code: String }
            var rules: [Rule]
        }
        let file = BuildProducts.root.appendingPathComponent("rules/risk.json")
        let rules = try JSONDecoder().decode(Rules.self, from: Data(contentsOf: file)).rules.map(\.code)
        #expect(rules.count > 30)
        #expect(rules.filter { RiskLabels.rule($0).description == RiskLabels.plain($0) } == [])
        let obstacles = TrustedPath.Obstacle.allCases.map(\.rawValue)
        #expect(obstacles.filter { RiskLabels.obstacle($0).description == RiskLabels.plain($0) } == [])
    }
}
