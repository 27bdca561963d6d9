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
}
