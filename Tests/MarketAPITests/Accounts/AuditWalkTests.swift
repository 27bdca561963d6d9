// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import MarketPages
import MarketPlatform
import MarketWire
import NIOCore
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAccounts
@testable import MarketCatalog
@testable import MarketCommunity
@testable import MarketHTTP

/// Every route that changes something: either it is called here and leaves an entry of its own, or it stands in the
/// list of those that leave none.
@Suite("Every call that changes something, and the audit log")
struct AuditWalkTests {
    @Test("each leaves an entry of its own, with its token and the call's id, or is known to leave none")
    func walk() async throws {
        try await withMarket(workers: 1) { market in
            let walk = try await AuditWalk(market)
            let published = try await walk.uploads()
            try await walk.queue()
            try await walk.sentences()
            try await walk.staff()
            try await walk.reviews(of: published)
            try await walk.authors(of: published)
            try await walk.withdrawals(of: published)
            try await walk.copyright(on: published)
            let changing = market.routes.filter { !$0.method.isSafe }
            let names = Set(changing.map(AuditWalk.name))
            #expect(names.count > 100)
            #expect(names.subtracting(walk.told).subtracting(Self.silent).sorted() == [], "neither called nor listed")
            #expect(Self.silent.intersection(walk.told).sorted() == [], "listed, but in the log")
            #expect(Self.silent.union(walk.told).subtracting(names).sorted() == [], "no such route")
            let team = changing.filter { $0.access.role > .user && Self.silent.contains(AuditWalk.name($0)) }
            #expect(team.isEmpty, "\(team)")
            _ = try await AuditLog.verify(market.features.database)
        }
    }
}

/// A market in which everything that leaves an entry is done at least once.
private final class AuditWalk {
    private let market: TestMarket
    private let nadia: TestHTTP
    private let karl: TestHTTP
    private let lena: TestHTTP
    private let mod: TestHTTP
    private let bea: TestHTTP
    private let root: TestHTTP
    /// Routes that left one.
    private(set) var told: Set<String> = []

    init(_ market: TestMarket) async throws {
        self.market = market
        nadia = try await market.person("nadia")
        karl = try await market.person("karl")
        lena = try await market.person("lena")
        mod = try await market.person("mod", role: .moderator)
        bea = try await market.person("bea", role: .moderator)
        root = try await market.person("root", role: .administrator)
    }

    static func name(_ route: RouteDescription) -> String { "\(route.method.rawValue) \(route.path)" }

    // MARK: Calls

    @discardableResult private func tell(
        _ route: String, _ ids: [String] = [], as caller: TestHTTP, _ json: some Encodable
    ) async throws -> TestHTTP.Answer {
        let (method, path) = Self.parts(of: route, ids)
        return try await note(route, try await caller.send(method, path, json: json))
    }

    @discardableResult private func tell(
        _ route: String, _ ids: [String] = [], as caller: TestHTTP
    ) async throws -> TestHTTP.Answer {
        let (method, path) = Self.parts(of: route, ids)
        return try await note(route, try await caller.send(method, path))
    }

    @discardableResult private func tell(
        _ route: String, _ ids: [String] = [], as caller: TestHTTP, form: [(String, String)]
    ) async throws -> TestHTTP.Answer {
        let (method, path) = Self.parts(of: route, ids)
        let type = ("Content-Type", "application/x-www-form-urlencoded")
        let body = ByteBuffer(string: FormText.encoded(form))
        return try await note(route, try await caller.send(method, path, headers: [type], body: body))
    }

    /// Sends a form of a sheet's page of managing, with the state that the page has it carry.
    private func manage(
        _ form: String, _ ids: [String], as caller: TestHTTP, _ fields: [(String, String)] = []
    ) async throws {
        let route = "POST /sheets/{id}/\(form)"
        let page = try await caller.get("/sheets/\(ids[0])/manage").text
        let revision = try ManagePageTests.revision(of: Self.parts(of: route, ids).1, in: page)
        try await tell(route, ids, as: caller, form: [revision] + fields)
    }

    /// The method and the path of a route, its variable parts filled in one after the other.
    private static func parts(of route: String, _ ids: [String]) -> (HTTPMethod, String) {
        let words = route.split(separator: " ").map(String.init)
        var path = words[1]
        for id in ids {
            guard let begin = path.firstIndex(of: "{"), let end = path.firstIndex(of: "}") else { break }
            path.replaceSubrange(begin...end, with: id)
        }
        return (HTTPMethod(rawValue: words[0]), path)
    }

