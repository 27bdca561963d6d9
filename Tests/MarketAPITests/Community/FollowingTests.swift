// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import HummingbirdTesting
import MarketPlatform
import MarketWire
import NIOCore
import Postgres
import SheetCore
import Synchronization
import TestSupport
import Testing

@testable import MarketAccounts
@testable import MarketCatalog
@testable import MarketCommunity
@testable import MarketHTTP
@testable import MarketPages

@Suite("Favourites and following")
struct FollowingTests {
    private static let day = 86_400.0

    /// A reader beside the scene's author, `nadia`.
    private static func reader(_ handle: String = "rita", in scene: CatalogScene) async throws -> UserID {
        let reader = UserID.make()
        try await scene.addUser(reader, handle)
        return reader
    }

    private static func page(_ path: String, as caller: UserID?, in scene: CatalogScene) async throws -> String {
        String(buffer: try await scene.send(.get, path, as: caller).body)
    }

    private static func post(
        _ path: String, _ fields: [(String, String)] = [], as caller: UserID, in scene: CatalogScene
    ) async throws -> TestResponse {
        try await scene.send(
            .post, path, as: caller, headers: [.contentType: "application/x-www-form-urlencoded"],
            body: ByteBuffer(string: FormText.encoded(fields)))
    }

    private static func call(
        _ method: HTTPRequest.Method, _ path: String, as caller: UserID, in scene: CatalogScene
    ) async throws -> HTTPResponse.Status {
        try await scene.send(method, Paths.base + path, as: caller).status
    }

    private static func news(of caller: UserID, in scene: CatalogScene) async throws -> News {
        try await scene.get("/me/news", as: caller).json(News.self)
    }

