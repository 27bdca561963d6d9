// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketWire
import SheetCore

/// Which cases of the moderators' queue are wanted; everything is optional.
public struct CaseQuery: Sendable, Equatable {
    /// Only in this state; all that wait (open, claimed, waiting) where absent.
    public var state: CaseState?
    /// Only of this kind.
    public var kind: CaseSummary.Kind?
    /// Only about sheets of this game system, by its slug.
    public var gameSystem: String?
    /// Only those whose promised time is near, or past.
    public var due: CaseSummary.Due?
    /// Whether only those are meant that the caller holds, or asked about and waits.
    public var isMine = false
    /// Only those that look at what was published without a moderator (`true`), or only others (`false`).
    public var isAudit: Bool?
    /// Only of at least this risk, 0…100.
    public var minimumRisk: Int?

    /// All that wait; set what you want to narrow.
    public init() {}

    var items: Call.Query {
        [
            ("state", state?.rawValue), ("kind", kind?.rawValue), ("gameSystem", gameSystem), ("due", due?.rawValue),
            ("mine", isMine ? "true" : nil), ("audit", isAudit?.description), ("minRisk", minimumRisk?.description),
        ]
    }
}

extension MarketClient {
    private static var queue: String { "\(Paths.base)/moderation/queue" }
    private static var audit: String { "\(Paths.base)/moderation/audit" }

    /// One page of the cases that match, the most urgent first.
    public func moderationQueuePage(
        matching query: CaseQuery = .init(), cursor: String? = nil, limit: Int? = nil
    ) async throws -> CaseList {
        try await requests.json(.get(Self.queue, query.items + Self.page(cursor, limit)))
    }

    /// All cases that match, the most urgent first.
    public func moderationQueue(matching query: CaseQuery = .init(), limit: Int? = nil) -> CursorSequence<CaseSummary> {
        entries(Self.queue, query.items, limit: limit, as: CaseList.self) { ($0.cases, $0.nextCursor) }
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
    public func auditLog(limit: Int? = nil) -> CursorSequence<AuditEntry> {
        entries(Self.audit, limit: limit, as: AuditList.self) { ($0.entries, $0.nextCursor) }
    }

    /// The whole audit log as JSON lines, oldest first, with all that is needed to verify it elsewhere.
    public func exportAuditLog() async throws -> ByteStream {
        var call = Call.get(Self.audit, [("format", "jsonl")])
        call.headers[.accept] = "application/jsonl"
        return try await requests.send(call).body
    }
}
