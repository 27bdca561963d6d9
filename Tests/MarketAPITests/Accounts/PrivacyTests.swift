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
@testable import MarketCommunity
@testable import MarketContract
@testable import MarketHTTP

@Suite("Export and erasure of a person's data")
struct PrivacyTests {
    /// A person with something of everything: a published sheet with reviews, an upload that waits, tokens, sessions,
    /// an identity, a review of somebody else's sheet, a vote, a report, an invitation, a download.
    private struct Life {
        static let password = "correct horse battery ada"
        static let handle = "ada-lovelace"
        static let email = "ada.lovelace@example.org"

        let id: UserID
        let http: TestHTTP
        let browser: TestBrowser
        let published: SubmissionStatus
        let waiting: SubmissionStatus
        let others: SubmissionStatus

        static func live(in market: TestMarket) async throws -> Life {
            let moderator = try await market.person("mona", role: .moderator)
            let bob = try await market.person("bob")
            let browser = TestBrowser(market)
            let made = try await browser.send(
                .POST, "\(Paths.base)/auth/register",
                json: RegisterRequest(handle: handle, email: email, password: password, displayName: "Ada Lovelace"))
            let id = try made.json(Account.self).id
            let token = try await AccountService(accounts: market.features.accounts).makeToken(
                name: "of ada-lovelace", scopes: TokenScope.all, for: id)
            let ada = market.http.signedIn(token.token)
            let published = try await upload("First sheet", by: ada)
            #expect(try await moderator.decide(published).status == 200)
            let others = try await upload("Somebody's sheet", by: bob)
            #expect(try await moderator.decide(others).status == 200)
            let waiting = try await upload("ada.lovelace@example.org waits", by: ada)
            let theirs = Paths.template(others.templateSlug)
            let review = try await ada.send(
                .PUT, "\(theirs)/reviews/mine", json: ReviewRequest(stars: 4, text: "By ada.lovelace@example.org"))
            #expect(review.status == 201)
            let changed = try await ada.send(
                .PUT, "\(theirs)/reviews/mine", json: ReviewRequest(stars: 5, text: "Still, says ada-lovelace"))
            #expect(changed.status == 200)
            let own = Paths.template(published.templateSlug)
            let bobs = try await bob.send(.PUT, "\(own)/reviews/mine", json: ReviewRequest(stars: 3, text: "Fine"))
            let bobsID = try bobs.json(Review.self).id
            let reply = try await ada.send(
                .PUT, "\(Paths.base)/reviews/\(bobsID)/reply", json: ReplyRequest(text: "Thanks, ada-lovelace"))
            #expect(reply.status == 200 || reply.status == 201, "\(reply.text)")
            let report = try await ada.send(
                .POST, "\(Paths.base)/reports",
                json: ReportRequest(
                    subject: .init(kind: .template, id: others.templateId.description), reason: .other, text: "Look."))
            #expect(report.status == 201, "\(report.text)")
            let invitation = try await ada.send(
                .POST, "\(Paths.template(published.templateSlug))/invitations",
                json: InvitationRequest(handle: "bob", role: .contributor))
            #expect(invitation.status == 201)
            let collection = MemberCollectionEdit(
                title: "Of ada-lovelace", items: [.init(templateId: published.templateId)])
            #expect(try await ada.send(.POST, "\(Paths.base)/member-collections", json: collection).status == 201)
            let profile = ProfileEdit(bio: "I am ada-lovelace.")
            #expect(try await ada.send(.PUT, "\(Paths.base)/me/profile", json: profile).status == 200)
            try await market.features.database.execute(
                """
                INSERT INTO identities (id, user_id, issuer, subject, email, linked_at)
                VALUES (\(IdentityID.make()), \(id), 'https://id.example', 'ada-lovelace-1815', \(email), now())
                """)
            return Life(
                id: id, http: ada, browser: browser, published: published, waiting: waiting, others: others)
        }

        private static func upload(_ name: String, by author: TestHTTP) async throws -> SubmissionStatus {
            var builder = PDFDocumentBuilder()
            builder.addPage(headings: ["Skills", "Combat", name])
            let answer = try await author.upload(
                metadata: UploadMetadata(
                    name: name, summary: "For a test.", gameSystem: "dnd5e", license: "CC0-1.0", language: "en",
                    version: "1.0.0"),
                file: builder.build())
            #expect(answer.status == 202, "\(answer.text)")
            return try await author.submission(
                try answer.json(SubmissionStatus.self).id, reaches: [.awaitingReview, .rejected])
        }
    }

    /// Places in the database where a text stands, whatever the column's type.
    private static func places(of text: String, in market: TestMarket) async throws -> [String] {
        let database = market.features.database
        let tables = try await database.all(
            """
            SELECT c.oid::regclass::text FROM pg_class AS c
            WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
            """
        ) { try $0.get(0, as: String.self) }
        var found: [String] = []
        for table in tables {
            let rows = try await database.all(
                """
                SELECT left(t::text, 300) FROM \(unsafe: table) AS t WHERE strpos(lower(t::text), \(text)) > 0 LIMIT 3
                """
            ) { try $0.get(0, as: String.self) }
            found += rows.map { "\(table): \($0)" }
        }
        return found
    }

