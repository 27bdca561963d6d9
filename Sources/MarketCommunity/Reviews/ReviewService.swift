// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAccounts
import MarketCatalog
import MarketHTTP
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// Ratings and reviews: who may say what about which template. Each act is one transaction; the rating is part of it,
/// by triggers.
package struct ReviewService: Sendable {
    package let platform: Platform

    package init(platform: Platform) {
        self.platform = platform
    }

    private var database: PostgresClient { platform.database }

    // MARK: - Reading

    /// Which part of a list, in which order.
    package struct Page: Sendable {
        package var sort = ReviewStore.Sort.newest
        package var pageRequest = PageRequest()

        package init(sort: ReviewStore.Sort = ReviewStore.Sort.newest, pageRequest: PageRequest = PageRequest()) {
            self.sort = sort
            self.pageRequest = pageRequest
        }
    }

    package func list(of key: TemplateKey, _ page: Page, for viewer: UserID?) async throws -> ReviewList {
        let template = try await offered(key, for: viewer).template
        let name = "reviews.\(page.sort.rawValue)"
        let position = try page.pageRequest.place(in: name, keys: 2) { keys -> (key: Int, id: ReviewID)? in
            guard let key = Cursor.microseconds(keys[0]), let id = ReviewID(keys[1]) else { return nil }
            return (key: key, id: id)
        }
        let found = try await ReviewStore.list(
            of: template, sort: page.sort, after: position, limit: page.pageRequest.fetchLimit, for: viewer, database)
        let lines = page.pageRequest.page(found, of: name) { [String($0.key), $0.review.id.description] }
        // Of the moment that the reviews are of, where there are any.
        let rating =
            if let first = found.first { first.rating } else {
                try await RatingStore.summary(of: template, database)
            }
        let mine: Review? =
            if let viewer { try await ReviewStore.own(of: template, by: viewer, database) } else { nil }
        return ReviewList(reviews: lines.rows.map(\.review), nextCursor: lines.next, rating: rating, mine: mine)
    }

    /// The caller's own review, also one that nobody else is shown.
    package func own(of key: TemplateKey, by identity: Identity) async throws -> Review {
        let template = try await offered(key, for: identity.userID).template
        guard let review = try await ReviewStore.own(of: template, by: identity.userID, database) else {
            throw ReviewError.noOwnReview
        }
        return review
    }

    package func history(_ id: ReviewID) async throws -> ReviewHistory {
        guard let history = try await ReviewStore.history(id, database) else { throw ReviewError.noSuchReview }
        return history
    }

    /// A template that is offered; otherwise throws what reading the template throws, which may say why it is gone.
    private func offered(_ key: TemplateKey, for viewer: UserID?) async throws -> ReviewStore.Subject {
        guard let subject = try await ReviewStore.subject(key, for: viewer, database), subject.offered != nil else {
            _ = try await VersionReader(database: database).detail(key)
            throw ReviewError.noSuchTemplate
        }
        return subject
    }

    // MARK: - Reviewing

    /// Enters somebody's review, or changes it; tells whether it is new.
    package func put(
        _ request: ReviewRequest, of key: TemplateKey, if condition: Precondition = .none, by identity: Identity
    ) async throws -> (review: Review, isNew: Bool) {
        let text = (request.text ?? "").cleanedText()
        var problems: [ProblemDocument.Detail] = []
        if !(1...5).contains(request.stars) { problems.append(.init(pointer: "/stars", detail: "From 1 to 5.")) }
        Self.checkLength(text, &problems)
        let number = request.version.flatMap { SemanticVersion($0) }
        if request.version != nil, number == nil { problems.append(Self.noSuchVersion) }
        if !problems.isEmpty { throw ReviewError.invalid(problems) }
        _ = try await offered(key, for: identity.userID)
        let (template, isNew) = try await database.withTransaction { connection in
            // The lock comes first: the trigger that counts the stars takes it, too.
            let found = try await ReviewStore.subject(key, for: identity.userID, isLocked: true, connection)
            guard let subject = found, let offered = subject.offered else { throw ReviewError.noSuchTemplate }
            if subject.part != nil { throw ReviewError.reviewOfOwnTemplate }
            try await check(condition, ofReviewOf: subject.template, by: identity.userID, connection)
            let version = try await version(number, of: subject, offered: offered, by: identity.userID, connection)
            let now = platform.now()
            let put = try await ReviewStore.put(
                .make(at: now), of: subject, by: identity.userID, on: version, stars: request.stars, text: text,
                at: now, connection)
            if put.isFirst { try await ReviewEmails.tellAuthors(of: put.id, in: connection) }
            return (subject.template, put.isNew)
        }
        guard let review = try await ReviewStore.own(of: template, by: identity.userID, database) else {
            throw ReviewError.noSuchReview
        }
        return (review, isNew)
    }

    private func version(
        _ number: SemanticVersion?, of subject: ReviewStore.Subject, offered: VersionID, by user: UserID,
        _ connection: PostgresConnection
    ) async throws -> VersionID {
        guard let number else {
            return try await ReviewStore.installedVersion(of: subject.template, by: user, connection) ?? offered
        }
        guard let version = try await ReviewStore.publishedVersion(number, of: subject.template, connection) else {
            throw ReviewError.invalid([Self.noSuchVersion])
        }
        return version
    }

    /// Throws unless a precondition holds of somebody's own review of a locked template.
    private func check(
        _ condition: Precondition, ofReviewOf template: TemplateID, by user: UserID, _ connection: PostgresConnection
    ) async throws {
        guard condition.isSet else { return }
        try condition.check(try await ReviewStore.own(of: template, by: user, connection)?.editState)
    }

    package func delete(
        of key: TemplateKey, if condition: Precondition = .none, by identity: Identity
    ) async throws {
        let isDeleted = try await database.withTransaction { connection in
            guard let subject = try await ReviewStore.subject(key, for: nil, isLocked: true, connection) else {
                return false
            }
            try await check(condition, ofReviewOf: subject.template, by: identity.userID, connection)
            return try await ReviewStore.delete(of: subject, by: identity.userID, at: platform.now(), connection)
        }
        if !isDeleted { throw ReviewError.noOwnReview }
    }

    // MARK: - Voting and replying

    /// Votes on a review, or takes the vote back; answers the review as it stands then.
    package func vote(_ isHelpful: Bool?, on id: ReviewID, by identity: Identity) async throws -> Review {
        try await database.withTransaction { connection in
            let review = try await lock(id, for: identity, connection)
            if review.writer == identity.userID { throw ReviewError.voteOnOwnReview }
            if review.part != nil { throw ReviewError.voteOnOwnTemplate }
            try await ReviewStore.vote(isHelpful, on: id, by: identity.userID, at: platform.now(), connection)
        }
        return try await visible(id, for: identity.userID)
    }

    /// Enters or changes the authors' reply; tells whether it is new.
    package func reply(
        _ request: ReplyRequest, to id: ReviewID, if condition: Precondition = .none, by identity: Identity
    ) async throws -> (review: Review, isNew: Bool) {
        let text = request.text.cleanedText()
        var problems: [ProblemDocument.Detail] = []
        if text.isEmpty { problems.append(.init(pointer: "/text", detail: "Say something.")) }
        Self.checkLength(text, &problems)
        if !problems.isEmpty { throw ReviewError.invalid(problems) }
        let isNew = try await database.withTransaction { connection in
            let review = try await lock(id, for: identity, connection)
            guard review.part != nil else { throw ReviewError.replyByNoAuthor }
            try await check(condition, ofReplyTo: id, connection)
            return try await ReviewStore.reply(text, to: id, by: identity.userID, at: platform.now(), connection)
        }
        return (try await visible(id, for: identity.userID), isNew)
    }

    /// Throws unless a precondition holds of the reply to a locked review.
    private func check(
        _ condition: Precondition, ofReplyTo id: ReviewID, _ connection: PostgresConnection
    ) async throws {
        guard condition.isSet else { return }
        let review = try await ReviewStore.visible(id, for: nil, connection)
        try condition.check(review?.editState, exists: review?.reply != nil)
    }

    package func deleteReply(
        to id: ReviewID, if condition: Precondition = .none, by identity: Identity, requestID: String
    ) async throws {
        let isDeleted = try await database.withTransaction { connection in
            let review = try await lock(id, for: identity, connection)
            let permissions = TemplatePermissions(identity, author: review.part)
            guard permissions.author != nil || permissions.role >= .moderator else {
                throw ReviewError.replyDeletedByNoAuthor
            }
            try await check(condition, ofReplyTo: id, connection)
            let isDeleted = try await ReviewStore.deleteReply(to: id, connection)
            if isDeleted, permissions.author == nil {
                try await AuditLog.append(
                    connection, actor: AuditActor(identity), action: "reply.deleted", subject: "review:\(id)",
                    requestID: requestID, at: platform.now())
            }
            return isDeleted
        }
        if !isDeleted { throw ReviewError.noSuchReply }
    }

    private func lock(
        _ id: ReviewID, for identity: Identity, _ connection: PostgresConnection
    ) async throws -> ReviewStore.Locked {
        guard let review = try await ReviewStore.lock(id, for: identity.userID, connection) else {
            throw ReviewError.noSuchReview
        }
        return review
    }

    /// A review that everybody is shown.
    package func visible(_ id: ReviewID, for viewer: UserID?) async throws -> Review {
        guard let review = try await ReviewStore.visible(id, for: viewer, database) else {
            throw ReviewError.noSuchReview
        }
        return review
    }

    private static func checkLength(_ text: String, _ problems: inout [ProblemDocument.Detail]) {
        guard text.unicodeScalars.count > ReviewRequest.maximumTextLength else { return }
        problems.append(.init(pointer: "/text", detail: "At most \(ReviewRequest.maximumTextLength) characters."))
    }

    private static let noSuchVersion = ProblemDocument.Detail(
        pointer: "/version", detail: "The number of a published version of this template.")
}

extension Review {
    /// What can be edited, for `Precondition`: what it says, with its reply.
    var editState: String {
        EntityTag.state([
            id.description, String(stars), text, version.description, String(updatedAt.timeIntervalSince1970),
            reply == nil ? "" : "replied", reply?.author ?? "", reply?.text ?? "",
            reply.map { String($0.updatedAt.timeIntervalSince1970) } ?? "",
        ])
    }
}
