// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketCommunity
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import ModerationService
import SheetCore

/// What a review said before, for moderators.
struct ReviewHistoryPages: Sendable {
    let features: Features
    let pages: WebPages

    func register(on routes: APIRoutes) {
        routes.get("\(PagePaths.reviewHistories)/{id}", access: .moderator, show)
    }

    private func show(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let viewer = try context.requireIdentity()
        let history = try await ReviewService(platform: features.platform).history(try context.review)
        let sheet = try await TemplateHeading.fetch(.id(history.templateId), features.database)
        let view = ReviewHistoryView(
            navigation: StaffNavigation(at: .queue, for: viewer), history, of: sheet, now: features.now())
        return try pages.answer(
            .reviewHistory, view,
            head: PageHead(title: "Review by \(history.author)", place: .moderation, viewer: viewer))
    }
}

struct ReviewHistoryView: Sendable {
    struct Line: Sendable {
        let starsText: String
        let starsLabel: Phrase
        let words: String
        let hasWords: Bool
        let version: String
        let written: DisplayTime
        /// Whether it is what the review says now.
        let isShown: Bool
    }

    let navigation: StaffNavigation
    let reviewer: String
    let reviewerAddress: String
    let sheetName: String
    let sheetAddress: String?
    let deleted: DisplayTime?
    let hidden: DisplayTime?
    let lines: [Line]
    /// `nil` for a review that was deleted.
    let caseAddress: String?

    init(navigation: StaffNavigation, _ history: ReviewHistory, of sheet: TemplateHeading?, now: Date) {
        self.navigation = navigation
        reviewer = history.author
        reviewerAddress = "\(StaffNavigation.Place.people.rawValue)/\(history.author)"
        sheetName = sheet?.name ?? history.templateId.description
        sheetAddress = sheet.flatMap { $0.isOnOffer ? PagePaths.sheet($0.slug) : nil }
        deleted = history.deletedAt.map { DisplayTime($0, now: now) }
        hidden = history.hiddenAt.map { DisplayTime($0, now: now) }
        lines = history.revisions.enumerated().map { place, revision in
            Line(
                starsText: ReviewsView.stars(revision.stars), starsLabel: "\(revision.stars) of 5 stars",
                words: revision.text, hasWords: !revision.text.isEmpty, version: revision.version.description,
                written: DisplayTime(revision.writtenAt, now: now),
                isShown: place == 0 && history.deletedAt == nil && history.hiddenAt == nil)
        }
        caseAddress =
            history.deletedAt == nil ? PagePaths.newCase(.init(kind: .review, id: history.id.description)) : nil
    }
}