    @Test("The export has all that refers to a person, and no secret")
    func export() async throws {
        try await withMarket(workers: 1) { market in
            let ada = try await Life.live(in: market)
            let answer = try await ada.http.get("\(Paths.base)/me/export")
            #expect(answer.status == 200)
            #expect(
                answer.headers.first(name: "content-disposition")
                    == "attachment; filename=\"sheetmarket-ada-lovelace.json\"")
            let document = try answer.json(JSONValue.self)
            #expect(document["format"] == "sheetmarket.export.1" && document["account"]?["email"]?.text == Life.email)
            let records = document["records"] ?? [:]
            for table in [
                "sessions", "api_tokens", "identities", "templates", "submissions", "reviews", "review_replies",
                "member_collections", "profiles", "reports",
                "template_invitations",
            ] {
                #expect(records[table]?.items.isEmpty == false, "\(table)")
            }
            // What is added to the market later is in it by itself.
            let referring = try await market.features.database.all(
                "SELECT DISTINCT table_name::text FROM personal_data_columns"
            ) {
                try $0.get(0, as: String.self)
            }
            #expect(Set(records.members.keys) == Set(referring) && referring.count > 10)
            // No foreign key says so, since it would cost more than the rest of a kept call.
            #expect(referring.contains("idempotency_keys"))
            #expect(records["submissions"]?.items.count == 2)
            #expect(document["collectionItems"]?.items.count == 1)
            #expect(document["reviewHistory"]?.items.first?["text"]?.text == "By ada.lovelace@example.org")
            #expect(document["decisionsOnUploads"]?.items.count == 1 && document["versions"]?.items.count == 1)
            let text = answer.text
            let secrets = ["password_hash", "token_hash", "$scrypt", "\\\\x"]
            for secret in secrets { #expect(!text.contains(secret), "\(secret)") }
        }
    }

    @Test("Erasing and the export want a browser confirmed just now; erasing can be taken back, and takes no token")
    func wish() async throws {
        let clock = StandingClock()
        try await withMarket(now: { clock.now }) { market in
            let user = try await AccountService(accounts: market.features.accounts).ensureSystemUser(handle: "ada")
            try await market.features.database.execute(
                "UPDATE users SET email = 'ada@example.org', email_verified_at = now() WHERE id = \(user.id)")
            let browser = TestBrowser(market)
            try await browser.signIn(user.id, of: market)
            let wish = ErasureRequest(templates: .leave)
            let token = try await AccountService(accounts: market.features.accounts).makeToken(
                name: "n", scopes: TokenScope.all, for: user.id)
            let byToken = try await market.http.signedIn(token.token).send(.DELETE, "\(Paths.base)/me", json: wish)
            #expect(byToken.status == 403 && byToken.problemCode == .forbidden)
            #expect(try await browser.get("\(Paths.base)/me/erasure").status == 404)
            clock.advance(by: 601)
            let late = try await browser.send(.DELETE, "\(Paths.base)/me", json: wish)
            #expect(late.status == 403 && late.problemCode == .confirmationRequired)
            for path in ["\(Paths.base)/me/export", "/account/privacy/export"] {
                let export = try await browser.get(path)
                #expect(export.status == 403 && export.problemCode == .confirmationRequired, "\(path)")
            }
            try await browser.signIn(user.id, of: market)
            for path in ["\(Paths.base)/me/export", "/account/privacy/export"] {
                #expect(try await browser.get(path).status == 200, "\(path)")
            }
            let answer = try await browser.send(.DELETE, "\(Paths.base)/me", json: wish)
            #expect(answer.status == 202, "\(answer.text)")
            let status = try answer.json(ErasureStatus.self)
            #expect(status.eraseAt == clock.now.addingTimeInterval(7 * 86_400))
            #expect(try await browser.get("\(Paths.base)/me/erasure").json(ErasureStatus.self) == status)
            #expect(try await browser.get("/account/privacy").text.contains("Your account will be erased"))
            let emails = try await market.features.database.scalar(
                "SELECT count(*) FROM mail_outbox WHERE template = 'erasure_scheduled'", as: Int.self)
            #expect(emails == 1)

            let erasure = Erasure(community: market.features.community)
            clock.advance(by: 6 * 86_400)
            try await erasure.eraseDue()
            #expect(try await browser.get("\(Paths.base)/me").status == 200, "still in time")
            #expect(try await browser.post("/account/privacy/keep").status == 303)
            clock.advance(by: 2 * 86_400)
            try await erasure.eraseDue()
            #expect(try await browser.get("\(Paths.base)/me").status == 200, "taken back")

            try await browser.signIn(user.id, of: market)
            let form = try await browser.post("/account/privacy/erase", [("templates", "withdraw")])
            #expect(form.status == 303)
            clock.advance(by: 7 * 86_400 + 1)
            try await erasure.eraseDue()
            #expect(try await browser.get("\(Paths.base)/me").status == 401)
            let free = try await TestBrowser(market).send(
                .POST, "\(Paths.base)/auth/register",
                json: RegisterRequest(handle: "ada", email: "ada@example.org", password: Life.password))
            #expect(free.status == 201, "name and address are free again")
        }
    }

