// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketClient
import MarketPages
import MarketPlatform
import MarketWire
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAccounts
@testable import MarketCatalog
@testable import MarketContract
@testable import MarketHTTP

@Suite("Lists")
struct ListTests {
    /// Answers that hold a list and have no pages, and why.
    private static let whole: [String: String] = [
        "exportAccount": "one document, cut nowhere",
        "getAccount": "what is in force against one person",
        "getCase": "one case, its lists bounded",
        "getCollection": "200 at most",
        "getDownloadTimeline": "days between two that the caller names, 732 at most",
        "getFollowing": "500 at most",
        "getMemberCollection": "200 at most",
        "getModerationStatistics": "the team",
        "getNews": "the newest 50",
        "getOutline": "one version",
        "getOwnProfile": "five links at most",
        "getProfile": "five links at most",
        "getRegions": "the pages of one version",
        "getReviewHistory": "one review",
        "getSubmission": "the findings of one upload",
        "getTag": "what one tag was called before",
        "getTemplate": "the tags of one template",
        "getTemplateStatistics": "days between two that the caller names, 732 at most; 50 sources and terms of each",
        "getTransparency": "one line for each month",
        "getVersion": "the pages of one version",
        "getWebhook": "kinds of events",
        "listAuthors": "21 at most",
        "listCollectionsOfPerson": "50 at most",
        "listCollectionsOfTemplate": "20 of each kind at most",
        "listChanges": "a feed without an end, with a 'since' and a limit of its own",
        "listDumps": "7 at most",
        "listGameSystems": "what the operator entered; clients want all of them to choose from",
        "listIdentities": "one person's ways to sign in",
        "listOwnCollections": "50 at most",
        "listReasons": "what the operator entered",
        "listSignInProviders": "what the operator entered",
        "listSimilar": "the nearest 12",
        "suggest": "the first 5 of each kind",
    ]

    /// A list that has two entries at least: what its address names, and who reads it.
    private struct Filled {
        var id = ""
        var read: Read
    }

    private typealias Read = (String) async throws -> TestHTTP.Answer

    @Test("All lists of the contract have pages that take the same limit and cursor, and give each entry once")
    func alike() async throws {
        try await withMarket(workers: 1) { market in
            let lists = try await Self.fill(market)
            let document = try await market.http.get("/openapi.json").json(JSONValue.self)
            var exceptions: Set<String> = []
            for (path, methods) in document["paths"]?.members ?? [:] {
                guard let operation = methods["get"], let name = operation["operationId"]?.text else { continue }
                let members = Self.arrays(in: operation, document)
                guard !members.isEmpty else { continue }
                if Self.whole[name] != nil {
                    exceptions.insert(name)
                    continue
                }
                let parameters = Set(
                    (operation["parameters"]?.items ?? []).compactMap { $0["$ref"]?.text?.split(separator: "/").last })
                #expect(parameters.intersection(["limit", "longLimit"]).count == 1, "\(name) has no pages")
                #expect(parameters.contains("cursor"), "\(name) leads to no next page")
                #expect(members.count == 1, "\(name) has more than one list")
                guard let list = lists[name] else {
                    Issue.record("\(name) is to have two entries")
                    continue
                }
                let address = path.replacing("{id}", with: list.id)
                try await Self.walk(name, address, members[0], list.read)
                try await Self.refuseOthers(name, address, list.read)
            }
            #expect(Set(Self.whole.keys).subtracting(exceptions) == [], "no lists any more")
        }
    }