    /// Expects the call to have left an entry of its own, with its id and the token that it came with.
    private func note(_ route: String, _ answer: TestHTTP.Answer) async throws -> TestHTTP.Answer {
        #expect(answer.status < 400, "\(route): \(answer.text)")
        let request = answer.headers.first(name: "x-request-id") ?? "none"
        let actions = try await market.features.database.all(
            "SELECT action FROM audit_entries WHERE request_id = \(request) AND token_id IS NOT NULL"
        ) { try $0.get(0, as: String.self) }
        #expect(!actions.isEmpty && !actions.contains("api.called"), "\(route): \(actions)")
        told.insert(route)
        return answer
    }

    private func read(_ id: SubmissionID) async throws -> SubmissionStatus {
        let status = try await nadia.submission(id, reaches: [.awaitingReview, .rejected])
        #expect(status.state == .awaitingReview, "\(status.findings)")
        return status
    }

    private static func sheet(_ heading: String, script: Bool = false) -> Data {
        var builder = PDFDocumentBuilder()
        builder.addPage(headings: ["Hero", heading, "Skills of \(heading)"])
        if script { builder.catalogEntries = "/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>" }
        return builder.build()
    }

    // MARK: Steps

    /// Uploads by the API and by the page; what is withdrawn, and what is not wanted cleaned. The one that was
    /// published.
    func uploads() async throws -> SubmissionStatus {
        let sent = try await note(
            "POST /api/v1/templates",
            try await nadia.upload(metadata: PageSimilarityTests.metadata("Ledger"), file: Self.sheet("Combat")))
        let first = try await read(try sent.json(SubmissionStatus.self).id)
        let decided = try await mod.decide(first)
        #expect(decided.status == 200, "\(decided.text)")
        let next = try await note(
            "POST /api/v1/templates/{id}/versions",
            try await nadia.upload(
                "\(Paths.template(first.templateSlug))/versions",
                metadata: UploadMetadata(version: "1.1.0", changelog: "More."), file: Self.sheet("Spells")))
        let second = try await read(try next.json(SubmissionStatus.self).id)
        try await tell("POST /api/v1/submissions/{id}/withdraw", ["\(second.id)"], as: nadia)

        let page = try await note(
            "POST /upload",
            try await nadia.upload(
                "/upload", metadata: PageSimilarityTests.metadata("Atlas"), file: Self.sheet("Ships")))
        let third = try #require(SubmissionID(String(page.location.split(separator: "/").last ?? "")))
        _ = try await read(third)
        try await tell("POST /submissions/{id}/withdraw", ["\(third)"], as: nadia)

        for (heading, base) in [("Rituals", Paths.base), ("Potions", "")] {
            let sent = try await nadia.upload(
                metadata: PageSimilarityTests.metadata(heading), file: Self.sheet(heading, script: true))
            let cleaned = try await read(try sent.json(SubmissionStatus.self).id)
            try await tell("POST \(base)/submissions/{id}/decline-cleaning", ["\(cleaned.id)"], as: nadia)
        }
        return first
    }

    /// A submission's case from hand to hand, by the API and by the pages.
    func queue() async throws {
        let sent = try await nadia.upload(metadata: PageSimilarityTests.metadata("Almanac"), file: Self.sheet("Tides"))
        let waiting = try await read(try sent.json(SubmissionStatus.self).id)
        let id = try #require(waiting.caseId).description
        let cases = "\(Paths.base)/moderation/cases/{id}"
        try await tell("POST \(Paths.base)/moderation/queue/next", as: mod)
        try await tell("POST \(cases)/notes", [id], as: mod, NoteRequest(text: "Looks good."))
        try await tell("POST \(cases)/messages", [id], as: mod, MessageRequest(text: "Whose drawing is it?"))
        try await tell("POST \(cases)/release", [id], as: mod)
        try await tell("POST /moderation/next", as: mod)
        try await tell("POST /moderation/cases/{id}/messages", [id], as: mod, form: [("text", "Of whom?")])
        try await tell("POST /moderation/cases/{id}/release", [id], as: mod)
        try await tell("POST /moderation/cases/{id}/claim", [id], as: mod)
        try await tell("POST /moderation/cases/{id}/release", [id], as: mod)
        try await tell("POST \(cases)/claim", [id], as: mod)
        try await tell(
            "POST /moderation/cases/{id}/decision", [id], as: mod,
            form: [("decision", "reject"), ("reasonCode", "other"), ("message", "It is unreadable.")])
        try await tell(
            "POST \(Paths.base)/appeals", as: nadia,
            AppealRequest(subject: .submission, id: "\(waiting.id)", text: "Read it again."))
    }

