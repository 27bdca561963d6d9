// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAccounts
import MarketCatalog
import MarketIngest
import Moderation
import Postgres
import SheetCore

/// Carries out what the rules say, in the transaction that holds the case's lock: all of it or nothing.
struct CaseEffects {
    let connection: PostgresConnection
    let rules: CaseRules
    let now: Date
    let actor: AuditActor
    /// The actor's role: nobody sanctions somebody of their own rank or above.
    let rank: UserRole
    let requestID: String

    /// Lets the rules judge an event and does what they say; throws `CaseRefusal`.
    func apply(_ event: CaseEvent, by actor: CaseActor, to locked: LockedCase) async throws {
        let outcome = try locked.file.after(event, by: actor, at: now, rules: rules)
        try await perform(outcome, on: locked)
    }

    func perform(_ outcome: CaseOutcome, on locked: LockedCase) async throws {
        var locked = locked
        var details: [String: String] = [:]
        var drafts: [AuditEntryDraft] = []
        for action in outcome.actions {
            switch action {
            case .record(let decision, let moderator, let proposer):
                locked.decision = try await CaseStore.insertDecision(
                    decision, on: locked.id, by: moderator, proposedBy: proposer, at: now, in: connection)
            case .propose(let decision, let moderator):
                try await CaseStore.insertProposal(decision, on: locked.id, by: moderator, at: now, in: connection)
            case .dropProposal: try await CaseStore.deleteProposal(locked.id, in: connection)
            case .moveSubmission(let state):
                if let version = try await move(locked, to: state) { details["version"] = version.description }
            case .closeReports(let upheld):
                try await CaseStore.closeReports(of: locked.id, upheld: upheld, at: now, in: connection)
            case .reopenReports: try await CaseStore.reopenReports(of: locked.id, in: connection)
            case .undo(let verdict): try await undo(verdict, of: locked)
            case .endAppeal(let isOverturned): try await endAppeal(locked, isOverturned: isOverturned)
            case .takeDown, .restore, .sanction, .lift: try await enforce(action, on: locked)
            // `AppealService` writes it when the appeal is filed.
            case .openAppeal: break
            case .audit(let draft): drafts.append(draft)
            }
        }
        try await storeStatus(locked, outcome.status)
        // Last: from here to the commit, everybody else who writes to the audit log waits.
        for draft in drafts { try await audit(draft, details, on: locked) }
    }

    /// Stores the new status. A case that opens again where another on the same subject is open hands its reports over.
    private func storeStatus(_ locked: LockedCase, _ status: CaseStatus) async throws {
        guard status != locked.file.status else { return }
        if status == .open, locked.file.status == .appealed, locked.file.kind == .report {
            if let other = try await CaseStore.openCase(onSubjectOf: locked.id, in: connection) {
                try await CaseStore.moveReports(of: locked.id, to: other, in: connection)
                return try await locked.set(.closed, at: now, in: connection)
            }
        }
        try await locked.set(status, at: now, in: connection)
    }

    private func move(_ locked: LockedCase, to state: SubmissionState) async throws -> VersionID? {
        guard case .submission(let submission) = locked.file.subject else { return nil }
        do {
            try await SubmissionStore.decide(submission, to: state, at: now, in: connection)
        } catch let error as PostgresError where error.isUniqueViolation(constraint: "submissions_version_key") {
            throw Publishing.Failure.versionExists
        }
        try await DecisionEmail.enqueue(submission, moved: state, by: locked.id, in: connection)
        guard state == .published, let template = locked.template else { return nil }
        return try await Publishing.publish(connection, submission: submission, template: template, at: now)
    }

    // MARK: Appeals

    /// Tells the appealed case how the appeal against it ended.
    private func endAppeal(_ appeal: LockedCase, isOverturned: Bool) async throws {
        guard let id = appeal.appealOf, let appealed = try await LockedCase.fetch(id, in: connection) else {
            throw CaseError.noSuchCase
        }
        try await AppealStore.end(of: appeal.id, isOverturned: isOverturned, at: now, in: connection)
        let outcome = try appealed.file.after(.appealEnded(isOverturned: isOverturned), by: .system, at: now)
        if isOverturned, let decision = appealed.decision {
            try await CaseStore.setOverturned(decision, at: now, in: connection)
            if let first = try await CaseStore.decider(of: decision, in: connection) {
                try await CaseStore.bar(first, from: id, in: connection)
            }
        }
        try await perform(outcome, on: appealed)
    }

    private func undo(_ verdict: Verdict, of locked: LockedCase) async throws {
        switch verdict {
        case .reject: _ = try await move(locked, to: try locked.file.reinstated())
        case .dismiss: try await CaseStore.reopenReports(of: locked.id, in: connection)
        case .takeDown, .warn, .suspend, .ban: try await lift(verdict, of: locked)
        case .approve, .requestChanges, .restore, .lift, .uphold, .overturn: break
        }
    }

    private func audit(_ draft: AuditEntryDraft, _ more: [String: String], on locked: LockedCase) async throws {
        var details = draft.details.merging(more) { first, _ in first }
        if draft.isOnSubject { details["case"] = locked.id.description }
        try await AuditLog.append(
            connection, actor: actor, action: draft.action,
            subject: draft.isOnSubject ? locked.auditSubject : "case:\(locked.id)", details: details,
            requestID: requestID, at: now)
    }
}
