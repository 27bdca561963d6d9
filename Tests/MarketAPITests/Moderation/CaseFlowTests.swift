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
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAccounts
@testable import ModerationService

extension AccountsScene {
    func next(as caller: Caller, kind: CaseSummary.Kind? = nil) async throws -> TestResponse {
        try await send(.post, "/moderation/queue/next", json: NextCaseRequest(kind: kind), as: caller)
    }

    func detail(_ id: CaseID, as caller: Caller) async throws -> CaseDetail {
        try await send(.get, "/moderation/cases/\(id)", as: caller).json()
    }

    func queue(_ query: String = "", as caller: Caller) async throws -> [CaseSummary] {
        try await send(.get, "/moderation/queue?\(query)", as: caller).json(CaseList.self).cases
    }

    /// Puts a report into a case, as the intake of reports does.
    func report(_ subject: CaseSubject, kind: String, id: UUID, by person: UserID) async throws -> CaseID {
        let report = ReportID.make()
        let now = clock.now
        return try await features.database.withTransaction { connection in
            try await connection.execute(
                """
                INSERT INTO reports (id, reporter_id, subject_kind, subject_id, reason, created_at)
                VALUES (\(report), \(person), \(kind), \(id), 'spam', \(now))
                """)
            return try await CaseLifecycle.gather(report: report, subject: subject, at: now, in: connection)
        }
    }

    /// Actions of the audit log, oldest first; the chain must hold.
    func actions() async throws -> [String] {
        _ = try await AuditLog.verify(features.database)
        return try await AuditLog.entries(before: nil, limit: 1000, in: features.database).map(\.action).reversed()
            .filter { $0.hasPrefix("case.") }
    }
}

