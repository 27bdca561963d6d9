// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import Postgres
import ServiceLifecycle
import SheetCore
import Synchronization
import Tracing

/// Does one kind of job.
package protocol JobHandler: Sendable {
    var kind: JobKind { get }

    /// Does the work and completes the lease in the transaction that writes its results. Must bear being begun again
    /// after a crash at any point. Returns a word for the metrics. Throws `LeaseLost` to give way, anything else to be
    /// tried again later.
    func run(_ lease: JobLease) async throws -> String

    /// Tells the subject that its job is given up, in the transaction in which the job is dead-lettered.
    func deadLetter(_ lease: JobLease, in connection: PostgresConnection) async throws
}

/// How a worker works.
package struct WorkerConfiguration: Sendable {
    /// Jobs at a time.
    package var concurrency = 2
    /// How often to look for work when nobody tells of any: attempts that have become due, workers that are gone.
    package var pollSeconds = 2.0
    /// How long running jobs may go on when the service shuts down, before they are given back.
    package var graceSeconds = 20.0
    /// Named in the table, for operators.
    package var name = "\(Self.hostName):\(ProcessInfo.processInfo.processIdentifier)"

    package init() {}

    /// As the kernel knows it; Foundation would ask a name server.
    private static var hostName: String {
        // The name is only shown to operators.
        let text = try? String(contentsOfFile: "/proc/sys/kernel/hostname", encoding: .utf8)
        return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "host"
    }
}

