// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketCommunity
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import ModerationService
import SheetCore

/// What came in for a person: reviews of their sheets, questions of moderators, news of what they follow.
struct InboxPages: Sendable {
    private static let questionsShown = 20

    let features: Features
    let pages: WebPages
    let caseService: CaseService

    func register(on routes: APIRoutes) {
        routes.get(PagePaths.inbox, access: .user(.read), show)
        routes.post("\(PagePaths.inbox)/seen", access: .user(.reviewsWrite), seen)
        routes.post("\(PagePaths.inbox)/email", access: .user(.account), setEmails)
    }

    private func show(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let identity = try context.requireIdentity()
        let person = identity.userID
        let service = UnreadService(platform: features.platform)
        async let reviews = service.reviews(of: person)
        async let isEmailed = ReviewEmails(platform: features.platform).areWanted(by: person)
        async let questions = caseService.questions(to: person, limit: Self.questionsShown)
        let news = try await FollowingService(platform: features.platform).news(of: person)
        let unread = try await service.unread(of: person, news: news)
        let view = InboxView(
            reviews: try await reviews, isEmailed: try await isEmailed, unread: unread,
            questions: try await questions, news: news, now: features.now())
        return try pages.answer(.inbox, view, head: PageHead(title: "Inbox", place: .account, viewer: identity))
    }

    private func seen(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let until = try FollowingView.seen(try await request.form())
        try await UnreadService(platform: features.platform).markSeen(
            until: until ?? features.now(), by: try context.requireIdentity().userID)
        return .seeOther(PagePaths.inbox)
    }

    private func setEmails(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let form = try await request.form()
        try await ReviewEmails(platform: features.platform).set(
            form["on"] != "no", for: try context.requireIdentity().userID)
        return .seeOther("\(PagePaths.inbox)#email")
    }
}

struct InboxView: Sendable {
    struct Question: Sendable {
        let about: String
        let address: String
        let words: String
        let asked: DisplayTime
    }

    struct Received: Sendable {
        let sheetName: String
        let address: String
        let stars: Phrase
        let starsText: String
        let reviewer: String
        let text: String
        let hasText: Bool
        let written: DisplayTime
        let isUnread: Bool
    }

    struct Item: Sendable {
        let sheetName: String
        let address: String
        let what: Phrase
        let published: DisplayTime
        let isUnread: Bool
    }

    private static let newsShown = 20

    let questions: [Question]
    let hasQuestions: Bool
    let questionCount: Phrase
    let reviews: [Received]
    let hasReviews: Bool
    /// `nil` for none.
    let unreadReviews: Phrase?
    /// Whether new reviews come by e-mail, too.
    let isEmailed: Bool
    /// What the button about that asks for.
    let wantedEmail: String
    let news: [Item]
    let hasNews: Bool
    let unreadNews: Phrase?
    /// Whether anything can be marked as read.
    let hasUnread: Bool
    let until: String

    init(
        reviews: [ReceivedReview], isEmailed: Bool, unread: Unread, questions: [OpenQuestion], news: News, now: Date
    ) {
        self.questions = questions.map {
            Question(
                about: "\($0.name) \($0.version)", address: "/submissions/\($0.submission)#messages", words: $0.text,
                asked: DisplayTime($0.asked, now: now))
        }
        hasQuestions = !questions.isEmpty
        questionCount = DisplayText.number(questions.count)
        self.reviews = reviews.map {
            Received(
                sheetName: $0.sheetName, address: "/sheets/\($0.slug)#reviews",
                stars: "\(DisplayText.count($0.stars, "star")) of 5",
                starsText: String(repeating: "★", count: $0.stars),
                reviewer: $0.by, text: $0.text, hasText: !$0.text.isEmpty,
                written: DisplayTime($0.writtenAt, now: now), isUnread: $0.isUnread)
        }
        hasReviews = !reviews.isEmpty
        self.isEmailed = isEmailed
        wantedEmail = isEmailed ? "no" : "yes"
        unreadReviews = unread.reviews > 0 ? DisplayText.number(unread.reviews) : nil
        self.news = news.news.prefix(Self.newsShown).map { item in
            Item(
                sheetName: item.template.name, address: "/sheets/\(item.template.slug)",
                what: item.reason == .favorite
                    ? "Version \(item.template.version) of a favourite" : "New sheet by \(item.template.author)",
                published: DisplayTime(item.publishedAt, now: now), isUnread: item.isUnread)
        }
        hasNews = !news.news.isEmpty
        unreadNews = unread.news > 0 ? DisplayText.number(unread.news) : nil
        hasUnread = unread.reviews + unread.news > 0
        until = now.formatted(FollowingView.time)
    }
}
