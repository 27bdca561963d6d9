// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import Postgres
import SheetCore

/// SQL of calls that came with an `Idempotency-Key`. Times are the database's: the nodes' clocks need not agree.
package enum IdempotencyStore {
    /// What is known of a call when it has written something.
    package struct Entry: Sendable {
        let slot: ContentHash
        package let user: UserID?
        /// Method, address and preconditions, hashed.
        package let head: Data
        /// The body, hashed; `nil` where it was not read to its end.
        package var body: Data?
        /// Tells this attempt from others of the same call.
        package let attempt: UUID

        package init(slot: ContentHash, user: UserID?, head: Data, body: Data? = nil, attempt: UUID) {
            self.slot = slot
            self.user = user
            self.head = head
            self.body = body
            self.attempt = attempt
        }
    }

    /// An answer as it is kept.
    package struct Answer: Sendable {
        package var fields: [[String]]
        package var body: Data

        package init(fields: [[String]], body: Data) {
            self.fields = fields
            self.body = body
        }
    }

    /// How a call ended.
    package struct End: Sendable {
        package var status: Int
        /// `nil` when it is not kept.
        package var answer: Answer?
    }

    /// A call as it is kept.
    package struct Record: Sendable {
        package var entry: Entry
        /// Its time is over, or its node died before it wrote anything: the place is free.
        package var isOver: Bool
        /// How long its answer may still be on its way, in seconds.
        var secondsLeft: Double
        package var end: End?

        package init(entry: Entry, isOver: Bool, secondsLeft: Double, end: End? = nil) {
            self.entry = entry
            self.isOver = isOver
            self.secondsLeft = secondsLeft
            self.end = end
        }
    }

    /// Rows whose place is free. The second kind is of nodes of an earlier version, which noted calls before they
    /// began.
    private static let over: PostgresQuery = """
        (c.expires_at <= statement_timestamp()
            OR (c.status IS NULL AND c.committed_at IS NULL AND c.lease_expires_at <= statement_timestamp()))
        """

    /// Notes that a call has written something, for its own commit; violates `idempotency_keys_pkey` when the same
    /// call, or another with its key, was committed before.
    static func insertQuery(_ entry: Entry, answerSeconds: Int, keptSeconds: Int) -> PostgresQuery {
        // Times are the same in all statements, and cost less when they are read once.
        """
        INSERT INTO idempotency_keys (key_hash, user_id, request_hash, body_hash, attempt_id, lease_expires_at,
            committed_at, expires_at)
        VALUES (\(entry.slot), \(entry.user), \(entry.head), \(entry.body), \(entry.attempt),
            statement_timestamp() + interval '\(literal: answerSeconds) seconds', statement_timestamp(),
            statement_timestamp() + interval '\(literal: keptSeconds) seconds')
        """
    }

    /// Notes a call that wrote nothing, with its answer; `false` when the place is taken.
    package static func insert(
        _ entry: Entry, _ end: End, keptSeconds: Double, _ database: some PostgresExecutor
    ) async throws -> Bool {
        try await database.execute(
            """
            INSERT INTO idempotency_keys AS c (key_hash, user_id, request_hash, body_hash, attempt_id, lease_expires_at,
                expires_at, status, headers, response_body)
            VALUES (\(entry.slot), \(entry.user), \(entry.head), \(entry.body), \(entry.attempt), statement_timestamp(),
                statement_timestamp() + \(keptSeconds) * interval '1 second',
                \(end.status), \(end.answer.map { PostgresJSON($0.fields) }), \(end.answer?.body))
            ON CONFLICT (key_hash) DO UPDATE SET user_id = excluded.user_id, request_hash = excluded.request_hash,
                body_hash = excluded.body_hash, attempt_id = excluded.attempt_id,
                lease_expires_at = excluded.lease_expires_at, expires_at = excluded.expires_at, committed_at = NULL,
                status = excluded.status, headers = excluded.headers, response_body = excluded.response_body
            WHERE \(fragment: over)
            """) == 1
    }

    package static func find(_ slot: ContentHash, _ database: some PostgresExecutor) async throws -> Record? {
        try await database.first(
            """
            SELECT c.user_id, c.request_hash, c.body_hash, c.attempt_id, c.status, c.headers, c.response_body,
                \(fragment: over) AS is_over,
                extract(epoch FROM c.lease_expires_at - statement_timestamp())::double precision AS seconds_left
            FROM idempotency_keys AS c WHERE c.key_hash = \(slot)
            """
        ) { row in
            let body = try row.get("response_body", as: Data?.self)
            let fields = try row.get("headers", as: PostgresJSON<[[String]]>?.self)?.value ?? []
            let entry = Entry(
                slot: slot, user: try row.get("user_id"), head: try row.get("request_hash"),
                body: try row.get("body_hash"), attempt: try row.get("attempt_id"))
            let end = try row.get("status", as: Int?.self).map { status in
                End(status: status, answer: body.map { Answer(fields: fields, body: $0) })
            }
            return Record(
                entry: entry, isOver: try row.get("is_over"), secondsLeft: try row.get("seconds_left"), end: end)
        }
    }

    /// Writes how calls ended that have been noted, many at once. Their fields come as one document: an encoder for
    /// each would cost more than the rest.
    package static func complete(_ ended: [(entry: Entry, end: End)], _ database: some PostgresExecutor) async throws {
        let fields = PostgresJSON(ended.map { $0.end.answer?.fields })
        var update: PostgresQuery = """
            UPDATE idempotency_keys AS c SET status = e.status,
                headers = nullif(\(fields) -> (e.place - 1)::int, 'null'), response_body = e.response_body
            FROM unnest(
                \(ended.map(\.entry.slot)), \(ended.map(\.entry.attempt)), \(ended.map(\.end.status)),
                \(ended.map { $0.end.answer?.body })
            ) WITH ORDINALITY AS e (key_hash, attempt_id, status, response_body, place)
            WHERE c.key_hash = e.key_hash AND c.attempt_id = e.attempt_id
            """
        // A plan that was made while the table was small would read all of it later.
        update.isPrepared = false
        try await database.execute(update)
    }

    /// Says that no answer of this attempt will come.
    package static func abandon(_ entry: Entry, _ database: some PostgresExecutor) async throws {
        try await database.execute(
            """
            UPDATE idempotency_keys SET lease_expires_at = statement_timestamp()
            WHERE key_hash = \(entry.slot) AND attempt_id = \(entry.attempt) AND status IS NULL
            """)
    }

    /// Frees the place of a call that is over.
    static func removeExpired(_ slot: ContentHash, _ database: some PostgresExecutor) async throws {
        try await database.execute("DELETE FROM idempotency_keys AS c WHERE c.key_hash = \(slot) AND \(fragment: over)")
    }

    /// Removes calls whose time is over.
    package static func deleteExpired(_ database: some PostgresExecutor) async throws {
        try await database.execute("DELETE FROM idempotency_keys WHERE expires_at <= statement_timestamp()")
    }
}

extension IdempotencyStore {
    /// Removes answers that are kept no longer.
    package static func periodicTask(_ database: PostgresClient) -> PeriodicTask {
        PeriodicTask("remove answers to repeated calls", every: .seconds(3600)) { try await deleteExpired(database) }
    }
}