    @Test("A sheet is marked from its page, listed, and taken out again; nobody signed in is led to the sign-in")
    func favorites() async throws {
        try await CatalogScene.run { scene in
            let rita = try await Self.reader(in: scene)
            let lantern = try await scene.addTemplate("Lantern")
            let blade = try await scene.addTemplate("Blade")
            let open = try await Self.page("/sheets/lantern", as: nil, in: scene)
            #expect(open.contains("href=\"/login?next=/sheets/lantern\"") && open.contains("Add to favourites"))
            let before = try await Self.page("/sheets/lantern", as: rita, in: scene)
            #expect(before.contains("Add to favourites") && !before.contains("Remove from favourites"))
            let marked = try await Self.post(
                "/sheets/lantern/favorite", [("on", "yes"), ("next", "/sheets/lantern")], as: rita, in: scene)
            #expect(marked.status == .seeOther && marked.headers[.location] == "/sheets/lantern")
            #expect(try await Self.page("/sheets/lantern", as: rita, in: scene).contains("Remove from favourites"))
            #expect(try await Self.call(.put, "/me/favorites/\(blade.id)", as: rita, in: scene) == .noContent)
            #expect(
                try await Self.call(.put, "/me/favorites/blade", as: rita, in: scene) == .noContent, "twice is once")
            #expect(try await Self.call(.put, "/me/favorites/none", as: rita, in: scene) == .notFound)

            let list = try await scene.get("/me/favorites?limit=1", as: rita).json(FavoriteList.self)
            #expect(list.favorites.map(\.template.id) == [blade.id])
            let rest = try await scene.get("/me/favorites?cursor=\(list.nextCursor ?? "")", as: rita)
                .json(FavoriteList.self)
            #expect(rest.favorites.map(\.template.id) == [lantern.id] && rest.nextCursor == nil)
            let page = try await Self.page("/account/following", as: rita, in: scene)
            #expect(page.contains("href=\"/sheets/lantern\"") && page.contains("href=\"/sheets/blade\""))

            #expect(try await Self.call(.delete, "/me/favorites/blade", as: rita, in: scene) == .noContent)
            #expect(try await Self.call(.delete, "/me/favorites/none", as: rita, in: scene) == .notFound)
            _ = try await Self.post(
                "/sheets/lantern/favorite", [("on", "no"), ("next", "//evil")], as: rita, in: scene)
            let none = try await scene.get("/me/favorites", as: rita).json(FavoriteList.self)
            #expect(none.favorites.isEmpty)
            let other = try await Self.reader("otto", in: scene)
            #expect(try await scene.get("/me/favorites", as: other).json(FavoriteList.self).favorites.isEmpty)
        }
    }

    @Test("New sheets of followed authors and games are news, unread until marked; one's own and old ones are not")
    func news() async throws {
        let clock = StandingClock()
        try await CatalogScene.run(now: { clock.now }) { scene in
            let rita = try await Self.reader(in: scene)
            try await scene.addTemplate("Old", at: clock.now.addingTimeInterval(-Self.day))
            let author = try await Self.page("/authors/nadia", as: rita, in: scene)
            #expect(author.contains("action=\"/authors/nadia/follow\"") && author.contains("Follow nadia"))
            let followed = try await Self.post("/authors/nadia/follow", [("on", "yes")], as: rita, in: scene)
            #expect(followed.status == .seeOther)
            #expect(try await Self.page("/authors/nadia", as: rita, in: scene).contains("Unfollow nadia"))
            let game = try await Self.page("/?gameSystem=call-of-cthulhu", as: rita, in: scene)
            #expect(game.contains("action=\"/games/call-of-cthulhu/follow\""))
            #expect(!(try await Self.page("/?gameSystem=none", as: rita, in: scene)).contains("/games/none/follow"))
            let path = "/me/following/game-systems/call-of-cthulhu"
            #expect(try await Self.call(.put, path, as: rita, in: scene) == .noContent)
            let following = try await scene.get("/me/following", as: rita).json(Following.self)
            #expect(following.authors.map(\.handle) == ["nadia"])
            #expect(following.gameSystems.map(\.slug) == ["call-of-cthulhu"])

            let old = try await Self.news(of: rita, in: scene)
            #expect(old.news.map(\.template.slug) == ["old"] && old.unreadCount == 0, "there before it was followed")
            clock.advance(by: 60)
            let otto = try await Self.reader("otto", in: scene)
            try await scene.addTemplate("Both", gameSystem: "call-of-cthulhu", at: clock.now)
            try await scene.addTemplate(
                "Elsewhere", gameSystem: "call-of-cthulhu", at: clock.now.addingTimeInterval(1), owner: otto)
            try await scene.addTemplate("Mine", gameSystem: "call-of-cthulhu", at: clock.now, owner: rita)
            try await scene.addTemplate("Neither", at: clock.now, owner: otto)
            let news = try await Self.news(of: rita, in: scene)
            #expect(news.news.map(\.template.slug) == ["elsewhere", "both", "old"])
            #expect(news.news.map(\.reason) == [.gameSystem, .author, .author] && news.unreadCount == 2)
            let page = try await Self.page("/account/following", as: rita, in: scene)
            #expect(page.contains("2 unread") && page.contains("New sheet by otto for Call of Cthulhu"))

            clock.advance(by: 60)
            let until = try #require(page.firstMatch(of: /name="until" value="([^"]+)"/)?.output.1)
            _ = try await Self.post("/account/following/seen", [("until", String(until))], as: rita, in: scene)
            #expect(try await Self.news(of: rita, in: scene).unreadCount == 1, "came after the page was made")
            let seen = NewsSeen(until: clock.now.addingTimeInterval(3600))
            #expect(try await scene.send(.put, "/me/news/seen", as: rita, json: seen).status == .noContent)
            let read = try await Self.news(of: rita, in: scene)
            #expect(read.unreadCount == 0 && read.seenAt == clock.now, "the future is not seen")
            #expect(!(try await Self.page("/account/following", as: rita, in: scene)).contains("unread\""))

            #expect(try await Self.call(.delete, path, as: rita, in: scene) == .noContent)
            _ = try await Self.post("/authors/nadia/follow", [("on", "no")], as: rita, in: scene)
            #expect(try await Self.news(of: rita, in: scene).news.isEmpty)
        }
    }

    @Test("A new version of a favourite is news; the one that was marked is not")
    func versions() async throws {
        let clock = StandingClock()
        try await CatalogScene.run(now: { clock.now }) { scene in
            let rita = try await Self.reader(in: scene)
            let lantern = try await scene.addTemplate("Lantern", at: clock.now.addingTimeInterval(-Self.day))
            #expect(try await Self.call(.put, "/me/favorites/lantern", as: rita, in: scene) == .noContent)
            #expect(try await Self.news(of: rita, in: scene).news.isEmpty)
            try await scene.addVersion("1.1.0", of: lantern, at: clock.now.addingTimeInterval(60))
            let news = try await Self.news(of: rita, in: scene)
            #expect(news.news.map(\.reason) == [.favorite] && news.unreadCount == 1)
            #expect(news.news.first?.template.version.description == "1.1.0")
            let page = try await Self.page("/account/following", as: rita, in: scene)
            #expect(page.contains("Version 1.1.0 of a favourite"))
        }
    }

    @Test("The own feed tells the news to whoever has its address, until there is another or none")
    func feed() async throws {
        try await CatalogScene.run { scene in
            let rita = try await Self.reader(in: scene)
            #expect(try await Self.call(.put, "/me/following/authors/nadia", as: rita, in: scene) == .notFound)
            try await scene.addTemplate("Lantern & <Blade>")
            #expect(try await Self.call(.put, "/me/following/authors/nadia", as: rita, in: scene) == .noContent)
            let made = try await Self.post("/account/following/feed", as: rita, in: scene)
            let text = String(buffer: made.body)
            let address = try #require(text.firstMatch(of: /\/feeds\/following\.atom\?key=[A-Za-z0-9_-]+/)?.output)
            #expect(!(try await Self.page("/account/following", as: rita, in: scene)).contains(address), "once")
            let feed = try await scene.send(.get, String(address))
            #expect(feed.status == .ok && feed.headers[.cacheControl] == "private, no-cache")
            #expect(feed.headers[.contentType]?.hasPrefix("application/atom+xml") == true)
            #expect(String(buffer: feed.body).contains("<title>Lantern &amp; &lt;Blade&gt;</title>"))
            for wrong in ["/feeds/following.atom", "/feeds/following.atom?key=x", "\(address.dropLast())A"] {
                #expect(try await scene.send(.get, wrong).status == .notFound, "\(wrong)")
            }
            let again = try await scene.send(.post, "\(Paths.base)/me/news/feed", as: rita).json(NewsFeed.self)
            #expect(try await scene.send(.get, String(address)).status == .notFound, "the old one has ended")
            #expect(try await scene.send(.get, again.url).status == .ok)
            #expect(try await Self.call(.delete, "/me/news/feed", as: rita, in: scene) == .noContent)
            #expect(try await scene.send(.get, again.url).status == .notFound)
        }
    }

    @Test("What is unread comes by e-mail to who wants it, once a day, and not twice")
    func emails() async throws {
        let clock = StandingClock()
        try await CatalogScene.run(now: { clock.now }) { scene in
            let rita = try await Self.reader(in: scene)
            try await scene.addTemplate("Old", at: clock.now)
            #expect(try await Self.call(.put, "/me/following/authors/nadia", as: rita, in: scene) == .noContent)
            let emails = NewsEmails(platform: scene.features.platform)
            func written() async throws -> [String] {
                try await scene.features.database.all(
                    "SELECT details::text FROM mail_outbox WHERE template = 'news' AND user_id = \(rita) ORDER BY id"
                ) { try $0.get(0, as: String.self) }
            }
            clock.advance(by: 60)
            try await scene.addTemplate("Before", at: clock.now)
            clock.advance(by: 60)
            let asked = try await Self.post("/account/following/email", [("on", "yes")], as: rita, in: scene)
            #expect(asked.status == .seeOther)
            #expect(try await Self.news(of: rita, in: scene).isEmailed)
            #expect(try await Self.page("/account/following", as: rita, in: scene).contains("Stop the e-mails"))
            clock.advance(by: 60)
            for index in 1...6 {
                try await scene.addTemplate("Sheet \(index)", at: clock.now.addingTimeInterval(Double(index)))
            }
            clock.advance(by: 60)
            #expect(try await emails.sendDue() == 0, "not before a day has passed")
            clock.advance(by: Self.day)
            #expect(try await emails.sendDue() == 1)
            let first = try #require(try await written().first)
            #expect(first.contains("\"count\": \"6\"") && first.contains("\"more\": \"1\""), "\(first)")
            #expect(first.contains("Sheet 6 (nadia, dnd5e)") && !first.contains("Before") && !first.contains("Old"))
            clock.advance(by: Self.day)
            #expect(try await emails.sendDue() == 0, "it was told already")
            try await scene.addTemplate("Late", at: clock.now.addingTimeInterval(1))
            clock.advance(by: Self.day)
            #expect(try await emails.sendDue() == 1)
            #expect(try await written().last?.contains("\"single\": \"Late (nadia, dnd5e)\"") == true)
            try await scene.addTemplate("Read", at: clock.now.addingTimeInterval(1))
            clock.advance(by: Self.day)
            _ = try await Self.post("/account/following/seen", as: rita, in: scene)
            #expect(try await emails.sendDue() == 0, "what was read is not told")
            let stop = NewsEmailRequest(isWanted: false)
            #expect(try await scene.send(.put, "/me/news/email", as: rita, json: stop).status == .noContent)
            try await scene.addTemplate("Never", at: clock.now.addingTimeInterval(1))
            clock.advance(by: 2 * Self.day)
            #expect(try await emails.sendDue() == 0)
        }
    }

    @Test("Authors are never told who follows them; erasing a person takes out all of it")
    func privacy() async throws {
        try await CatalogScene.run { scene in
            let rita = try await Self.reader(in: scene)
            try await scene.addTemplate("Lantern")
            for path in ["favorites/lantern", "following/authors/nadia", "following/game-systems/dnd5e"] {
                #expect(try await Self.call(.put, "/me/\(path)", as: rita, in: scene) == .noContent)
            }
            _ = try await Self.post("/account/following/feed", as: rita, in: scene)
            func export(_ user: UserID) async throws -> String {
                let text = Mutex("")
                try await PersonalExport(platform: scene.features.platform, user: user).writeText { part in
                    text.withLock { $0 += part }
                }
                return text.withLock { $0 }
            }
            let own = try await export(rita)
            for table in ["favorites", "followed_authors", "followed_systems", "news_readers"] {
                #expect(own.contains("\"\(table)\":[\n{"), "\(table)")
            }
            #expect(!own.contains("feed_hash"))
            let authors = try await export(scene.owner)
            #expect(authors.contains("\"followed_authors\":[") && !authors.contains(rita.description))
            #expect(!authors.contains("followed_at"))

            try await Erasure(community: scene.features.community).erase(handle: "rita", templates: .leave)
            let rows = try await scene.features.database.scalar(
                """
                SELECT (SELECT count(*) FROM favorites) + (SELECT count(*) FROM followed_authors)
                    + (SELECT count(*) FROM followed_systems) + (SELECT count(*) FROM news_readers)
                """, as: Int.self)
            #expect(rows == 0)
        }
    }

    @Test("There is an end to what one person follows")
    func limit() async throws {
        try await CatalogScene.run { scene in
            let rita = try await Self.reader(in: scene)
            try await scene.features.database.execute(
                """
                WITH made AS (
                    INSERT INTO game_systems (slug, name)
                    SELECT 'game-' || n, 'Game ' || n FROM generate_series(1, 500) AS n
                    RETURNING slug
                ) SELECT count(*) FROM made
                """)
            try await scene.features.database.execute(
                """
                INSERT INTO followed_systems (user_id, game_system, followed_at)
                SELECT \(rita), slug, now() FROM game_systems WHERE slug LIKE 'game-%'
                """)
            let path = "/me/following/game-systems"
            #expect(try await Self.call(.put, "\(path)/dnd5e", as: rita, in: scene) == .conflict)
            #expect(try await Self.call(.delete, "\(path)/no_slug", as: rita, in: scene) == .notFound)
            #expect(try await Self.call(.delete, "/me/following/authors/X", as: rita, in: scene) == .notFound)
            #expect(try await Self.call(.delete, "\(path)/game-1", as: rita, in: scene) == .noContent)
            #expect(try await Self.call(.put, "\(path)/dnd5e", as: rita, in: scene) == .noContent)
        }
    }
}
