// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPages
import MarketWire
import NIOCore
import Postgres
import SheetCore
import Synchronization
import TestSupport
import Testing

@testable import MarketAPI
@testable import MarketPlatform

/// What a test wants done.
private struct TestHandler: JobHandler {
    let kind = JobKind(rawValue: "test")
    let database: PostgresClient
    let deadLettered = Mutexed<[UUID]>([])
    var work: @Sendable (JobLease) async throws -> Void

    func run(_ lease: JobLease) async throws -> String {
        try await work(lease)
        try await JobQueue.complete(lease, in: database)
        return "done"
    }

    func deadLetter(_ lease: JobLease, in connection: PostgresConnection) async throws {
        deadLettered.change { $0.append(lease.subject) }
    }
}

/// A value that many tasks may change.
private final class Mutexed<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    init(_ value: Value) { mutex = Mutex(value) }

    var value: Value { mutex.withLock { $0 } }
    func change(_ body: (inout sending Value) -> Void) { mutex.withLock { body(&$0) } }
}

@Suite("Jobs")
struct JobsTests {
    private static let kind = JobKind(rawValue: "test")

    private static func worker(_ scene: UploadsScene, _ handler: TestHandler, _ name: String = "w", grace: Double = 300)
        -> Worker
    {
        var configuration = WorkerConfiguration()
        configuration.name = name
        configuration.concurrency = 3
        configuration.pollSeconds = 0.1
        configuration.graceSeconds = grace
        return Worker(platform: scene.features.platform, handlers: [handler], configuration: configuration)
    }

    @Test("two workers share the jobs, each done once")
    func sharing() async throws {
        try await UploadsScene.run { scene in
            let database = scene.features.database
            let done = Mutexed<[UUID]>([])
            let byWorker = Mutexed<Set<String>>([])
            let subjects = (0..<40).map { _ in UUID() }
            let workers = ["one", "two"].map { name in
                Self.worker(
                    scene,
                    TestHandler(database: database) { lease in
                        byWorker.change { $0.insert(name) }
                        // Neither can have all there is before the other has come to its turn.
                        _ = try await eventually { byWorker.value.count == 2 }
                        done.change { $0.append(lease.subject) }
                    }, name)
            }
            try await scene.working(workers) {
                for subject in subjects { try await JobQueue.enqueue(Self.kind, subject: subject, in: database) }
                try await scene.expectEventually({ done.value.count >= subjects.count })
            }
            #expect(done.value.count == subjects.count)
            #expect(Set(done.value) == Set(subjects))
            #expect(byWorker.value == ["one", "two"])
            let statistics = try await JobQueue(platform: scene.features.platform).statistics()
            #expect(statistics == JobStatistics(ready: 0, oldestReadySeconds: 0, delayed: 0, running: 0, dead: 0))
        }
    }

