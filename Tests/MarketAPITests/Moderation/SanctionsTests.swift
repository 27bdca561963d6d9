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

@testable import MarketAPI
@testable import MarketAccounts
@testable import MarketHTTP
@testable import ModerationService

@Suite("Sanctions and reports over HTTP")
struct SanctionsTests {
    @Test("A suspension keeps from what it names until it ends, and says until when and why")
    func suspension() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let mod = try await scene.person("mod", role: .moderator)
            let sheet = try await scene.template("Sheet", by: ada.id)
            let review = "\(Paths.template(sheet.slug))/reviews/mine"
            #expect(try await bob.http.send(.PUT, review, json: ReviewRequest(stars: 4, text: "Good.")).status == 201)

            let until = scene.clock.now.addingTimeInterval(3 * 86_400)
            let imposed = try await mod.http.send(
                .POST, "\(Paths.base)/moderation/users/bob/sanctions",
                json: SanctionRequest(
                    kind: "suspend", scopes: ["reviews"], until: until, reasonCode: "spam", message: "Advertising."))
            #expect(imposed.status == 201, "\(imposed.text)")
            let refused = try await bob.http.send(.PUT, review, json: ReviewRequest(stars: 5, text: "Buy!"))
            #expect(refused.status == 403 && refused.problemCode == .suspended)
            let problem = try refused.json(ProblemDocument.self)
            #expect(problem.until == until && problem.reasonCode == "spam")
            #expect(problem.detail?.contains("Advertising.") == true)
            #expect(try await bob.http.send(.DELETE, review).problemCode == .suspended)
            // Reading, other acts and one's own account stay as they were.
            #expect(try await bob.http.get("\(Paths.base)/templates").status == 200)
            let report = ReportRequest(
                subject: .init(kind: .template, id: sheet.slug), reason: .other, text: "Broken links.")
            #expect(try await bob.http.send(.POST, "\(Paths.base)/reports", json: report).status == 201)
            let me = try await bob.http.get("\(Paths.base)/me").json(Account.self)
            #expect(me.sanctions?.map(\.kind) == ["suspend"] && me.sanctions?.first?.until == until)
            let own = try await bob.http.get("\(Paths.base)/me/sanctions").json(SanctionList.self)
            #expect(own.strikes == 2 && own.proposal == nil && own.sanctions.first?.inForce == true)
            let list = try await mod.http.get("\(Paths.base)/moderation/users/\(bob.id)/sanctions")
                .json(SanctionList.self)
            #expect(list.proposal == .init(kind: "suspend", days: 14))

