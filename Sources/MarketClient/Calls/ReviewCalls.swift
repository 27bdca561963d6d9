// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketWire
import SheetCore

extension MarketClient {
    /// How a list of reviews is ordered.
    public enum ReviewOrder: String, Sendable, CaseIterable {
        /// Written last.
        case newest
        /// By how many more found it helpful than did not.
        case helpful
        /// By stars, five first.
        case highest
        /// By stars, one first.
        case lowest
    }

    /// One page of the reviews of a template, with its rating.
    public func reviewPage(
        of key: String, order: ReviewOrder = .newest, limit: Int? = nil, cursor: String? = nil
    ) async throws -> ReviewList {
        let query = [("sort", order.rawValue)] + Self.page(cursor, limit)
        return try await requests.json(.get(try templatePath(key) + "/reviews", query))
    }

    /// All reviews of a template, page by page as they are read.
    public func reviews(of key: String, order: ReviewOrder = .newest, limit: Int? = 100) -> CursorSequence<Review> {
        CursorSequence { cursor in
            let page = try await reviewPage(of: key, order: order, limit: limit, cursor: cursor)
            return (page.reviews, page.nextCursor)
        }
    }

    /// Enters the account's review of a template, or puts it in the place of the one before.
    public func review(_ key: String, _ review: ReviewRequest) async throws -> Review {
        try await requests.json(try .send(.put, try templatePath(key) + "/reviews/mine", review, repeatable: true))
    }

    /// The account's review of a template; throws `refused` with `not_found` when there is none.
    public func ownReview(of key: String) async throws -> Review {
        try await requests.json(.get(try templatePath(key) + "/reviews/mine"))
    }

    /// By its own id, of whatever template it is.
    public func review(_ id: ReviewID) async throws -> Review {
        try await requests.json(.get("\(Paths.base)/reviews/\(id)"))
    }

    /// What a review said at earlier times; for its author and moderators.
    public func history(of review: ReviewID) async throws -> ReviewHistory {
        try await requests.json(.get("\(Paths.base)/reviews/\(review)/history"))
    }

    /// Deletes the account's review of a template.
    public func deleteReview(of key: String) async throws {
        try await requests.discard(try .send(.delete, try templatePath(key) + "/reviews/mine"))
    }

    /// Says whether a review was helpful; `nil` takes that back.
    public func vote(_ isHelpful: Bool?, on review: ReviewID) async throws -> Review {
        let path = "\(Paths.base)/reviews/\(review)/votes"
        return try await requests.json(try .send(.post, path, ReviewVote(helpful: isHelpful), repeatable: true))
    }

    /// Answers a review as an author of the template.
    public func reply(to review: ReviewID, _ text: String) async throws -> Review {
        let path = "\(Paths.base)/reviews/\(review)/reply"
        return try await requests.json(try .send(.put, path, ReplyRequest(text: text), repeatable: true))
    }

    /// Takes the answer to a review back.
    public func deleteReply(to review: ReviewID) async throws {
        try await requests.discard(try .send(.delete, "\(Paths.base)/reviews/\(review)/reply", repeatable: true))
    }

    /// Complains about something to the moderators.
    public func report(_ report: ReportRequest) async throws -> Report {
        try await requests.json(try .send(.post, "\(Paths.base)/reports", report))
    }

    /// A template's downloads by day, for its authors; days are `2026-11-21`.
    public func downloads(of key: String, from: String? = nil, to: String? = nil) async throws -> DownloadTimeline {
        try await requests.json(.get(try templatePath(key) + "/downloads", [("from", from), ("to", to)]))
    }

    /// How a template is found, downloaded and rated, for its authors; days are `2026-11-21`.
    public func statistics(of key: String, from: String? = nil, to: String? = nil) async throws -> TemplateStatistics {
        try await requests.json(.get(try templatePath(key) + "/statistics", [("from", from), ("to", to)]))
    }
}
