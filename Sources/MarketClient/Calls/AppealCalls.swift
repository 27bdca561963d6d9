// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketWire
import SheetCore

extension MarketClient {
    /// The account's appeals, the newest first.
    public func appeals(limit: Int? = nil) -> CursorSequence<Appeal> {
        entries("\(Paths.base)/appeals", limit: limit, as: AppealList.self) { ($0.appeals, $0.nextCursor) }
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
    public func messages(of submission: SubmissionID, limit: Int? = nil) -> CursorSequence<CaseMessage> {
        messages(at: Paths.submission(submission.description), limit)
    }

    /// Writes to the moderators of an upload.
    public func write(_ message: MessageRequest, on submission: SubmissionID) async throws -> CaseMessage {
        try await requests.json(try .send(.post, Paths.submission(submission.description) + "/messages", message))
    }

    func messages(at path: String, _ limit: Int?) -> CursorSequence<CaseMessage> {
        entries(path + "/messages", limit: limit, as: MessageList.self) { ($0.messages, $0.nextCursor) }
    }
}