    @Test("a job is invisible until its transaction commits, and gone when that fails")
    func transactional() async throws {
        struct Abandoned: Error {}
        try await UploadsScene.run { scene in
            let queue = JobQueue(platform: scene.features.platform)
            await #expect(throws: Abandoned.self) {
                try await scene.features.database.withTransaction { connection in
                    try await JobQueue.enqueue(Self.kind, subject: UUID(), in: connection)
                    #expect(try await queue.claim([Self.kind], count: 1, worker: "w").isEmpty)
                    throw Abandoned()
                }
            }
            let left = try await queue.claim([Self.kind], count: 1, worker: "w")
            #expect(left.isEmpty)
        }
    }

    @Test("a lost lease can finish nothing; the job is done by whoever has it")
    func fencing() async throws {
        try await UploadsScene.run { scene in
            let database = scene.features.database
            let queue = JobQueue(platform: scene.features.platform)
            try await JobQueue.enqueue(Self.kind, subject: UUID(), in: database)
            let first = try #require(try await queue.claim([Self.kind], count: 5, worker: "one").first)
            #expect(try await queue.claim([Self.kind], count: 5, worker: "two").isEmpty)
            #expect(try await queue.reclaim() == 0)
            try await database.execute("UPDATE jobs SET lease_expires_at = now() - interval '1 second'")
            #expect(try await queue.reclaim() == 1)
            let second = try #require(try await queue.claim([Self.kind], count: 5, worker: "two").first)
            #expect(second.id == first.id)
            #expect(second.token != first.token)
            #expect(second.attempt == 2)
            #expect(try await !queue.extend(first))
            #expect(try await !queue.retry(first, error: "too late"))
            try await queue.release(first)
            await #expect(throws: LeaseLost.self) { try await JobQueue.complete(first, in: database) }
            await #expect(throws: LeaseLost.self) {
                try await JobQueue.deadLetter(first, error: "too late", in: database)
            }
            #expect(try await queue.extend(second))
            try await JobQueue.complete(second, in: database)
            await #expect(throws: LeaseLost.self) { try await JobQueue.complete(second, in: database) }
        }
    }

    @Test("work whose lease is lost is cancelled")
    func cancelledWork() async throws {
        var limits = MarketLimits()
        limits.leaseSeconds = 15
        try await UploadsScene.run(limits: limits) { scene in
            let database = scene.features.database
            let begun = Mutexed(0)
            let cancelled = Mutexed(0)
            let handler = TestHandler(database: database) { _ in
                begun.change { $0 += 1 }
                guard begun.value == 1 else { return }
                do {
                    try await Task.sleep(for: .seconds(3600))
                } catch {
                    cancelled.change { $0 += 1 }
                    throw error
                }
            }
            try await scene.working([Self.worker(scene, handler)]) {
                let id = try await JobQueue.enqueue(Self.kind, subject: UUID(), in: database)
                try await scene.expectEventually({ begun.value >= 1 })
                try await database.execute(
                    """
                    UPDATE jobs SET state = 'queued', lease_token = NULL, lease_expires_at = NULL
                    WHERE id = \(id) AND state = 'running'
                    """)
                try await scene.expectEventually({ cancelled.value == 1 && begun.value >= 2 })
            }
            #expect(try await database.scalar("SELECT state FROM jobs", as: String.self) == "done")
        }
    }

    @Test("a heartbeat keeps the lease of long work")
    func heartbeat() async throws {
        var limits = MarketLimits()
        limits.leaseSeconds = 6
        try await UploadsScene.run(limits: limits) { scene in
            let database = scene.features.database
            let begun = Mutexed(0)
            let handler = TestHandler(database: database) { _ in
                begun.change { $0 += 1 }
                try await Task.sleep(for: .seconds(9))
            }
            try await scene.working([Self.worker(scene, handler, "one"), Self.worker(scene, handler, "two")]) {
                // A machine that stops the heart for the length of a lease proves nothing.
                for _ in 1...5 {
                    begun.change { $0 = 0 }
                    let id = try await JobQueue.enqueue(Self.kind, subject: UUID(), maximumAttempts: 99, in: database)
                    try await scene.expectEventually({
                        try await database.scalar("SELECT state FROM jobs WHERE id = \(id)", as: String.self) == "done"
                    })
                    if begun.value == 1 { break }
                }
            }
            #expect(begun.value == 1)
        }
    }

    @Test("what fails is tried again later; what goes on failing is given up and its subject told")
    func retryAndDeath() async throws {
        struct Broken: Error {}
        try await UploadsScene.run { scene in
            let database = scene.features.database
            let tries = Mutexed(0)
            let handler = TestHandler(database: database) { lease in
                tries.change { $0 += 1 }
                #expect(lease.attempt == tries.value)
                throw Broken()
            }
            let subject = UUID()
            // A pause is over in seconds: one that is a day longer is still there when the test looks.
            try await database.execute(
                """
                CREATE FUNCTION longer_pause() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF NEW.run_at > now() THEN NEW.run_at := NEW.run_at + interval '1 day'; END IF;
                    RETURN NEW;
                END $$
                """)
            try await database.execute(
                "CREATE TRIGGER longer_pause BEFORE UPDATE ON jobs FOR EACH ROW EXECUTE FUNCTION longer_pause()")
            try await scene.working([Self.worker(scene, handler)]) {
                let id = try await JobQueue.enqueue(Self.kind, subject: subject, maximumAttempts: 3, in: database)
                for attempt in 1...2 {
                    try await scene.expectEventually({
                        try await database.scalar(
                            "SELECT state = 'queued' AND attempts = \(attempt) AND run_at > now() FROM jobs",
                            as: Bool.self)
                    })
                    #expect(try await JobQueue(platform: scene.features.platform).statistics().delayed == 1)
                    try await database.execute("UPDATE jobs SET run_at = now() WHERE id = \(id)")
                }
                try await scene.expectEventually({
                    try await database.scalar("SELECT state FROM jobs", as: String.self) == "dead"
                })
            }
            #expect(tries.value == 3)
            #expect(handler.deadLettered.value == [subject])
            #expect(try await JobQueue(platform: scene.features.platform).statistics().dead == 1)
            let reason = try await database.scalar("SELECT last_error FROM jobs", as: String.self)
            #expect(reason.contains("Broken"))
        }
    }

    @Test("an outage of storage or database costs a job no attempt")
    func outage() async throws {
        try await UploadsScene.run { scene in
            let database = scene.features.database
            let tries = Mutexed(0)
            let handler = TestHandler(database: database) { lease in
                tries.change { $0 += 1 }
                #expect(lease.attempt == 1)
                if tries.value <= 4 { throw StorageError.full }
                if tries.value <= 6 { throw StorageError.unavailable("It is not there.") }
            }
            try await database.execute(
                """
                CREATE FUNCTION no_pause() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    NEW.run_at := least(NEW.run_at, now());
                    RETURN NEW;
                END $$
                """)
            try await database.execute(
                "CREATE TRIGGER no_pause BEFORE UPDATE ON jobs FOR EACH ROW EXECUTE FUNCTION no_pause()")
            try await scene.working([Self.worker(scene, handler)]) {
                try await JobQueue.enqueue(Self.kind, subject: UUID(), maximumAttempts: 2, in: database)
                try await scene.expectEventually({
                    try await database.scalar("SELECT state FROM jobs", as: String.self) == "done"
                })
            }
            #expect(tries.value == 7)
            #expect(handler.deadLettered.value == [])
        }
    }

    @Test("a job that takes every worker down with it is given up too")
    func killer() async throws {
        try await UploadsScene.run { scene in
            let database = scene.features.database
            let handler = TestHandler(database: database) { _ in Issue.record("must not be tried again") }
            let subject = UUID()
            try await JobQueue.enqueue(Self.kind, subject: subject, maximumAttempts: 1, in: database)
            _ = try await JobQueue(platform: scene.features.platform).claim([Self.kind], count: 1, worker: "gone")
            try await database.execute("UPDATE jobs SET lease_expires_at = now() - interval '1 second'")
            try await scene.working([Self.worker(scene, handler)]) {
                try await scene.expectEventually({ handler.deadLettered.value == [subject] })
            }
        }
    }

    @Test("a shutdown lets running work end, and gives back what does not end in time")
    func gracefulShutdown() async throws {
        try await UploadsScene.run { scene in
            let database = scene.features.database
            let begun = Mutexed(0)
            let ended = Mutexed(0)
            let short = TestHandler(database: database) { _ in
                begun.change { $0 += 1 }
                try await Task.sleep(for: .milliseconds(400))
                ended.change { $0 += 1 }
            }
            try await scene.working([Self.worker(scene, short)]) {
                try await JobQueue.enqueue(Self.kind, subject: UUID(), in: database)
                try await scene.expectEventually({ begun.value == 1 })
            }
            #expect(ended.value == 1)
            #expect(try await database.scalar("SELECT state FROM jobs", as: String.self) == "done")

            try await database.execute("DELETE FROM jobs")
            let long = TestHandler(database: database) { _ in
                begun.change { $0 += 1 }
                try await Task.sleep(for: .seconds(3600))
            }
            try await scene.working([Self.worker(scene, long, grace: 0.1)]) {
                try await JobQueue.enqueue(Self.kind, subject: UUID(), in: database)
                try await scene.expectEventually({ begun.value == 2 })
            }
            let row = try await database.one("SELECT state, attempts, lease_token FROM jobs") { row in
                (
                    state: try row.get("state", as: String.self), attempts: try row.get("attempts", as: Int32.self),
                    token: try row.get("lease_token", as: UUID?.self)
                )
            }
            #expect(row.state == "queued")
            #expect(row.attempts == 0)
            #expect(row.token == nil)
        }
    }

    @Test("a periodic task that fails comes again as always, or less and less often where it says so")
    func failingPeriodicTasks() async throws {
        struct Broken: Error {}
        try await UploadsScene.run { scene in
            let often = Mutexed(0)
            let rarely = Mutexed(0)
            let tasks = [
                PeriodicTask("be patient", every: .milliseconds(5), firstAfter: .zero) {
                    often.change { $0 += 1 }
                    throw Broken()
                },
                PeriodicTask("be in time", every: .milliseconds(5), firstAfter: .zero, atMost: .seconds(3600)) {
                    rarely.change { $0 += 1 }
                    throw Broken()
                },
            ]
            try await scene.working([PeriodicService(tasks, platform: scene.features.platform)]) {
                try await scene.expectEventually({ often.value >= 40 })
            }
            // Doubled each time, the pauses before 15 runs come to more than a minute.
            #expect((1...15).contains(rarely.value))
        }
    }

    @Test("pauses between attempts double, are spread, and end at five minutes")
    func backOff() {
        #expect((1...5).map { JobQueue.pause(afterAttempt: $0, jitter: 1) } == [2, 4, 8, 16, 32])
        #expect(JobQueue.pause(afterAttempt: 1000, jitter: 1) == 300)
        for _ in 0..<100 { #expect((1.5...2.5).contains(JobQueue.pause(afterAttempt: 1))) }
    }
}
