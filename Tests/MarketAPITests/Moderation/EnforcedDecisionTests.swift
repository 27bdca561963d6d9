// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MarketAccounts
import MarketPages
import MarketPlatform
import MarketWire
import Moderation
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketHTTP
@testable import ModerationService

@Suite("Decisions that reach beyond their case")
struct EnforcedDecisionTests {
    /// A published sheet of ada's that bob reported.
    private static func reported(
        _ scene: AccountsScene, as mod: AccountsScene.Caller, downloads: Int = 0
    ) async throws -> (sheet: WaitingSubmission, caseID: CaseID, owner: UserID) {
        let ada = try await scene.person("ada")
        let bob = try await scene.person("bob")
        let sheet = try await scene.waiting(by: ada.id)
        try await scene.approve(sheet, as: mod)
        // The clock stands: two decisions of one moment would have no order, and the newest is what is appealed.
        scene.clock.advance(by: 1)
        try await scene.features.database.execute(
            "UPDATE templates SET downloads = \(downloads) WHERE id = \(sheet.template)")
        let id = try await scene.report(
            .template(sheet.template), kind: "template", id: sheet.template.rawValue, by: bob.id)
        return (sheet, id, ada.id)
    }

    /// The team's numbers of each moderator.
    private static func statistics(
        _ scene: AccountsScene, as caller: AccountsScene.Caller
    ) async throws -> [ModerationStatistics.Person] {
        try await scene.send(.get, "/moderation/statistics", as: caller).json(ModerationStatistics.self).moderators
    }

    @Test("a take-down is in force with the decision, and an appeal that was right puts the sheet back")
    func takeDown() async throws {
        try await AccountsScene.run { scene in
            let mod = try await scene.person("mod", role: .moderator)
            let bea = try await scene.person("bea", role: .moderator)
            let found = try await Self.reported(scene, as: mod.caller)
            _ = try await scene.claim(found.caseID, as: mod.caller)
            let restore = try await scene.decide(found.caseID, .restore, as: mod.caller)
            #expect(restore.status == .conflict)
            let down = try await scene.decide(found.caseID, .takeDown, reasonCode: "copyright", as: mod.caller)
            #expect(try down.json(CaseSummary.self).state == .decided)
            #expect(try await scene.offered(found.sheet.template) == nil)
            let ada = try await scene.accounts.makeToken(name: "t", scopes: TokenScope.all, for: found.owner)
            let appeal = AppealRequest(
                subject: .template, id: found.sheet.template.description, text: "It is all mine.")
            let filed = try await scene.send(.post, "/appeals", json: appeal, as: .token(ada.token))
            #expect(filed.status == .created, "\(String(buffer: filed.body))")
            let next = try await scene.next(as: bea.caller).json(CaseSummary.self)
            #expect(next.kind == .appeal)
            _ = try await scene.decide(next.id, .overturn, as: bea.caller)
            #expect(try await scene.offered(found.sheet.template) == "1.0.0")
            #expect(try await scene.detail(found.caseID, as: bea.caller).summary.state == .closed)
            _ = try await scene.actions()
            let first = try #require(try await Self.statistics(scene, as: bea.caller).first { $0.handle == "mod" })
            #expect(first.looks?.first == .init(kind: "appeal", reviewed: 1, upheld: 0) && first.agreement == 0)
            #expect(first.agreementInterval?.low == 0 && (first.agreementInterval?.high ?? 0) > 0.7)
        }
    }

