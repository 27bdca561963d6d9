// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketHTTP
import MarketPlatform
import MarketWire
import ModerationService
import NIOCore
import SheetCore

/// Ratings, reviews and reports.
package struct ReviewRoutes: Sendable {
    package let community: CommunityDependencies

    package init(community: CommunityDependencies) {
        self.community = community
    }

    package func register(on routes: APIRoutes) {
        let moving = routes.wrapping(MovedTemplates(database: community.database).redirectingMovedSlugs)
        moving.get("/templates/{id}/reviews", access: .optionalAuthentication, list)
        moving.get("/templates/{id}/reviews/mine", access: .user(.read), mine)
        moving.conditional.put("/templates/{id}/reviews/mine", access: .user(.reviewsWrite), put)
        moving.conditional.delete("/templates/{id}/reviews/mine", access: .user(.reviewsWrite), delete)
        routes.get("/me/reviews/email", access: .user(.read), emails)
        routes.put("/me/reviews/email", access: .user(.account), setEmails)
        routes.post("/reviews/{id}/votes", access: .user(.reviewsWrite), vote)
        routes.get("/reviews/{id}", access: .optionalAuthentication, show)
        routes.conditional.put("/reviews/{id}/reply", access: .user(.reviewsWrite), reply)
        routes.conditional.delete("/reviews/{id}/reply", access: .user(.reviewsWrite), deleteReply)
        routes.get("/reviews/{id}/history", access: .moderator, history)
        routes.post("/reports", access: .user(.reviewsWrite), report)
    }

    private var service: ReviewService { ReviewService(platform: community.platform) }

    private func list(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let list = try await service.list(
            of: try context.template, try Self.page(request), for: context.identity?.userID)
        var headers = request.nextPageLink(list.nextCursor)
        if context.identity != nil { headers[.cacheControl] = "private, no-cache" }
        return request.conditionalResponse(try .json(list), headers: headers)
    }

    private func mine(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let review = try await service.own(of: try context.template, by: try context.requireIdentity())
        return try Self.answer(review, to: request)
    }

    private func show(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try Self.answer(
            try await service.visible(try context.review, for: context.identity?.userID), to: request)
    }

    private static func answer(_ review: Review, to request: Request) throws -> Response {
        let body = try ByteBuffer.json(review)
        return request.conditionalResponse(
            body, headers: [.cacheControl: "private, no-cache"], tag: EntityTag.of(body, state: review.editState))
    }

    private static func page(_ request: Request) throws(APIError) -> ReviewService.Page {
        var page = ReviewService.Page()
        page.pageRequest = try request.pageRequest()
        if let sort = try request.word("sort", of: ReviewStore.Sort.self) { page.sort = sort }
        return page
    }

    private func put(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let key = try context.template
        let wish = try await request.json(ReviewRequest.self)
        let (review, isNew) = try await service.put(
            wish, of: key, if: Precondition(request), by: try context.requireIdentity())
        return try .json(review, status: isNew ? .created : .ok)
    }

    private func delete(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await service.delete(
            of: try context.template, if: Precondition(request), by: try context.requireIdentity())
        return .empty()
    }

    private func vote(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let id = try context.review
        let vote = try await request.json(ReviewVote.self)
        return try .json(try await service.vote(vote.helpful, on: id, by: try context.requireIdentity()))
    }

    private func reply(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let id = try context.review
        let wish = try await request.json(ReplyRequest.self)
        let (review, isNew) = try await service.reply(
            wish, to: id, if: Precondition(request), by: try context.requireIdentity())
        return try .json(review, status: isNew ? .created : .ok)
    }

    private func deleteReply(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await service.deleteReply(
            to: try context.review, if: Precondition(request), by: try context.requireIdentity(),
            requestID: context.requestID)
        return .empty()
    }

    private func history(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let history = try await service.history(try context.review)
        return request.conditionalResponse(try .json(history), headers: [.cacheControl: "private, no-cache"])
    }

    // MARK: - Letters

    private func emails(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let areWanted = try await ReviewEmails(platform: community.platform).areWanted(
            by: try context.requireIdentity().userID)
        return request.conditionalResponse(
            try .json(ReviewEmailChoice(isWanted: areWanted)), headers: [.cacheControl: "private, no-cache"])
    }

    private func setEmails(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let choice = try await request.json(ReviewEmailChoice.self)
        try await ReviewEmails(platform: community.platform).set(
            choice.isWanted, for: try context.requireIdentity().userID)
        return .empty()
    }

    private func report(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let wish = try await request.json(ReportRequest.self)
        let report = try await ReportService(moderation: community.moderation).report(
            wish, by: try context.requireIdentity(), requestID: context.requestID)
        return try .json(report, status: .created)
    }
}

extension MarketRequestContext {
    /// `{id}` of the path, where it names a review.
    package var review: ReviewID {
        get throws(APIError) {
            guard let id = ReviewID(try path("id")) else { throw .notFound("This review") }
            return id
        }
    }
}

extension ReviewError: APIErrorConvertible {
    package var apiError: APIError {
        switch self {
        case .noSuchTemplate: .notFound("This template")
        case .noSuchReview: .notFound("This review")
        case .noOwnReview: APIError(.notFound, .notFound, "You have not reviewed this sheet.")
        case .noSuchReply: .notFound("A reply to this review")
        case .reviewOfOwnTemplate: APIError(.forbidden, .ownTemplate, "Authors do not review their own template.")
        case .voteOnOwnTemplate:
            APIError(.forbidden, .ownTemplate, "Authors do not vote on reviews of their own template.")
        case .voteOnOwnReview: APIError(.forbidden, .ownReview, "Nobody votes on their own review.")
        case .replyByNoAuthor: APIError(.forbidden, .forbidden, "Only the template's authors reply to its reviews.")
        case .replyDeletedByNoAuthor:
            APIError(.forbidden, .forbidden, "Only the template's authors take their reply back.")
        case .invalid(let problems): .validation(problems)
        }
    }
}
