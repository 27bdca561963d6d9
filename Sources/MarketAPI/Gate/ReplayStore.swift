// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres
import SheetCore

/// SQL of calls that came with an `Idempotency-Key`. Times are the database's: the nodes' clocks need not agree.
enum ReplayStore {
    /// A call as it is kept.
    struct Record: Sendable {
        /// Method, address and preconditions, hashed.
        var head: Data
        /// The body, hashed; `nil` while it is not known.
        var body: Data?
        /// Whether a transaction of it has been committed.
        var hasWorked: Bool
        /// How long whoever works on it may still take, in seconds.
        var leaseSeconds: Double
        var status: Int?
        /// `nil` when it is not kept.
        var answer: Answer?
    }

    /// An answer as it is kept.
    struct Answer: Sendable {
        /// Names and values.
        var fields: [[String]]
        var body: Data
    }

    /// Begins a call; `false` when the place is taken. Its commit waits for no disk: whatever the call writes is committed
    /// later and flushes the log up to there, so the beginning is never lost alone.
    static func begin(
        _ slot: ContentHash, user: UserID?, head: Data, body: Data?, lease: UUID, leaseSeconds: Double,
        keptSeconds: Double, _ database: some PostgresExecutor
    ) async throws -> Bool {
        try await database.execute(
            """
            INSERT INTO idempotent_calls AS c (slot, user_id, head, body, lease, leased_until, expires_at)
            SELECT \(slot), \(user), \(head), \(body), \(lease),
                statement_timestamp() + \(leaseSeconds) * interval '1 second',
                statement_timestamp() + \(keptSeconds) * interval '1 second'
            FROM set_config('synchronous_commit', 'off', true)
            ON CONFLICT (slot) DO UPDATE SET user_id = excluded.user_id, head = excluded.head, body = excluded.body,
                lease = excluded.lease, leased_until = excluded.leased_until, expires_at = excluded.expires_at,
                worked_at = NULL, status = NULL, fields = NULL, answer = NULL
            WHERE c.expires_at <= statement_timestamp()
                OR (c.status IS NULL AND c.worked_at IS NULL AND c.leased_until <= statement_timestamp())
            """) == 1
    }

    static func find(_ slot: ContentHash, _ database: some PostgresExecutor) async throws -> Record? {
        try await database.first(
            """
            SELECT head, body, worked_at IS NOT NULL AS has_worked, status, fields, answer,
                extract(epoch FROM leased_until - statement_timestamp())::double precision AS lease_seconds
            FROM idempotent_calls WHERE slot = \(slot)
            """
        ) { row in
            let body = try row.get("answer", as: Data?.self)
            let fields = try row.get("fields", as: PostgresJSON<[[String]]>?.self)?.value ?? []
            return Record(
                head: try row.get("head"), body: try row.get("body"), hasWorked: try row.get("has_worked"),
                leaseSeconds: try row.get("lease_seconds"), status: try row.get("status"),
                answer: body.map { Answer(fields: fields, body: $0) })
        }
    }

    /// Says in a transaction of the call that it is its own; `false` when somebody else has taken the call over.
    static func markWorked(_ slot: ContentHash, lease: UUID, _ connection: PostgresConnection) async throws -> Bool {
        try await connection.execute(
            """
            UPDATE idempotent_calls SET worked_at = coalesce(worked_at, statement_timestamp())
            WHERE slot = \(slot) AND lease = \(lease)
            """) == 1
    }

    static func renew(
        _ slot: ContentHash, lease: UUID, leaseSeconds: Double, _ database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            """
            UPDATE idempotent_calls SET leased_until = statement_timestamp() + \(leaseSeconds) * interval '1 second'
            WHERE slot = \(slot) AND lease = \(lease)
            """)
    }

    /// Ends a call with its answer; without one it is only known that it was done.
    static func complete(
        _ slot: ContentHash, lease: UUID, status: Int, body: Data?, answer: Answer?, _ database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            """
            UPDATE idempotent_calls SET status = \(status), body = coalesce(body, \(body)),
                fields = \(answer.map { PostgresJSON($0.fields) }), answer = \(answer?.body)
            WHERE slot = \(slot) AND lease = \(lease)
            """)
    }

    /// Lets go of a call that came to nothing. One that has written something is kept, so that it is not done twice.
    static func release(_ slot: ContentHash, lease: UUID, _ database: some PostgresExecutor) async throws {
        try await database.execute(
            """
            WITH gone AS (
                DELETE FROM idempotent_calls WHERE slot = \(slot) AND lease = \(lease) AND worked_at IS NULL
            )
            UPDATE idempotent_calls SET leased_until = statement_timestamp()
            WHERE slot = \(slot) AND lease = \(lease) AND worked_at IS NOT NULL
            """)
    }

    /// Removes calls whose time is over.
    static func sweep(_ database: some PostgresExecutor) async throws {
        try await database.execute("DELETE FROM idempotent_calls WHERE expires_at <= statement_timestamp()")
    }
}