    @Test("A template with 230 versions is listed whole, by precedence, by a program and on the page")
    func manyVersions() async throws {
        try await withMarket { market in
            _ = try await market.person("nadia")
            let numbers = (1...230).compactMap { SemanticVersion("1.\($0).0\($0.isMultiple(of: 7) ? "-rc.2" : "")") }
            try await Self.addVersions(numbers, to: "many", by: "nadia", market)
            let address = try #require(ServerAddress(market.http.base))
            let listed = try await MarketClient(server: address).versions(of: "many")
            let ordered = numbers.sorted { $0 > $1 }
            #expect(listed.map(\.version) == ordered)

            let first = try await market.http.get("\(Paths.template("many"))/versions")
            let page = try first.json(VersionList.self)
            #expect(page.versions.count == 100 && page.nextCursor != nil)
            let gone = Cursor(list: "versions", keys: ["0.0.1"]).text
            let behind = try await market.http.get("\(Paths.template("many"))/versions?cursor=\(gone)")
            #expect(try behind.json(VersionList.self) == VersionList(versions: []))
            let unknown = try await market.http.get("\(Paths.template("nothing"))/versions?cursor=\(gone)")
            #expect(unknown.status == 404)

            let shown = try await Self.follow(
                "/sheets/many", "Older versions", #/>(1\.[0-9]+\.0(?:-rc\.2)?)</a>/#
            ) { try await market.http.get($0) }
            #expect(shown == ordered.map(\.description))
        }
    }

    @Test("A person reaches each of 130 tokens and of 130 browsers, by programs and on the pages")
    func manyCredentials() async throws {
        try await withMarket { market in
            let accounts = AccountService(accounts: market.features.accounts)
            let nadia = try await market.person("nadia")
            let user = try await accounts.ensureSystemUser(handle: "nadia")
            let browser = TestBrowser(market)
            for number in 1..<130 {
                _ = try await accounts.makeToken(name: "token \(number)", scopes: [.read], for: user.id)
                _ = try await accounts.makeSession(for: user.id, from: SignInDevice(userAgent: nil, address: nil))
            }
            try await browser.signIn(user.id, of: market)

            let address = try #require(ServerAddress(market.http.base))
            let tokens = try await MarketClient(server: address, token: nadia.token).tokens()
            #expect(Set(tokens.map(\.id)).count == 130)
            let shown = try await Self.follow(
                "/account", "Older tokens", #/account/tokens/([0-9a-f-]{36})/revoke/#
            ) { try await browser.get($0) }
            #expect(shown == tokens.map(\.id.description))

            var sessions: [SessionInfo] = []
            var next: String? = ""
            while let cursor = next {
                let answer = try await browser.get("\(Paths.base)/me/sessions?cursor=\(cursor)")
                let list = try answer.json(SessionList.self)
                sessions += list.sessions
                next = list.nextCursor
                // Browsers that are used between two pages are missing on none.
                try await market.features.database.execute(
                    "UPDATE sessions SET last_seen_at = now() + interval '1 minute' WHERE user_id = \(user.id)")
            }
            #expect(Set(sessions.map(\.id)).count == 130 && sessions.count == 130)
            #expect(sessions.map(\.isCurrent) == [true] + Array(repeating: false, count: 129))
            let ended = try await Self.follow(
                "/account/security", "More browsers", #/security/sessions/([0-9a-f-]{36})/end"/#
            ) { try await browser.get($0) }
            #expect(ended == sessions.dropFirst().map(\.id.description))
        }
    }

    // MARK: - Walking

    private static func walk(_ name: String, _ address: String, _ member: String, _ read: Read) async throws {
        let whole = try await read("\(address)?limit=100")
        #expect(whole.status == 200, "\(name): \(whole.text)")
        let all = try Self.keys(whole, member)
        #expect(all.count >= 2 && Set(all).count == all.count, "\(name): \(all)")
        let last = try whole.json(JSONValue.self)["nextCursor"]
        #expect(last == .null && whole.headers.first(name: "Link") == nil, "\(name): \(whole.text)")

        var walked: [String] = []
        var cursor: String?
        repeat {
            let answer = try await read("\(address)?limit=1" + (cursor.map { "&cursor=\($0)" } ?? ""))
            let found = try Self.keys(answer, member)
            #expect(found.count == 1, "\(name): \(answer.text)")
            walked += found
            cursor = try answer.json(JSONValue.self)["nextCursor"]?.text
            let link = cursor.map { "<\(address)?limit=1&cursor=\($0)>; rel=\"next\"" }
            #expect(answer.headers.first(name: "Link") == link, "\(name)")
            let isPlain = cursor?.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
            #expect(isPlain != false, "\(name)")
        } while cursor != nil && walked.count < 100
        #expect(walked == all, "\(name)")
    }

