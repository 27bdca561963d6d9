// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketWire
import SheetCore

extension MarketClient {
    /// The account's appeals, the newest first.
    public func appeals() -> CursorSequence<Appeal> {
        CursorSequence { cursor in
            let page = try await requests.json(
                .get("\(Paths.base)/appeals", Self.page(cursor, nil)), as: AppealList.self)
            return (page.appeals, page.nextCursor)
        }
    }

    /// Asks for a decision to be looked at by somebody else.
    public func appeal(_ request: AppealRequest) async throws -> Appeal {
        try await requests.json(try .send(.post, "\(Paths.base)/appeals", request))
    }

    /// How an appeal stands.
    public func appeal(_ id: String) async throws -> Appeal {
        try await requests.json(.get("\(Paths.base)/appeals/\(try Self.segment(id))"))
    }

    /// What was written between the author and the moderators of an upload.
    public func messages(of submission: SubmissionID) -> CursorSequence<CaseMessage> {
        messages(at: Paths.submission(submission.description))
    }

    /// Writes to the moderators of an upload.
    public func write(_ message: MessageRequest, on submission: SubmissionID) async throws -> CaseMessage {
        try await requests.json(try .send(.post, Paths.submission(submission.description) + "/messages", message))
    }

    func messages(at path: String) -> CursorSequence<CaseMessage> {
        CursorSequence { cursor in
            let page = try await requests.json(.get(path + "/messages", Self.page(cursor, nil)), as: MessageList.self)
            return (page.messages, page.nextCursor)
        }
    }
}
