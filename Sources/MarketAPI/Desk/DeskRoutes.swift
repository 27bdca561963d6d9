// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketWire
import Moderation
import SheetCore

/// The moderators' desk.
struct DeskRoutes: Sendable {
    let market: Market
    let service: DeskService

    func register(on routes: APIRoutes) {
        routes.get("/moderation/queue", access: .moderator, queue)
        routes.get("/moderation/cases/{id}", access: .moderator, detail)
        routes.get("/moderation/cases/{id}/download", access: .moderator, download)
        routes.post("/moderation/cases/{id}/claim", access: .moderator, claim)
        routes.post("/moderation/cases/{id}/release", access: .moderator, release)
        routes.post("/moderation/cases/{id}/decision", access: .moderator, decide)
        routes.get("/moderation/audit", access: .moderator, audit)
    }

    private func queue(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let list = try await Self.queuePage(request, market)
        var headers = request.linkToNext(list.nextCursor)
        headers[.cacheControl] = Self.teamOnly
        return request.revalidated(try .json(list), headers: headers)
    }

    /// The part of the queue that the query asks for; the moderators' page shows it too.
    static func queuePage(_ request: Request, _ market: Market) async throws -> CaseList {
        let limit = try request.limit()
        let state = try Self.state(request.query("state"))
        let position = try request.query("cursor").map { try Self.position($0) }
        let found = try await DeskStore.cases(
            state: state, after: position, limit: limit + 1, at: market.now(), in: market.database)
        let page = Array(found.prefix(limit))
        var next: String?
        if found.count > limit, let last = page.last {
            next = Cursor(list: Self.queueName, keys: [Self.microseconds(last.openedAt), last.id.description]).text
        }
        return CaseList(cases: page, nextCursor: next)
    }

    private func detail(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        guard let detail = try await DeskStore.detail(try Self.id(context), at: market.now(), in: market.database)
        else {
            throw DeskError.noSuchCase
        }
        return request.revalidated(try .json(detail), headers: [.cacheControl: Self.teamOnly])
    }

    /// The file itself, before anything is published: a signed address, as for a version.
    private func download(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let isTicket = try request.flag("redirect") == false
        guard let artifact = try await DeskStore.artifact(try Self.id(context), in: market.database) else {
            throw DeskError.noSuchCase
        }
        let seconds = market.now().timeIntervalSince1970.rounded(.down) + Double(market.limits.downloadSeconds)
        let expires = Date(timeIntervalSince1970: seconds)
        let url =
            (market.publicURL ?? "")
            + market.signer.sign(hash: artifact.hash, fileName: artifact.fileName, expires: expires)
        guard isTicket else {
            return Response(status: .found, headers: [.location: url, .cacheControl: "no-store"])
        }
        let ticket = DownloadTicket(
            url: url, version: artifact.version, fileName: artifact.fileName, sizeBytes: artifact.sizeBytes,
            sha256: artifact.hash, expiresAt: expires)
        return try .json(ticket, headers: [.cacheControl: "no-store"])
    }

    private func claim(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try .json(
            await service.claim(
                try Self.id(context), by: try context.requireIdentity(), requestID: context.requestID))
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

    private func audit(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let limit = try request.limit()
        let before = try request.query("cursor").map { try Self.sequence($0) }
        let found = try await AuditLog.entries(before: before, limit: limit + 1, in: market.database)
        let page = found.prefix(limit)
        var next: String?
        if found.count > limit, let last = page.last {
            next = Cursor(list: Self.auditName, keys: [String(last.sequence)]).text
        }
        var headers = request.linkToNext(next)
        headers[.cacheControl] = Self.teamOnly
        return request.revalidated(
            try .json(AuditList(entries: page.map(\.entry), nextCursor: next)), headers: headers)
    }

    // MARK: Reading requests

    private static let queueName = "moderation.queue"
    private static let auditName = "moderation.audit"
    private static let teamOnly = "private, no-cache"

    private static func id(_ context: MarketRequestContext) throws -> CaseID {
        guard let id = CaseID(try context.path("id")) else { throw DeskError.noSuchCase }
        return id
    }

    private static func state(_ text: String?) throws(APIError) -> CaseState? {
        guard let text else { return nil }
        guard let state = CaseState(rawValue: text) else {
            let states = CaseState.allCases.map(\.rawValue).joined(separator: ", ")
            throw .validation([.init(pointer: "state", detail: "One of: \(states). Without one, all not decided.")])
        }
        return state
    }

    /// The server's own precision, so that a page begins exactly where the last ended.
    private static func microseconds(_ date: Date) -> String {
        String(Int64((date.timeIntervalSince1970 * 1_000_000).rounded()))
    }

    private static func position(_ text: String) throws -> DeskStore.Position {
        let cursor = try Cursor(text, list: queueName, count: 2)
        guard let microseconds = Int64(cursor.keys[0]), let id = CaseID(cursor.keys[1]),
            (0...4_102_444_800_000_000).contains(microseconds)
        else { throw badCursor }
        return DeskStore.Position(
            openedAt: Date(timeIntervalSince1970: Double(microseconds) / 1_000_000), id: id)
    }

    private static func sequence(_ text: String) throws -> Int64 {
        let cursor = try Cursor(text, list: auditName, count: 1)
        guard let sequence = Int64(cursor.keys[0]) else { throw badCursor }
        return sequence
    }

    private static var badCursor: APIError {
        APIError(.badRequest, .badCursor, "This cursor is not from this list. Begin again without one.")
    }
}