            scene.clock.advance(by: 3 * 86_400)
            #expect(try await bob.http.send(.PUT, review, json: ReviewRequest(stars: 5, text: "Fine.")).status == 200)
            #expect(try await bob.http.get("\(Paths.base)/me").json(Account.self).sanctions == nil)
            let actions = try await scene.features.database.all("SELECT action FROM audit_entries ORDER BY sequence") {
                try $0.get(0, as: String.self)
            }
            #expect(actions == ["user.sanctioned", "report.filed"])
            let filed = try #require(
                try await AuditLog.entries(before: nil, limit: 1, in: scene.features.database).first)
            #expect(filed.actor == "bob" && filed.subject == "template:\(sheet.id)" && filed.reason == nil)
            #expect(filed.details?.contains("Broken links.") == false && filed.details?.contains("other") == true)
        }
    }

    @Test(
        "A ban ends sessions and tokens and a moderator's rights; signing in to object stays possible; lifting undoes it"
    )
    func ban() async throws {
        try await EnforcementScene.run { scene in
            let admin = try await scene.person("root", role: .administrator)
            let mallory = try await scene.person("mallory", role: .moderator)
            _ = try await AccountService(accounts: scene.features.accounts).makeSession(
                for: mallory.id, from: SignInDevice(userAgent: nil, address: nil))
            #expect(try await mallory.http.get("\(Paths.base)/moderation/audit").status == 200)
            let id = try await scene.impose(.ban, on: mallory.id)
            #expect(try await mallory.http.get("\(Paths.base)/me").problemCode == .invalidToken)
            #expect(try await scene.features.database.scalar("SELECT count(*) FROM sessions", as: Int.self) == 0)
            // As after signing in again.
            let again = try await scene.person("mallory", role: .moderator).http
            #expect(try await again.get("\(Paths.base)/me").json(Account.self).sanctions?.map(\.kind) == ["ban"])
            #expect(try await again.get("\(Paths.base)/moderation/audit").problemCode == .suspended)
            let upload = try await again.upload(
                metadata: UploadMetadata(name: "X", version: "1.0.0"), file: Data("%PDF-1.7".utf8))
            #expect(upload.problemCode == .suspended)

            let direct = try await admin.http.send(
                .POST, "\(Paths.base)/moderation/users/mallory/sanctions",
                json: SanctionRequest(kind: "ban", reasonCode: "spam", message: "Again."))
            #expect(direct.status == 409, "one moderator alone bans nobody")
            let path = "\(Paths.base)/moderation/users/mallory/sanctions/\(id)"
            #expect(try await admin.http.send(.DELETE, path, json: LiftRequest(reason: "")).status == 422)
            #expect(try await admin.http.send(.DELETE, path, json: LiftRequest(reason: "Mistaken.")).status == 204)
            #expect(try await admin.http.send(.DELETE, path, json: LiftRequest(reason: "Twice.")).status == 409)
            #expect(try await again.get("\(Paths.base)/moderation/audit").status == 200)
            let list = try await admin.http.get("\(Paths.base)/moderation/users/mallory/sanctions")
                .json(SanctionList.self)
            #expect(list.strikes == 0 && list.sanctions.first?.liftedAt != nil && list.proposal?.kind == "warn")
        }
    }

    @Test("Nobody sanctions themselves or their own rank; what does not hold is refused by name")
    func refusals() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            _ = try await scene.person("other", role: .moderator)
            func status(_ request: SanctionRequest, on handle: String, as caller: TestHTTP) async throws -> Int {
                try await caller.send(.POST, "\(Paths.base)/moderation/users/\(handle)/sanctions", json: request).status
            }
            let warning = SanctionRequest(kind: "warn", reasonCode: "spam", message: "Mind the rules.")
            #expect(try await status(warning, on: "mod", as: mod.http) == 403)
            #expect(try await status(warning, on: "other", as: mod.http) == 403)
            #expect(try await status(warning, on: "nobody-here", as: mod.http) == 404)
            #expect(try await status(warning, on: "ada", as: ada.http) == 403)
            var bad = warning
            bad.kind = "suspend"
            #expect(try await status(bad, on: "ada", as: mod.http) == 422)
            bad.until = scene.clock.now
            #expect(try await status(bad, on: "ada", as: mod.http) == 422)
            bad = warning
            bad.reasonCode = "Not a word"
            #expect(try await status(bad, on: "ada", as: mod.http) == 422)
            #expect(try await status(warning, on: "ada", as: mod.http) == 201)
            #expect(try await ada.http.get("\(Paths.base)/me/sanctions").json(SanctionList.self).strikes == 1)
        }
    }

    @Test("Whoever is kept from everything can appeal it, once; another decides, and lifts that alone")
    func appeal() async throws {
        try await EnforcementScene.run { scene in
            let bob = try await scene.person("bob")
            let eve = try await scene.person("eve")
            let mod = try await scene.person("mod", role: .moderator)
            let bea = try await scene.person("bea", role: .moderator)
            func impose(_ request: SanctionRequest) async throws -> SanctionInfo {
                let answer = try await mod.http.send(
                    .POST, "\(Paths.base)/moderation/users/bob/sanctions", json: request)
                try #require(answer.status == 201, "\(answer.text)")
                return try answer.json(SanctionInfo.self)
            }
            _ = try await impose(SanctionRequest(kind: "warn", reasonCode: "spam", message: "Mind the rules."))
            let until = scene.clock.now.addingTimeInterval(3 * 86_400)
            let imposed = try await impose(
                SanctionRequest(kind: "suspend", until: until, reasonCode: "spam", message: "Advertising."))
            func lodge(_ caller: TestHTTP) async throws -> TestHTTP.Answer {
                try await caller.send(
                    .POST, "\(Paths.base)/appeals",
                    json: AppealRequest(subject: .sanction, id: imposed.id.description, text: "It was no spam."))
            }
            #expect(try await lodge(eve.http).status == 422)
            let lodged = try await lodge(bob.http)
            #expect(lodged.status == 201, "\(lodged.text)")
            #expect(try lodged.json(Appeal.self).decision.decision == .suspend)
            #expect(try await lodge(bob.http).problemCode == .appealedBefore)

            let appeals = try await bea.http.get("\(Paths.base)/moderation/queue?kind=appeal").json(CaseList.self)
            let path = Paths.moderationCase("\(try #require(appeals.cases.first?.id))")
            #expect(try await mod.http.send(.POST, "\(path)/claim").status == 403, "who imposed it does not judge it")
            #expect(try await bea.http.send(.POST, "\(path)/claim").status == 200)
            let overturned = try await bea.http.send(
                .POST, "\(path)/decision",
                json: DecisionRequest(decision: .overturn, reasonCode: "decision_wrong", message: "It was none."))
            #expect(overturned.status == 200, "\(overturned.text)")
            #expect(try await bob.http.get("\(Paths.base)/me").json(Account.self).sanctions == nil)
            let list = try await bob.http.get("\(Paths.base)/me/sanctions").json(SanctionList.self)
            #expect(list.strikes == 1 && list.sanctions.count { $0.liftedAt != nil } == 1, "the warning stands")
        }
    }

    @Test("Whoever is banned signs in to object and for nothing else; a third moderator judges, and all is as it was")
    func appealOfBan() async throws {
        try await withMarket { market in
            let mod = try await market.person("mod", role: .moderator)
            let bea = try await market.person("bea", role: .moderator)
            let cleo = try await market.person("cleo", role: .moderator)
            let eve = TestBrowser(market)
            let password = "correct horse battery eve"
            let joined = try await eve.send(
                .POST, "\(Paths.base)/auth/register",
                json: RegisterRequest(handle: "eve", email: "eve@example.org", password: password))
            #expect(joined.status == 201, "\(joined.text)")
            try await Self.ban("eve", proposedBy: mod, confirmedBy: bea)

            let away = try await eve.get("\(Paths.base)/me")
            #expect(away.status == 401, "the session ended with the ban")
            let back = try await eve.send(
                .POST, "\(Paths.base)/auth/login", json: LoginRequest(login: "eve", password: password))
            #expect(back.status == 200, "\(back.text)")
            let me = try await eve.get("\(Paths.base)/me").json(Account.self)
            #expect(me.sanctions?.map(\.kind) == ["ban"])
            let report = ReportRequest(subject: .init(kind: .user, id: "mod"), reason: .other, text: "Unfair.")
            let refused = try await eve.send(.POST, "\(Paths.base)/reports", json: report)
            #expect(refused.status == 403 && refused.problemCode == .suspended)

            let imposed = try await eve.get("\(Paths.base)/me/sanctions").json(SanctionList.self)
            let ban = try #require(imposed.sanctions.first { $0.inForce })
            let lodged = try await eve.send(
                .POST, "\(Paths.base)/appeals",
                json: AppealRequest(subject: .sanction, id: ban.id.description, text: "It was somebody else."))
            #expect(lodged.status == 201, "\(lodged.text)")
            #expect(try lodged.json(Appeal.self).decision.decision == .ban)

            let appeals = try await cleo.get("\(Paths.base)/moderation/queue?kind=appeal").json(CaseList.self)
            let path = Paths.moderationCase("\(try #require(appeals.cases.first?.id))")
            for other in [mod, bea] {
                let claim = try await other.send(.POST, "\(path)/claim")
                #expect(claim.status == 403, "neither who proposed the ban nor who confirmed it judges it")
            }
            #expect(try await cleo.send(.POST, "\(path)/claim").status == 200)
            let overturned = try await cleo.send(
                .POST, "\(path)/decision",
                json: DecisionRequest(decision: .overturn, reasonCode: "decision_wrong", message: "It was not eve."))
            #expect(overturned.status == 200, "\(overturned.text)")
            let restored = try await eve.get("\(Paths.base)/me").json(Account.self)
            #expect(restored.sanctions == nil)
            let list = try await eve.get("\(Paths.base)/me/sanctions").json(SanctionList.self)
            #expect(list.strikes == 0 && list.sanctions.allSatisfy { !$0.inForce && $0.liftedAt != nil })
            let again = try await eve.send(.POST, "\(Paths.base)/reports", json: report)
            #expect(again.status == 201, "\(again.text)")
        }
    }

    /// A ban takes two.
    private static func ban(
        _ handle: String, proposedBy first: TestHTTP, confirmedBy second: TestHTTP
    ) async throws {
        let opened = try await first.send(
            .POST, "\(Paths.base)/moderation/cases",
            json: NewCaseRequest(subject: ReportSubject(kind: .user, id: handle), note: "Sells what is others'."))
        let path = Paths.moderationCase("\(try opened.json(CaseSummary.self).id)")
        _ = try await first.send(.POST, "\(path)/claim")
        let proposed = try await first.send(
            .POST, "\(path)/decision",
            json: DecisionRequest(decision: .ban, reasonCode: "spam", message: "For good."))
        #expect(try proposed.json(CaseSummary.self).isProposed)
        _ = try await second.send(.POST, "\(path)/claim")
        let confirmed = try await second.send(.POST, "\(path)/confirm")
        #expect(confirmed.status == 200, "\(confirmed.text)")
    }

    @Test("Every call that changes something says what one must not be kept from; account and objections never are")
    func everyRoute() async throws {
        try await EnforcementScene.run { scene in
            var table: [String: Set<String>] = [:]
            for route in scene.node.routes where route.access.scope != nil && !route.method.isSafe {
                let scope = SanctionScope(of: route)?.rawValue ?? "open"
                table[scope, default: []].insert(route.path.replacing(Paths.base, with: ""))
            }
            #expect(table["open"]?.contains("/submissions/{id}/withdraw") == true)
            let own = ["/auth/", "/account", "/me", "/submissions/", "/appeals", "/copyright/"]
            let open = table["open"] ?? []
            #expect(open.allSatisfy { path in own.contains { path.hasPrefix($0) } }, "\(open)")
            let works = ["/account/webhooks", "/account/webhooks/{id}/ping", "/account/invitations/{id}/accept"]
            #expect(table["uploads"]?.isSuperset(of: works) == true)
            #expect(!open.contains { $0.hasPrefix("/account/webhooks") || $0.hasPrefix("/account/invitations") })
            #expect(table["reviews"]?.contains("/templates/{id}/reviews/mine") == true)
            let words = ["review", "collection", "collect", "profile"]
            #expect(table["reviews"]?.allSatisfy { path in words.contains { path.contains($0) } } == true)
            #expect(
                table["reviews"]?.isSuperset(of: ["/member-collections", "/me/profile", "/account/profile"]) == true)
            #expect(
                table["reports"] == [
                    "/reports", "/reviews/{id}/report", "/sheets/{id}/report", "/authors/{handle}/report",
                    "/authors/{handle}/collections/{id}/report",
                ])
            #expect(table["uploads"]?.contains("/templates") == true && table["uploads"]?.contains("/upload") == true)
            #expect(table["all"]?.contains("/moderation/cases/{id}/claim") == true)
        }
    }

    @Test("So many reports a day and no more, fewer from those who are mostly wrong; none of them hides anything")
    func reports() async throws {
        var limits = MarketLimits()
        limits.moderation.reportsPerDay = 5
        try await EnforcementScene.run(limits: limits) { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            var sheets: [EnforcementScene.Made] = []
            for index in 0..<7 { sheets.append(try await scene.template("Sheet \(index)", by: ada.id)) }
            func report(_ index: Int, as caller: TestHTTP) async throws -> TestHTTP.Answer {
                let request = ReportRequest(
                    subject: .init(kind: .template, id: sheets[index].slug), reason: .spam, text: "No. \(index)")
                return try await caller.send(.POST, "\(Paths.base)/reports", json: request)
            }
            for index in 0..<5 {
                #expect(try await report(index, as: bob.http).status == 201)
                scene.clock.advance(by: 1)
            }
            #expect(try await report(0, as: bob.http).status == 429, "said before it is looked at twice")
            let refused = try await report(5, as: bob.http)
            #expect(refused.status == 429 && refused.headers.first(name: "retry-after") == "86395")
            scene.clock.advance(by: 86_401)
            #expect(try await report(0, as: bob.http).problemCode == .alreadyReported)
            #expect(try await report(5, as: bob.http).status == 201)

            // A hundred people who complain at once move a case; the sheet stays where it is.
            for index in 0..<100 {
                let user = UserID.make()
                try await scene.features.database.execute(
                    """
                    INSERT INTO users (id, handle, display_name, email, created_at)
                    VALUES (\(user), \("crowd-\(index)"), 'Crowd', \("c\(index)@example.org"), \(scene.clock.now))
                    """)
                let identity = Identity(
                    userID: user, handle: "crowd-\(index)", role: .user, credential: .token(.make()), scopes: [])
                _ = try await ReportService(moderation: scene.features.moderation).report(
                    ReportRequest(subject: .init(kind: .template, id: sheets[6].slug), reason: .copyright), by: identity
                )
            }
            #expect(try await scene.http.get(Paths.template(sheets[6].slug)).status == 200)
            let weights = try await scene.features.database.all("SELECT DISTINCT weight FROM reports ORDER BY 1") {
                try $0.get(0, as: Double.self)
            }
            #expect(weights.contains(0.25), "new accounts weigh half of what others do: \(weights)")

            let first = try await bob.http.get("\(Paths.base)/reports/mine?limit=4").json(ReportList.self)
            let rest = try await bob.http.get("\(Paths.base)/reports/mine?limit=4&cursor=\(first.nextCursor ?? "")")
                .json(ReportList.self)
            #expect((first.reports + rest.reports).map(\.text) == [5, 4, 3, 2, 1, 0].map { "No. \($0)" })
            #expect(rest.nextCursor == nil && first.reports.allSatisfy { $0.state == "open" && $0.outcome == nil })
        }
    }
}