    @Test("what many have installed is taken down by two: one proposes, another confirms or declines")
    func fourEyes() async throws {
        try await AccountsScene.run { scene in
            let mod = try await scene.person("mod", role: .moderator)
            let bea = try await scene.person("bea", role: .moderator)
            let found = try await Self.reported(scene, as: mod.caller, downloads: 500)
            let path = "/moderation/cases/\(found.caseID)"
            func propose() async throws {
                _ = try await scene.claim(found.caseID, as: mod.caller)
                let proposed = try await scene.decide(found.caseID, .takeDown, as: mod.caller)
                let summary = try proposed.json(CaseSummary.self)
                #expect(summary.state == .open && summary.isProposed)
            }
            try await propose()
            #expect(try await scene.offered(found.sheet.template) == "1.0.0")
            #expect(try await scene.claim(found.caseID, as: mod.caller).status == .forbidden)
            #expect(try await scene.next(as: mod.caller).status == .noContent)
            #expect(try await scene.send(.post, "\(path)/confirm", as: bea.caller).problem == .caseNotClaimed)
            _ = try await scene.claim(found.caseID, as: bea.caller)
            #expect(try await scene.decide(found.caseID, .dismiss, as: bea.caller).status == .conflict)
            #expect(try await scene.detail(found.caseID, as: bea.caller).proposal?.by == "mod")
            let reason = DeclineRequest(reason: "Ask first.")
            let declined = try await scene.send(.post, "\(path)/decline", json: reason, as: bea.caller)
            #expect(try declined.json(CaseSummary.self).isProposed == false)
            _ = try await scene.send(.post, "\(path)/release", as: bea.caller)
            try await propose()
            _ = try await scene.claim(found.caseID, as: bea.caller)
            let confirmed = try await scene.send(.post, "\(path)/confirm", as: bea.caller)
            #expect(try confirmed.json(CaseSummary.self).state == .decided)
            #expect(try await scene.offered(found.sheet.template) == nil)
            let names = try await scene.features.database.first(
                """
                SELECT p.handle AS proposer, m.handle AS decider FROM decisions AS d
                JOIN users AS p ON p.id = d.proposed_by JOIN users AS m ON m.id = d.moderator_id
                """
            ) { [try $0.get("proposer", as: String.self), try $0.get("decider", as: String.self)] }
            #expect(names == ["mod", "bea"])
            let actions = try await scene.actions()
            #expect(actions.count { $0 == "case.proposed" } == 2 && actions.contains("case.proposal_declined"))

            // The first decision was mod's approval; let it have been a random audit.
            try await scene.features.database.execute("UPDATE cases SET is_audit = true WHERE kind = 'submission'")
            let people = try await Self.statistics(scene, as: bea.caller)
            #expect(people.map(\.handle) == ["bea", "mod"])
            #expect(
                people.last?.looks == [
                    .init(kind: "appeal", reviewed: 0, upheld: 0), .init(kind: "four_eyes", reviewed: 2, upheld: 1),
                ])
            #expect(people.last?.reviewed == 2 && people.last?.agreement == 0.5)
            #expect(people.last?.audits == 1 && people.last?.auditsAgreed == 1 && people.first?.audits == 0)
            #expect(people.first?.agreement == nil && people.first?.agreementInterval == nil)
        }
    }

    @Test("a suspension has an end to come, a ban needs two, and lifting ends both")
    func sanctions() async throws {
        try await AccountsScene.run { scene in
            let eve = try await scene.person("eve")
            let mod = try await scene.person("mod", role: .moderator)
            let bea = try await scene.person("bea", role: .moderator)
            func opened() async throws -> CaseID {
                let request = NewCaseRequest(subject: ReportSubject(kind: .user, id: "eve"), note: "Again.")
                let id = try await scene.send(.post, "/moderation/cases", json: request, as: mod.caller)
                    .json(CaseSummary.self).id
                _ = try await scene.claim(id, as: mod.caller)
                return id
            }
            func suspend(_ id: CaseID, until: Date?) async throws -> TestResponse {
                let request = DecisionRequest(
                    decision: .suspend, reasonCode: "spam", message: "Three days.", until: until)
                return try await scene.send(
                    .post, "/moderation/cases/\(id)/decision", json: request, as: mod.caller)
            }
            let first = try await opened()
            #expect(try await suspend(first, until: nil).status == .unprocessableContent)
            #expect(
                try await suspend(first, until: scene.clock.now.addingTimeInterval(-1)).status == .unprocessableContent)
            #expect(try await suspend(first, until: scene.clock.now.addingTimeInterval(3 * 86_400)).status == .ok)
            let second = try await opened()
            #expect(try await scene.decide(second, .ban, as: mod.caller).json(CaseSummary.self).isProposed)
            _ = try await scene.claim(second, as: bea.caller)
            #expect(try await scene.send(.post, "/moderation/cases/\(second)/confirm", as: bea.caller).status == .ok)
            let imposed = try await scene.features.database.scalar(
                "SELECT count(*) FROM sanctions WHERE user_id = \(eve.id) AND lifted_at IS NULL", as: Int.self)
            #expect(imposed == 2)
            let third = try await opened()
            #expect(try await scene.decide(third, .lift, as: mod.caller).status == .ok)
            let left = try await scene.features.database.scalar(
                "SELECT count(*) FROM sanctions WHERE user_id = \(eve.id) AND lifted_at IS NULL", as: Int.self)
            #expect(left == 0)
            _ = try await scene.actions()
        }
    }

    @Test("what rules published and an audit finds wrong is taken down in that case; who disagrees appeals as always")
    func audit() async throws {
        try await RiskTests.trusting(draw: 0.05) { market in
            let (ada, sheet) = try await RiskTests.trustedAuthor(market)
            let update = try await RiskTests.upload(
                PageSimilarityTests.sheet(RiskTests.pages, ballast: 3000),
                UploadMetadata(version: "1.0.1", changelog: "Smaller."), as: ada, of: sheet.templateSlug)
            #expect(update.state == .published)
            let bea = try await market.person("bea", role: .moderator)
            let audits = try await bea.get("\(Paths.base)/moderation/queue?audit=true").json(CaseList.self)
            #expect(audits.cases.map(\.id) == [update.caseId] && audits.cases.first?.isAudit == true)
            let path = Paths.moderationCase(try #require(update.caseId).description)
            let detail = try await bea.get(path).json(CaseDetail.self)
            #expect(detail.choices == [.approve, .takeDown])
            let refused = try await bea.decide(update, .reject, reasonCode: "copyright", message: "It is published.")
            #expect(refused.status == 422, "\(refused.text)")
            let down = try await bea.decide(update, .takeDown, reasonCode: "copyright", message: "A stolen drawing.")
            #expect(down.status == 200, "\(down.text)")

            let template = Paths.template(sheet.templateSlug)
            func offered() async throws -> String {
                try await market.http.get(template).json(TemplateDetail.self).summary.version.description
            }
            #expect(try await offered() == "1.0.0", "the version before")
            let gone = try await market.http.get("\(template)/versions/1.0.1")
            #expect(gone.status == 410 && gone.problemCode == .takenDown && gone.text.contains("A stolen drawing."))
            let rules = try await bea.get("\(Paths.base)/moderation/rules").json(RiskRuleList.self)
            #expect(rules.trusted.auditsDecided == 1 && rules.trusted.auditsAgreed == 0)

            let lodged = try await ada.send(
                .POST, "\(Paths.base)/appeals",
                json: AppealRequest(subject: .submission, id: update.id.description, text: "I drew it."))
            #expect(lodged.status == 201, "\(lodged.text)")
            let mo = try await market.person("mo", role: .moderator)
            let appeals = try await mo.get("\(Paths.base)/moderation/queue?kind=appeal").json(CaseList.self)
            let appeal = Paths.moderationCase(try #require(appeals.cases.first).id.description)
            #expect(try await mo.send(.POST, "\(appeal)/claim").status == 200)
            let overturned = try await mo.send(
                .POST, "\(appeal)/decision",
                json: DecisionRequest(decision: .overturn, reasonCode: "decision_wrong", message: "It is ada's."))
            #expect(overturned.status == 200, "\(overturned.text)")
            #expect(try await offered() == "1.0.1")
        }
    }

    @Test("a suspension that an appeal overturns when it is over already is no strike")
    func overturnedLate() async throws {
        try await AccountsScene.run { scene in
            let eve = try await scene.person("eve")
            let mod = try await scene.person("mod", role: .moderator)
            let bea = try await scene.person("bea", role: .moderator)
            func list() async throws -> SanctionList {
                try await SanctionService(moderation: scene.features.moderation).list(
                    of: eve.id, PageRequest(), forModerators: false)
            }
            let opened = NewCaseRequest(subject: ReportSubject(kind: .user, id: "eve"), note: "Advertises.")
            let id = try await scene.send(.post, "/moderation/cases", json: opened, as: mod.caller)
                .json(CaseSummary.self).id
            _ = try await scene.claim(id, as: mod.caller)
            let suspended = try await scene.send(
                .post, "/moderation/cases/\(id)/decision",
                json: DecisionRequest(
                    decision: .suspend, reasonCode: "spam", message: "Three days.",
                    until: scene.clock.now.addingTimeInterval(3 * 86_400)), as: mod.caller)
            #expect(suspended.status == .ok)
            scene.clock.advance(by: 4 * 86_400)
            let before = try await list()
            #expect(before.strikes > 0 && before.sanctions.map(\.inForce) == [false])
            let appeal = AppealRequest(subject: .case, id: id.description, text: "It was somebody else.")
            #expect(try await scene.send(.post, "/appeals", json: appeal, as: eve.caller).status == .created)
            let next = try await scene.next(as: bea.caller, kind: .appeal).json(CaseSummary.self)
            #expect(try await scene.decide(next.id, .overturn, as: bea.caller).status == .ok)
            let after = try await list()
            #expect(after.strikes == 0 && after.sanctions.first?.liftedAt != nil)
        }
    }
}
