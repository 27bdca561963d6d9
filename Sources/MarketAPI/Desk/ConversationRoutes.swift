// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketWire
import Moderation
import SheetCore

/// Notes of the team, and the thread between moderators and the uploader.
struct ConversationRoutes: Sendable {
    let market: Market
    let service: DeskService

    private static let listName = "case.messages"

    func register(on routes: APIRoutes) {
        routes.post("/moderation/cases/{id}/notes", access: .moderator, note)
        routes.get("/moderation/cases/{id}/messages", access: .moderator, messages)
        routes.post("/moderation/cases/{id}/messages", access: .moderator, message)
        routes.get("/submissions/{id}/messages", access: .user(.read), uploaderMessages)
        routes.post("/submissions/{id}/messages", access: .user(.templatesWrite), answer)
    }

    private func note(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let note = try await request.json(NoteRequest.self)
        return try .json(
            await service.note(
                try DeskRoutes.id(context), note, by: try context.requireIdentity(), requestID: context.requestID),
            status: .created)
    }

    private func messages(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let id = try DeskRoutes.id(context)
        guard try await DeskStore.summary(id, terms: market.deskTerms, in: market.database) != nil else {
            throw DeskError.noSuchCase
        }
        return try await list(id, revealing: true, request)
    }

    private func message(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let message = try await request.json(MessageRequest.self)
        return try .json(
            await service.message(
                try DeskRoutes.id(context), message, by: try context.requireIdentity(), requestID: context.requestID),
            status: .created)
    }

    private func uploaderMessages(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let submission = try await mine(context)
        guard let id = submission.caseId else {
            // An empty list refuses what every list refuses.
            _ = try Self.place(request.part())
            return request.revalidated(
                try .json(MessageList(messages: [], nextCursor: nil)), headers: [.cacheControl: DeskRoutes.teamOnly])
        }
        return try await list(id, revealing: false, request)
    }

    private func answer(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let message = try await request.json(MessageRequest.self)
        let submission = try await mine(context)
        return try .json(
            await service.answer(
                submission.id, message, by: try context.requireIdentity(), requestID: context.requestID),
            status: .created)
    }

    private func mine(_ context: MarketRequestContext) async throws -> SubmissionStatus {
        try await SubmissionService(market: market).submission(
            try context.submission, for: try context.requireIdentity())
    }

    /// The message that the page begins behind.
    private static func place(_ part: ListPart) throws(APIError) -> UUID? {
        try part.place(in: listName, keys: 1) { UUID(uuidString: $0[0]) }
    }

    private func list(_ id: CaseID, revealing: Bool, _ request: Request) async throws -> Response {
        let part = try request.part()
        let after = try Self.place(part)
        let found = try await ConversationStore.messages(
            id, after: after, limit: part.sought, revealing: revealing, in: market.database)
        let page = part.page(found, of: Self.listName) { [$0.id] }
        return try request.listed(MessageList(messages: page.rows, nextCursor: page.next), next: page.next)
    }
}