@Suite("The queue")
struct ModerationQueueTests {
    @Test("the next case is the most urgent one: by promise, risk, reports and reach; never one's own")
    func order() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let database = scene.features.database
            var ids: [CaseID] = []
            for _ in 0..<4 {
                ids.append(try await scene.waiting(by: ada.id).caseID)
                scene.clock.advance(by: 60)
            }
            let own = try await scene.waiting(by: mod.id)
            try await database.execute("UPDATE cases SET risk = 100 WHERE id = \(own.caseID)")
            try await database.execute("UPDATE cases SET risk = 60 WHERE id = \(ids[3])")
            try await database.execute("UPDATE cases SET reach = 9999 WHERE id = \(ids[2])")
            try await database.execute("UPDATE cases SET report_weight = 3 WHERE id = \(ids[1])")
            var taken: [CaseID] = []
            while true {
                let answer = try await scene.next(as: mod.caller)
                if answer.status == .noContent { break }
                taken.append(try answer.json(CaseSummary.self).id)
            }
            // 28.8 hours for risk, 18 for reports, 16 for reach.
            #expect(taken == [ids[3], ids[1], ids[2], ids[0]])
            let mine = try await scene.queue("mine=true", as: mod.caller)
            #expect(mine.map(\.id) == taken && mine.allSatisfy { $0.claimedBy == "mod" })
            #expect(try await scene.queue("state=open", as: mod.caller).map(\.id) == [own.caseID])
        }
    }

    @Test("of many moderators who ask for the next case at once, each gets another until none is left")
    func nextAtOnce() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            var ids: Set<CaseID> = []
            for _ in 0..<24 { ids.insert(try await scene.waiting(by: ada.id).caseID) }
            var moderators: [AccountsScene.Caller] = []
            for index in 0..<8 {
                moderators.append(try await scene.person("moderator-\(index)", role: .moderator).caller)
            }
            let decided = try await withThrowingTaskGroup(of: [CaseID].self) { group in
                for moderator in moderators {
                    group.addTask {
                        var mine: [CaseID] = []
                        while true {
                            let answer = try await scene.next(as: moderator)
                            guard answer.status == .ok else { return mine }
                            let id = try answer.json(CaseSummary.self).id
                            let decision = try await scene.decide(id, .reject, as: moderator)
                            #expect(decision.status == .ok)
                            mine.append(id)
                        }
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(decided.count == 24 && Set(decided) == ids)
            let counts = try await scene.features.database.scalar("SELECT count(*) FROM decisions", as: Int.self)
            let entries = try await scene.actions()
            #expect(counts == 24 && entries.count { $0 == "case.decided" } == 24)
            #expect(entries.count { $0 == "case.claimed" } == 24)
        }
    }

    @Test("A node whose clock is an hour ahead takes nobody's case, and gives no time that is over to others")
    func clocks() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let other = try await scene.person("other", role: .moderator)
            func identity(_ person: UserID, _ handle: String) -> Identity {
                Identity(userID: person, handle: handle, role: .moderator, credential: .token(.make()), scopes: [])
            }
            func node(ahead seconds: TimeInterval) throws -> CaseService {
                let features = try Features.test(
                    database: scene.features.database, storage: scene.features.storage,
                    now: { Date().addingTimeInterval(seconds) }, isClockOfNodeAlone: true, logger: TestLog.logger)
                return CaseService(moderation: features.moderation)
            }
            let (right, early) = (try node(ahead: 0), try node(ahead: 3600))
            for (first, second) in [(right, early), (early, right)] {
                let id = try await scene.waiting(by: ada.id).caseID
                let held = try await first.claim(id, by: identity(mod.id, "mod"), requestID: "1")
                #expect(held.state == .claimed && held.claimedBy == "mod")
                #expect(try await second.next(by: identity(other.id, "other"), requestID: "2") == nil)
                await #expect(throws: CaseError.self) {
                    try await second.claim(id, by: identity(other.id, "other"), requestID: "3")
                }
                // No longer than the rules say.
                let left = try #require(held.claimExpiresAt).timeIntervalSinceNow
                #expect(left > 0 && left < 1000, "\(left)")
                _ = try await first.release(id, by: identity(mod.id, "mod"), requestID: "4")
                #expect(try await second.next(by: identity(other.id, "other"), requestID: "5")?.id == id)
            }
        }
    }

    @Test("new versions of trusted authors are promised sooner; what is due is told before and after")
    func slas() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let first = try await scene.waiting(by: ada.id)
            let opened = scene.clock.now
            try await scene.approve(first, as: mod.caller)
            for _ in 0..<2 { try await scene.approve(try await scene.waiting(by: ada.id), as: mod.caller) }
            let update = try await scene.waiting(by: ada.id, version: "1.1.0", of: first.template)
            let fresh = try await scene.waiting(by: ada.id)
            var queue = try await scene.queue(as: mod.caller)
            #expect(queue.map(\.id) == [update.caseID, fresh.caseID])
            #expect(queue[0].promisedAt == opened.addingTimeInterval(24 * 3600) && queue[0].due == nil)
            #expect(queue[1].promisedAt == opened.addingTimeInterval(72 * 3600))
            scene.clock.advance(by: 19 * 3600)
            #expect(try await scene.queue("due=soon", as: mod.caller).map(\.id) == [update.caseID])
            #expect(try await scene.queue("due=over", as: mod.caller).isEmpty)
            scene.clock.advance(by: 50 * 3600)
            queue = try await scene.queue("due=over", as: mod.caller)
            #expect(queue.map(\.id) == [update.caseID] && queue[0].due == .over)
            #expect(try await scene.queue("due=soon", as: mod.caller).map(\.id) == [fresh.caseID])
        }
    }

    @Test("filters: kind, game system, risk; what is no filter is refused")
    func filters() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let mod = try await scene.person("mod", role: .moderator)
            let upload = try await scene.waiting(by: ada.id)
            let reported = try await scene.report(
                .user(ada.id), kind: "user", id: ada.id.rawValue, by: bob.id)
            try await scene.features.database.execute("UPDATE cases SET risk = 40 WHERE id = \(upload.caseID)")
            #expect(try await scene.queue("kind=report", as: mod.caller).map(\.id) == [reported])
            #expect(try await scene.queue("kind=submission", as: mod.caller).map(\.id) == [upload.caseID])
            #expect(try await scene.queue("gameSystem=dnd5e", as: mod.caller).map(\.id) == [upload.caseID])
            #expect(try await scene.queue("minRisk=40", as: mod.caller).map(\.id) == [upload.caseID])
            #expect(try await scene.queue("minRisk=41", as: mod.caller).isEmpty)
            #expect(try await scene.next(as: mod.caller, kind: .appeal).status == .noContent)
            #expect(try await scene.next(as: mod.caller, kind: .report).json(CaseSummary.self).id == reported)
            for query in ["kind=x", "due=x", "minRisk=x", "minRisk=101", "mine=perhaps"] {
                let refused = try await scene.send(.get, "/moderation/queue?\(query)", as: mod.caller)
                #expect(refused.status == .unprocessableContent, "\(query)")
            }
        }
    }

    @Test("an uploader is told the band of their place, the promise, and how long it took with others")
    func places() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let database = scene.features.database
            func place(_ submission: SubmissionID) async throws -> QueuePlace? {
                try await QueuePositions.place(of: submission, at: scene.clock.now, in: database)
            }
            for hours in 1...20 {
                let one = try await scene.waiting(by: ada.id)
                if hours == 20 {
                    let before = try await place(one.submission)
                    #expect(before?.band == .next && before?.estimate == nil)
                }
                scene.clock.advance(by: Double(hours) * 3600)
                _ = try await scene.claim(one.caseID, as: mod.caller)
                _ = try await scene.decide(one.caseID, .reject, as: mod.caller)
            }
            var last: WaitingSubmission?
            for _ in 0..<6 {
                scene.clock.advance(by: 1)
                last = try await scene.waiting(by: ada.id)
            }
            let waiting = try #require(last)
            let found = try #require(try await place(waiting.submission))
            #expect(found.band == .early && found.waitingSince == scene.clock.now)
            #expect(found.promisedAt == scene.clock.now.addingTimeInterval(72 * 3600))
            func shown() async throws -> QueuePlace? {
                try await scene.send(.get, "/submissions/\(waiting.submission)", as: ada.caller)
                    .json(SubmissionStatus.self).queue
            }
            #expect(try await shown() == found)
            let estimate = try #require(found.estimate)
            #expect(estimate.cases == 20 && estimate.medianSeconds == 37_800 && estimate.p90Seconds == 65_160)
            _ = try await scene.claim(waiting.caseID, as: mod.caller)
            #expect(try await place(waiting.submission) != nil)
            _ = try await scene.decide(waiting.caseID, .reject, as: mod.caller)
            #expect(try await place(waiting.submission) == nil)
            #expect(try await shown() == nil)
        }
    }

    @Test("a decision on many cases is made for each or refused for each")
    func bulk() async throws {
        try await AccountsScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let bea = try await scene.person("bea", role: .moderator)
            let free = try await scene.waiting(by: ada.id)
            let mine = try await scene.waiting(by: ada.id)
            let others = try await scene.waiting(by: ada.id)
            _ = try await scene.claim(mine.caseID, as: mod.caller)
            _ = try await scene.claim(others.caseID, as: bea.caller)
            let missing = CaseID.make()
            let request = BulkDecisionRequest(
                cases: [free.caseID, mine.caseID, others.caseID, missing],
                decision: DecisionRequest(decision: .reject, reasonCode: "spam", message: "Advertising."))
            let answer = try await scene.send(.post, "/moderation/decisions", json: request, as: mod.caller)
            let results = try answer.json(BulkDecisionResult.self).results
            #expect(results.map(\.caseId) == request.cases)
            #expect(results.map { $0.summary?.state } == [.decided, .decided, nil, nil])
            #expect(results.map { $0.problem?.code } == [nil, nil, .caseNotClaimed, .notFound])
            let empty = BulkDecisionRequest(cases: [], decision: request.decision)
            let refused = try await scene.send(.post, "/moderation/decisions", json: empty, as: mod.caller)
            #expect(refused.status == .unprocessableContent)
        }
    }
}
