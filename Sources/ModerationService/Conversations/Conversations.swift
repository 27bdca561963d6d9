// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAccounts
import MarketHTTP
import MarketPlatform
import MarketWire
import Moderation
import Postgres
import SheetCore

/// What moderators tell each other of a case, and what they and the uploader tell each other.
extension CaseService {
    private static let threadName = "case.messages"
    private static let backwardName = "case.messages.backward"

    /// The thread of a case, oldest first; an empty one where there is no case yet. Throws `bad_cursor`.
    package func thread(_ id: CaseID?, _ pageRequest: PageRequest, revealing: Bool) async throws -> MessageList {
        let after = try pageRequest.place(in: Self.threadName, keys: 1) { UUID(uuidString: $0[0]) }
        guard let id else { return MessageList(messages: [], nextCursor: nil) }
        let found = try await ConversationStore.messages(
            id, after: after, limit: pageRequest.fetchLimit, revealing: revealing, in: moderation.database)
        let page = pageRequest.page(found, of: Self.threadName) { [$0.id] }
        return MessageList(messages: page.rows, nextCursor: page.next)
    }

    /// The end of a case's thread, or what stands before it, oldest first; `nextCursor` leads to what was said earlier.
    /// Throws `bad_cursor`.
    package func threadFromItsEnd(_ id: CaseID?, _ pageRequest: PageRequest, revealing: Bool) async throws
        -> MessageList
    {
        let before = try pageRequest.place(in: Self.backwardName, keys: 1) { UUID(uuidString: $0[0]) }
        guard let id else { return MessageList(messages: [], nextCursor: nil) }
        let found = try await ConversationStore.newestMessages(
            id, before: before, limit: pageRequest.fetchLimit, revealing: revealing, in: moderation.database)
        let page = pageRequest.page(found, of: Self.backwardName) { [$0.id] }
        return MessageList(messages: page.rows.reversed(), nextCursor: page.next)
    }

    /// What moderators asked somebody about their uploads and wait to hear, the newest first.
    package func questions(to uploader: UserID, limit: Int) async throws -> [OpenQuestion] {
        try await ConversationStore.questions(to: uploader, limit: limit, in: moderation.database)
    }

    /// When a moderator last wrote or decided in a case: what the uploader wrote later is new.
    package func lastWord(_ id: CaseID) async throws -> Date? {
        try await ConversationStore.lastWord(id, in: moderation.database)
    }

    /// Whether the uploader can write to the moderators now: as long as the case is open, also if the submission is
    /// published and the case audits it.
    package func acceptsMessages(_ id: CaseID?) async throws -> Bool {
        guard let id else { return false }
        return try await ConversationStore.isOpen(id, in: moderation.database)
    }

    /// Adds a note for the team; whoever the case is about cannot. Throws `CaseError`.
    package func note(_ id: CaseID, _ request: NoteRequest, by identity: Identity, requestID: String) async throws
        -> CaseNote
    {
        let text = try CaseText.checked(request.text, at: "/text")
        return try await transaction { connection in
            guard let locked = try await LockedCase.fetch(id, in: connection) else { throw CaseError.noSuchCase }
            let now = moderation.now()
            _ = try locked.file.worker(.moderator(Moderator(identity)))
            let key = try await ConversationStore.insertNote(
                text, on: id, by: identity.userID, at: now, in: connection)
            try await AuditLog.append(
                connection, actor: AuditActor(identity), action: "case.noted", subject: "case:\(id)",
                details: ["note": key.lowercaseText], requestID: requestID, at: now)
            return CaseNote(
                id: key.lowercaseText, by: identity.handle, text: text, createdAt: now)
        }
    }

    /// Writes to the uploader; with `waits` the case waits for the answer, and its claim ends. Throws `CaseError`.
    package func message(
        _ id: CaseID, _ request: MessageRequest, by identity: Identity, requestID: String
    ) async throws -> CaseMessage {
        let text = try CaseText.checked(request.text, at: "/text")
        return try await transaction { connection in
            guard let locked = try await LockedCase.fetch(id, in: connection) else { throw CaseError.noSuchCase }
            let now = moderation.now()
            _ = try locked.file.worker(.moderator(Moderator(identity)))
            try locked.file.requireMessages()
            let key = try await ConversationStore.insertMessage(
                text, on: id, by: identity.userID, side: .moderator, isHidden: request.isHidden ?? false, at: now,
                in: connection)
            if request.waits == true {
                try await effects(connection, identity, requestID, now)
                    .apply(.ask, by: .moderator(Moderator(identity)), to: locked)
            }
            try await AuditLog.append(
                connection, actor: AuditActor(identity), action: "case.messaged", subject: "case:\(id)",
                details: ["message": key.lowercaseText], requestID: requestID, at: now)
            return CaseMessage(
                id: key.lowercaseText, side: .moderator, by: identity.handle, text: text, createdAt: now)
        }
    }

    /// The uploader's answer: a case that waited for it goes back into the queue. Throws `CaseError` or
    /// `ConversationError`.
    package func answer(
        _ submission: SubmissionID, _ request: MessageRequest, by identity: Identity, requestID: String
    ) async throws -> CaseMessage {
        let text = try CaseText.checked(request.text, at: "/text")
        return try await transaction { connection in
            guard let id = try await ConversationStore.caseID(of: submission, in: connection),
                let locked = try await LockedCase.fetch(id, in: connection)
            else { throw ConversationError.notInReview }
            let now = moderation.now()
            try await effects(connection, identity, requestID, now)
                .apply(.answer, by: .person(identity.userID), to: locked)
            let key = try await ConversationStore.insertMessage(
                text, on: id, by: identity.userID, side: .uploader, isHidden: false, at: now, in: connection)
            return CaseMessage(
                id: key.lowercaseText, side: .uploader, by: identity.handle, text: text, createdAt: now)
        }
    }
}