    /// Cases on people: bans that another declines and confirms, one decision on many, sanctions outside of cases.
    func sentences() async throws {
        _ = try await market.person("eve")
        _ = try await market.person("ezra")
        let cases = "\(Paths.base)/moderation/cases"
        func opened(on handle: String) async throws -> String {
            let request = NewCaseRequest(subject: ReportSubject(kind: .user, id: handle), note: "Look at it.")
            return try await tell("POST \(cases)", as: mod, request).json(CaseSummary.self).id.description
        }
        func proposed(on handle: String) async throws -> String {
            let id = try await opened(on: handle)
            _ = try await mod.send(.POST, "\(cases)/\(id)/claim")
            let ban = DecisionRequest(decision: .ban, reasonCode: "spam", message: "For good.")
            try await tell("POST \(cases)/{id}/decision", [id], as: mod, ban)
            _ = try await bea.send(.POST, "\(cases)/\(id)/claim")
            return id
        }
        let declined = try await proposed(on: "eve")
        try await tell("POST \(cases)/{id}/decline", [declined], as: bea, DeclineRequest(reason: "Too hard."))
        _ = try await bea.send(.POST, "\(cases)/\(declined)/release")
        try await tell("POST \(cases)/{id}/confirm", [try await proposed(on: "eve")], as: bea)
        let other = try await proposed(on: "ezra")
        try await tell("POST /moderation/cases/{id}/decline", [other], as: bea, form: [("reason", "Too hard.")])
        _ = try await bea.send(.POST, "\(cases)/\(other)/release")
        try await tell("POST /moderation/cases/{id}/confirm", [try await proposed(on: "ezra")], as: bea)
        let harmless = try await opened(on: "karl")
        let many = BulkDecisionRequest(
            cases: [try #require(CaseID(harmless))],
            decision: DecisionRequest(decision: .dismiss, reasonCode: "no_violation", message: "Nothing is wrong."))
        try await tell("POST \(Paths.base)/moderation/decisions", as: mod, many)
        let idle = try await opened(on: "karl")
        try await tell("POST /moderation/cases/{id}/notes", [idle], as: mod, form: [("text", "Ask him first.")])
        let together = [("case", idle), ("decision", "dismiss"), ("reasonCode", "no_violation"), ("message", "Fine.")]
        try await tell("POST /moderation/many", as: mod, form: together)

        let sanctions = "\(Paths.base)/moderation/users/{id}/sanctions"
        let warning = SanctionRequest(kind: "warn", reasonCode: "spam", message: "Mind the rules.")
        let imposed = try await tell("POST \(sanctions)", ["karl"], as: mod, warning).json(SanctionInfo.self)
        let warned: CaseID = try await market.features.database.scalar(
            """
            SELECT d.case_id FROM sanctions AS z JOIN decisions AS d ON d.id = z.decision_id WHERE z.id = \(imposed.id)
            """)
        try await tell(
            "POST /account/appeals", as: karl, form: [("case", "\(warned)"), ("text", "It was no advertising.")])
        try await tell(
            "DELETE \(sanctions)/{sanction}", ["karl", "\(imposed.id)"], as: mod, LiftRequest(reason: "Mistaken."))
    }

    /// What the team does on its pages outside of cases.
    func staff() async throws {
        try await tell("POST /moderation/games", as: root, form: [("name", "Blades in the Dark")])
        try await tell("POST /moderation/games/{slug}", ["blades-in-the-dark"], as: mod, form: [("name", "Blades")])
        try await names()
        let proposals = GameProposalService(platform: market.features.platform)
        let proposer = try #require(try await AccountStore.user(handle: "karl", in: market.features.database)).id
        try await proposals.propose(name: "Lichen", publisher: "", link: "", by: proposer)
        let proposed = try #require(try await proposals.open().first).id
        try await tell(
            "POST /moderation/games/proposals/{id}/decline", ["\(proposed)"], as: mod,
            form: [("reason", "Not out yet.")])
        try await tell(
            "POST /moderation/new-case", as: mod,
            form: [("kind", "user"), ("id", "karl"), ("note", "The same words under three names.")])
        let people = "/moderation/people/{handle}/sanctions"
        try await tell(
            "POST \(people)", ["karl"], as: mod,
            form: [("kind", "warn"), ("reasonCode", "spam"), ("message", "Mind the rules.")])
        let sanction: SanctionID = try await market.features.database.scalar(
            "SELECT id FROM sanctions ORDER BY imposed_at DESC, id DESC LIMIT 1")
        try await tell(
            "POST \(people)/{sanction}/lift", ["karl", "\(sanction)"], as: mod, form: [("reason", "Mistaken.")])
        let job = try await JobQueue.enqueue(.renderDifferences, subject: UUID(), in: market.features.database)
        try await market.features.database.execute("UPDATE jobs SET state = 'dead' WHERE id = \(job)")
        try await tell("POST /operation/jobs/{job}/retry", ["\(job)"], as: root)
    }

    /// Games that are merged, and tags that are renamed and taken off, by the API and by the pages.
    private func names() async throws {
        for game in ["Moss", "Fern", "Reed"] {
            try await tell("POST /moderation/games", as: mod, form: [("name", game)])
        }
        try await tell(
            "POST \(Paths.base)/moderation/game-systems/{slug}/merge", ["fern"], as: mod,
            GameSystemMergeRequest(into: "moss"))
        try await tell("POST /moderation/games/{slug}/merge", ["reed"], as: mod, form: [("into", "moss")])
        try await market.features.database.execute(
            "UPDATE templates SET tags = '{one,two,three,four}' WHERE latest_version_id IS NOT NULL")
        let tags = "\(Paths.base)/moderation/tags/{tag}"
        try await tell("POST \(tags)/rename", ["one"], as: mod, TagRenameRequest(to: "first"))
        try await tell("DELETE \(tags)", ["two"], as: mod)
        try await tell("POST /moderation/tags/{tag}/rename", ["three"], as: mod, form: [("to", "third")])
        try await tell("POST /moderation/tags/{tag}/remove", ["four"], as: mod, form: [])
    }

    /// Complaints, and a reply that the team takes away.
    func reviews(of sheet: SubmissionStatus) async throws {
        let written = try await karl.send(
            .PUT, "\(Paths.template(sheet.templateSlug))/reviews/mine", json: ReviewRequest(stars: 2, text: "Meh."))
        let review = try written.json(Review.self).id.description
        let replied = try await nadia.send(
            .PUT, "\(Paths.base)/reviews/\(review)/reply", json: ReplyRequest(text: "Draw your own."))
        #expect(replied.status < 300, "\(replied.text)")
        try await tell("DELETE \(Paths.base)/reviews/{id}/reply", [review], as: mod)
        _ = try await nadia.send(
            .PUT, "\(Paths.base)/reviews/\(review)/reply", json: ReplyRequest(text: "Draw your own."))
        try await tell("POST /reviews/{id}/reply/delete", [review], as: mod, form: [("sheet", sheet.templateSlug)])
        try await tell(
            "POST /reviews/{id}/report", [review], as: nadia, form: [("reason", "other"), ("text", "Rude.")])
        try await tell(
            "POST \(Paths.base)/reports", as: karl,
            ReportRequest(subject: .init(kind: .template, id: sheet.templateSlug), reason: .other, text: "A typo."))
        try await tell(
            "POST /sheets/{id}/report", [sheet.templateSlug], as: nadia, form: [("reason", "other"), ("text", "Mine.")])
        let collection = try await karl.send(
            .POST, "\(Paths.base)/member-collections", json: MemberCollectionEdit(title: "Mine")
        ).json(MemberCollectionDetail.self).collection.id
        #expect(try await karl.send(.PUT, "\(Paths.base)/me/profile", json: ProfileEdit(bio: "Me.")).status == 200)
        try await tell(
            "POST /authors/{handle}/collections/{id}/report", ["karl", "\(collection)"], as: nadia,
            form: [("reason", "other")])
        try await tell("POST /authors/{handle}/report", ["karl"], as: nadia, form: [("reason", "other")])
    }

    /// Invitations to work on a template, answered in each way, and what becomes of an author.
    func authors(of sheet: SubmissionStatus) async throws {
        let template = "\(Paths.base)/templates/{id}"
        func invited() async throws -> String {
            try await tell(
                "POST \(template)/invitations", [sheet.templateSlug], as: nadia,
                InvitationRequest(handle: "lena", role: .contributor)
            ).json(Invitation.self).id.description
        }
        try await tell("POST \(Paths.base)/invitations/{id}/decline", [try await invited()], as: lena)
        try await tell("POST \(Paths.base)/invitations/{id}/withdraw", [try await invited()], as: nadia)
        try await tell("POST /account/invitations/{id}/decline", [try await invited()], as: lena)
        try await tell("POST \(Paths.base)/invitations/{id}/accept", [try await invited()], as: lena)
        let author = [sheet.templateSlug, "lena"]
        try await tell("PUT \(template)/authors/{handle}", author, as: nadia, AuthorChange(role: .maintainer))
        try await tell("DELETE \(template)/authors/{handle}", author, as: nadia)
        try await tell("POST /account/invitations/{id}/accept", [try await invited()], as: lena)
        try await manage("authors/{handle}", author, as: nadia, [("role", "maintainer")])
        try await manage("authors/{handle}/delete", author, as: nadia)
        try await tell(
            "POST /sheets/{id}/invitations", [sheet.templateSlug], as: nadia,
            form: [("handle", "lena"), ("role", "owner")])
        let open = try await nadia.get("\(Paths.template(sheet.templateSlug))/invitations").json(InvitationList.self)
        let offered = try #require(open.invitations.first).id.description
        try await tell(
            "POST /sheets/{id}/invitations/{invitation}/withdraw", [sheet.templateSlug, offered], as: nadia, form: [])
    }

    /// What the team does to other people's templates, and collections.
    func withdrawals(of sheet: SubmissionStatus) async throws {
        let version = "\(Paths.base)/templates/{id}/versions/{v}"
        let ids = [sheet.templateSlug, "1.0.0"]
        try await tell("PUT \(version)/regions", ids, as: mod, RegionList(pages: []))
        try await tell("POST \(version)/yank", ids, as: root, YankRequest(reason: "A typo."))
        try await tell("POST \(version)/unyank", ids, as: root)
        let deprecation = "\(Paths.base)/templates/{id}/deprecation"
        try await tell("PUT \(deprecation)", ids, as: root, DeprecationRequest(message: "There is a better one."))
        try await tell("DELETE \(deprecation)", ids, as: root)
        try await manage("versions/{v}/yank", ids, as: root, [("reason", "A typo.")])
        try await manage("versions/{v}/unyank", ids, as: root)
        try await manage("deprecation", ids, as: root, [("message", "There is a better one.")])
        try await manage("deprecation/delete", ids, as: root)
        let collection = CollectionEdit(title: "Night", items: [.init(templateId: sheet.templateId)])
        try await tell("PUT \(Paths.base)/collections/{slug}", ["night"], as: mod, collection)
        try await tell("DELETE \(Paths.base)/collections/{slug}", ["night"], as: mod)
        try await collectionForms(of: sheet)
    }

    /// A collection by its pages.
    private func collectionForms(of sheet: SubmissionStatus) async throws {
        let service = CollectionService(catalog: market.features.catalog)
        let sheets = ("sheets", sheet.templateSlug)
        try await tell("POST /moderation/collections", as: mod, form: [("slug", "day"), ("title", "Day"), sheets])
        let made = try await service.state(of: "day")
        let form = "POST /moderation/collections/{slug}"
        try await tell(form, ["day"], as: mod, form: [("title", "Days"), ("state", made)])
        try await tell(
            "POST /moderation/add-to-collection", as: mod,
            form: [("sheet", sheet.templateSlug), ("collection", "day")])
        let last = try await service.state(of: "day")
        try await tell("\(form)/delete", ["day"], as: mod, form: [("state", last)])
    }

    /// A claimant's notice, the team's decision on it and the author's objection.
    func copyright(on sheet: SubmissionStatus) async throws {
        let notices = "\(Paths.base)/copyright/notices"
        let sent = try await market.http.send(
            .POST, notices, json: CopyrightFlowTests.notice(on: sheet.templateSlug))
        let id = try sent.json(CopyrightNotice.self).id.description
        try await tell(
            "POST \(notices)/{id}/decision", [id], as: mod,
            CopyrightDecisionRequest(decision: "accept", message: "Looked at it."))
        try await tell("POST \(notices)/{id}/counter-notice", [id], as: nadia, CopyrightFlowTests.counter)
        // Another, decided and objected to on its pages.
        let more = try await market.http.send(
            .POST, notices, json: CopyrightFlowTests.notice(on: sheet.templateSlug))
        let next = try more.json(CopyrightNotice.self).id.description
        try await tell(
            "POST /moderation/copyright/{id}/decision", [next], as: mod,
            form: [("decision", "accept"), ("message", "Looked at it.")])
        try await tell("POST /account/copyright/{id}", [next], as: nadia, form: CopyrightPageTests.counter)
    }
}
