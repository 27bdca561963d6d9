// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import Moderation
import ModerationService
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAccounts

@Suite("The moderators' desk over HTTP")
struct CaseTests {
    @Test("of sixteen moderators who claim a case at once, exactly one gets it")
    func claimRace() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let waiting = try await scene.waiting(by: ada.id)
            var moderators: [AccountsScene.Caller] = []
            for index in 0..<16 {
                moderators.append(try await scene.person("moderator-\(index)", role: .moderator).caller)
            }
            let answers = try await withThrowingTaskGroup(of: TestResponse.self) { group in
                for moderator in moderators {
                    group.addTask { try await scene.claim(waiting.caseID, as: moderator) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count { $0.status == .ok } == 1)
            let lost = answers.filter { $0.status != .ok }
            #expect(lost.allSatisfy { $0.status == .conflict && $0.problem == .caseNotClaimed })
            let claims = try await scene.features.database.scalar(
                "SELECT count(*) FROM audit_entries WHERE action = 'case.claimed'", as: Int.self)
            #expect(claims == 1)
            _ = try await AuditLog.verify(scene.features.database)
        }
    }

    @Test("an approval publishes version and template together, and a second decision is refused")
    func approval() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let waiting = try await scene.waiting(by: ada.id)
            #expect(try await scene.offered(waiting.template) == nil)
            #expect(try await scene.claim(waiting.caseID, as: mod.caller).json(CaseSummary.self).claimedBy == "mod")
            let decided = try await scene.decide(
                waiting.caseID, reasonCode: "meets_guidelines", message: "", as: mod.caller)
            #expect(decided.status == .ok)
            #expect(try decided.json(CaseSummary.self).state == .decided)

            #expect(try await scene.submissionState(waiting.submission) == .published)
            #expect(try await scene.offered(waiting.template) == "1.0.0")
            let template = try await scene.features.database.one(
                """
                SELECT name, license, language, tags, page_count, published_at, updated_at FROM templates
                WHERE id = \(waiting.template)
                """
            ) { row in
                (
                    name: try row.get("name", as: String.self), license: try row.get("license", as: String.self),
                    language: try row.get("language", as: String.self), tags: try row.get("tags", as: [String].self),
                    pages: try row.get("page_count", as: Int.self),
                    published: try row.get("published_at", as: Date?.self)
                )
            }
            #expect(template.name == "Sheet 1.0.0" && template.license == "CC-BY-4.0" && template.language == "en")
            #expect(template.tags == ["blue"] && template.pages == 2 && template.published == scene.clock.now)
            let changelog = try await scene.features.database.scalar("SELECT changelog FROM versions", as: String.self)
            #expect(changelog == "What is new in 1.0.0")

