// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Moderation
import Postgres
import SheetCore

/// What moderators do with cases. Each act is one transaction, with its entry in the audit log.
public struct DeskService: Sendable {
    private let market: Market

    /// Works on the market's cases.
    public init(market: Market) {
        self.market = market
    }

    /// Claims the case for the caller; throws `DeskError`.
    public func claim(_ id: CaseID, by identity: Identity, requestID: String) async throws -> CaseSummary {
        try await act(on: id) { connection, locked, now in
            let outcome = try locked.status.claimed(
                by: Moderator(identity), uploader: locked.uploader(facing: identity.userID), at: now,
                for: market.limits.claimSeconds)
            try await locked.set(outcome.status, at: now, in: connection)
            let act: (action: String, details: [String: String])
            switch outcome.claim {
            case .renewed: return
            case .taken: act = ("case.claimed", [:])
            case .takenOver(let holder): act = ("case.taken_over", ["from": holder.description])
            }
            try await AuditLog.append(
                connection, actor: AuditActor(identity), action: act.action, subject: "case:\(id)",
                details: act.details,
                requestID: requestID, at: now)
        }
    }

    /// Gives the case back; throws `DeskError`.
    public func release(_ id: CaseID, by identity: Identity, requestID: String) async throws -> CaseSummary {
        try await act(on: id) { connection, locked, now in
            let status = try locked.status.released(by: Moderator(identity), at: now)
            try await locked.set(status, at: now, in: connection)
            try await AuditLog.append(
                connection, actor: AuditActor(identity), action: "case.released", subject: "case:\(id)",
                requestID: requestID, at: now)
        }
    }

    /// Decides the case: decision, case, submission, on approval the version and the template, and the audit entry come
    /// about together or not at all. Throws `DeskError`.
    public func decide(
        _ id: CaseID, _ request: DecisionRequest, by identity: Identity, requestID: String
    ) async throws -> CaseSummary {
        let decision = try Decision(request)
        let summary = try await act(on: id) { connection, locked, now in
            let ruling = try decision.ruling(
                by: Moderator(identity), on: locked.status, submission: locked.submissionState,
                uploader: locked.uploader(facing: identity.userID), at: now)
            try await DeskStore.insertDecision(decision, on: id, by: identity.userID, at: now, in: connection)
            try await locked.set(ruling.status, at: now, in: connection)
            try await DeskStore.setSubmission(locked.submission, to: ruling.submission, at: now, in: connection)
            var details = ["decision": decision.verdict.rawValue, "reasonCode": decision.reasonCode, "case": "\(id)"]
            if ruling.publishes {
                let version = try await Publishing.publish(
                    connection, submission: locked.submission, template: locked.template, at: now)
                details["version"] = version.description
            }
            if ruling.ownUpload { details["ownUpload"] = "true" }
            try await AuditLog.append(
                connection, actor: AuditActor(identity), action: "case.decided",
                subject: "submission:\(locked.submission)", details: details, requestID: requestID, at: now)
        }
        // Other nodes hear of it by NOTIFY; who asks this one right after the answer must not see the old list.
        market.responses.removeAll()
        return summary
    }

    private func act(
        on id: CaseID, _ body: @Sendable (PostgresConnection, LockedCase, Date) async throws -> Void
    ) async throws -> CaseSummary {
        do {
            return try await market.database.withTransaction { connection in
                guard let locked = try await LockedCase.fetch(id, in: connection) else { throw DeskError.noSuchCase }
                // Read after the lock was had: a claim that ended while this call waited is over.
                let now = market.now()
                try await body(connection, locked, now)
                guard let summary = try await DeskStore.summary(id, at: now, in: connection) else {
                    throw DeskError.noSuchCase
                }
                return summary
            }
        } catch let refusal as CaseRefusal {
            throw DeskError.refused(refusal)
        } catch let refusal as RulingRefusal {
            switch refusal {
            case .ofCase(let refusal): throw DeskError.refused(refusal)
            case .ofSubmission(let refusal): throw DeskError.submission(refusal)
            }
        }
    }
}

extension Moderator {
    init(_ identity: Identity) {
        self.init(id: identity.userID, role: identity.role)
    }
}

extension Decision {
    /// Reads a decision off the wire; throws `DeskError.malformed`.
    init(_ request: DecisionRequest) throws(DeskError) {
        let verdict: Verdict =
            switch request.decision {
            case .approve: .approve
            case .requestChanges: .requestChanges
            case .reject: .reject
            }
        do {
            try self.init(verdict, reasonCode: request.reasonCode, message: request.message)
        } catch {
            throw .malformed(error)
        }
    }
}
