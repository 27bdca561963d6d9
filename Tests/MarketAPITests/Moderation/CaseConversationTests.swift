// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MarketPages
import MarketPlatform
import MarketWire
import Moderation
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAccounts
@testable import ModerationService

@Suite("What is said about a case, and what comes after it")
struct CaseConversationTests {
    @Test("a question makes the case wait, and the answer brings it back; a name can be hidden")
    func thread() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let mod = try await scene.person("mod", role: .moderator)
            let waiting = try await scene.waiting(by: ada.id)
            let path = "/moderation/cases/\(waiting.caseID)/messages"
            let side = "/submissions/\(waiting.submission)/messages"
            let question = MessageRequest(text: "Which edition?", waits: true, isHidden: true)
            #expect(try await scene.send(.post, path, json: question, as: mod.caller).problem == .caseNotClaimed)
            _ = try await scene.claim(waiting.caseID, as: mod.caller)
            #expect(try await scene.send(.post, path, json: question, as: mod.caller).status == .created)
            let asked = try await scene.detail(waiting.caseID, as: mod.caller)
            #expect(asked.summary.state == .waiting && asked.summary.claimedBy == "mod")
            #expect(asked.messages?.map(\.by) == ["mod"])
            #expect(try await scene.next(as: mod.caller).status == .noContent)
            #expect(try await scene.queue("mine=true", as: mod.caller).map(\.id) == [waiting.caseID])

