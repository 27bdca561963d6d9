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

    private static var notices: String { "\(Paths.base)/copyright/notices" }

    /// Claims that something on offer infringes a copyright.
    public func submitCopyrightNotice(_ notice: CopyrightNoticeRequest) async throws -> CopyrightNotice {
        try await requests.json(try .send(.post, Self.notices, notice))
    }

    /// Notices that the caller may see; those in one state (`received`, `taken_down`, …) alone, if wanted.
    public func copyrightNotices(state: String? = nil, limit: Int? = nil) -> CursorSequence<CopyrightNotice> {
        entries(Self.notices, [("state", state)], limit: limit, as: CopyrightNoticeList.self) {
            ($0.notices, $0.nextCursor)
        }
    }

    /// A notice, for those whom it concerns.
    public func copyrightNotice(_ id: CopyrightNoticeID) async throws -> CopyrightNotice {
        try await requests.json(.get("\(Self.notices)/\(id)"))
    }

    /// Answers a notice by a counter-notice.
    public func counter(_ id: CopyrightNoticeID, _ request: CounterNoticeRequest) async throws -> CopyrightNotice {
        try await requests.json(try .send(.post, "\(Self.notices)/\(id)/counter-notice", request))
    }

    /// Decides on a notice; for moderators.
    public func decide(_ id: CopyrightNoticeID, _ decision: CopyrightDecisionRequest) async throws -> CopyrightNotice {
        try await requests.json(try .send(.post, "\(Self.notices)/\(id)/decision", decision))
    }
}
