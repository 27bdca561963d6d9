// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPages
import MarketPlatform
import MarketWire
import Moderation
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAccounts
@testable import ModerationService

@Suite("Copyright notices over HTTP")
struct CopyrightFlowTests {
    static func notice(on slug: String) -> CopyrightNoticeRequest {
        CopyrightNoticeRequest(
            subject: .init(kind: .template, id: slug), name: "Cora Copeland", email: "cora@example.org",
            address: "1 Main Street", phone: "+1 555 0100", work: "My book, page 12.", explanation: "It is my page.",
            inGoodFaith: true, underPenaltyOfPerjury: true, signature: "Cora Copeland")
    }

    static let counter = CounterNoticeRequest(
        name: "Ada Author", address: "2 Side Street", phone: "+1 555 0101", explanation: "I drew it.",
        underPenaltyOfPerjury: true, consentsToJurisdiction: true, signature: "Ada Author")

    private func decide(
        _ notice: CopyrightNotice, _ decision: String, as caller: TestHTTP
    ) async throws -> TestHTTP.Answer {
        try await caller.send(
            .POST, "\(Paths.base)/copyright/notices/\(notice.id)/decision",
            json: CopyrightDecisionRequest(decision: decision, message: "Looked at it."))
    }

    @Test("A notice takes down, a counter-notice brings back after ten business days, all of it in the log")
    func story() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let stranger = try await scene.person("stranger")
            let sheet = try await scene.template("Sheet", by: ada.id)
            let notices = "\(Paths.base)/copyright/notices"
            let sent = try await scene.http.send(.POST, notices, json: Self.notice(on: "sheet"))
            #expect(sent.status == 201, "\(sent.text)")
            let notice = try sent.json(CopyrightNotice.self)
            let path = "\(notices)/\(notice.id)"
            #expect(try await scene.http.get(Paths.template("sheet")).status == 200, "a notice alone hides nothing")
            #expect(try await ada.http.get(path).status == 404, "not before a moderator found it in order")
            #expect(try await ada.http.send(.POST, path + "/counter-notice", json: Self.counter).status == 409)

            let accepted = try await decide(notice, "accept", as: mod.http)
            #expect(accepted.status == 200, "\(accepted.text)")
            let gone = try await scene.http.get(Paths.template("sheet"))
            #expect(gone.status == 410)
            #expect(try gone.json(ProblemDocument.self).reasonCode == "copyright")
            let seen = try await ada.http.get(path).json(CopyrightNotice.self)
            #expect(seen.state == "taken_down" && seen.contact == nil && seen.message == "Looked at it.")
            #expect(try await stranger.http.get(path).status == 404)
            #expect(try await ada.http.get("\(Paths.base)/me/sanctions").json(SanctionList.self).strikes == 1)

