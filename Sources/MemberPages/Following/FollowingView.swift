// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import SheetCore

/// What the page of favourites and following shows.
struct FollowingView: Sendable {
    struct Item: Sendable {
        let name: String
        let address: String
        let previewURL: String
        let what: Phrase
        let published: DisplayTime
        let isUnread: Bool
    }

    struct Followed: Sendable {
        let name: String
        let address: String
        let button: FollowButton
    }

    /// As the form says until when news was seen.
    static let time = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// Until when news was seen, as the page that was sent back says; `nil` where it does not.
    static func seen(_ form: QueryParameters) throws -> Date? {
        guard let text = form["until"] else { return nil }
        guard let until = try? time.parse(text) else {
            throw APIError.validation([.init(pointer: "/until", detail: "Give a time, as the page has it.")])
        }
        return until
    }

    let news: [Item]
    let hasNews: Bool
    /// How many are unread; `nil` for none.
    let unread: Phrase?
    let until: String
    let authors: [Followed]
    let hasAuthors: Bool
    let games: [Followed]
    let hasGames: Bool
    let cards: [HomeView.Card]
    let hasCards: Bool
    let nextCards: String?
    let hasFeed: Bool
    let newFeed: FeedAddress?
    let isEmailed: Bool
    /// What the button about e-mails asks for.
    let wantedEmail: String

    init(
        news: News, following: Following, favorites: FavoriteList, systems: [GameSystem], hasFeed: Bool,
        newFeed: FeedAddress?, now: Date
    ) {
        let home = PagePaths.following
        let names = systems.namesBySlug
        self.news = news.news.map { Item($0, system: names[$0.template.gameSystem], now: now) }
        hasNews = !news.news.isEmpty
        unread = news.unreadCount > 0 ? DisplayText.number(news.unreadCount) : nil
        until = now.formatted(Self.time)
        authors = following.authors.map {
            Followed(
                name: $0.displayName, address: PagePaths.author($0.handle),
                button: .author($0.handle, named: Phrase(verbatim: $0.displayName), isOn: true, next: home))
        }
        hasAuthors = !authors.isEmpty
        games = following.gameSystems.map {
            Followed(
                name: $0.name, address: PageAddress("/").with("gameSystem", $0.slug).text,
                button: .system($0.slug, named: Phrase(verbatim: $0.name), isOn: true, next: home))
        }
        hasGames = !games.isEmpty
        cards = favorites.favorites.map {
            HomeView.Card($0.template, gameSystem: names[$0.template.gameSystem], now: now)
        }
        hasCards = !cards.isEmpty
        nextCards = favorites.nextCursor.map {
            PageAddress(home).with("favorites", $0).text + "#favorites"
        }
        self.hasFeed = hasFeed
        self.newFeed = newFeed
        isEmailed = news.isEmailed
        wantedEmail = news.isEmailed ? "no" : "yes"
    }
}

/// Where a feed is, as people read it and as a link; they are one where the market knows its own address.
struct FeedAddress: Sendable {
    let text: String
    let path: String

    init(path: String, site: String?) {
        self.path = path
        text = (site ?? "") + path
    }
}

extension FollowingView.Item {
    fileprivate init(_ item: News.Item, system: String?, now: Date) {
        let template = item.template
        name = template.name
        address = PagePaths.sheet(template.slug)
        previewURL = template.previewURL
        what =
            item.reason == .favorite
            ? "Version \(template.version) of a favourite"
            : "New sheet by \(template.author) for \(system ?? template.gameSystem)"
        published = DisplayTime(item.publishedAt, now: now)
        isUnread = item.isUnread
    }
}
