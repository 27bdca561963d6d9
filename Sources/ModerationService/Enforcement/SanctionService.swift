// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
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

    /// The account of an id or a handle; throws `not_found`.
    package func user(_ key: String) async throws -> UserRecord {
        let found: UserRecord? =
            if let id = UserID(key) { try await AccountStore.user(id: id, in: database) } else {
                try await AccountStore.user(handle: key, in: database)
            }
        guard let found else { throw APIError.notFound("This account") }
        return found
    }

    /// Somebody's, newest first, with what the last 200 count; with what comes next for moderators.
    package func list(of user: UserID, _ pageRequest: PageRequest, forModerators: Bool) async throws -> SanctionList {
        let name = "sanctions.\(user)"
        let last: (at: Date, id: SanctionID)? = try pageRequest.timePosition(in: name)
        let counted = try await SanctionStore.sanctions(of: user, in: database)
        // The first page is of the same rows: what is listed and what it counts are of one moment.
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

    /// What keeps the account from anything now.
    package func inForce(on user: UserID) async throws -> [SanctionInfo] {
        let now = moderation.now()
        return try await SanctionStore.inForce(on: user, at: now, in: database).map { SanctionInfo($0, at: now) }
    }

    /// Warns or suspends. Nobody sanctions themselves or somebody of their own rank or above.
    func impose(
        _ request: SanctionRequest, on key: String, by identity: Identity, requestID: String
    ) async throws -> SanctionInfo {
        let now = moderation.now()
        let user = try await user(key)
        try Self.checkRank(of: user, facing: identity)
        let sanction = Sanction(
            id: .make(at: now), try Self.measure(request, at: now), reasonCode: request.reasonCode,
            message: try Self.text(request.message, "/message"))
        guard StableCode.isWellFormed(request.reasonCode) else {
            throw APIError.validation([
                .init(pointer: "/reasonCode", detail: "A word of up to 64 lower-case letters, digits and underscores.")
            ])
        }
        if case .ban = sanction.measure {
            throw APIError(
                .conflict, .conflict,
                "A ban takes two moderators: open a case with POST /api/v1/moderation/cases, and decide 'ban' there.")
        }
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
                throw APIError.notFound("This sanction")
            }
            if case .ban = record.imposed.sanction.measure, identity.role < .administrator {
                throw APIError(.forbidden, .forbidden, "An administrator, or an appeal, lifts a ban.")
            }
            try await Enforcement.lift(id, decision: nil, at: now, in: connection)
            try await AuditLog.append(
                connection, actor: AuditActor(identity), action: "user.sanction_lifted", subject: "user:\(user.id)",
                details: ["sanction": "\(id)", "reason": reason], requestID: requestID, at: now)
        }
    }

    private static func checkRank(of user: UserRecord, facing identity: Identity) throws(APIError) {
        guard user.id != identity.userID, user.role < identity.role else {
            throw APIError(
                .forbidden, .forbidden, "Nobody sanctions themselves, or somebody of their own rank or above.")
        }
    }

    private static func measure(_ request: SanctionRequest, at now: Date) throws(APIError) -> Sanction.Measure {
        switch request.kind {
        case "warn": return .warning
        case "ban": return .ban
        case "suspend":
            guard let until = request.until, until > now, until < now.addingTimeInterval(3660 * 86_400) else {
                throw .validation([.init(pointer: "/until", detail: "A time to come, within ten years.")])
            }
            let scopes = (request.scopes ?? ["all"]).map { SanctionScope(rawValue: $0) }
            guard !scopes.isEmpty, !scopes.contains(nil) else {
                let words = SanctionScope.allCases.map(\.rawValue).joined(separator: ", ")
                throw .validation([.init(pointer: "/scopes", detail: "Some of: \(words).")])
            }
            return .suspension(Set(scopes.compactMap { $0 }), until: until)
        default: throw .validation([.init(pointer: "/kind", detail: "'warn', 'suspend' or 'ban'.")])
        }
    }

    private static func text(_ text: String, _ pointer: String) throws(APIError) -> String {
        let text = text.cleanedText()
        guard (1...Decision.maximumMessageLength).contains(text.count) else {
            throw .validation([
                .init(pointer: pointer, detail: "From 1 to \(Decision.maximumMessageLength) characters.")
            ])
        }
        return text
    }
}

/// What stable words look like.
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
