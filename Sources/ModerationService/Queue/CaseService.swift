// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAccounts
import MarketCatalog
import MarketHTTP
import MarketPlatform
import MarketWire
import Moderation
import Postgres
import SheetCore

/// What moderators do with cases. Each act is one transaction, with its entry in the audit log.
package struct CaseService: Sendable {
    package let moderation: ModerationDependencies

    package init(moderation: ModerationDependencies) {
        self.moderation = moderation
    }

    /// Claims the case for the caller, or keeps it longer; a reason is needed to take it out of somebody's hands.
    /// Throws `CaseError`.
    package func claim(
        _ id: CaseID, reason: String? = nil, by identity: Identity, requestID: String
    ) async throws -> CaseSummary {
        try await act(.claim(reason: reason.map { $0.cleanedText() }), on: id, by: identity, requestID: requestID)
    }

    /// Gives the case back to the queue; throws `CaseError`.
    package func release(_ id: CaseID, by identity: Identity, requestID: String) async throws -> CaseSummary {
        try await act(.release, on: id, by: identity, requestID: requestID)
    }

    /// Claims the most urgent case that the caller may work on; `nil` when there is none.
    package func next(
        kind: CaseKind? = nil, by identity: Identity, requestID: String
    ) async throws -> CaseSummary? {
        try await transaction { connection in
            // The caller may have become an author since a case was opened: it is passed over, and not offered to them
            // again.
            let now = try await moderation.platform.sharedTime(connection)
            for _ in 0..<10 {
                guard
                    let id = try await CaseStore.lockNext(for: identity.userID, kind: kind, at: now, in: connection),
                    let locked = try await LockedCase.fetch(id, in: connection)
                else { return nil }
                do {
                    try await effects(connection, identity, requestID, now)
                        .apply(.claim(reason: nil), by: .moderator(Moderator(identity)), to: locked)
                } catch is CaseRefusal {
                    try await CaseStore.bar(identity.userID, from: id, in: connection)
                    continue
                }
                return try await summary(id, at: now, in: connection)
            }
            return nil
        }
    }

    /// Decides the case: decision, case, submission, on approval the version and the template, and the audit entry come
    /// about together or not at all. Throws `CaseError`.
    package func decide(
        _ id: CaseID, _ request: DecisionRequest, by identity: Identity, requestID: String
    ) async throws -> CaseSummary {
        let decision = try Decision(request, reasons: moderation.reasons)
        let summary = try await act(.decide(decision), on: id, by: identity, requestID: requestID)
        // Other nodes hear of it by NOTIFY; who asks this one right after the answer must not see the old list.
        await Enforcement.committed(moderation)
        return summary
    }

    /// Confirms what another moderator proposed; throws `CaseError`.
    package func confirm(_ id: CaseID, by identity: Identity, requestID: String) async throws -> CaseSummary {
        let summary = try await act(.confirm, on: id, by: identity, requestID: requestID)
        await Enforcement.committed(moderation)
        return summary
    }

    /// Declines what another moderator proposed; the case stays with the caller. Throws `CaseError`.
    package func decline(
        _ id: CaseID, reason: String, by identity: Identity, requestID: String
    ) async throws -> CaseSummary {
        let reason = try CaseText.checked(reason, at: "/reason")
        return try await act(.decline(reason: reason), on: id, by: identity, requestID: requestID)
    }

    /// One decision on many cases, each in a transaction of its own that claims the case first where that is needed.
    /// `problem` words what kept a case from being decided; what it throws ends the call.
    package func decide(
        _ request: BulkDecisionRequest, by identity: Identity, requestID: String,
        problem: @Sendable (any Error) throws -> ProblemDocument
    ) async throws -> BulkDecisionResult {
        guard (1...BulkDecisionRequest.maximumCases).contains(request.cases.count) else {
            throw CaseError.badCaseCount
        }
        let decision = try Decision(request.decision, reasons: moderation.reasons)
        var results: [BulkDecisionResult.Item] = []
        for id in request.cases {
            do {
                let summary = try await decideInOneStep(id, decision, by: identity, requestID: requestID)
                results.append(.init(caseId: id, summary: summary))
            } catch {
                results.append(.init(caseId: id, problem: try problem(error)))
            }
        }
        await Enforcement.committed(moderation)
        return BulkDecisionResult(results: results)
    }

    /// The same on what a moderator names, hidden or not; throws `CaseError.noSuchSubject`, too.
    package func open(
        about subject: ReportSubject, note: String, by identity: Identity, requestID: String
    ) async throws -> CaseSummary {
        guard let found = try await ReportStore.subject(subject, forTeam: true, moderation.database) else {
            throw CaseError.noSuchSubject
        }
        return try await open(on: found.ofCase, note: note, by: identity, requestID: requestID)
    }

    /// Opens a case on something that nobody has reported; joins the one that is open. Throws `CaseError`.
    package func open(
        on subject: CaseSubject, note: String, by identity: Identity, requestID: String
    ) async throws -> CaseSummary {
        let text = try CaseText.checked(note, at: "/note")
        return try await transaction { connection in
            let now = moderation.now()
            let id = try await CaseLifecycle.open(on: subject, at: now, sla: moderation.limits.sla, in: connection)
            try await ConversationStore.insertNote(text, on: id, by: identity.userID, at: now, in: connection)
            try await AuditLog.append(
                connection, actor: AuditActor(identity), action: "case.opened", subject: "case:\(id)",
                requestID: requestID, at: now)
            return try await summary(id, in: connection)
        }
    }

    // MARK: One act

    private func decideInOneStep(
        _ id: CaseID, _ decision: Decision, by identity: Identity, requestID: String
    ) async throws -> CaseSummary {
        try await transaction { connection in
            guard var locked = try await LockedCase.fetch(id, in: connection) else { throw CaseError.noSuchCase }
            let now = try await moderation.platform.sharedTime(connection)
            let effects = effects(connection, identity, requestID, now)
            let moderator = CaseActor.moderator(Moderator(identity))
            if locked.file.status.holder(at: now) != identity.userID {
                let claim = try locked.file.after(.claim(reason: nil), by: moderator, at: now, rules: effects.rules)
                try await effects.perform(claim, on: locked)
                locked.file.status = claim.status
            }
            try await effects.apply(.decide(decision), by: moderator, to: locked)
            return try await summary(id, at: now, in: connection)
        }
    }

    private func act(
        _ event: CaseEvent, on id: CaseID, by identity: Identity, requestID: String
    ) async throws -> CaseSummary {
        try await transaction { connection in
            guard let locked = try await LockedCase.fetch(id, in: connection) else { throw CaseError.noSuchCase }
            // Read once the case is locked: a claim may have ended while this call waited for the lock.
            let now = try await moderation.platform.sharedTime(connection)
            try await effects(connection, identity, requestID, now)
                .apply(event, by: .moderator(Moderator(identity)), to: locked)
            return try await summary(id, at: now, in: connection)
        }
    }

    func effects(
        _ connection: PostgresConnection, _ identity: Identity, _ requestID: String, _ now: Date
    ) -> CaseEffects {
        CaseEffects(
            connection: connection, rules: moderation.limits.caseRules, now: now, actor: AuditActor(identity),
            rank: identity.role, requestID: requestID)
    }

    package func summary(
        _ id: CaseID, at now: Date? = nil, in connection: PostgresConnection
    ) async throws -> CaseSummary {
        var terms = moderation.caseDueTimes
        if let now { terms.now = now }
        guard let summary = try await CaseQueueStore.summary(id, terms: terms, in: connection) else {
            throw CaseError.noSuchCase
        }
        return summary
    }

    func transaction<R: Sendable>(_ body: (PostgresConnection) async throws -> R) async throws -> R {
        do {
            return try await moderation.database.withTransaction { try await body($0) }
        } catch let refusal as CaseRefusal {
            throw CaseError.refused(refusal)
        }
    }
}

extension ModerationLimits {
    /// The settings that the rules of cases go by.
    var caseRules: CaseRules {
        CaseRules(
            claimSeconds: claimSeconds, fourEyesInstalls: fourEyesInstalls, appealSeconds: appealSeconds)
    }
}

extension Moderator {
    package init(_ identity: Identity) {
        self.init(id: identity.userID, role: identity.role)
    }
}

extension CaseFile {
    /// The state of a refused submission once an appeal has overturned the refusal.
    func reinstated() throws(CaseRefusal) -> SubmissionState {
        guard let submission else { throw .nothingToDo }
        do {
            return try submission.after(.reinstated)
        } catch {
            throw .submission(error)
        }
    }
}

extension Decision {
    /// Reads a decision off the wire; throws `CaseError.malformed`.
    package init(_ request: DecisionRequest, reasons: ReasonBook) throws(CaseError) {
        guard let verdict = Verdict(rawValue: request.decision.rawValue) else { throw .noSuchSubject }
        do {
            try self.init(
                verdict, reasonCode: request.reasonCode, message: request.message, evidence: request.evidence ?? [],
                until: request.until, reasons: reasons)
        } catch {
            throw .malformed(error)
        }
    }
}