    @Test("After it nothing in the database holds name or address, the sheets stay, and the audit log's chain holds")
    func erasure() async throws {
        try await withMarket(workers: 1) { market in
            let ada = try await Life.live(in: market)
            #expect(try await Self.places(of: Life.handle, in: market).count > 5)
            #expect(try await Self.places(of: Life.email, in: market).count >= 3)
            let waitingFile = ada.waiting.sha256
            try await AccountService(accounts: market.features.accounts).setDisabled(
                true, of: Life.handle, by: .operatorCommand)
            try await AccountService(accounts: market.features.accounts).setDisabled(
                false, of: Life.handle, by: .operatorCommand)

            try await Erasure(community: market.features.community).erase(handle: Life.handle, templates: .leave)

            for word in [Life.handle, Life.email, "lovelace"] {
                let places = try await Self.places(of: word, in: market)
                #expect(places.isEmpty, "\(word): \(places.joined(separator: "\n"))")
            }
            #expect(try await AuditLog.verify(market.features.database).count > 0)
            #expect(try await ada.http.get("\(Paths.base)/me").status == 401)
            #expect(try await ada.browser.get("\(Paths.base)/me").status == 401)
            let detail = try await market.http.get(Paths.template(ada.published.templateSlug)).json(TemplateDetail.self)
            #expect(detail.summary.author.hasPrefix("former-"), "\(detail.summary.author)")
            let found = try await market.http.get("\(Paths.base)/templates?author=\(detail.summary.author)")
            #expect(try found.json(TemplateList.self).templates.count == 1)
            let reviews = try await market.http.get("\(Paths.template(ada.others.templateSlug))/reviews")
            #expect(try reviews.json(ReviewList.self).reviews.isEmpty)
            let others = try await market.http.get(Paths.template(ada.others.templateSlug)).json(TemplateDetail.self)
            #expect(others.summary.ratingCount == 0)
            // The file that nobody else has is left to the garbage collection; the published one is not.
            let rows = try await market.features.database.scalar(
                "SELECT count(*) FROM artifacts WHERE sha256 = \(waitingFile)", as: Int.self)
            #expect(rows == 0)
            let download = try await market.http.get(
                "\(Paths.download(ada.published.templateSlug, "latest"))?redirect=false")
            #expect(download.status == 200)
            // Once more does nothing.
            await #expect(throws: AccountError.self) {
                try await Erasure(community: market.features.community).erase(handle: Life.handle, templates: .leave)
            }
        }
    }

    @Test("Sheets are withdrawn when that is wished, but for those with a maintainer, who gets them")
    func templates() async throws {
        try await withMarket(workers: 1) { market in
            let ada = try await Life.live(in: market)
            let bob = try #require(try await AccountStore.user(handle: "bob", in: market.features.database))
            try await Erasure(community: market.features.community).erase(handle: Life.handle, templates: .withdraw)
            let page = try await market.http.get(Paths.template(ada.published.templateSlug))
            #expect(page.status == 404 || (try? page.json(TemplateDetail.self)) != nil)
            let offered = try await market.http.get("\(Paths.base)/templates").json(TemplateList.self).templates
            #expect(!offered.contains { $0.slug == ada.published.templateSlug })

            // Bob goes too; carl maintains his sheet.
            let carl = try await AccountService(accounts: market.features.accounts).ensureSystemUser(handle: "carl")
            try await market.features.database.execute(
                """
                INSERT INTO template_authors (template_id, user_id, role)
                VALUES (\(ada.others.templateId), \(carl.id), 'maintainer')
                """)
            try await Erasure(community: market.features.community).erase(handle: "bob", templates: .withdraw)
            let detail = try await market.http.get(Paths.template(ada.others.templateSlug)).json(TemplateDetail.self)
            #expect(detail.summary.author == "carl")
            let left = try await market.features.database.scalar(
                "SELECT count(*) FROM template_authors WHERE user_id IN (\(carl.id), \(bob.id))", as: Int.self)
            #expect(left == 0)
        }
    }

    @Test("The last administrator stays")
    func lastAdministrator() async throws {
        try await withMarket { market in
            let accounts = AccountService(accounts: market.features.accounts)
            try await accounts.ensureSystemUser(handle: "root-user", role: .administrator)
            let erasure = Erasure(community: market.features.community)
            await #expect(throws: ErasureError.lastAdministrator) {
                try await erasure.erase(handle: "root-user", templates: .leave)
            }
            try await accounts.ensureSystemUser(handle: "second", role: .administrator)
            try await erasure.erase(handle: "root-user", templates: .leave)
            #expect(try await AccountStore.user(handle: "root-user", in: market.features.database) == nil)
        }
    }
}
