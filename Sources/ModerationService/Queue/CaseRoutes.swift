// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketHTTP
import MarketIngest
import MarketPlatform
import MarketWire
import Moderation
import Postgres
import SheetCore

/// The moderation queue.
package struct CaseRoutes: Sendable {
    package let moderation: ModerationDependencies
    package let service: CaseService
    package let objects: ObjectServer

    package init(moderation: ModerationDependencies, service: CaseService, objects: ObjectServer) {
        self.moderation = moderation
        self.service = service
        self.objects = objects
    }

    package func register(on routes: APIRoutes) {
        routes.get("/moderation/queue", access: .moderator, queue)
        routes.post("/moderation/queue/next", access: .moderator, next)
        routes.post("/moderation/cases", access: .moderator, open)
        routes.get("/moderation/cases/{id}", access: .moderator, detail)
        routes.get("/moderation/cases/{id}/download", access: .moderator, download)
        routes.get("/moderation/cases/{id}/differences/{sha256}", access: .moderator, difference)
        routes.post("/moderation/cases/{id}/claim", access: .moderator, claim)
        routes.post("/moderation/cases/{id}/release", access: .moderator, release)
        routes.post("/moderation/cases/{id}/decision", access: .moderator, decide)
        routes.post("/moderation/cases/{id}/confirm", access: .moderator, confirm)
        routes.post("/moderation/cases/{id}/decline", access: .moderator, decline)
        routes.post("/moderation/decisions", access: .moderator, decideMany)
        routes.get("/moderation/reasons", access: .moderator, reasons)
    }

    private func queue(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let filter = try QueueFilter(request, viewer: try context.requireIdentity())
        let list = try await QueueOverview(moderation: moderation).cases(filter, request.pageRequest())
        return try request.listed(list, next: list.nextCursor)
    }

    /// Claims the most urgent case; `204` when there is none for the caller.
    private func next(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let wanted = try await request.optionalJSON(NextCaseRequest.self)
        let kind = wanted?.kind.flatMap { CaseKind(rawValue: $0.rawValue) }
        let found = try await service.next(
            kind: kind, by: try context.requireIdentity(), requestID: context.requestID)
        return try found.map { try .json($0) } ?? .empty()
    }

    private func open(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let wanted = try await request.json(NewCaseRequest.self)
        let summary = try await service.open(
            about: wanted.subject, note: wanted.note, by: try context.requireIdentity(), requestID: context.requestID)
        return try .json(
            summary, status: .created, headers: [.location: Paths.moderationCase(summary.id.description)])
    }

    private func detail(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let reading = CaseDetailReader(moderation: moderation)
        guard let detail = try await reading.detail(try Self.id(context), for: try context.requireIdentity()) else {
            throw CaseError.noSuchCase
        }
        return request.conditionalResponse(try .json(detail), headers: [.cacheControl: Self.teamOnly])
    }

    /// A picture that shows where two pages differ.
    private func difference(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let id = try Self.id(context)
        guard let hash = ContentHash(hex: try context.path("sha256")),
            try await CaseDetailStore.hasDifference(hash, of: id, in: moderation.database)
        else { throw APIError.notFound("This picture") }
        return try await objects.response(
            to: request, hex: hash.hex,
            headers: [
                .contentType: "image/webp", .cacheControl: "private, max-age=3600",
                .contentSecurityPolicy: "sandbox; default-src 'none'",
            ])
    }

    /// A signed address of the submission's file, as for a version's; nothing needs to be published yet.
    private func download(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let isTicket = try request.flag("redirect") == false
        guard let artifact = try await CaseQueueStore.artifact(try Self.id(context), in: moderation.database) else {
            throw CaseError.noSuchCase
        }
        let seconds =
            moderation.now().timeIntervalSince1970.rounded(.down) + Double(moderation.catalog.limits.downloadSeconds)
        let expires = Date(timeIntervalSince1970: seconds)
        let url =
            (moderation.publicURL ?? "")
            + moderation.signer.sign(
                hash: artifact.hash, fileName: artifact.fileName, expires: expires, isForReview: true)
        guard isTicket else {
            return Response(status: .found, headers: [.location: url, .cacheControl: "no-store"])
        }
        let ticket = DownloadTicket(
            url: url, version: artifact.version, fileName: artifact.fileName, sizeBytes: artifact.sizeBytes,
            sha256: artifact.hash, expiresAt: expires)
        return try .json(ticket, headers: [.cacheControl: "no-store"])
    }

    private func claim(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let claim = try await request.optionalJSON(ClaimRequest.self)
        return try .json(
            await service.claim(
                try Self.id(context), reason: claim?.reason, by: try context.requireIdentity(),
                requestID: context.requestID))
    }

    private func release(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try .json(
            await service.release(
                try Self.id(context), by: try context.requireIdentity(), requestID: context.requestID))
    }

    private func decide(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let decision = try await request.json(DecisionRequest.self)
        return try .json(
            await service.decide(
                try Self.id(context), decision, by: try context.requireIdentity(), requestID: context.requestID))
    }

    private func confirm(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try .json(
            await service.confirm(
                try Self.id(context), by: try context.requireIdentity(), requestID: context.requestID))
    }

    private func decline(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let decline = try await request.json(DeclineRequest.self)
        return try .json(
            await service.decline(
                try Self.id(context), reason: decline.reason, by: try context.requireIdentity(),
                requestID: context.requestID))
    }

    private func decideMany(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let bulk = try await request.json(BulkDecisionRequest.self)
        let (requestID, site) = (context.requestID, context.site)
        let result = try await service.decide(bulk, by: try context.requireIdentity(), requestID: requestID) { error in
            guard let error = error as? any APIErrorConvertible else { throw error }
            return error.apiError.problem(requestID: requestID, site: site)
        }
        return try .json(result)
    }

    private func reasons(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let language = request.query("language") ?? ReasonBook.fallback
        let found = moderation.reasons.reasons(language: language).compactMap { reason -> ModerationReason? in
            let decisions = reason.verdicts.compactMap { DecisionKind(rawValue: $0.rawValue) }
            if decisions.isEmpty { return nil }
            return ModerationReason(
                code: reason.code, title: reason.title, decisions: decisions, text: reason.text,
                language: reason.language)
        }
        return request.conditionalResponse(
            try .json(ReasonList(reasons: found, languages: moderation.reasons.languages)),
            headers: [.cacheControl: Self.teamOnly])
    }

    // MARK: Reading requests

    static let teamOnly = "private, no-cache"

    package static func id(_ context: MarketRequestContext) throws -> CaseID {
        guard let id = CaseID(try context.path("id")) else { throw CaseError.noSuchCase }
        return id
    }
}