    private static func refuseOthers(_ name: String, _ address: String, _ read: Read) async throws {
        for limit in ["0", "101", "-1", "x", "1.5"] {
            let answer = try await read("\(address)?limit=\(limit)")
            #expect(answer.status == 422 && answer.problemCode == .validationFailed, "\(name) limit=\(limit)")
            let problem = try answer.json(ProblemDocument.self)
            #expect(problem.errors?.first?.pointer == "limit", "\(name)")
        }
        let foreign = Cursor(list: "others", keys: ["1"]).text
        for cursor in ["x", "WyJ4IiwieCJd", foreign, String(repeating: "A", count: 4000), "%F0%9F%8E%B2"] {
            let answer = try await read("\(address)?cursor=\(cursor)")
            #expect(answer.status == 400 && answer.problemCode == .badCursor, "\(name) cursor=\(cursor.prefix(20))")
        }
    }

    /// What tells the entries of an answer apart.
    private static func keys(_ answer: TestHTTP.Answer, _ member: String) throws -> [String] {
        let entries = try answer.json(JSONValue.self)[member]?.items ?? []
        return try entries.map { entry -> String in
            let key = ["id", "slug", "version", "sequence", "tag"].compactMap { entry[$0] ?? entry["template"]?[$0] }
                .first
            let text = key?.text ?? key?.integer.map { String($0) }
            return try #require(text)
        }
    }

    /// The members of an operation's answer that are arrays.
    private static func arrays(in operation: JSONValue, _ document: JSONValue) -> [String] {
        let content = operation["responses"]?["200"]?["content"]?["application/json"]
        guard let schema = content?["schema"] else { return [] }
        return (resolved(schema, document)["properties"]?.members ?? [:]).compactMap { name, member -> String? in
            let type = resolved(member, document)["type"]
            return type == "array" || type?.items.contains("array") == true ? name : nil
        }
    }

    private static func resolved(_ schema: JSONValue, _ document: JSONValue) -> JSONValue {
        guard let name = schema["$ref"]?.text?.split(separator: "/").last,
            let target = document["components"]?["schemas"]?[String(name)]
        else { return schema }
        return resolved(target, document)
    }

    /// What `pattern` finds on a page and on those behind it, to which the link `label` leads.
    private static func follow(
        _ first: String, _ label: String, _ pattern: Regex<(Substring, Substring)>, _ read: Read
    ) async throws -> [String] {
        var found: [String] = []
        var next: String? = first
        while let address = next {
            let answer = try await read(address)
            try #require(answer.status == 200, "\(answer.text)")
            found += answer.text.matches(of: pattern).map { String($0.output.1) }
            let link = answer.text.components(separatedBy: "\">\(label)</a>").dropLast().first
            next = link?.components(separatedBy: "href=\"").last?.split(separator: "#").first.map { String($0) }
        }
        return found
    }

    // MARK: - What is there