            for again in [DecisionKind.approve, .reject] {
                let refused = try await scene.decide(waiting.caseID, again, as: mod.caller)
                #expect(refused.status == .conflict && refused.problem == .caseDecided)
            }
            #expect(try await scene.claim(waiting.caseID, as: mod.caller).problem == .caseDecided)
            let detail = try await scene.send(.get, "/moderation/cases/\(waiting.caseID)", as: mod.caller)
                .json(CaseDetail.self)
            #expect(detail.decisions.count == 1 && detail.submission?.decision?.decision == .approve)
            #expect(detail.submission?.decision?.message.isEmpty == false)
        }
    }

    @Test("of two decisions at once by the one who holds the case, one counts")
    func decisionsAtOnce() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let waiting = try await scene.waiting(by: ada.id)
            _ = try await scene.claim(waiting.caseID, as: mod.caller)
            let statuses = try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
                for index in 0..<8 {
                    group.addTask {
                        try await scene.decide(
                            waiting.caseID, index.isMultiple(of: 2) ? .approve : .reject, as: mod.caller
                        ).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == .ok } == 1 && statuses.count { $0 == .conflict } == 7)
            let decisions = try await scene.features.database.scalar("SELECT count(*) FROM decisions", as: Int.self)
            #expect(decisions == 1)
        }
    }

    @Test("a decision needs a claim that still holds; one that ran out goes to whoever asks next")
    func leases() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let bea = try await scene.person("bea", role: .moderator)
            let cleo = try await scene.person("cleo", role: .moderator)
            let waiting = try await scene.waiting(by: ada.id)
            #expect(try await scene.decide(waiting.caseID, as: bea.caller).problem == .caseNotClaimed)
            _ = try await scene.claim(waiting.caseID, as: bea.caller)
            #expect(try await scene.decide(waiting.caseID, as: cleo.caller).problem == .caseNotClaimed)
            scene.clock.advance(by: scene.features.moderation.limits.claimSeconds)
            #expect(try await scene.decide(waiting.caseID, as: bea.caller).problem == .caseNotClaimed)
            let queue = try await scene.send(.get, "/moderation/queue?state=open", as: cleo.caller).json(CaseList.self)
            #expect(queue.cases.map(\.state) == [.open] && queue.cases.first?.claimedBy == nil)
            #expect(try await scene.claim(waiting.caseID, as: cleo.caller).status == .ok)
            #expect(try await scene.claim(waiting.caseID, as: bea.caller).problem == .caseNotClaimed)
            let release = "/moderation/cases/\(waiting.caseID)/release"
            #expect(try await scene.send(.post, release, as: bea.caller).problem == .caseNotClaimed)
            #expect(try await scene.send(.post, release, as: cleo.caller).json(CaseSummary.self).state == .open)
            #expect(try await scene.send(.post, release, as: cleo.caller).problem == .caseNotClaimed)
            try await scene.approve(waiting, as: bea.caller)
            let actions = try await AuditLog.entries(before: nil, limit: 100, in: scene.features.database).map(\.action)
            #expect(
                actions.prefix(5) == [
                    "case.decided", "case.claimed", "case.released", "case.taken_over", "case.claimed",
                ])
        }
    }

    @Test("requested changes and a refusal publish nothing", arguments: [DecisionKind.requestChanges, .reject])
    func refusals(decision: DecisionKind) async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let waiting = try await scene.waiting(by: ada.id)
            _ = try await scene.claim(waiting.caseID, as: mod.caller)
            #expect(try await scene.decide(waiting.caseID, decision, as: mod.caller).status == .ok)
            let state = try await scene.submissionState(waiting.submission)
            #expect(state == (decision == .reject ? .rejected : .changesRequested))
            #expect(try await scene.offered(waiting.template) == nil)
            let versions = try await scene.features.database.scalar("SELECT count(*) FROM versions", as: Int.self)
            #expect(versions == 0)
        }
    }

    @Test("when publishing fails, nothing of the decision stays")
    func atomicity() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let waiting = try await scene.waiting(by: ada.id, pageCount: nil)
            _ = try await scene.claim(waiting.caseID, as: mod.caller)
            let before = try await AuditLog.verify(scene.features.database).count
            #expect(try await scene.decide(waiting.caseID, as: mod.caller).status == .conflict)
            #expect(try await scene.submissionState(waiting.submission) == .awaitingReview)
            let decisions = try await scene.features.database.scalar("SELECT count(*) FROM decisions", as: Int.self)
            #expect(decisions == 0)
            #expect(try await AuditLog.verify(scene.features.database).count == before)
            let detail = try await scene.send(.get, "/moderation/cases/\(waiting.caseID)", as: mod.caller)
            #expect(try detail.json(CaseDetail.self).summary.state == .claimed)
        }
    }

    @Test("moderators keep their hands off their own uploads; an administrator's is recorded as that")
    func ownUploads() async throws {
        try await AccountsScene.run { scene in
            let mod = try await scene.person("mod", role: .moderator)
            let own = try await scene.waiting(by: mod.id)
            #expect(try await scene.claim(own.caseID, as: mod.caller).status == .forbidden)
            let chief = try await scene.person("chief", role: .administrator)
            let chiefs = try await scene.waiting(by: chief.id)
            try await scene.approve(chiefs, as: chief.caller)
            let last = try await AuditLog.entries(before: nil, limit: 1, in: scene.features.database)
            #expect(last.first?.details?.contains(#""ownUpload":"true""#) == true)
            #expect(last.first?.tokenID != nil && last.first?.requestID?.isEmpty == false)
        }
    }

    @Test("a decision that does not hold is told all that is wrong")
    func badDecisions() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let waiting = try await scene.waiting(by: ada.id)
            _ = try await scene.claim(waiting.caseID, as: mod.caller)
            let answer = try await scene.decide(
                waiting.caseID, .reject, reasonCode: "No!", message: " ", as: mod.caller)
            #expect(answer.status == .unprocessableContent)
            #expect(try answer.json(ProblemDocument.self).errors?.map(\.pointer) == ["/reasonCode", "/message"])
            let hidden = try await scene.decide(waiting.caseID, .reject, message: "a\u{0}b", as: mod.caller)
            #expect(hidden.status == .unprocessableContent)
            let unknown = try await scene.send(
                .post, "/moderation/cases/\(waiting.caseID)/decision",
                json: ["decision": "applaud", "reasonCode": "other", "message": "m"], as: mod.caller)
            #expect(unknown.status == .badRequest && unknown.problem == .badJSON)
            for id in [CaseID.make().description, "rubbish"] {
                let missing = try await scene.send(.post, "/moderation/cases/\(id)/claim", as: mod.caller)
                #expect(missing.status == .notFound)
            }
            #expect(try await scene.claim(waiting.caseID, as: ada.caller).status == .forbidden)
            #expect(try await scene.claim(waiting.caseID, as: .nobody).status == .unauthorized)
        }
    }

    @Test("the queue is walked page by page, oldest first, nothing twice and nothing missed")
    func queue() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            var ids: [CaseID] = []
            for index in 0..<7 {
                let findings = [Finding(.noText, index == 0 ? .warning : .info, message: "m")]
                ids.append(try await scene.waiting(by: ada.id, findings: index < 2 ? findings : []).caseID)
                // Two at each moment: the order must not depend on time alone.
                if index.isMultiple(of: 2) { scene.clock.advance(by: 0.000_001) }
            }
            var seen: [CaseSummary] = []
            var cursor: String?
            repeat {
                let part = cursor.map { "&cursor=\($0)" } ?? ""
                let answer = try await scene.send(.get, "/moderation/queue?limit=3\(part)", as: mod.caller)
                let page = try answer.json(CaseList.self)
                #expect((answer.headers[.link] == nil) == (page.nextCursor == nil))
                seen += page.cases
                cursor = page.nextCursor
            } while cursor != nil
            #expect(Set(seen.map(\.id)) == Set(ids) && seen.count == ids.count)
            #expect(seen.map(\.openedAt) == seen.map(\.openedAt).sorted())
            #expect(Set(seen.prefix(3).map(\.severity)).isSuperset(of: [.warning, .info]))
            #expect(seen.last?.severity == nil && seen.first?.uploader == "ada" && seen.first?.gameSystem == "dnd5e")

            _ = try await scene.claim(ids[3], as: mod.caller)
            let claimed = try await scene.send(.get, "/moderation/queue?state=claimed", as: mod.caller).json(
                CaseList.self)
            #expect(claimed.cases.map(\.id) == [ids[3]])
            _ = try await scene.decide(ids[3], .reject, as: mod.caller)
            let rest = try await scene.send(.get, "/moderation/queue", as: mod.caller).json(CaseList.self)
            #expect(rest.cases.count == 6)
            let decided = try await scene.send(.get, "/moderation/queue?state=decided", as: mod.caller).json(
                CaseList.self)
            #expect(decided.cases.map(\.id) == [ids[3]])
            for query in ["state=lost", "limit=0", "limit=x", "cursor=x", "cursor=W10"] {
                let refused = try await scene.send(.get, "/moderation/queue?\(query)", as: mod.caller)
                #expect([.badRequest, .unprocessableContent].contains(refused.status), "\(query)")
            }
        }
    }

    @Test("a case shows its submission, pages and regions, and gives its file")
    func detail() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let waiting = try await scene.waiting(
                by: ada.id, findings: [Finding(.noFormFields, .info, message: "No fields.")])
            let path = "/moderation/cases/\(waiting.caseID)"
            let answer = try await scene.send(.get, path, as: mod.caller)
            let detail = try answer.json(CaseDetail.self)
            #expect(detail.submission?.state == .awaitingReview && detail.submission?.caseId == waiting.caseID)
            #expect(detail.submission?.findings.map(\.code) == [.noFormFields] && detail.metadata?.changelog != nil)
            #expect(detail.pages.map(\.regionCount) == [1, 0] && detail.regions[0].regions.first?.name == "Skills")
            let tag = try #require(answer.headers[.eTag])
            let same = try await scene.send(.get, path, as: mod.caller, headers: [.ifNoneMatch: tag])
            #expect(same.status == .notModified)

            let pictures = detail.pages.map(\.previewURL)
            #expect(pictures.last == "\(Paths.submission(waiting.submission.description))/pages/1/preview")
            let found = try await scene.send(.get, "\(path)/download", as: mod.caller)
            #expect(
                found.status == .found
                    && found.headers[.location]?.contains(detail.submission?.sha256.hex ?? "-") == true)
            let ticket = try await scene.send(.get, "\(path)/download?redirect=false", as: mod.caller)
            #expect(try ticket.json(DownloadTicket.self).sha256 == detail.submission?.sha256)
            #expect(try await scene.send(.get, "\(path)/download", as: ada.caller).status == .forbidden)
            #expect(try await scene.send(.get, path, as: ada.caller).status == .forbidden)
        }
    }
}
