// SPDX-License-Identifier: Apache-2.0
import MarketPlatform
import Postgres

/// SQL of the buckets that all nodes share. Times are differences: the nodes' clocks need not agree.
package enum RateLimitStore {
    /// What the store says of a bucket.
    struct Answer: Sendable {
        var bucket: String
        var isTaken: Bool
        /// How far from full it is, in nanoseconds.
        var debt: Int64

        init(bucket: String, isTaken: Bool, debt: Int64) {
            self.bucket = bucket
            self.isTaken = isTaken
            self.debt = debt
        }
    }

    /// Takes out of each bucket what a call shall take, unless that is more than is in it; answers in the same order.
    /// One statement: what it lets through on all nodes together never exceeds a quota. Buckets are locked in the order
    /// of their names, here and in `report`. Nothing is seen of one that was made and emptied only just now: it counts
    /// as empty.
    static func consume(_ shares: [RateLimitCharge], _ database: some PostgresExecutor) async throws -> [Answer] {
        try await database.all(
            """
            WITH wanted AS (
                SELECT n.place, n.bucket, n.spent * interval '1 microsecond' AS spent,
                    n.span * interval '1 microsecond' AS span, n.span AS microseconds
                FROM unnest(\(shares.map(\.subject.text))::text[], \(shares.map { $0.time / 1000 })::bigint[],
                    \(shares.map { $0.quota.window / 1000 })::bigint[])
                    WITH ORDINALITY AS n (bucket, spent, span, place)
            ), taken AS (
                INSERT INTO rate_limits AS l (bucket, full_at)
                SELECT w.bucket, statement_timestamp() + w.spent FROM wanted AS w ORDER BY w.bucket
                ON CONFLICT (bucket) DO UPDATE
                    SET full_at = greatest(l.full_at, statement_timestamp())
                        + (excluded.full_at - statement_timestamp())
                    WHERE greatest(l.full_at, statement_timestamp()) <= statement_timestamp()
                        + (SELECT w.span - w.spent FROM wanted AS w WHERE w.bucket = l.bucket)
                RETURNING l.bucket, l.full_at
            )
            SELECT w.bucket, t.bucket IS NOT NULL AS is_taken,
                coalesce(\(fragment: debt(of: "t")),
                    (SELECT \(fragment: debt(of: "l")) FROM rate_limits AS l WHERE l.bucket = w.bucket),
                    w.microseconds) AS debt
            FROM wanted AS w LEFT JOIN taken AS t ON t.bucket = w.bucket
            ORDER BY w.place
            """
        ) { row in
            Answer(
                bucket: try row.get("bucket"), isTaken: try row.get("is_taken"),
                debt: try row.get("debt", as: Int64.self) * 1000)
        }
    }

    /// Enters what was let through already, or with a time below zero gives back; what the buckets are like then.
    static func report(
        _ spent: [(bucket: String, time: Int64)], _ database: some PostgresExecutor
    ) async throws -> [Answer] {
        try await database.all(
            """
            INSERT INTO rate_limits AS l (bucket, full_at)
            SELECT n.bucket, statement_timestamp() + n.spent * interval '1 microsecond'
            FROM unnest(\(spent.map(\.bucket))::text[], \(spent.map { $0.time / 1000 })::bigint[]) AS n (bucket, spent)
            ORDER BY n.bucket
            ON CONFLICT (bucket) DO UPDATE
                SET full_at = greatest(l.full_at, statement_timestamp()) + (excluded.full_at - statement_timestamp())
            RETURNING l.bucket, \(fragment: debt(of: "l")) AS debt
            """
        ) { row in
            Answer(
                bucket: try row.get("bucket"), isTaken: true, debt: try row.get("debt", as: Int64.self) * 1000)
        }
    }

    /// Removes buckets that are full again, which is what a bucket is that is not there.
    private static func deleteExpired(_ database: some PostgresExecutor) async throws {
        try await database.execute("DELETE FROM rate_limits WHERE full_at <= statement_timestamp()")
    }

    package static func periodicTask(_ database: PostgresClient) -> PeriodicTask {
        PeriodicTask("remove full buckets of limits", every: .seconds(60), firstAfter: .seconds(60)) {
            try await deleteExpired(database)
        }
    }

    private static func debt(of table: String) -> PostgresQuery {
        "(extract(epoch FROM \(ident: table).full_at - statement_timestamp()) * 1000000)::bigint"
    }
}
