// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import MarketWire
import SheetCore

extension MarketClient {
    /// Takes the most urgent case that nobody works on, of one kind if wanted; `nil` when there is none.
    public func claimNext(kind: CaseSummary.Kind? = nil) async throws -> CaseSummary? {
        let call = try Call.send(.post, "\(Paths.base)/moderation/queue/next", NextCaseRequest(kind: kind))
        let response = try await requests.send(call)
        return response.status == 204 ? nil : try await requests.decode(response, of: call)
    }

    /// Opens a case about something, without a report.
    public func openCase(_ request: NewCaseRequest) async throws -> CaseSummary {
        try await requests.json(try .send(.post, "\(Paths.base)/moderation/cases", request))
    }

    /// Agrees to a decision that needs a second moderator.
    public func confirm(_ id: CaseID) async throws -> CaseSummary {
        try await requests.json(try .send(.post, Paths.moderationCase(id.description) + "/confirm"))
    }

    /// Disagrees with it.
    public func decline(_ id: CaseID, _ request: DeclineRequest) async throws -> CaseSummary {
        try await requests.json(try .send(.post, Paths.moderationCase(id.description) + "/decline", request))
    }

    /// Decides several cases alike; the answer says of each how it went.
    public func decide(_ decision: BulkDecisionRequest) async throws -> BulkDecisionResult {
        try await requests.json(try .send(.post, "\(Paths.base)/moderation/decisions", decision))
    }

    /// Notes something on a case for other moderators.
    public func note(_ note: NoteRequest, on id: CaseID) async throws -> CaseNote {
        try await requests.json(try .send(.post, Paths.moderationCase(id.description) + "/notes", note))
    }

    /// What was written between moderators and the person whom a case is about.
    public func messages(of id: CaseID, limit: Int? = nil) -> CursorSequence<CaseMessage> {
        messages(at: Paths.moderationCase(id.description), limit)
    }

    /// Writes to that person.
    public func write(_ message: MessageRequest, on id: CaseID) async throws -> CaseMessage {
        try await requests.json(try .send(.post, Paths.moderationCase(id.description) + "/messages", message))
    }

    /// A signed address for the file that a case is about.
    public func downloadTicket(for id: CaseID) async throws -> DownloadTicket {
        try await requests.json(.get(Paths.moderationCase(id.description) + "/download", [("redirect", "false")]))
    }

    /// A picture of what differs between two pages.
    public func difference(_ sha256: ContentHash, in id: CaseID) async throws -> PagePicture {
        try await picture(at: Paths.difference(id.description, sha256: sha256.description))
    }

    /// The reasons that decisions give, in a language or the nearest there is.
    public func moderationReasons(language: String? = nil) async throws -> ReasonList {
        try await requests.json(.get("\(Paths.base)/moderation/reasons", [("language", language)]))
    }

    /// The rules of the risk score, with how often each hit in so many days.
    public func riskRules(days: Int? = nil) async throws -> RiskRuleList {
        try await requests.json(.get("\(Paths.base)/moderation/rules", [("days", days?.description)]))
    }

    /// How moderation does: what waits, and how long it takes.
    public func moderationStatistics() async throws -> ModerationStatistics {
        try await requests.json(.get("\(Paths.base)/moderation/statistics"))
    }

    // MARK: Sanctions

    /// One page of a person's sanctions, the newest first, and what the rules propose next.
    public func sanctions(of user: UserID, cursor: String? = nil, limit: Int? = nil) async throws -> SanctionList {
        try await requests.json(.get("\(Paths.base)/moderation/users/\(user)/sanctions", Self.page(cursor, limit)))
    }

    /// Warns or shuts somebody out; for moderators, and never without a reason.
    public func impose(_ sanction: SanctionRequest, on user: UserID) async throws -> SanctionInfo {
        try await requests.json(try .send(.post, "\(Paths.base)/moderation/users/\(user)/sanctions", sanction))
    }

    /// Ends a sanction before its time; it stays in the person's history.
    public func lift(_ sanction: SanctionID, of user: UserID, _ request: LiftRequest) async throws {
        let path = "\(Paths.base)/moderation/users/\(user)/sanctions/\(sanction)"
        try await requests.discard(try .send(.delete, path, request, repeatable: true))
    }
}