            let countered = try await ada.http.send(.POST, path + "/counter-notice", json: Self.counter)
            #expect(countered.status == 200, "\(countered.text)")
            let dates = try #require(try countered.json(CopyrightNotice.self).counter)
            #expect(dates.restoreFrom == BusinessCalendar.date(10, businessDaysAfter: scene.clock.now))
            scene.clock.advance(by: dates.restoreFrom.timeIntervalSince(scene.clock.now) - 1)
            #expect(try await CopyrightService(moderation: scene.features.moderation).advanceTime() == 0)
            scene.clock.advance(by: 1)
            #expect(try await CopyrightService(moderation: scene.features.moderation).advanceTime() == 1)
            #expect(try await CopyrightService(moderation: scene.features.moderation).advanceTime() == 0)
            #expect(try await scene.http.get(Paths.template("sheet")).status == 200)
            #expect(try await scene.states(sheet) == ["1.0.0 published"])
            let list = try await mod.http.get("\(notices)?state=restored").json(CopyrightNoticeList.self)
            #expect(list.notices.map(\.id) == [notice.id] && list.notices.first?.contact?.email == "cora@example.org")
            #expect(try await ada.http.get("\(Paths.base)/me/sanctions").json(SanctionList.self).strikes == 0)
            let actions = try await scene.features.database.all("SELECT action FROM audit_entries ORDER BY sequence") {
                try $0.get(0, as: String.self)
            }
            #expect(actions == ["copyright.accepted", "copyright.countered", "copyright.restored"])
            let objection = try #require(
                try await AuditLog.entries(before: nil, limit: 3, in: scene.features.database).dropFirst().first)
            #expect(objection.actor == "ada" && objection.reason == nil && objection.requestID != nil)
            _ = try await AuditLog.verify(scene.features.database)
        }
    }

    @Test("A moderator decides on no notice of their own, nor on one about what they have a part in")
    func partiesOfTheTeam() async throws {
        try await EnforcementScene.run { scene in
            let owner = try await scene.person("owner", role: .moderator)
            let maintainer = try await scene.person("maintainer", role: .moderator)
            let mod = try await scene.person("mod", role: .moderator)
            let claimant = try await scene.person("claimant", role: .moderator)
            let sheet = try await scene.template("Sheet", by: owner.id)
            try await scene.features.database.execute(
                "INSERT INTO template_authors (template_id, user_id, role) VALUES (\(sheet.id), \(maintainer.id), 'maintainer')"
            )
            let notices = "\(Paths.base)/copyright/notices"
            let notice = try await claimant.http.send(.POST, notices, json: Self.notice(on: "sheet"))
                .json(CopyrightNotice.self)
            for party in [owner, maintainer, claimant] {
                for decision in ["accept", "reject"] {
                    #expect(try await decide(notice, decision, as: party.http).status == 403)
                }
            }
            for author in [owner, maintainer] {
                let seen = try await author.http.get("\(notices)/\(notice.id)").json(CopyrightNotice.self)
                let listed = try await author.http.get(notices).json(CopyrightNoticeList.self).notices
                #expect(seen.contact == nil && listed.map(\.contact) == [nil], "they are the other side")
            }
            #expect(try await mod.http.get("\(notices)/\(notice.id)").json(CopyrightNotice.self).contact != nil)
            #expect(try await decide(notice, "accept", as: mod.http).status == 200)
            let counter = try await owner.http.send(
                .POST, "\(notices)/\(notice.id)/counter-notice", json: Self.counter)
            #expect(counter.status == 200)
            for (reader, sees) in [(owner, true), (mod, true), (claimant, true), (maintainer, false)] {
                let seen = try await reader.http.get("\(notices)/\(notice.id)").json(CopyrightNotice.self)
                #expect((seen.counter?.contact != nil) == sees, "an address is for who has to answer it")
            }
        }
    }

    @Test("A suit keeps the work down; a notice that is rejected does nothing; what was down before stays down")
    func otherWays() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let claimant = try await scene.person("cora")
            _ = try await scene.template("One", by: ada.id)
            let two = try await scene.template("Two", by: ada.id)
            func send(_ slug: String) async throws -> CopyrightNotice {
                let answer = try await claimant.http.send(
                    .POST, "\(Paths.base)/copyright/notices", json: Self.notice(on: slug))
                try #require(answer.status == 201, "\(answer.text)")
                return try answer.json(CopyrightNotice.self)
            }
            let rejected = try await send("one")
            #expect(try await decide(rejected, "reject", as: mod.http).status == 200)
            #expect(try await decide(rejected, "accept", as: mod.http).status == 409)
            #expect(try await scene.http.get(Paths.template("one")).status == 200)

            let sued = try await send("one")
            #expect(try await decide(sued, "accept", as: mod.http).status == 200)
            #expect(try await decide(sued, "suit", as: mod.http).status == 409, "there is nothing to sue against yet")
            let path = "\(Paths.base)/copyright/notices/\(sued.id)"
            #expect(try await ada.http.send(.POST, path + "/counter-notice", json: Self.counter).status == 200)
            let forwarded = try await claimant.http.get(path).json(CopyrightNotice.self)
            #expect(forwarded.counter?.contact?.address == "2 Side Street")
            #expect(try await decide(sued, "suit", as: mod.http).status == 200)
            scene.clock.advance(by: 100 * 86_400)
            #expect(try await CopyrightService(moderation: scene.features.moderation).advanceTime() == 0)
            #expect(try await scene.http.get(Paths.template("one")).status == 410)

            try await scene.takeDown(.template(two.id), reasonCode: "malicious", message: "Scripts.")
            let late = try await send("two")
            #expect(try await decide(late, "accept", as: mod.http).status == 200)
            #expect(try await decide(late, "withdraw", as: mod.http).status == 200)
            #expect(try await scene.states(two) == ["1.0.0 taken_down Scripts."])
        }
    }

    /// Opens a case on a template and decides it at once.
    private func decideAsModerator(
        _ scene: EnforcementScene, _ slug: String, _ decision: DecisionKind, as moderator: TestHTTP
    ) async throws -> TestHTTP.Answer {
        scene.clock.advance(by: 1)
        let opened = try await moderator.send(
            .POST, "\(Paths.base)/moderation/cases",
            json: NewCaseRequest(subject: ReportSubject(kind: .template, id: slug), note: "Look at it."))
        try #require(opened.status == 201, "\(opened.text)")
        return try await decideCase(
            try opened.json(CaseSummary.self).id, decision, as: moderator)
    }

    private func decideCase(
        _ id: CaseID, _ decision: DecisionKind, as moderator: TestHTTP
    ) async throws -> TestHTTP.Answer {
        let path = Paths.moderationCase(id.description)
        let claim = try await moderator.send(.POST, "\(path)/claim")
        try #require(claim.status == 200, "\(claim.text)")
        return try await moderator.send(
            .POST, "\(path)/decision",
            json: DecisionRequest(decision: decision, reasonCode: "other", message: "By a moderator."))
    }

    private func accepted(
        _ slug: String, in scene: EnforcementScene, by moderator: TestHTTP
    ) async throws -> CopyrightNotice {
        let sent = try await scene.http.send(
            .POST, "\(Paths.base)/copyright/notices", json: Self.notice(on: slug))
        let notice = try sent.json(CopyrightNotice.self)
        let answer = try await decide(notice, "accept", as: moderator)
        try #require(answer.status == 200, "\(answer.text)")
        return notice
    }

    @Test(
        "Work that two causes hold down comes back with the last: two notices; a notice and a moderator, in both orders"
    )
    func overlapping() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator).http
            let bea = try await scene.person("bea", role: .moderator).http
            for name in ["One", "Two", "Three"] { _ = try await scene.template(name, by: ada.id) }
            func status(_ slug: String) async throws -> Int {
                try await scene.http.get(Paths.template(slug)).status
            }

            let first = try await accepted("one", in: scene, by: mod)
            let second = try await accepted("one", in: scene, by: mod)
            #expect(try await decide(first, "withdraw", as: mod).status == 200)
            #expect(try await status("one") == 410, "the second notice stands")
            #expect(try await decide(second, "withdraw", as: mod).status == 200)
            #expect(try await status("one") == 200)

            let before = try await accepted("two", in: scene, by: mod)
            #expect(
                try await decideAsModerator(scene, "two", .restore, as: mod).status == 409,
                "no moderator holds anything yet")
            let taken = try await mod.get("\(Paths.base)/moderation/queue?kind=report").json(CaseList.self)
            let open = try #require(taken.cases.first?.id)
            #expect(try await decideCase(open, .takeDown, as: mod).status == 200)
            #expect(try await decide(before, "withdraw", as: mod).status == 200)
            #expect(try await status("two") == 410, "the moderator's take-down stands")
            #expect(try await decideAsModerator(scene, "two", .restore, as: mod).status == 200)
            #expect(try await status("two") == 200)

            #expect(try await decideAsModerator(scene, "three", .takeDown, as: mod).status == 200)
            let after = try await accepted("three", in: scene, by: mod)
            let three = try await scene.features.database.scalar(
                "SELECT id FROM templates WHERE slug = 'three'", as: UUID.self)
            let lodged = try await ada.http.send(
                .POST, "\(Paths.base)/appeals",
                json: AppealRequest(subject: .template, id: three.uuidString.lowercased(), text: "It is mine."))
            #expect(lodged.status == 201, "\(lodged.text)")
            let appeals = try await bea.get("\(Paths.base)/moderation/queue?kind=appeal").json(CaseList.self)
            #expect(try await decideCase(try #require(appeals.cases.first?.id), .overturn, as: bea).status == 200)
            let gone = try await scene.http.get(Paths.template("three"))
            #expect(gone.status == 410, "the notice stands")
            #expect(try gone.json(ProblemDocument.self).reasonCode == "copyright")
            #expect(try await decide(after, "withdraw", as: mod).status == 200)
            #expect(try await status("three") == 200)
        }
    }

    @Test("What the law asks for is asked for, member by member")
    func incomplete() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            _ = try await scene.template("Sheet", by: ada.id)
            var bad = Self.notice(on: "sheet")
            bad.signature = " "
            bad.underPenaltyOfPerjury = false
            bad.email = "nowhere"
            bad.subject = .init(kind: .user, id: "ada")
            let answer = try await scene.http.send(.POST, "\(Paths.base)/copyright/notices", json: bad)
            #expect(answer.status == 422)
            let pointers = try answer.json(ProblemDocument.self).errors?.map(\.pointer)
            #expect(pointers == ["/underPenaltyOfPerjury", "/signature", "/email", "/subject"])
        }
    }
}
