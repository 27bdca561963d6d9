// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import Postgres
import SheetCore
import Tracing

/// What a job does; its handler has the same kind.
package struct JobKind: RawRepresentable, Hashable, Sendable, PostgresCodable {
    /// As it stands in the table.
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Inspects a submission's file; the subject is the submission.
    package static let ingestUpload = Self(rawValue: "ingest_upload")

    /// Draws what differs between a submission's pages and those that it is compared with; the subject is the
    /// submission.
    package static let renderDifferences = Self(rawValue: "draw_differences")

    /// Draws a submission's pages sharp enough for the viewer; the subject is the submission.
    package static let drawSharpPictures = Self(rawValue: "draw_sharp_pictures")

    /// Makes what differs between a version's file and those of versions before it; the subject is the version.
    package static let makeDeltas = Self(rawValue: "make_deltas")

    /// Whether a job that was given up can be done once more. A submission that could not be inspected has ended, and its
    /// uploader was told to send the file again.
    package var canBeRevived: Bool { self != .ingestUpload }
}

/// A lease on a job, valid while it is extended. Only the holder of the row's token may finish the job.
package struct JobLease: Sendable, Equatable {
    package let id: JobID
    /// What is to be done.
    package let kind: JobKind
    /// What it is to be done to.
    package let subject: UUID
    /// Changes with each claim: proves that the lease is still the holder's.
    package let token: UUID
    /// How often the job has been begun, this time included.
    package let attempt: Int
    /// How often it is begun at most.
    package let maximumAttempts: Int
    /// In which trace it was entered; what is done of it is a part of the same.
    package let trace: TraceContext?

    package init(
        id: JobID, kind: JobKind, subject: UUID, token: UUID, attempt: Int, maximumAttempts: Int,
        trace: TraceContext? = nil
    ) {
        self.id = id
        self.kind = kind
        self.subject = subject
        self.token = token
        self.attempt = attempt
        self.maximumAttempts = maximumAttempts
        self.trace = trace
    }
}

/// The lease was lost: another worker has the job, or there is nothing left to do.
package struct LeaseLost: Error, Sendable, Equatable {
    package init() {}
}

/// How much work there is.
package struct JobStatistics: Sendable, Equatable {
    /// Jobs that could begin now.
    package var ready: Int
    /// Since when the oldest of those waits, in seconds; 0 when none does.
    package var oldestReadySeconds: Double
    /// Jobs that wait for their next attempt.
    package var delayed: Int
    /// Jobs that a worker holds.
    package var running: Int
    /// Jobs that were given up.
    package var dead: Int
}

/// A job that was given up.
package struct DeadJob: Sendable {
    package let id: JobID
    package let kind: JobKind
    package let subject: UUID
    package let attempts: Int
    package let endedAt: Date
    /// What the last attempt said.
    package let error: String
}

