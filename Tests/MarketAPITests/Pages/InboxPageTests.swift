// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import MarketWire
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketPages
@testable import MemberPages

@Suite("The mark of what is unread, and the inbox behind it")
struct InboxPageTests {
    @Test(
        "A review of one's sheet and news of what one follows are counted on every page until they are marked as read")
    func unread() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let sheet = try await scene.template("Sheet", by: ada.id)
            #expect(!(try await scene.page("/", as: scene.http).text.contains("/account/inbox")))
            let before = try await scene.page("/help", as: ada.http)
            #expect(before.text.contains("href=\"/account/inbox\" aria-label=\"Inbox\""), "\(before.text)")
            let review = try await bob.http.send(
                .PUT, "\(Paths.template(sheet.slug))/reviews/mine", json: ReviewRequest(stars: 4, text: "Words."))
            #expect(review.status == 201, "\(review.text)")
            // Whatever a person does on a page has the count asked for again.
            #expect(
                try await scene.form("/account/inbox/seen", "until=2020-01-01T00%3A00%3A00.000Z", as: ada.http).status
                    == 303)
            let marked = try await scene.page("/sheets/\(sheet.slug)", as: ada.http)
            #expect(marked.text.contains("aria-label=\"Inbox, 1 unread\""), "\(marked.text)")
            let inbox = try await scene.page("/account/inbox", as: ada.http)
            #expect(inbox.text.contains("4 stars of 5") && inbox.text.contains("by bob"), "\(inbox.text)")
            #expect(inbox.text.contains("Mark all as read") && inbox.text.contains("1 new"))
            let others = try await scene.page("/account/inbox", as: bob.http)
            #expect(!others.text.contains("Mark all as read"))
            let until = try #require(inbox.text.firstMatch(of: /name="until" value="([^"]+)"/)?.output.1)
            let fields = "until=" + until.replacing(":", with: "%3A").replacing("+", with: "%2B")
            #expect(try await scene.form("/account/inbox/seen", fields, as: ada.http).status == 303)
            let after = try await scene.page("/account/inbox", as: ada.http)
            #expect(after.text.contains("aria-label=\"Inbox\"") && !after.text.contains("Mark all as read"))
            #expect(after.text.contains("by bob"), "it stays listed")

            #expect(
                try await scene.form("/authors/ada/follow", "on=yes&next=%2F", as: bob.http).status == 303)
            let newer = try await scene.template("Newer Sheet", by: ada.id)
            try await scene.features.database.execute(
                "UPDATE templates SET published_at = \(scene.clock.now.addingTimeInterval(1)) WHERE id = \(newer.id)")
            #expect(
                try await scene.form("/account/inbox/seen", "until=2020-01-01T00%3A00%3A00.000Z", as: bob.http).status
                    == 303)
            #expect(try await scene.form("/account/inbox/seen", "until=yesterday", as: bob.http).status == 422)
            let news = try await scene.page("/account/inbox", as: bob.http)
            #expect(news.text.contains("Newer Sheet"), "\(news.text)")
            #expect(news.text.contains("aria-label=\"Inbox, 1 unread\""), "\(news.text)")
        }
    }

    @Test("A form that is shown again with mistakes has the person's disc and what is unread in its head, too")
    func mistakes() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let sheet = try await scene.template("Sheet", by: ada.id)
            #expect(try await Self.review(sheet, 4, by: bob.http) == 201)
            let mistake = try await scene.form("/games/propose", "name=", as: ada.http)
            #expect(mistake.status == 422, "\(mistake.text)")
            #expect(mistake.text.contains("aria-label=\"Inbox, 1 unread\""), "\(mistake.text)")
            #expect(mistake.text.contains("aria-hidden=\"true\">A</span>"), "the initial of ada")
        }
    }

    private static func letters(_ scene: EnforcementScene) async throws -> [String] {
        try await scene.features.database.all(
            """
            SELECT u.handle || ': ' || m.details::text FROM mail_outbox AS m JOIN users AS u ON u.id = m.user_id
            WHERE m.template = 'review_received' ORDER BY m.created_at, u.handle
            """
        ) { try $0.get(0) }
    }

    private static func review(
        _ sheet: EnforcementScene.Made, _ stars: Int, by person: TestHTTP
    ) async throws -> Int {
        try await person.send(
            .PUT, "\(Paths.template(sheet.slug))/reviews/mine", json: ReviewRequest(stars: stars, text: "Words.")
        ).status
    }

    @Test("Each new review comes by letter to those of its authors who want that, and what becomes of it does not")
    func letters() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let cleo = try await scene.person("cleo")
            let bob = try await scene.person("bob")
            let dora = try await scene.person("dora")
            let sheet = try await scene.template("Sheet", by: ada.id)
            try await scene.features.database.execute(
                """
                INSERT INTO template_authors (template_id, user_id, role, added_at)
                VALUES (\(sheet.id), \(cleo.id), 'contributor', \(scene.clock.now))
                """)
            let path = "\(Paths.base)/me/reviews/email"
            #expect(try await ada.http.send(.GET, path).json(ReviewEmailChoice.self).isWanted == false, "by choice")
            #expect(try await scene.page("/account/inbox", as: ada.http).text.contains("E-mail me new reviews"))
            #expect(try await Self.review(sheet, 5, by: bob.http) == 201)
            #expect(try await Self.letters(scene).isEmpty, "nobody asked for letters")

            #expect(try await scene.form("/account/inbox/email", "on=yes", as: ada.http).status == 303)
            let wish = ReviewEmailChoice(isWanted: true)
            #expect(try await cleo.http.send(.PUT, path, json: wish).status == 204)
            #expect(try await ada.http.send(.GET, path).json(ReviewEmailChoice.self).isWanted)
            #expect(try await scene.page("/account/inbox", as: ada.http).text.contains("Stop the e-mails"))
            #expect(try await Self.review(sheet, 1, by: bob.http) == 200)
            #expect(try await Self.review(sheet, 5, by: ada.http) == 403, "nobody reviews their own")
            #expect(try await Self.letters(scene).isEmpty, "a changed review is no new one")

            try await scene.features.database.execute("UPDATE users SET disabled_at = now() WHERE handle = 'dora'")
            #expect(try await Self.review(sheet, 1, by: dora.http) >= 400, "whoever is disabled writes nothing")
            try await scene.features.database.execute("UPDATE users SET disabled_at = NULL WHERE handle = 'dora'")
            #expect(try await Self.letters(scene).isEmpty)
            #expect(try await Self.review(sheet, 3, by: dora.http) == 201)
            let letters = try await Self.letters(scene)
            #expect(letters.count == 2 && letters[0].hasPrefix("ada: ") && letters[1].hasPrefix("cleo: "), "\(letters)")
            for part in ["\"dora\"", "\"3\"", "\"Sheet\"", "\"/sheets/\(sheet.slug)#reviews\""] {
                #expect(letters[0].contains(part), "\(part): \(letters)")
            }
            #expect(!letters[0].contains("Words."), "what it says can be hidden later")

            let mine = "\(Paths.template(sheet.slug))/reviews/mine"
            #expect(try await dora.http.send(.DELETE, mine).status == 204)
            #expect(try await Self.review(sheet, 2, by: dora.http) == 201)
            #expect(try await Self.letters(scene).count == 2, "deleting and writing anew sends no letter")

            #expect(try await scene.form("/account/inbox/email", "on=no", as: ada.http).status == 303)
            let eve = try await scene.person("eve")
            #expect(try await Self.review(sheet, 4, by: eve.http) == 201)
            #expect(try await Self.letters(scene).count(where: { $0.hasPrefix("ada: ") }) == 1, "ada stopped them")
        }
    }
}