    /// Enters versions, published in any order.
    static func addVersions(
        _ numbers: [SemanticVersion], to slug: String, by handle: String, _ market: TestMarket
    ) async throws {
        try await market.features.database.withTransaction { connection in
            for statement: PostgresQuery in [
                """
                INSERT INTO artifacts (sha256, size_bytes, media_type) VALUES (sha256('many'), 1, 'application/pdf')
                ON CONFLICT DO NOTHING
                """,
                """
                INSERT INTO templates (id, slug, owner_id, game_system, name, summary, license, language, created_at,
                    updated_at, published_at)
                SELECT \(TemplateID.make()), \(slug), id, 'dnd5e', 'Many', 'A sheet.', 'MIT', 'en', now(), now(), now()
                FROM users WHERE handle = \(handle) AND NOT EXISTS (SELECT FROM templates WHERE slug = \(slug))
                """,
                """
                INSERT INTO submissions (id, template_id, uploader_id, version, metadata, artifact_sha256, file_name,
                    size_bytes, state, page_count)
                SELECT gen_random_uuid(), t.id, t.owner_id, number, '{}', sha256('many'), 'sheet.pdf', 1, 'published', 1
                FROM templates AS t CROSS JOIN unnest(\(numbers.map(\.description))::text[]) AS number
                WHERE t.slug = \(slug)
                """,
                """
                INSERT INTO versions (id, template_id, submission_id, number, artifact_sha256, file_name, size_bytes,
                    page_count, published_at)
                SELECT gen_random_uuid(), s.template_id, s.id, s.version, s.artifact_sha256, s.file_name, 1, 1,
                    now() - random() * interval '1 day'
                FROM submissions AS s JOIN templates AS t ON t.id = s.template_id
                WHERE t.slug = \(slug) AND NOT EXISTS (SELECT FROM versions AS v WHERE v.submission_id = s.id)
                """,
            ] {
                try await connection.execute(statement)
            }
            let id = try await connection.scalar(
                "SELECT id FROM templates WHERE slug = \(slug)", as: TemplateID.self)
            _ = try await Publishing.recomputeLatest(connection, templateID: id)
        }
        market.features.catalog.catalogChanged()
    }

    /// Makes what all lists need, and tells who reads which.
    private static func fill(_ market: TestMarket) async throws -> [String: Filled] {
        _ = try await market.person("ada", role: .administrator)
        let ada = try await market.person("ada", role: .administrator)
        let karl = try await market.person("karl")
        let offered = try await upload(2, by: ada)
        let waiting = try await upload(2, by: ada)
        let refused = try await upload(2, by: karl)
        for submission in offered {
            let answer = try await ada.decide(submission)
            #expect(answer.status == 200, "\(answer.text)")
        }
        for submission in refused {
            let answer = try await ada.decide(submission, .reject, reasonCode: "not_a_sheet", message: "It is none.")
            #expect(answer.status == 200, "\(answer.text)")
        }
        let slugs = offered.map(\.templateSlug)
        let numbers = ["1.1.0", "1.2.0-beta.1"].compactMap { SemanticVersion($0) }
        try await addVersions(numbers, to: slugs[0], by: "ada", market)
        try await speak(market, ada, karl, offered: offered, waiting: waiting[0], refused: refused)
        let webhooks = try await hooks(of: ada)
        let browser = TestBrowser(market)
        let user = try await AccountService(accounts: market.features.accounts).ensureSystemUser(handle: "karl")
        for _ in 0..<3 { try await browser.signIn(user.id, of: market) }

        for slug in slugs {
            let marked = try await karl.send(.PUT, "\(Paths.base)/me/favorites/\(slug)")
            #expect(marked.status == 204, "\(marked.text)")
        }

        let team: Read = { try await ada.get($0) }
        let own: Read = { try await karl.get($0) }
        let caseID = waiting[0].caseId?.description ?? ""
        return [
            "listTags": Filled(read: team), "listTemplates": Filled(read: team), "listSubmissions": Filled(read: team),
            "listCases": Filled(read: team), "listAudit": Filled(read: team), "listTokens": Filled(read: team),
            "listCollections": Filled(read: team), "listWebhooks": Filled(read: team),
            "listCopyrightNotices": Filled(read: team), "listReviews": Filled(id: slugs[0], read: team),
            "listVersions": Filled(id: slugs[0], read: team), "listInvitations": Filled(id: slugs[0], read: team),
            "listSanctions": Filled(id: "karl", read: team),
            "listWebhookDeliveries": Filled(id: webhooks[0], read: team),
            "listMessages": Filled(id: caseID, read: team),
            "listSubmissionMessages": Filled(id: waiting[0].id.description, read: team),
            "listAppeals": Filled(read: own), "listFavorites": Filled(read: own),
            "listOwnReports": Filled(read: own),
            "listMyInvitations": Filled(read: own), "listOwnSanctions": Filled(read: own),
            "listSessions": Filled(read: { try await browser.get($0) }),
        ]
    }

