// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCommunity
import MarketHTTP
import MarketPlatform
import MarketWire
import SheetCore

/// The reviews on a sheet's page, and the forms of whoever looks at them.
package struct ReviewsView: Sendable {
    struct Bar: Sendable {
        let barLabel: Phrase
        let barCount: Int
        let barMost: Int
    }

    struct Reply: Sendable {
        let replyAuthor: String
        let replyText: String
        let replied: DisplayTime
    }

    struct Item: Sendable {
        let reviewID: String
        let reviewer: String
        let reviewerName: String
        let reviewerPicture: String?
        /// Whether the name is another word than the handle.
        let hasName: Bool
        let starsText: String
        let starsLabel: Phrase
        let reviewText: String
        let hasText: Bool
        let reviewedVersion: String
        let written: DisplayTime
        let isEdited: Bool
        let hasInstalled: Bool
        let verdict: Phrase?
        let reply: Reply?
        let voteSlug: String
        let mayVote: Bool
        let saidYes: Bool
        let saidNo: Bool
        let mayReport: Bool
        let mayReply: Bool
        let mayDeleteReply: Bool
        /// Of what it said before, for moderators.
        let historyAddress: String?
        let caseAddress: String?
        let replyLabel: Phrase
        let replyDraft: String
    }

    let sheetSlug: String
    let hasReviews: Bool
    let average: Phrase
    let averageStars: String
    /// What it counts as in lists, where that is something else.
    let weighing: Phrase?
    let reviewCount: Phrase
    let bars: [Bar]
    let orders: [Choice]
    let items: [Item]
    let more: String
    let hasMore: Bool
    let mayReview: Bool
    let maySignIn: Bool
    let signInAddress: String
    let formHeading: Phrase
    let formButton: Phrase
    let starChoices: [Choice]
    let ownText: String
    let hasOwn: Bool
    let isHidden: Bool

    /// Whoever looks at the page.
    struct Viewer: Sendable {
        let handle: String
        /// Whether they are an author of the sheet.
        let isAuthor: Bool
        let isModerator: Bool
    }

    init(_ list: ReviewList, slug: String, sort: ReviewStore.Sort, viewer: Viewer?, now: Date) {
        let address = PageAddress(PagePaths.sheet(slug))
        sheetSlug = slug
        let rating = list.rating
        hasReviews = rating.count > 0
        let mean = Self.mean(of: rating.histogram)
        average = DisplayText.tenths(mean)
        averageStars = Self.stars(Int(mean.rounded()))
        let weighed = DisplayText.tenths(rating.rating)
        weighing =
            weighed == average
            ? nil : "Counts as \(weighed) of 5 in lists until there are more reviews, so that a few do not decide."
        reviewCount = DisplayText.count(rating.count, "review")
        bars = zip(1..., rating.histogram).reversed().map { stars, count in
            Bar(barLabel: DisplayText.count(stars, "star"), barCount: count, barMost: max(rating.count, 1))
        }
        let sorts: [(ReviewStore.Sort, Phrase)] = [
            (.newest, "Newest"), (.helpful, "Most helpful"), (.highest, "Best"), (.lowest, "Worst"),
        ]
        orders = sorts.map {
            Choice(
                value: address.with("reviewSort", $0.rawValue).text + "#reviews", label: $1, isSelected: $0 == sort)
        }
        items = list.reviews.map { Item($0, slug: slug, viewer: viewer, now: now) }
        hasMore = list.nextCursor != nil
        more =
            address.with("reviewSort", sort == .newest ? nil : sort.rawValue).with("reviews", list.nextCursor).text
            + "#reviews"
        mayReview = viewer.map { !$0.isAuthor } ?? false
        maySignIn = viewer == nil
        signInAddress = PageAddress("/login").with("next", address.text).text
        let own = list.mine
        hasOwn = own != nil
        isHidden = own?.isHidden == true
        formHeading = own == nil ? "Write a review" : "Your review"
        formButton = own == nil ? "Send" : "Save"
        ownText = own?.text ?? ""
        starChoices = (1...5).reversed().map {
            Choice(value: String($0), label: DisplayText.count($0, "star"), isSelected: own?.stars == $0)
        }
    }

    /// The plain mean of the stars.
    private static func mean(of histogram: [Int]) -> Double {
        let stars = zip(1..., histogram).reduce(0) { $0 + $1.0 * $1.1 }
        return Double(stars) / Double(max(histogram.reduce(0, +), 1))
    }

    package static func stars(_ count: Int) -> String {
        let count = min(max(count, 0), 5)
        return String(repeating: "★", count: count) + String(repeating: "☆", count: 5 - count)
    }
}

extension ReviewsView.Item {
    init(_ review: Review, slug: String, viewer: ReviewsView.Viewer?, now: Date) {
        reviewID = review.id.description
        reviewer = review.author
        reviewerName = review.authorName
        reviewerPicture = review.authorPictureURL
        hasName = review.authorName.lowercased() != review.author
        starsText = ReviewsView.stars(review.stars)
        starsLabel = "\(review.stars) of 5 stars"
        reviewText = review.text
        hasText = !review.text.isEmpty
        reviewedVersion = review.version.description
        written = DisplayTime(review.updatedAt, now: now)
        isEdited = review.updatedAt != review.createdAt
        hasInstalled = review.hasInstalled
        let votes = review.helpful + review.unhelpful
        verdict = votes > 0 ? "\(review.helpful) of \(votes) found this helpful" : nil
        reply = review.reply.map {
            ReviewsView.Reply(
                replyAuthor: $0.author, replyText: $0.text, replied: DisplayTime($0.updatedAt, now: now))
        }
        voteSlug = slug
        let isOwn = viewer?.handle == review.author
        mayVote = viewer.map { !$0.isAuthor && !isOwn } ?? false
        saidYes = review.myVote == true
        saidNo = review.myVote == false
        mayReport = viewer != nil && !isOwn
        mayReply = viewer?.isAuthor == true
        let isModerator = viewer?.isModerator == true
        mayDeleteReply = review.reply != nil && (mayReply || isModerator)
        historyAddress = isModerator ? PagePaths.reviewHistory(review.id) : nil
        caseAddress = isModerator ? PagePaths.newCase(.init(kind: .review, id: review.id.description)) : nil
        replyLabel = review.reply == nil ? "Reply" : "Change the reply"
        replyDraft = review.reply?.text ?? ""
    }
}

extension ReportReason {
    /// As pages say it.
    package var words: Phrase {
        switch self {
        case .copyright: "It is somebody else's work"
        case .malicious: "It does harm"
        case .offensive: "It is offensive"
        case .harassment: "It is harassment"
        case .spam: "It is advertising"
        case .misleading: "It is misleading"
        case .personalData: "It shows somebody's personal data"
        case .other: "Something else"
        }
    }
}
