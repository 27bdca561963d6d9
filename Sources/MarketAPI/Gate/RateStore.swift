// SPDX-License-Identifier: Apache-2.0
import Postgres

/// SQL of the buckets that all nodes share. Times are differences: the nodes' clocks need not agree.
enum RateStore {
    /// What the store says of a bucket.
    struct Answer: Sendable {
        var bucket: String
        var isTaken: Bool
        /// How far from full it is, in nanoseconds.
        var debt: Int64
    }

    /// Takes `time` out of a bucket unless that is more than is in it. One statement: what it lets through on all nodes
    /// together never exceeds the quota.
    static func take(
        _ time: Int64, from bucket: String, window: Int64, _ database: some PostgresExecutor
    ) async throws -> Answer {
        let (time, window) = (time / 1000, window / 1000)
        let answer = try await database.first(
            """
            WITH taken AS (
                INSERT INTO rate_limits AS l (bucket, full_at)
                VALUES (\(bucket), statement_timestamp() + \(time) * interval '1 microsecond')
                ON CONFLICT (bucket) DO UPDATE
                    SET full_at = greatest(l.full_at, statement_timestamp()) + \(time) * interval '1 microsecond'
                    WHERE greatest(l.full_at, statement_timestamp()) + \(time) * interval '1 microsecond'
                        <= statement_timestamp() + \(window) * interval '1 microsecond'
                RETURNING full_at
            )
            SELECT true AS is_taken, \(fragment: debt(of: "t")) AS debt FROM taken AS t
            UNION ALL
            SELECT false, \(fragment: debt(of: "l")) FROM rate_limits AS l
            WHERE l.bucket = \(bucket) AND NOT EXISTS (SELECT FROM taken)
            """
        ) { Answer(bucket: bucket, isTaken: try $0.get("is_taken"), debt: try $0.get("debt", as: Int64.self) * 1000) }
        // Neither: somebody else has just made it and emptied it.
        return answer ?? Answer(bucket: bucket, isTaken: false, debt: window * 1000)
    }

    /// Enters what was let through already; what the buckets are like then.
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
    static func sweep(_ database: some PostgresExecutor) async throws {
        try await database.execute("DELETE FROM rate_limits WHERE full_at <= statement_timestamp()")
    }

    private static func debt(of table: String) -> PostgresQuery {
        "(extract(epoch FROM \(ident: table).full_at - statement_timestamp()) * 1000000)::bigint"
    }
}