    /// Uploads that wait for a moderator.
    private static func upload(_ count: Int, by person: TestHTTP) async throws -> [SubmissionStatus] {
        var waiting: [SubmissionStatus] = []
        for _ in 0..<count {
            let number = Int.random(in: 1...1_000_000_000)
            var builder = PDFDocumentBuilder()
            builder.addPage(headings: ["Skills", "Combat", "Number \(number)"])
            let answer = try await person.upload(
                metadata: UploadMetadata(
                    name: "Sheet \(number)", summary: "For a test.", gameSystem: "dnd5e", tags: ["calm", "quick"],
                    license: "CC0-1.0", language: "en", version: "1.0.0"),
                file: builder.build())
            waiting.append(
                try await person.submission(try answer.json(SubmissionStatus.self).id, reaches: [.awaitingReview]))
        }
        return waiting
    }

    /// Two words of each kind that people have for each other.
    private static func speak(
        _ market: TestMarket, _ ada: TestHTTP, _ karl: TestHTTP, offered: [SubmissionStatus],
        waiting: SubmissionStatus, refused: [SubmissionStatus]
    ) async throws {
        func send(_ caller: TestHTTP, _ path: String, _ wish: some Encodable, put: Bool = false) async throws {
            let answer = try await caller.send(put ? .PUT : .POST, "\(Paths.base)\(path)", json: wish)
            #expect((200...202).contains(answer.status), "\(path): \(answer.text)")
        }
        let kim = try await market.person("kim")
        let first = "/templates/\(offered[0].templateSlug)"
        for handle in ["karl", "kim"] {
            try await send(ada, "\(first)/invitations", InvitationRequest(handle: handle, role: .contributor))
        }
        try await send(
            ada, "/templates/\(offered[1].templateSlug)/invitations",
            InvitationRequest(handle: "karl", role: .maintainer))
        for reviewer in [karl, kim] {
            try await send(reviewer, "\(first)/reviews/mine", ReviewRequest(stars: 4, text: "Good."), put: true)
        }
        for template in offered {
            let subject = ReportSubject(kind: .template, id: template.templateSlug)
            try await send(karl, "/reports", ReportRequest(subject: subject, reason: .other, text: "Look at it."))
            try await send(market.http, "/copyright/notices", CopyrightFlowTests.notice(on: template.templateSlug))
        }
        for submission in refused {
            let appeal = AppealRequest(subject: .submission, id: submission.id.description, text: "It is one.")
            try await send(karl, "/appeals", appeal)
        }
        for text in ["Why?", "And how?"] {
            let path = "/moderation/cases/\(waiting.caseId?.description ?? "none")/messages"
            try await send(ada, path, MessageRequest(text: text))
            let warning = SanctionRequest(kind: "warn", reasonCode: "spam", message: text)
            try await send(ada, "/moderation/users/karl/sanctions", warning)
        }
        for title in ["Easy", "Élan"] {
            let path = "/collections/\(title == "Easy" ? "z" : "a")"
            try await send(ada, path, CollectionEdit(title: title, items: []), put: true)
        }
    }

    /// Two webhooks, the first of which has two deliveries.
    private static func hooks(of person: TestHTTP) async throws -> [String] {
        var ids: [String] = []
        for _ in 0..<2 {
            let wish = WebhookRequest(url: "https://example.org/", events: [.versionPublished])
            let answer = try await person.send(.POST, "\(Paths.base)/webhooks", json: wish)
            ids.append(try answer.json(NewWebhook.self).webhook.id.description)
        }
        for _ in 0..<2 {
            let answer = try await person.send(.POST, "\(Paths.base)/webhooks/\(ids[0])/ping")
            #expect(answer.status == 202, "\(answer.text)")
        }
        return ids
    }
}