/// Takes jobs from the queue and has them done. As many as wanted may run, in one process or on many machines.
package struct Worker: Service {
    /// Told of each ended attempt: the kind, how it ended (the handler's word, or `failed`, `dead`, `lost`, `released`)
    /// and how long it took.
    package typealias Observe = @Sendable (_ kind: JobKind, _ result: String, _ seconds: Double) -> Void

    private let database: PostgresClient
    private let queue: JobQueue
    private let handlers: [JobKind: any JobHandler]
    private let configuration: WorkerConfiguration
    private let observe: Observe
    private let logger: Logger
    private let tracer: MarketTracer?

    /// Does the jobs of `handlers`.
    package init(
        platform: Platform, handlers: [any JobHandler], configuration: WorkerConfiguration = WorkerConfiguration(),
        observe: @escaping Observe = { _, _, _ in }
    ) {
        database = platform.database
        queue = JobQueue(platform: platform)
        self.handlers = Dictionary(handlers.map { ($0.kind, $0) }, uniquingKeysWith: { first, _ in first })
        self.configuration = configuration
        self.observe = observe
        logger = platform.logger
        tracer = .current
    }

    /// Works until the service group shuts down (then ends what is running, or gives it back) or the task is cancelled
    /// (then gives it back at once).
    package func run() async throws {
        let (wakeUps, bell) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        await withGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await listen(bell) }
                group.addTask { await poll(bell) }
                await work(wakeUps, bell)
                group.cancelAll()
            }
        } onGracefulShutdown: {
            bell.finish()
        }
    }

    // MARK: - What wakes

    private func listen(_ bell: AsyncStream<Void>.Continuation) async {
        // A reconnection may have missed news, so it rings too.
        for await _ in database.listen(["jobs"]) { bell.yield() }
    }

    private func poll(_ bell: AsyncStream<Void>.Continuation) async {
        // Wakes this worker alone, also when news was missed or the queue cannot be read: no `PeriodicTask`.
        await repeating(every: .seconds(configuration.pollSeconds)) {
            do {
                try await queue.reclaim()
                for lease in try await queue.claimExhausted(kinds, worker: configuration.name) {
                    await deadLetter(lease, error: "every worker that tried was lost")
                }
            } catch {
                if !Task.isCancelled { logger.warning("cannot look after jobs", metadata: ["error": "\(error)"]) }
            }
            bell.yield()
        }
    }

    // MARK: - Working

    private var kinds: [JobKind] { Array(handlers.keys) }

    private func work(_ wakeUps: AsyncStream<Void>, _ bell: AsyncStream<Void>.Continuation) async {
        let running = RunningCount()
        await withDiscardingTaskGroup { jobs in
            for await _ in wakeUps {
                let free = configuration.concurrency - running.value
                guard free > 0 else { continue }
                for lease in await claim(free) {
                    running.add(1)
                    jobs.addTask {
                        await perform(lease)
                        running.add(-1)
                        bell.yield()
                    }
                }
            }
            await grace(running)
            jobs.cancelAll()
        }
    }

    private func claim(_ count: Int) async -> [JobLease] {
        do {
            return try await queue.claim(kinds, count: count, worker: configuration.name)
        } catch {
            if !Task.isCancelled { logger.warning("cannot claim jobs", metadata: ["error": "\(error)"]) }
            return []
        }
    }

    /// Waits for the running jobs, as long as the configuration says.
    private func grace(_ running: RunningCount) async {
        let deadline = ContinuousClock.now + .seconds(configuration.graceSeconds)
        while running.value > 0, ContinuousClock.now < deadline, !Task.isCancelled {
            // Fails only when the task is cancelled, which ends the loop.
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Does a job, as a part of the trace in which it was entered.
    private func perform(_ lease: JobLease) async {
        guard let tracer else {
            _ = await attempt(lease)
            return
        }
        var context = ServiceContext.topLevel
        context.trace = lease.trace
        await tracer.withSpan("process \(lease.kind.rawValue)", context: context, ofKind: .consumer) { span in
            let result = await attempt(lease)
            guard span.isRecording else { return }
            span.updateAttributes { attributes in
                attributes["messaging.system"] = "postgresql"
                attributes["messaging.operation.name"] = "process"
                attributes["messaging.operation.type"] = "process"
                attributes["messaging.destination.name"] = lease.kind.rawValue
                attributes["messaging.message.id"] = lease.id.description
                attributes["sheetmarket.job.subject"] = lease.subject.lowercaseText
                attributes["sheetmarket.job.attempt"] = lease.attempt
                attributes["sheetmarket.job.result"] = result
            }
            if ["failed", "dead"].contains(result) { span.setStatus(.init(code: .error)) }
        }
    }

    /// Tries to do a job, and says how that ended.
    private func attempt(_ lease: JobLease) async -> String {
        let begin = ContinuousClock.now
        var log = logger
        log[metadataKey: "job"] = "\(lease.id)"
        log[metadataKey: "kind"] = "\(lease.kind.rawValue)"
        log[metadataKey: "subject"] = "\(lease.subject.lowercaseText)"
        log[metadataKey: "attempt"] = "\(lease.attempt)"
        let result: String
        do {
            result = try await runUnderLease(lease)
            log.info("job done", metadata: ["result": "\(result)"])
        } catch is LeaseLost {
            log.notice("lost the lease of a job; what was done of it is dropped")
            result = "lost"
        } catch  where Task.isCancelled {
            // The task is cancelled, but the job must still go back: in a task of its own.
            await Task { await release(lease, log) }.value
            result = "released"
        } catch {
            result = await fail(lease, error, log)
        }
        observe(lease.kind, result, begin.duration(to: .now).seconds)
        return result
    }

    /// Runs the handler while a heartbeat keeps the lease; whichever ends first ends the other.
    private func runUnderLease(_ lease: JobLease) async throws -> String {
        guard let handler = handlers[lease.kind] else { throw LeaseLost() }
        return try await withThrowingTaskGroup(of: String?.self) { group in
            group.addTask { try await handler.run(lease) }
            group.addTask {
                try await keepAlive(lease)
                return nil
            }
            defer { group.cancelAll() }
            while let ended = try await group.next() {
                if let word = ended { return word }
            }
            throw CancellationError()
        }
    }

    /// Holds a lease as long as its job takes, so it is no `PeriodicTask`. Returns when the task is cancelled; throws
    /// `LeaseLost` when the lease is lost, or may be.
    private func keepAlive(_ lease: JobLease) async throws {
        var lastKept = ContinuousClock.now
        // Sleeping fails only when the task is cancelled.
        while (try? await Task.sleep(for: .seconds(queue.leaseSeconds / 3))) != nil {
            do {
                guard try await queue.extend(lease) else { throw LeaseLost() }
                lastKept = .now
            } catch let error as PostgresError {
                // The database may be restarting. Once the time is over, another may have the job.
                if lastKept.duration(to: .now).seconds >= queue.leaseSeconds { throw LeaseLost() }
                logger.warning("cannot extend a lease", metadata: ["job": "\(lease.id)", "error": "\(error)"])
            }
        }
    }

    private func release(_ lease: JobLease, _ log: Logger) async {
        do {
            try await queue.release(lease)
            log.info("gave a job back")
        } catch {
            log.warning("cannot give a job back; its lease will run out", metadata: ["error": "\(error)"])
        }
    }

    private func fail(_ lease: JobLease, _ error: any Error, _ log: Logger) async -> String {
        let reason = String(reflecting: error)
        do {
            if Self.isOutage(error), try await queue.postpone(lease, error: String(reason.prefix(2000))) {
                log.warning("a job has to wait", metadata: ["error": "\(reason)"])
                return "failed"
            }
            if lease.attempt < lease.maximumAttempts, try await queue.retry(lease, error: String(reason.prefix(2000))) {
                log.warning("a job failed and will be tried again", metadata: ["error": "\(reason)"])
                return "failed"
            }
        } catch {
            log.warning("cannot record a job's failure; its lease will run out", metadata: ["error": "\(error)"])
            return "failed"
        }
        log.error("a job failed for good", metadata: ["error": "\(reason)"])
        await deadLetter(lease, error: String(reason.prefix(2000)))
        return "dead"
    }

    /// Whether it is no fault of the job's: no upload is given up for it within a day.
    private static func isOutage(_ error: any Error) -> Bool {
        switch error {
        case let error as PostgresError: error.isUnavailable || error.isOutOfResources
        case StorageError.full, StorageError.unavailable: true
        default: false
        }
    }

    private func deadLetter(_ lease: JobLease, error reason: String) async {
        do {
            try await database.withTransaction { connection in
                try await JobQueue.deadLetter(lease, error: reason, in: connection)
                try await handlers[lease.kind]?.deadLetter(lease, in: connection)
            }
        } catch is LeaseLost {
        } catch {
            logger.error(
                "cannot dead-letter a job; it will be tried again when its lease has run out",
                metadata: ["job": "\(lease.id)", "error": "\(String(reflecting: error))"])
        }
    }
}

/// How many jobs a worker is at.
private final class RunningCount: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    func add(_ change: Int) { count.withLock { $0 += change } }
}
