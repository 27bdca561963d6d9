// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketWire
import SheetCore

extension MarketClient {
    /// One page of the cases that wait, the most urgent first.
    public func moderationQueuePage(cursor: String? = nil, limit: Int? = nil) async throws -> CaseList {
        try await requests.json(.get("\(Paths.base)/moderation/queue", Self.page(cursor, limit)))
    }

    /// All cases that wait, the most urgent first.
    public func moderationQueue() -> CursorSequence<CaseSummary> {
        CursorSequence { cursor in
            let page = try await moderationQueuePage(cursor: cursor)
            return (page.cases, page.nextCursor)
        }
    }

    /// A case with all that is needed to decide it.
    public func moderationCase(_ id: CaseID) async throws -> CaseDetail {
        try await requests.json(.get(Paths.moderationCase(id.description)))
    }

    /// Takes a case, so that no other moderator works on it.
    public func claim(_ id: CaseID) async throws -> CaseDetail {
        try await act(try .send(.post, Paths.moderationCase(id.description) + "/claim", repeatable: true), on: id)
    }

    /// Gives a claimed case back.
    public func release(_ id: CaseID) async throws -> CaseDetail {
        try await act(try .send(.post, Paths.moderationCase(id.description) + "/release", repeatable: true), on: id)
    }

    /// Decides a claimed case.
    public func decide(_ id: CaseID, _ decision: DecisionRequest) async throws -> CaseDetail {
        try await act(try .send(.post, Paths.moderationCase(id.description) + "/decision", decision), on: id)
    }

    /// The contract fixes what an act does, not what its answer looks like: the case is fetched afterwards.
    private func act(_ call: Call, on id: CaseID) async throws -> CaseDetail {
        try await requests.discard(call)
        return try await moderationCase(id)
    }

    /// The audit log, newest first.
    public func auditLog() -> CursorSequence<AuditEntry> {
        CursorSequence { cursor in
            let call = Call.get("\(Paths.base)/moderation/audit", Self.page(cursor, nil))
            let page = try await requests.json(call, as: AuditList.self)
            return (page.entries, page.nextCursor)
        }
    }

    static func page(_ cursor: String?, _ limit: Int?) -> [(name: String, value: String)] {
        var items: [(name: String, value: String)] = []
        if let cursor { items.append(("cursor", cursor)) }
        if let limit { items.append(("limit", String(limit))) }
        return items
    }
}
