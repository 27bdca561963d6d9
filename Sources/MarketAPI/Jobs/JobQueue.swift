// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres
import SheetCore

/// What a job does; its handler has the same kind.
public struct JobKind: RawRepresentable, Hashable, Sendable, PostgresCodable {
    /// As it stands in the table.
    public let rawValue: String

    /// Any kind.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Inspects a submission's file; the subject is the submission.
    public static let ingestUpload = Self(rawValue: "ingest_upload")

    /// Draws what differs between a submission's pages and those that it is compared with; the subject is the submission.
    public static let drawDifferences = Self(rawValue: "draw_differences")
}

/// The right to work on a job, for as long as it is kept alive. Whoever holds the token of the row, and nobody else,
/// may finish the job.
public struct JobLease: Sendable, Equatable {
    /// The job.
    public let id: JobID
    /// What is to be done.
    public let kind: JobKind
    /// What it is to be done to.
    public let subject: UUID
    /// Proves the right.
    public let token: UUID
    /// How often the job has been begun, this time included.
    public let attempt: Int
    /// How often it is begun at most.
    public let maximumAttempts: Int
}

/// The lease was lost: another worker has the job, or there is nothing left to do.
public struct LeaseLost: Error, Sendable, Equatable {
    /// Only that.
    public init() {}
}

/// How much work there is.
public struct JobStatistics: Sendable, Equatable {
    /// Jobs that could begin now.
    public var ready: Int
    /// Since when the oldest of those waits, in seconds; 0 when none does.
    public var oldestReadySeconds: Double
    /// Jobs that wait for their next attempt.
    public var delayed: Int
    /// Jobs that a worker holds.
    public var running: Int
    /// Jobs that were given up.
    public var dead: Int
}

/// Background work in PostgreSQL: entered in the transaction that makes it necessary, claimed by any worker under a
/// lease, tried again when it fails, given up after a number of attempts.
///
/// Times are the database's, so that workers with different clocks agree on whose lease is over.
public struct JobQueue: Sendable {
    private let database: PostgresClient
    /// How long a lease holds without being extended.
    public let leaseSeconds: Double

    /// Works on `market`.
    public init(market: Market) {
        self.init(database: market.database, leaseSeconds: market.limits.leaseSeconds)
    }

    /// Works on a database.
    public init(database: PostgresClient, leaseSeconds: Double) {
        self.database = database
        self.leaseSeconds = leaseSeconds
    }

    // MARK: - In the caller's transaction

    /// Enters a job; workers hear of it when the transaction commits.
    @discardableResult
    public static func enqueue(
        _ kind: JobKind, subject: UUID, maximumAttempts: Int = 5, at now: Date = Date(),
        in connection: some PostgresExecutor
    ) async throws -> JobID {
        let id = JobID.make(at: now)
        try await connection.execute(
            """
            INSERT INTO jobs (id, kind, subject, max_attempts)
            VALUES (\(id), \(kind), \(subject), \(Int32(clamping: maximumAttempts)))
            """)
        return id
    }

    /// Ends the subject's jobs, whoever works on them: their leases are lost.
    public static func cancel(subject: UUID, in connection: some PostgresExecutor) async throws {
        try await connection.execute(
            """
            UPDATE jobs SET state = 'done', finished_at = now(), lease_token = NULL, lease_expires_at = NULL
            WHERE subject = \(subject) AND state IN ('queued', 'running')
            """)
    }

    /// Finishes a job together with what it did; throws `LeaseLost`, which must undo the transaction.
    public static func complete(_ lease: JobLease, in connection: some PostgresExecutor) async throws {
        let count = try await connection.execute(
            """
            UPDATE jobs SET state = 'done', finished_at = now(), lease_token = NULL, lease_expires_at = NULL,
                last_error = NULL
            WHERE id = \(lease.id) AND state = 'running' AND lease_token = \(lease.token)
            """)
        guard count == 1 else { throw LeaseLost() }
    }

    // MARK: - For workers

    /// Claims up to `count` ready jobs of these kinds, the longest waiting first.
    public func claim(_ kinds: [JobKind], count: Int, worker: String) async throws -> [JobLease] {
        try await database.all(
            """
            WITH next AS (
                SELECT id FROM jobs
                WHERE state = 'queued' AND run_at <= now() AND kind = ANY (\(kinds.map(\.rawValue))::text[])
                ORDER BY run_at, id LIMIT \(literal: count) FOR UPDATE SKIP LOCKED
            )
            UPDATE jobs SET state = 'running', attempts = attempts + 1, worker = \(worker),
                lease_token = gen_random_uuid(), lease_expires_at = now() + \(leaseSeconds) * interval '1 second'
            FROM next WHERE jobs.id = next.id
            RETURNING jobs.id, jobs.kind, jobs.subject, jobs.lease_token, jobs.attempts, jobs.max_attempts
            """, Self.lease)
    }

    /// Keeps a lease alive; `false` when it is lost.
    public func extend(_ lease: JobLease) async throws -> Bool {
        try await database.execute(
            """
            UPDATE jobs SET lease_expires_at = now() + \(leaseSeconds) * interval '1 second'
            WHERE id = \(lease.id) AND state = 'running' AND lease_token = \(lease.token)
            """) == 1
    }

