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

/// Sanctions as moderators impose and lift them, and as their subjects see them.
package struct SanctionService: Sendable {
    package let moderation: ModerationDependencies

    package init(moderation: ModerationDependencies) {
        self.moderation = moderation
    }

    private var database: PostgresClient { moderation.database }
    private var rules: StrikeRules { StrikeRules(halfLifeSeconds: moderation.limits.strikeHalfLifeSeconds) }

    /// The account of an id or a handle; throws `SanctionError.noSuchAccount`.
    package func user(_ key: String) async throws -> UserRecord {
        let found: UserRecord? =
            if let id = UserID(key) { try await AccountStore.user(id: id, in: database) } else {
                try await AccountStore.user(handle: key, in: database)
            }
        guard let found else { throw SanctionError.noSuchAccount }
        return found
    }

    /// Somebody's sanctions, newest first, with the strikes that the last 200 amount to; for moderators, with the
    /// sanction that would come next.
    package func list(of user: UserID, _ pageRequest: PageRequest, forModerators: Bool) async throws -> SanctionList {
        let name = "sanctions.\(user)"
        let last: (at: Date, id: SanctionID)? = try pageRequest.timePosition(in: name)
        let counted = try await SanctionStore.sanctions(of: user, in: database)
        // The first page is taken from the rows that are counted, so that list and strikes agree.
        let found: [SanctionStore.Record] =
            if last == nil, pageRequest.fetchLimit <= SanctionStore.maximumCounted {
                Array(counted.prefix(pageRequest.fetchLimit))
            } else {
                try await SanctionStore.sanctions(of: user, before: last, limit: pageRequest.fetchLimit, in: database)
            }
        let page = pageRequest.page(found, of: name) {
            [Cursor.key($0.imposed.imposedAt), $0.imposed.sanction.id.description]
        }
        let now = moderation.now()
        let strikes = rules.strikes(of: counted.map(\.imposed), at: now)
        let proposal = rules.proposal(strikes: strikes, at: now)
        return SanctionList(
            sanctions: page.rows.map { SanctionInfo($0.imposed, at: now) },
            strikes: (strikes * 1000).rounded() / 1000, proposal: forModerators ? .init(proposal, at: now) : nil,
            nextCursor: page.next)
    }

    /// The account's suspensions and bans in force.
    package func inForce(on user: UserID) async throws -> [SanctionInfo] {
        let now = moderation.now()
        return try await SanctionStore.inForce(on: user, at: now, in: database).map { SanctionInfo($0, at: now) }
    }

    /// Accounts in the order of their handles that begin like this; with `kind`, those who are suspended or banned, or
    /// were warned.
    package func people(
        after last: String?, handle beginning: String, having kind: String?, limit: Int
    ) async throws -> [UserRecord] {
        try await AccountStore.users(
            after: last, handle: beginning, among: kind.map { SanctionStore.having($0, at: moderation.now()) } ?? "",
            limit: limit, in: database)
    }

    /// The suspensions and bans in force of some accounts.
    package func inForce(on users: [UserID]) async throws -> [UserID: [SanctionInfo]] {
        let now = moderation.now()
        return try await SanctionStore.inForce(on: users, at: now, in: database)
            .reduce(into: [:]) { $0[$1.user, default: []].append(SanctionInfo($1.imposed, at: now)) }
    }

    /// Warns or suspends. Nobody sanctions themselves or somebody of their own rank or above.
    package func impose(
        _ request: SanctionRequest, on key: String, by identity: Identity, requestID: String
    ) async throws -> SanctionInfo {
        let now = moderation.now()
        let user = try await user(key)
        try Self.checkRank(of: user, facing: identity)
        let sanction = Sanction(
            id: .make(at: now), try Self.measure(request, at: now), reasonCode: request.reasonCode,
            message: try Self.text(request.message, "/message"))
        guard StableCode.isWellFormed(request.reasonCode) else {
            throw SanctionError.badReasonCode
        }
        if case .ban = sanction.measure { throw SanctionError.banNeedsCase }
        let decided = try Decision(
            sanction.measure.verdict, reasonCode: sanction.reasonCode, message: sanction.message,
            until: sanction.measure.until)
        try await database.withTransaction { connection in
            let decision = try await CaseLifecycle.enter(
                decided, on: user.id, by: identity.userID, at: now, sla: moderation.limits.sla, in: connection)
            try await Enforcement.impose(sanction, on: user.id, decision: decision, at: now, in: connection)
            var details = ["kind": request.kind, "reasonCode": request.reasonCode, "sanction": "\(sanction.id)"]
            details["until"] = sanction.measure.until.map(WireJSON.time)
            try await AuditLog.append(
                connection, actor: AuditActor(identity), action: "user.sanctioned", subject: "user:\(user.id)",
                details: details, requestID: requestID, at: now)
        }
        return SanctionInfo(ImposedSanction(sanction, imposedAt: now), at: now)
    }

    /// Takes a sanction back.
    package func lift(
        _ id: SanctionID, of key: String, _ request: LiftRequest, by identity: Identity, requestID: String
    ) async throws {
        let user = try await user(key)
        try Self.checkRank(of: user, facing: identity)
        let reason = try Self.text(request.reason, "/reason")
        try await database.withTransaction { connection in
            let now = moderation.now()
            guard let record = try await SanctionStore.sanction(id, in: connection), record.user == user.id else {
                throw SanctionError.noSuchSanction
            }
            let isBan = if case .ban = record.imposed.sanction.measure { true } else { false }
            guard Sanction.mayBeLifted(isBan: isBan, by: identity.role) else {
                throw SanctionError.banIsAdministrators
            }
            try await Enforcement.lift(id, decision: nil, at: now, in: connection)
            try await AuditLog.append(
                connection, actor: AuditActor(identity), action: "user.sanction_lifted", subject: "user:\(user.id)",
                details: ["sanction": "\(id)", "reason": reason], requestID: requestID, at: now)
        }
    }

    private static func checkRank(of user: UserRecord, facing identity: Identity) throws(SanctionError) {
        guard user.id != identity.userID, Sanction.mayBeImposed(on: user.role, by: identity.role) else {
            throw .ofOwnRank
        }
    }

    private static func measure(_ request: SanctionRequest, at now: Date) throws(SanctionError) -> Sanction.Measure {
        switch request.kind {
        case "warn": return .warning
        case "ban": return .ban
        case "suspend":
            guard let until = request.until, until > now, until < now.addingTimeInterval(3660 * 86_400) else {
                throw .badEnd
            }
            let scopes = (request.scopes ?? ["all"]).map { SanctionScope(rawValue: $0) }
            guard !scopes.isEmpty, !scopes.contains(nil) else { throw .badScopes }
            return .suspension(Set(scopes.compactMap { $0 }), until: until)
        default: throw .noSuchKind
        }
    }

    private static func text(_ text: String, _ pointer: String) throws(SanctionError) -> String {
        let text = text.cleanedText()
        guard (1...Decision.maximumMessageLength).contains(text.count) else { throw .badText(pointer: pointer) }
        return text
    }
}

/// The form of reason codes.
enum StableCode {
    static func isWellFormed(_ code: String) -> Bool {
        (1...64).contains(code.utf8.count)
            && code.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 95 }
    }
}

extension Sanction.Measure {
    /// The decision that imposes it.
    fileprivate var verdict: Verdict {
        switch self {
        case .warning: .warn
        case .suspension: .suspend
        case .ban: .ban
        }
    }
}

extension SanctionInfo {
    package init(_ imposed: ImposedSanction, at now: Date) {
        let sanction = imposed.sanction
        self.init(
            id: sanction.id, kind: sanction.measure.kind, scopes: sanction.measure.scopes.map(\.rawValue).sorted(),
            reasonCode: sanction.reasonCode, message: sanction.message, imposedAt: imposed.imposedAt,
            until: sanction.measure.until, liftedAt: imposed.liftedAt, inForce: imposed.isInForce(at: now))
    }
}

extension SanctionList.Proposal {
    package init(_ measure: Sanction.Measure, at now: Date) {
        self.init(
            kind: measure.kind,
            days: measure.until.map { Int(($0.timeIntervalSince(now) / 86_400).rounded()) })
    }
}
