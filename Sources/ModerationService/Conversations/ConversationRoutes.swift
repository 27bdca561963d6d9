// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketIngest
import MarketPlatform
import MarketWire
import Moderation
import SheetCore

/// Notes of the team, and the thread between moderators and the uploader.
package struct ConversationRoutes: Sendable {
    package let moderation: ModerationDependencies
    package let service: CaseService

    package init(moderation: ModerationDependencies, service: CaseService) {
        self.moderation = moderation
        self.service = service
    }

    package func register(on routes: APIRoutes) {
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
                try CaseRoutes.id(context), note, by: try context.requireIdentity(), requestID: context.requestID),
            status: .created)
    }

    private func messages(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let id = try CaseRoutes.id(context)
        guard try await CaseQueueStore.summary(id, terms: moderation.caseDueTimes, in: moderation.database) != nil
        else {
            throw CaseError.noSuchCase
        }
        return try await list(id, revealing: true, request)
    }

    private func message(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let message = try await request.json(MessageRequest.self)
        return try .json(
            await service.message(
                try CaseRoutes.id(context), message, by: try context.requireIdentity(), requestID: context.requestID),
            status: .created)
    }

    private func uploaderMessages(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await list(try await mine(context).caseId, revealing: false, request)
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
        try await SubmissionService(ingest: moderation.ingest).submission(
            try context.submission, for: try context.requireIdentity())
    }

    private func list(_ id: CaseID?, revealing: Bool, _ request: Request) async throws -> Response {
        let list = try await service.thread(id, try request.pageRequest(), revealing: revealing)
        return try request.listed(list, next: list.nextCursor)
    }
}

extension ConversationError: APIErrorConvertible {
    package var apiError: APIError {
        switch self {
        case .notInReview: APIError(.conflict, .conflict, "No moderator looks at this submission yet.")
        }
    }
}
