// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAccounts
import Moderation
import Postgres
import SheetCore

/// What a decision does outside the case: `Enforcement` does it, in the same transaction.
extension CaseEffects {
    func enforce(_ action: CaseAction, on locked: LockedCase) async throws {
        switch action {
        case .takeDown(let decision):
            try await Enforcement.takeDown(
                locked.file.subject, decision: locked.decision, reasonCode: decision.reasonCode,
                message: decision.message, at: now, in: connection)
        case .restore:
            try await Enforcement.restore(locked.file.subject, decision: locked.decision, at: now, in: connection)
        case .sanction(let decision):
            guard let person = locked.respondent, let measure = sentence(decision) else {
                throw CaseError.refused(.nothingToDo)
            }
            guard let user = try await AccountStore.user(id: person, in: connection),
                Sanction.mayBeImposed(on: user.role, by: rank)
            else {
                throw CaseError.refused(.ownRank)
            }
            let sanction = Sanction(
                id: .make(at: now), measure, reasonCode: decision.reasonCode, message: decision.message)
            try await Enforcement.impose(sanction, on: person, decision: locked.decision, at: now, in: connection)
        case .lift:
            guard let person = locked.respondent else { throw CaseError.refused(.nothingToDo) }
            try await Enforcement.liftAll(of: person, decision: locked.decision, at: now, in: connection)
        default: break
        }
    }

    /// Undoes what a decision did, once an appeal has overturned it.
    func lift(_ verdict: Verdict, of locked: LockedCase) async throws {
        switch verdict {
        case .takeDown:
            // Nothing is to be done if it was put back meanwhile, or if another decision has taken it down since.
            if let decision = locked.decision,
                try await Enforcement.isTakenDown(locked.file.subject, by: decision, in: connection)
            {
                try await Enforcement.restore(locked.file.subject, decision: nil, at: now, in: connection)
            }
        default:
            guard let person = locked.respondent, let decision = locked.decision else { return }
            try await Enforcement.liftAll(of: person, imposedBy: decision, decision: nil, at: now, in: connection)
        }
    }

    private func sentence(_ decision: Decision) -> Sanction.Measure? {
        switch decision.verdict {
        case .warn: .warning
        case .suspend: decision.until.map { .suspension([.all], until: $0) }
        case .ban: .ban
        default: nil
        }
    }
}
