// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAccounts
import MarketCatalog
import Moderation
import Postgres
import SheetCore

/// What decisions do to what they are about. All of it in the caller's transaction, beside the decision and its entry
/// in the audit log; after the commit `Enforcement.committed` makes this node show it at once (others hear by NOTIFY).
package enum Enforcement {
    // MARK: Taking down

    /// Takes something down: a template with all its versions, one version, the version that a submission became, a
    /// review, a collection or profile of a person, or all that a person has put here. `message` is public: it is what
    /// stands in its place. A take-down for a copyright notice stands beside those that moderators decide: each ends on
    /// its own, and the work is back when the last has ended. Throws `EnforcementError`.
    package static func takeDown(
        _ subject: CaseSubject, decision: UUID?, notice: CopyrightNoticeID? = nil, reasonCode: String, message: String,
        at now: Date, in connection: PostgresConnection
    ) async throws {
        let target = try await target(of: subject, in: connection)
        let items = try await EnforcementStore.items(of: target, in: connection)
        try await Publishing.lock(items.touched, in: connection)
        let takedown = UUID.version7(at: now)
        let holder = notice.map(EnforcementStore.Target.notice) ?? target
        guard
            try await EnforcementStore.insertTakedown(
                takedown, of: holder, decision: decision, reasonCode: reasonCode, message: message, at: now,
                in: connection)
        else { throw EnforcementError.isTakenDown }
        try await EnforcementStore.insert(items, of: takedown, in: connection)
        try await applyTakedowns(items, in: connection)
    }

    /// Puts back what taking exactly this down took away, and nothing else: what another take-down holds stays down,
    /// a version that was yanked before is yanked again. Throws `EnforcementError`.
    package static func restore(
        _ subject: CaseSubject, decision: UUID?, at now: Date, in connection: PostgresConnection
    ) async throws {
        try await end(try await target(of: subject, in: connection), decision: decision, at: now, in: connection)
    }

    /// Ends the take-down that a copyright notice caused, if there is one.
    package static func restore(notice: CopyrightNoticeID, at now: Date, in connection: PostgresConnection) async throws
    {
        let target = EnforcementStore.Target.notice(notice)
        guard try await EnforcementStore.openTakedown(of: target, in: connection) != nil else { return }
        try await end(target, decision: nil, at: now, in: connection)
    }

    private static func end(
        _ target: EnforcementStore.Target, decision: UUID?, at now: Date, in connection: PostgresConnection
    ) async throws {
        guard let takedown = try await EnforcementStore.openTakedown(of: target, in: connection)?.id else {
            throw EnforcementError.isNotDown
        }
        let items = try await EnforcementStore.items(takedown: takedown, in: connection)
        try await Publishing.lock(items.touched, in: connection)
        guard try await EnforcementStore.endTakedown(takedown, decision: decision, at: now, in: connection) else {
            throw EnforcementError.isNotDown
        }
        try await applyTakedowns(items, in: connection)
    }

    /// Whether exactly this is down now because of that decision.
    static func isTakenDown(
        _ subject: CaseSubject, by decision: UUID, in connection: PostgresConnection
    ) async throws -> Bool {
        let target = try await target(of: subject, in: connection)
        return try await EnforcementStore.openTakedown(of: target, in: connection)?.decision == decision
    }

    private static func target(
        of subject: CaseSubject, in connection: PostgresConnection
    ) async throws -> EnforcementStore.Target {
        guard let target = try await EnforcementStore.target(of: subject, in: connection) else {
            throw EnforcementError.noSuchSubject
        }
        return target
    }

    private static func applyTakedowns(_ items: EnforcementStore.Items, in connection: PostgresConnection) async throws
    {
        try await EnforcementStore.applyTakedowns(items, in: connection)
        for template in items.offering {
            try await Publishing.recomputeLatest(connection, templateID: template)
        }
    }

    // MARK: Sanctions

    /// Warns, suspends or bans somebody. A ban ends their sessions and tokens. Throws `EnforcementError`.
    static func impose(
        _ sanction: Sanction, on user: UserID, decision: UUID?, at now: Date, in connection: PostgresConnection
    ) async throws {
        try await lock(user, in: connection)
        if let until = sanction.measure.until, until <= now { throw EnforcementError.endsInThePast }
        try await SanctionStore.insert(
            ImposedSanction(sanction, imposedAt: now), on: user, decision: decision, in: connection)
        if case .ban = sanction.measure { try await CredentialStore.endAll(of: user, at: now, in: connection) }
    }

    /// Takes a sanction back: it ends now and counts as no strike. Throws `EnforcementError`.
    package static func lift(
        _ id: SanctionID, decision: UUID?, at now: Date, in connection: PostgresConnection
    ) async throws {
        guard try await SanctionStore.lift(id, decision: decision, at: now, in: connection) else {
            throw EnforcementError.isOver
        }
    }

    /// Takes back all sanctions that a decision imposed, also those that are over, since they count as strikes; without
    /// a decision, all that are in force on somebody.
    static func liftAll(
        of user: UserID, imposedBy imposing: UUID? = nil, decision: UUID?, at now: Date,
        in connection: PostgresConnection
    ) async throws {
        try await lock(user, in: connection)
        try await SanctionStore.liftAll(of: user, imposedBy: imposing, decision: decision, at: now, in: connection)
    }

    /// One change of somebody's sanctions at a time.
    private static func lock(_ user: UserID, in connection: PostgresConnection) async throws {
        guard try await AccountStore.lock(user, in: connection) != nil else { throw EnforcementError.noSuchSubject }
    }

    // MARK: Afterwards

    /// Call after the commit: this node shows the new state with its next answer, and serves no file that was blocked.
    package static func committed(_ moderation: ModerationDependencies) async {
        moderation.catalog.catalogChanged()
        await moderation.catalog.blockedArtifacts.refresh()
    }
}