/// Background work in PostgreSQL: entered in the transaction that makes it necessary, claimed by any worker under a
/// lease, tried again when it fails, given up after a number of attempts.
///
/// Times are the database's, so that workers with different clocks agree on whose lease is over.
package struct JobQueue: Sendable {
    private let database: PostgresClient
    /// How long a lease holds without being extended.
    package let leaseSeconds: Double

    package init(platform: Platform) {
        self.init(database: platform.database, leaseSeconds: platform.leaseSeconds)
    }

    package init(database: PostgresClient, leaseSeconds: Double) {
        self.database = database
        self.leaseSeconds = leaseSeconds
    }

    // MARK: - In the caller's transaction

    /// Enters a job; workers hear of it when the transaction commits.
    @discardableResult
    package static func enqueue(
        _ kind: JobKind, subject: UUID, maximumAttempts: Int = 5, at now: Date = Date(),
        in connection: some PostgresExecutor
    ) async throws -> JobID {
        let id = JobID.make(at: now)
        try await connection.execute(
            """
            INSERT INTO jobs (id, kind, subject, max_attempts, trace_parent)
            VALUES (\(id), \(kind), \(subject), \(Int32(clamping: maximumAttempts)),
                \(ServiceContext.current?.trace?.traceparent))
            """)
        return id
    }

    /// How many jobs of a kind wait or run.
    package static func outstanding(_ kind: JobKind, in connection: some PostgresExecutor) async throws -> Int {
        try await connection.first(
            "SELECT count(*) FROM jobs WHERE kind = \(kind) AND state IN ('queued', 'running')"
        ) { try $0.get(0, as: Int.self) } ?? 0
    }

    /// Deletes the subject's jobs, even running ones: their workers lose the lease.
    package static func cancel(subject: UUID, in connection: some PostgresExecutor) async throws {
        try await connection.execute(
            """
            UPDATE jobs SET state = 'done', finished_at = now(), lease_token = NULL, lease_expires_at = NULL
            WHERE subject = \(subject) AND state IN ('queued', 'running')
            """)
    }

    /// Finishes a job together with what it did; throws `LeaseLost`, which must undo the transaction.
    package static func complete(_ lease: JobLease, in connection: some PostgresExecutor) async throws {
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
    package func claim(_ kinds: [JobKind], count: Int, worker: String) async throws -> [JobLease] {
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
            RETURNING jobs.id, jobs.kind, jobs.subject, jobs.lease_token, jobs.attempts, jobs.max_attempts,
                jobs.trace_parent
            """, Self.lease)
    }

    /// Keeps a lease alive; `false` when it is lost.
    package func extend(_ lease: JobLease) async throws -> Bool {
        try await database.execute(
            """
            UPDATE jobs SET lease_expires_at = now() + \(leaseSeconds) * interval '1 second'
            WHERE id = \(lease.id) AND state = 'running' AND lease_token = \(lease.token)
            """) == 1
    }

    /// Gives a job back unharmed, for another worker to begin at once: the attempt does not count.
    package func release(_ lease: JobLease) async throws {
        try await database.execute(
            """
            UPDATE jobs SET state = 'queued', run_at = now(), attempts = greatest(attempts - 1, 0),
                lease_token = NULL, lease_expires_at = NULL, worker = NULL
            WHERE id = \(lease.id) AND state = 'running' AND lease_token = \(lease.token)
            """)
    }

    /// Records a failure; the job is tried again after a pause that doubles each time. `false` when the lease is lost
    /// or no attempt is left: then the job is to be dead-lettered.
    package func retry(_ lease: JobLease, error: String) async throws -> Bool {
        try await database.execute(
            """
            UPDATE jobs SET state = 'queued', last_error = \(error), lease_token = NULL, lease_expires_at = NULL,
                worker = NULL, run_at = now() + \(Self.pause(afterAttempt: lease.attempt)) * interval '1 second'
            WHERE id = \(lease.id) AND state = 'running' AND lease_token = \(lease.token) AND attempts < max_attempts
            """) == 1
    }

    /// Puts a job off that could not be done for want of what every job needs, such as storage: the attempt does not count.
    /// `false` when the lease is lost, or the job is older than a day.
    package func postpone(_ lease: JobLease, error: String) async throws -> Bool {
        try await database.execute(
            """
            UPDATE jobs SET state = 'queued', last_error = \(error), attempts = greatest(attempts - 1, 0),
                lease_token = NULL, lease_expires_at = NULL, worker = NULL,
                run_at = now() + \(Self.pause(afterAttempt: 2)) * interval '1 second'
            WHERE id = \(lease.id) AND state = 'running' AND lease_token = \(lease.token)
                AND created_at > now() - interval '1 day'
            """) == 1
    }

    /// Gives a job up for good, in the transaction in which its subject is told; throws `LeaseLost`.
    package static func deadLetter(_ lease: JobLease, error: String, in connection: some PostgresExecutor) async throws
    {
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
    package func reclaim() async throws -> Int {
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

    /// Takes over the lost jobs that have no attempt left, to be dead-lettered.
    func claimExhausted(_ kinds: [JobKind], worker: String) async throws -> [JobLease] {
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
            RETURNING jobs.id, jobs.kind, jobs.subject, jobs.lease_token, jobs.attempts, jobs.max_attempts,
                jobs.trace_parent
            """, Self.lease)
    }

    /// How much work there is; for `/metrics` and `/readyz`.
    package func statistics() async throws -> JobStatistics {
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

    // MARK: - For operators

    /// Jobs that were given up, the latest first.
    package func dead(limit: Int) async throws -> [DeadJob] {
        try await database.all(
            """
            SELECT id, kind, subject, attempts, coalesce(finished_at, created_at) AS ended, coalesce(last_error, '') AS error
            FROM jobs WHERE state = 'dead' ORDER BY ended DESC, id LIMIT \(literal: limit)
            """
        ) { row in
            DeadJob(
                id: try row.get("id"), kind: try row.get("kind"), subject: try row.get("subject"),
                attempts: Int(try row.get("attempts", as: Int32.self)), endedAt: try row.get("ended"),
                error: try row.get("error"))
        }
    }

    /// Has a job that was given up done once more, with as many attempts as at first; `false` when there is none for which
    /// that helps.
    package static func revive(_ id: JobID, in connection: some PostgresExecutor) async throws -> Bool {
        try await connection.execute(
            """
            UPDATE jobs SET state = 'queued', run_at = now(), attempts = 0, finished_at = NULL, worker = NULL
            WHERE id = \(id) AND state = 'dead' AND kind <> \(JobKind.ingestUpload)
            """) == 1
    }

    // MARK: - Back-off

    /// Seconds before the next attempt: about 2, 4, 8, … up to 5 minutes, spread by a quarter either way, so that what
    /// failed together does not come back together.
    package static func pause(afterAttempt attempt: Int, jitter: Double = .random(in: 0.75...1.25)) -> Double {
        min(pow(2, Double(max(1, min(attempt, 20)))), 300) * jitter
    }

    private static func lease(_ row: PostgresRow) throws -> JobLease {
        JobLease(
            id: try row.get("id"), kind: try row.get("kind"), subject: try row.get("subject"),
            token: try row.get("lease_token"), attempt: Int(try row.get("attempts", as: Int32.self)),
            maximumAttempts: Int(try row.get("max_attempts", as: Int32.self)),
            trace: try row.get("trace_parent", as: String?.self).flatMap { TraceContext(traceparent: $0) })
    }
}

extension Platform {
    /// How long ended jobs stay for operators to look at, in seconds; dead ones stay for good.
    static let doneJobSeconds = 7.0 * 86_400

    /// Removes jobs that ended, and stored objects that no row names.
    package var periodicTasks: [PeriodicTask] {
        [
            PeriodicTask("remove ended jobs", every: .seconds(3600)) {
                try await database.execute(
                    """
                    DELETE FROM jobs
                    WHERE state = 'done' AND finished_at < now() - \(Self.doneJobSeconds) * interval '1 second'
                    """)
            },
            PeriodicTask("remove unnamed objects from storage", every: .seconds(3600)) {
                let removed = try await StorageGarbageCollection(storage: storage, database: database, now: now)
                    .run()
                if removed > 0 { logger.info("removed unnamed objects", metadata: ["count": "\(removed)"]) }
            },
        ]
    }
}
