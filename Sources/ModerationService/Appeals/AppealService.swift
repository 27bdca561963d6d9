// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAccounts
import MarketHTTP
import MarketPlatform
import MarketWire
import Moderation
import Postgres
import SheetCore

/// Appeals by the people that a decision affects.
package struct AppealService: Sendable {
    package let moderation: ModerationDependencies

    package init(moderation: ModerationDependencies) {
        self.moderation = moderation
    }

    /// Appeals the last decision on something; throws `AppealError` or `CaseError`.
    package func submit(_ request: AppealRequest, by identity: Identity, requestID: String) async throws -> Appeal {
        let text = try CaseText.checked(request.text, at: "/text")
        guard request.id.utf8.count == 36, let subject = UUID(uuidString: request.id) else {
            throw AppealError.nothingToAppeal
        }
        do {
            return try await moderation.database.withTransaction { connection in
                guard
                    let id = try await AppealStore.appealable(
                        request.subject, subject, by: identity.userID, in: connection),
                    let locked = try await LockedCase.fetch(id, in: connection), let decision = locked.decision,
                    locked.file.parties.union(locked.file.reporters).contains(identity.userID)
                else { throw AppealError.nothingToAppeal }
                if locked.file.past?.wasAppealed == true {
                    throw try await Self.refusal(of: locked, decision, to: identity.userID, in: connection)
                }
                let now = moderation.now()
                let effects = CaseEffects(
                    connection: connection, rules: moderation.limits.caseRules, now: now, actor: AuditActor(identity),
                    rank: identity.role, requestID: requestID)
                let outcome = try locked.file.after(
                    .appeal, by: .person(identity.userID), at: now, rules: effects.rules)
                let key = try await AppealStore.insert(
                    text, against: locked, decision: decision, by: identity.userID,
                    dueAt: now.addingTimeInterval(moderation.limits.sla.upload), at: now, in: connection)
                try await effects.perform(outcome, on: locked)
                guard let made = try await AppealStore.appeal(key, in: connection) else {
                    throw AppealError.nothingToAppeal
                }
                return made.appeal
            }
        } catch let refusal as CaseRefusal {
            throw CaseError.refused(refusal)
        }
    }

    /// Why a decision that was appealed is not appealed again, as somebody may hear it.
    private static func refusal(
        of locked: LockedCase, _ decision: UUID, to person: UserID, in connection: PostgresConnection
    ) async throws -> any Error {
        let isDismissal = locked.file.past?.verdict == .dismiss
        let entitled = isDismissal ? locked.file.reporters : locked.file.parties
        // People who had no right to appeal are not told who did.
        guard entitled.contains(person), let earlier = try await AppealStore.appeal(against: decision, in: connection)
        else { return CaseRefusal.noParty }
        let told = EarlierAppeal(
            state: earlier.appeal.state, isOwn: earlier.appellant == person, isOfDismissal: isDismissal)
        return AppealError.appealedBefore(told)
    }

    /// A person's own, newest first. Throws `bad_cursor`.
    package func mine(_ person: UserID, _ pageRequest: PageRequest) async throws -> AppealList {
        let name = "appeals.newest"
        let before = try pageRequest.place(in: name, keys: 1) { UUID(uuidString: $0[0]) }
        let found = try await AppealStore.list(
            by: person, before: before, limit: pageRequest.fetchLimit, in: moderation.database)
        let page = pageRequest.page(found, of: name) { [$0.id] }
        return AppealList(appeals: page.rows, nextCursor: page.next)
    }

    /// An appeal, for who wrote it and for moderators; throws `AppealError.noSuchAppeal`.
    package func appeal(_ id: UUID, for identity: Identity) async throws -> Appeal {
        guard let found = try await AppealStore.appeal(id, in: moderation.database),
            found.appellant == identity.userID || identity.moderates
        else { throw AppealError.noSuchAppeal }
        return found.appeal
    }
}