extension QueueFilter {
    /// Reads the query; throws `validation_failed`.
    package init(_ request: Request, viewer: Identity) throws(APIError) {
        self.init()
        state = try Self.word(request.query("state"), "state", "Without one, all that wait.")
        kind = try Self.word(request.query("kind"), "kind", "Without one, all kinds.")
        due = try Self.word(request.query("due"), "due", "Without one, whenever they are due.")
        gameSystem = request.query("gameSystem")
        if try request.flag("mine") == true { holder = viewer.userID }
        isAudit = try request.flag("audit")
        if let text = request.query("minRisk") {
            guard let risk = Int(text), (0...100).contains(risk) else {
                throw .validation([.init(pointer: "minRisk", detail: "A whole number from 0 to 100.")])
            }
            minimumRisk = risk
        }
    }

    private static func word<T: RawRepresentable & CaseIterable>(
        _ text: String?, _ name: String, _ otherwise: String
    ) throws(APIError) -> T? where T.RawValue == String {
        guard let text else { return nil }
        guard let value = T(rawValue: text) else {
            let words = T.allCases.map(\.rawValue).joined(separator: ", ")
            throw .validation([.init(pointer: name, detail: "One of: \(words). \(otherwise)")])
        }
        return value
    }
}

extension CaseSubject {
    /// What a report names, by the id that it was found under; throws `CaseError.noSuchSubject`.
    package init(_ kind: ReportSubject.Kind, id: UUID, in database: some PostgresExecutor) async throws {
        switch kind {
        case .template: self = .template(TemplateID(rawValue: id))
        case .review: self = .review(ReviewID(rawValue: id))
        case .user: self = .user(UserID(rawValue: id))
        case .version:
            guard let found = try await CaseStore.version(id, in: database) else { throw CaseError.noSuchSubject }
            self = .version(found.template, found.number)
        }
    }
}
