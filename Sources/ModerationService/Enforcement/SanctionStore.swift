// SPDX-License-Identifier: Apache-2.0
import Foundation
import Moderation
import Postgres
import SheetCore

enum SanctionStore {
    /// How many sanctions of a person are counted, at most: the newest.
    static let maximumCounted = 200

    /// A sanction with what the API shows beside it.
    struct Record: Sendable {
        var imposed: ImposedSanction
        var user: UserID
        var decision: UUID?
    }

    static func insert(
        _ imposed: ImposedSanction, on user: UserID, decision: UUID?, in connection: PostgresConnection
    ) async throws {
        let sanction = imposed.sanction
        let scopes = sanction.measure.scopes.map(\.rawValue).sorted()
        try await connection.execute(
            """
            INSERT INTO sanctions (id, user_id, kind, scopes, reason_code, message, decision_id, imposed_at, expires_at)
            VALUES (\(sanction.id), \(user), \(sanction.measure.kind), \(scopes)::text[], \(sanction.reasonCode),
                \(sanction.message), \(decision), \(imposed.imposedAt), \(sanction.measure.until))
            """)
    }

    /// Takes a sanction back; `false` when it is over, was taken back before, or never was.
    static func lift(
        _ id: SanctionID, decision: UUID?, at now: Date, in connection: PostgresConnection
    ) async throws -> Bool {
        try await connection.execute(
            """
            UPDATE sanctions SET lifted_at = \(now), lifted_decision = \(decision)
            WHERE id = \(id) AND lifted_at IS NULL AND (expires_at IS NULL OR expires_at > \(now))
            """) > 0
    }

    /// Takes back all sanctions that a decision imposed, also those that are over, since they count as strikes; without
    /// a decision, all that are in force.
    static func liftAll(
        of user: UserID, imposedBy imposing: UUID?, decision: UUID?, at now: Date, in connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            UPDATE sanctions SET lifted_at = \(now), lifted_decision = \(decision)
            WHERE user_id = \(user) AND lifted_at IS NULL
                AND CASE WHEN \(imposing)::uuid IS NULL THEN expires_at IS NULL OR expires_at > \(now)
                    ELSE decision_id = \(imposing) END
            """)
    }

    static func sanction(_ id: SanctionID, in database: some PostgresExecutor) async throws -> Record? {
        try await database.first(
            "SELECT \(fragment: columns) FROM sanctions AS s WHERE s.id = \(id)", Record.init)
    }

    /// Somebody's sanctions, newest first, beginning after `last`.
    static func sanctions(
        of user: UserID, before last: (at: Date, id: SanctionID)? = nil, limit: Int = SanctionStore.maximumCounted,
        in database: some PostgresExecutor
    ) async throws -> [Record] {
        let start: PostgresQuery = last.map { "AND (s.imposed_at, s.id) < (\($0.at), \($0.id))" } ?? ""
        return try await database.all(
            """
            SELECT \(fragment: columns) FROM sanctions AS s WHERE s.user_id = \(user) \(fragment: start)
            ORDER BY s.imposed_at DESC, s.id DESC LIMIT \(literal: limit)
            """, Record.init)
    }

    /// Somebody's suspensions and bans in force at `now`.
    static func inForce(
        on user: UserID, at now: Date, in database: some PostgresExecutor
    ) async throws -> [ImposedSanction] {
        try await database.all(
            """
            SELECT \(fragment: columns) FROM sanctions AS s
            WHERE s.user_id = \(user) AND s.kind <> 'warn' AND s.lifted_at IS NULL
                AND (s.expires_at IS NULL OR s.expires_at > \(now))
            """
        ) { try Record($0).imposed }
    }

    /// The part of a query of `users` that leaves those with such a sanction in force at `now`. Warnings are over at
    /// once: of those, whoever had one that was not taken back.
    static func having(_ kind: String, at now: Date) -> PostgresQuery {
        """
        AND EXISTS (SELECT FROM sanctions AS s WHERE s.user_id = users.id AND s.kind = \(kind) AND s.lifted_at IS NULL
            AND (s.expires_at IS NULL OR s.expires_at > \(now)))
        """
    }

    /// Suspensions and bans of some people in force at `now`.
    static func inForce(
        on users: [UserID], at now: Date, in database: some PostgresExecutor
    ) async throws -> [Record] {
        if users.isEmpty { return [] }
        return try await database.all(
            """
            SELECT \(fragment: columns) FROM sanctions AS s
            WHERE s.user_id = ANY(\(users)::uuid[]) AND s.kind <> 'warn' AND s.lifted_at IS NULL
                AND (s.expires_at IS NULL OR s.expires_at > \(now))
            """, Record.init)
    }

    private static let columns: PostgresQuery = """
        s.id, s.user_id, s.kind, s.scopes, s.reason_code, s.message, s.decision_id, s.imposed_at, s.expires_at, s.lifted_at
        """
}

extension SanctionStore.Record {
    fileprivate init(_ row: PostgresRow) throws {
        let until: Date? = try row.get("expires_at")
        let scopes = Set(try row.get("scopes", as: [String].self).compactMap(SanctionScope.init(rawValue:)))
        let measure: Sanction.Measure =
            switch try row.get("kind", as: String.self) {
            case "warn": .warning
            case "suspend": .suspension(scopes, until: until ?? .distantFuture)
            default: .ban
            }
        imposed = ImposedSanction(
            Sanction(
                id: try row.get("id"), measure, reasonCode: try row.get("reason_code"),
                message: try row.get("message")),
            imposedAt: try row.get("imposed_at"), liftedAt: try row.get("lifted_at"))
        user = try row.get("user_id")
        decision = try row.get("decision_id")
    }
}

extension Sanction.Measure {
    /// The word for it in the database and on the wire.
    var kind: String {
        switch self {
        case .warning: "warn"
        case .suspension: "suspend"
        case .ban: "ban"
        }
    }
}