            let seen = try await scene.send(.get, side, as: ada.caller).json(MessageList.self)
            #expect(seen.messages.map(\.text) == ["Which edition?"] && seen.messages[0].by == nil)
            #expect(seen.messages[0].side == .moderator)
            #expect(try await scene.send(.get, side, as: bob.caller).status == .notFound)
            let answer = MessageRequest(text: "The fifth.\u{202E}")
            #expect(try await scene.send(.post, side, json: answer, as: bob.caller).status == .notFound)
            #expect(try await scene.send(.post, side, json: answer, as: mod.caller).status == .forbidden)
            scene.clock.advance(by: 1)
            #expect(try await scene.send(.post, side, json: answer, as: ada.caller).status == .created)
            #expect(try await scene.queue("state=open", as: mod.caller).map(\.id) == [waiting.caseID])
            let page = try await scene.send(.get, "\(path)?limit=1", as: mod.caller).json(MessageList.self)
            let rest = try await scene.send(
                .get, "\(path)?limit=1&cursor=\(try #require(page.nextCursor))", as: mod.caller
            ).json(MessageList.self)
            #expect(rest.messages.map(\.text) == ["The fifth."] && rest.nextCursor == nil)
            let empty = MessageRequest(text: " \u{0} ")
            #expect(try await scene.send(.post, path, json: empty, as: mod.caller).status == .unprocessableContent)
            #expect(
                try await scene.actions() == ["case.claimed", "case.asked", "case.messaged"])
        }
    }

    @Test("when changes are wanted the case waits: an answer brings it back, a revised file ends it")
    func changes() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let first = try await scene.waiting(by: ada.id)
            _ = try await scene.claim(first.caseID, as: mod.caller)
            let wanted = try await scene.decide(first.caseID, .requestChanges, as: mod.caller)
            #expect(try wanted.json(CaseSummary.self).state == .waiting)
            #expect(try await scene.claim(first.caseID, as: mod.caller).status == .conflict)
            let side = "/submissions/\(first.submission)/messages"
            let answer = MessageRequest(text: "It is right as it is.")
            #expect(try await scene.send(.post, side, json: answer, as: ada.caller).status == .created)
            #expect(try await scene.submissionState(first.submission) == .awaitingReview)
            _ = try await scene.claim(first.caseID, as: mod.caller)
            _ = try await scene.decide(first.caseID, .requestChanges, as: mod.caller)

            let revised = try await scene.waiting(by: ada.id, version: "1.0.0", of: first.template)
            let old = try await scene.detail(first.caseID, as: mod.caller)
            #expect(old.summary.state == .closed && old.decisions.count == 2)
            #expect(try await scene.send(.post, side, json: answer, as: ada.caller).problem == .caseDecided)
            let new = try await scene.detail(revised.caseID, as: mod.caller)
            #expect(new.history?.map(\.id) == [first.caseID] && new.author?.changesRequested == 1)
            try await scene.approve(revised, as: mod.caller)
            #expect(try await scene.offered(first.template) == "1.0.0")
        }
    }

    @Test("notes are the team's alone, and not for the moderator whom the case is about")
    func notes() async throws {
        try await AccountsScene.run { scene in
            let bob = try await scene.person("bob")
            let mod = try await scene.person("mod", role: .moderator)
            let bea = try await scene.person("bea", role: .moderator)
            let reported = try await scene.report(.user(mod.id), kind: "user", id: mod.id.rawValue, by: bob.id)
            let path = "/moderation/cases/\(reported)/notes"
            let note = NoteRequest(text: "I know nothing of it.")
            #expect(try await scene.send(.post, path, json: note, as: mod.caller).status == .forbidden)
            #expect(try await scene.send(.post, path, json: note, as: bob.caller).status == .forbidden)
            #expect(try await scene.send(.post, path, json: note, as: bea.caller).status == .created)
            let team = try await scene.detail(reported, as: bea.caller)
            #expect(team.notes?.map(\.text) == [note.text] && team.reports?.map(\.by) == ["bob"])
            let own = try await scene.detail(reported, as: mod.caller)
            #expect(own.notes == nil && own.reports == nil)
            #expect(try await scene.claim(reported, as: mod.caller).status == .forbidden)
        }
    }

    @Test("what a decision rests on is the team's alone: no uploader reads it, and no moderator among the authors")
    func evidence() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let bea = try await scene.person("bea", role: .moderator)
            let sheet = try await scene.waiting(by: ada.id)
            try await scene.features.database.execute(
                """
                INSERT INTO template_authors (template_id, user_id, role)
                VALUES (\(sheet.template), \(bea.id), 'contributor')
                """)
            let note = NoteRequest(text: "Seen before.")
            let notes = "/moderation/cases/\(sheet.caseID)/notes"
            #expect(try await scene.send(.post, notes, json: note, as: mod.caller).status == .created)
            _ = try await scene.claim(sheet.caseID, as: mod.caller)
            let decided = try await scene.send(
                .post, "/moderation/cases/\(sheet.caseID)/decision",
                json: DecisionRequest(
                    decision: .reject, reasonCode: "copyright", message: "It is somebody else's.",
                    evidence: ["page 2: the river map"]), as: mod.caller)
            #expect(decided.status == .ok)
            let late = try await scene.send(
                .post, "/moderation/cases/\(sheet.caseID)/messages", json: MessageRequest(text: "One more thing."),
                as: mod.caller)
            #expect(late.status == .conflict && late.problem == .caseDecided, "nobody writes into a decided case")
            let detail = try await scene.detail(sheet.caseID, as: mod.caller)
            #expect(detail.decisions.map(\.evidence) == [["page 2: the river map"]] && detail.notes?.count == 1)
            let own = try await scene.detail(sheet.caseID, as: bea.caller)
            #expect(own.decisions.map(\.message) == ["It is somebody else's."])
            #expect(own.notes == nil && own.reports == nil)
            #expect(own.decisions.map(\.evidence) == [nil] && own.submission?.decision?.evidence == nil)
            let appeal = AppealRequest(subject: .submission, id: sheet.submission.description, text: "It is mine.")
            let filed = try await scene.send(.post, "/appeals", json: appeal, as: ada.caller)
            #expect(filed.status == .created && !String(buffer: filed.body).contains("river map"))
            for path in ["/submissions/\(sheet.submission)", "/submissions/\(sheet.submission)/messages", "/appeals"] {
                let answer = try await scene.send(.get, path, as: ada.caller)
                #expect(answer.status == .ok && !String(buffer: answer.body).contains("river map"), "\(path)")
            }
        }
    }

    @Test("reports on one subject gather in one case until it is decided; a dismissal closes them")
    func reports() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let cleo = try await scene.person("cleo")
            let mod = try await scene.person("mod", role: .moderator)
            let sheet = try await scene.waiting(by: ada.id)
            try await scene.approve(sheet, as: mod.caller)
            let subject = CaseSubject.template(sheet.template)
            let id = sheet.template.rawValue
            let first = try await scene.report(subject, kind: "template", id: id, by: bob.id)
            let second = try await scene.report(subject, kind: "template", id: id, by: cleo.id)
            #expect(first == second)
            let opened = NewCaseRequest(
                subject: ReportSubject(kind: .template, id: "t-\(sheet.template)"), note: "Looks odd to me.")
            let joined = try await scene.send(.post, "/moderation/cases", json: opened, as: mod.caller)
            #expect(try joined.status == .created && joined.json(CaseSummary.self).id == first)
            let detail = try await scene.detail(first, as: mod.caller)
            #expect(detail.summary.reportCount == 2 && detail.reports?.count == 2 && detail.notes?.count == 1)
            #expect(detail.summary.kind == .report && detail.summary.subject == .template)
            #expect(detail.submission?.id == sheet.submission && detail.pages.count == 2)
            #expect(detail.choices?.contains(.dismiss) == true && detail.choices?.contains(.approve) == false)
            _ = try await scene.claim(first, as: mod.caller)
            let wrong = try await scene.decide(first, .approve, as: mod.caller)
            #expect(wrong.status == .unprocessableContent)
            #expect(try await scene.decide(first, .dismiss, as: mod.caller).status == .ok)
            let outcomes = try await scene.features.database.all("SELECT state, outcome FROM reports") {
                try [$0.get("state", as: String.self), $0.get("outcome", as: String.self)]
            }
            #expect(outcomes == [["closed", "dismissed"], ["closed", "dismissed"]])
            let third = try await scene.report(subject, kind: "template", id: id, by: bob.id)
            #expect(third != first)
            let nothing = NewCaseRequest(subject: ReportSubject(kind: .user, id: "nobody"), note: "Who?")
            let refused = try await scene.send(.post, "/moderation/cases", json: nothing, as: mod.caller)
            #expect(refused.status == .unprocessableContent)
        }
    }

    @Test("a case that waits moves up with what is downloaded meanwhile; one that has not changed is not written")
    func reach() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let mod = try await scene.person("mod", role: .moderator)
            let sheet = try await scene.waiting(by: ada.id)
            try await scene.approve(sheet, as: mod.caller)
            let id = try await scene.report(
                .template(sheet.template), kind: "template", id: sheet.template.rawValue, by: bob.id)
            func place() async throws -> Date {
                try await scene.features.database.scalar("SELECT queue_at FROM cases WHERE id = \(id)", as: Date.self)
            }
            let before = try await place()
            try await scene.features.database.execute(
                "UPDATE templates SET downloads = 999 WHERE id = \(sheet.template)")
            await PeriodicService(scene.features.moderation.periodicTasks, platform: scene.features.platform).runOnce()
            #expect(try await scene.detail(id, as: mod.caller).summary.reach == 999)
            #expect(try await place() < before)
            let decided = try await scene.features.database.scalar(
                "SELECT reach FROM cases WHERE id = \(sheet.caseID)", as: Int64.self)
            #expect(decided == 0, "what is decided stays as it was")
            #expect(try await CaseStore.refreshDownloadCounts(in: scene.features.database) == 0)
        }
    }

    @Test("a refusal that an appeal overturns is looked at again by another, and published by an approval only")
    func appeal() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let mod = try await scene.person("mod", role: .moderator)
            let bea = try await scene.person("bea", role: .moderator)
            let sheet = try await scene.waiting(by: ada.id)
            let request = AppealRequest(
                subject: .submission, id: sheet.submission.description, text: "It is a sheet.")
            func lodge(_ caller: AccountsScene.Caller) async throws -> TestResponse {
                try await scene.send(.post, "/appeals", json: request, as: caller)
            }
            #expect(try await lodge(ada.caller).status == .unprocessableContent)
            _ = try await scene.claim(sheet.caseID, as: mod.caller)
            _ = try await scene.decide(sheet.caseID, .reject, as: mod.caller)
            #expect(try await lodge(bob.caller).status == .unprocessableContent)
            let answer = try await lodge(ada.caller)
            let appeal = try answer.json(Appeal.self)
            #expect(answer.status == .created && appeal.state == .open && appeal.decision.decision == .reject)
            #expect(try await lodge(ada.caller).problem == .appealedBefore)
            #expect(try await scene.send(.get, "/appeals/\(appeal.id)", as: bob.caller).status == .notFound)
            let list = try await scene.send(.get, "/appeals", as: ada.caller).json(AppealList.self)
            #expect(list.appeals == [appeal])

            #expect(try await scene.next(as: mod.caller).status == .noContent)
            let found = try await scene.next(as: bea.caller).json(CaseSummary.self)
            #expect(found.kind == .appeal && found.appealOf == sheet.caseID)
            #expect(try await scene.detail(found.id, as: bea.caller).appeal?.text == "It is a sheet.")
            #expect(try await scene.claim(found.id, as: mod.caller).status == .forbidden)
            #expect(try await scene.decide(found.id, .overturn, as: bea.caller).json(CaseSummary.self).state == .closed)
            #expect(try await scene.submissionState(sheet.submission) == .awaitingReview)
            #expect(try await scene.offered(sheet.template) == nil)
            let ended = try await scene.send(.get, "/appeals/\(appeal.id)", as: ada.caller).json(Appeal.self)
            #expect(ended.state == .overturned && ended.answer == "So it is." && ended.endedAt == scene.clock.now)
            #expect(try await scene.next(as: mod.caller).status == .noContent)
            #expect(try await scene.next(as: bea.caller).json(CaseSummary.self).id == sheet.caseID)
            #expect(try await scene.decide(sheet.caseID, as: bea.caller).status == .ok)
            #expect(try await scene.offered(sheet.template) == "1.0.0")
            #expect(
                try await scene.actions() == [
                    "case.claimed", "case.decided", "case.appealed", "case.claimed", "case.decided", "case.claimed",
                    "case.decided",
                ])
        }
    }

    @Test("a reporter appeals a dismissal: overturned, the reports are open again")
    func reporterAppeals() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let mod = try await scene.person("mod", role: .moderator)
            let bea = try await scene.person("bea", role: .moderator)
            let subject = CaseSubject.user(ada.id)
            let reported = try await scene.report(subject, kind: "user", id: ada.id.rawValue, by: bob.id)
            _ = try await scene.claim(reported, as: mod.caller)
            _ = try await scene.decide(reported, .dismiss, as: mod.caller)
            func lodge(_ caller: AccountsScene.Caller) async throws -> TestResponse {
                let request = AppealRequest(subject: .case, id: reported.description, text: "Look again.")
                return try await scene.send(.post, "/appeals", json: request, as: caller)
            }
            #expect(try await lodge(ada.caller).status == .forbidden)
            #expect(try await lodge(bob.caller).status == .created)
            let found = try await scene.next(as: bea.caller).json(CaseSummary.self)
            _ = try await scene.decide(found.id, .overturn, as: bea.caller)
            let summary = try await scene.detail(reported, as: bea.caller).summary
            #expect(summary.state == .open)
            let open = try await scene.features.database.scalar(
                "SELECT count(*) FROM reports WHERE state = 'open'", as: Int.self)
            #expect(open == 1)
        }
    }

    @Test("appeals come to an end: after 30 days it is too late, and the case is closed")
    func tooLate() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let sheet = try await scene.waiting(by: ada.id)
            _ = try await scene.claim(sheet.caseID, as: mod.caller)
            _ = try await scene.decide(sheet.caseID, .reject, as: mod.caller)
            scene.clock.advance(by: scene.features.moderation.limits.appealSeconds - 1)
            await PeriodicService(scene.features.moderation.periodicTasks, platform: scene.features.platform).runOnce()
            #expect(try await scene.detail(sheet.caseID, as: mod.caller).summary.state == .decided)
            scene.clock.advance(by: 1)
            let request = AppealRequest(subject: .case, id: sheet.caseID.description, text: "Late.")
            #expect(try await scene.send(.post, "/appeals", json: request, as: ada.caller).status == .conflict)
            await PeriodicService(scene.features.moderation.periodicTasks, platform: scene.features.platform).runOnce()
            #expect(try await scene.detail(sheet.caseID, as: mod.caller).summary.state == .closed)
        }
    }

    @Test("an administrator takes a case out of another's hands with a reason, and the log has it")
    func takeOver() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let bea = try await scene.person("bea", role: .moderator)
            let chief = try await scene.person("chief", role: .administrator)
            let sheet = try await scene.waiting(by: ada.id)
            let path = "/moderation/cases/\(sheet.caseID)/claim"
            _ = try await scene.claim(sheet.caseID, as: mod.caller)
            let reason = ClaimRequest(reason: "Mod is away.")
            #expect(try await scene.send(.post, path, json: reason, as: bea.caller).problem == .caseNotClaimed)
            #expect(try await scene.claim(sheet.caseID, as: chief.caller).status == .unprocessableContent)
            #expect(
                try await scene.send(.post, path, json: reason, as: chief.caller).json(CaseSummary.self).claimedBy
                    == "chief")
            #expect(try await scene.decide(sheet.caseID, as: mod.caller).problem == .caseNotClaimed)
            let entry = try #require(
                try await AuditLog.entries(before: nil, limit: 1, in: scene.features.database).first)
            #expect(entry.action == "case.taken_over" && entry.details?.contains("Mod is away.") == true)
        }
    }

    @Test("the database itself publishes nothing that has a case and no approval")
    func guarded() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let sheet = try await scene.waiting(by: ada.id)
            await #expect(throws: PostgresError.self) {
                try await scene.features.database.execute(
                    "UPDATE submissions SET state = 'published' WHERE id = \(sheet.submission)")
            }
        }
    }
}