    /// Gives a job back unharmed, for another worker to begin at once: the attempt does not count.
    public func release(_ lease: JobLease) async throws {
        try await database.execute(
            """
            UPDATE jobs SET state = 'queued', run_at = now(), attempts = greatest(attempts - 1, 0),
                lease_token = NULL, lease_expires_at = NULL, worker = NULL
            WHERE id = \(lease.id) AND state = 'running' AND lease_token = \(lease.token)
            """)
    }

    /// Records a failure; the job is tried again after a pause that doubles each time. `false` when the lease is lost
    /// or no attempt is left: then the job is to be buried.
    public func retry(_ lease: JobLease, error: String) async throws -> Bool {
        try await database.execute(
            """
            UPDATE jobs SET state = 'queued', last_error = \(error), lease_token = NULL, lease_expires_at = NULL,
                worker = NULL, run_at = now() + \(Self.pause(afterAttempt: lease.attempt)) * interval '1 second'
            WHERE id = \(lease.id) AND state = 'running' AND lease_token = \(lease.token) AND attempts < max_attempts
            """) == 1
    }

    /// Gives a job up for good, in the transaction in which its subject is told; throws `LeaseLost`.
    public static func bury(_ lease: JobLease, error: String, in connection: some PostgresExecutor) async throws {
        let count = try await connection.execute(
            """
            UPDATE jobs SET state = 'dead', finished_at = now(), last_error = \(error), lease_token = NULL,
                lease_expires_at = NULL
            WHERE id = \(lease.id) AND state = 'running' AND lease_token = \(lease.token)
            """)
        guard count == 1 else { throw LeaseLost() }
    }

    /// Takes jobs from workers that are gone: queued again, while attempts are left. Answers how many.
    @discardableResult
    public func reclaim() async throws -> Int {
        try await database.execute(
            """
            WITH lost AS (
                SELECT id FROM jobs
                WHERE state = 'running' AND lease_expires_at < now() AND attempts < max_attempts
                ORDER BY lease_expires_at LIMIT 100 FOR UPDATE SKIP LOCKED
            )
            UPDATE jobs SET state = 'queued', run_at = now(), lease_token = NULL, lease_expires_at = NULL,
                last_error = 'the worker ' || coalesce(worker, '') || ' was lost', worker = NULL
            FROM lost WHERE jobs.id = lost.id
            """)
    }

    /// Takes over the lost jobs that have no attempt left, to be buried.
    public func claimHopeless(_ kinds: [JobKind], worker: String) async throws -> [JobLease] {
        try await database.all(
            """
            WITH lost AS (
                SELECT id FROM jobs
                WHERE state = 'running' AND lease_expires_at < now() AND attempts >= max_attempts
                    AND kind = ANY (\(kinds.map(\.rawValue))::text[])
                ORDER BY lease_expires_at LIMIT 10 FOR UPDATE SKIP LOCKED
            )
            UPDATE jobs SET worker = \(worker), lease_token = gen_random_uuid(),
                lease_expires_at = now() + \(leaseSeconds) * interval '1 second'
            FROM lost WHERE jobs.id = lost.id
            RETURNING jobs.id, jobs.kind, jobs.subject, jobs.lease_token, jobs.attempts, jobs.max_attempts
            """, Self.lease)
    }

    /// How much work there is; for `/metrics` and `/readyz`.
    public func statistics() async throws -> JobStatistics {
        try await database.one(
            """
            SELECT count(*) FILTER (WHERE state = 'queued' AND run_at <= now()) AS ready,
                coalesce(extract(epoch FROM now() - min(run_at) FILTER (WHERE state = 'queued')), 0)::float8 AS oldest,
                count(*) FILTER (WHERE state = 'queued' AND run_at > now()) AS delayed,
                count(*) FILTER (WHERE state = 'running') AS running,
                count(*) FILTER (WHERE state = 'dead') AS dead
            FROM jobs WHERE state IN ('queued', 'running', 'dead')
            """
        ) { row in
            JobStatistics(
                ready: try row.get("ready"), oldestReadySeconds: max(0, try row.get("oldest")),
                delayed: try row.get("delayed"), running: try row.get("running"), dead: try row.get("dead"))
        }
    }

    // MARK: - Back-off

    /// Seconds before the next attempt: about 2, 4, 8, … up to 5 minutes, spread by a quarter either way, so that what
    /// failed together does not come back together.
    static func pause(afterAttempt attempt: Int, jitter: Double = .random(in: 0.75...1.25)) -> Double {
        min(pow(2, Double(max(1, min(attempt, 20)))), 300) * jitter
    }

    private static func lease(_ row: PostgresRow) throws -> JobLease {
        JobLease(
            id: try row.get("id"), kind: try row.get("kind"), subject: try row.get("subject"),
            token: try row.get("lease_token"), attempt: Int(try row.get("attempts", as: Int32.self)),
            maximumAttempts: Int(try row.get("max_attempts", as: Int32.self)))
    }
}
