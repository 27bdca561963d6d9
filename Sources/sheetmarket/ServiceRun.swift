// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import ServiceLifecycle
import Synchronization
import UnixSignals

/// Prepares services, runs them, and ends them on SIGINT or SIGTERM, at any moment of that.
///
/// The first signal ends in order: no new work, what is under way gets its time. A second one does not wait.
final class ServiceRun: Sendable {
    private struct State {
        var isEnding = false
        var group: ServiceGroup?
        var work: Task<Void, any Error>?
    }

    private let state = Mutex(State())
    private let grace: Duration
    private let logger: Logger

    init(grace: Duration, logger: Logger) {
        self.grace = grace
        self.logger = logger
    }

    /// Runs what `prepare` gives; it ends in the reverse order. `prepare` is cancelled when a signal comes before it is
    /// done. Returns when all has ended as asked.
    func run(_ prepare: @escaping @Sendable () async throws -> [any Service]) async throws {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        // A task of its own, so that a second signal can cancel it; awaited below.
        let work = Task { try await self.work(prepare) }
        state.withLock { $0.work = work }
        let watcher = Task {
            for await signal in signals { await self.end(because: signal) }
        }
        defer { watcher.cancel() }
        do {
            try await work.value
        } catch let error as ServiceGroupError {
            // Its own description shows the insides of every service.
            guard error.errorCode == .serviceFinishedUnexpectedly else { throw CommandFailure("\(error.errorCode)") }
            throw CommandFailure("A part of the service ended by itself; the log says which.")
        } catch {
            // Whatever is cut off by a signal while it prepares may fail in its own words.
            let wasCutOff = state.withLock { $0.isEnding && ($0.group == nil || error is CancellationError) }
            guard wasCutOff else { throw error }
        }
    }

    private func work(_ prepare: @Sendable () async throws -> [any Service]) async throws {
        let services = try await prepare().map { service in
            ServiceGroupConfiguration.ServiceConfiguration(
                service: NamedService(service: service),
                successTerminationBehavior: service is any FiniteService ? .gracefullyShutdownGroup : .cancelGroup)
        }
        var configuration = ServiceGroupConfiguration(services: services, logger: logger)
        configuration.maximumGracefulShutdownDuration = grace + .seconds(10)
        let group = ServiceGroup(configuration: configuration)
        let mayRun = state.withLock { state in
            state.group = group
            return !state.isEnding
        }
        if !mayRun { await group.triggerGracefulShutdown() }
        try await group.run()
    }

    private func end(because signal: UnixSignal) async {
        let (isFirst, group, work) = state.withLock { state in
            defer { state.isEnding = true }
            return (!state.isEnding, state.group, state.work)
        }
        logger.notice(isFirst ? "ending" : "ending without waiting", metadata: ["signal": "\(signal)"])
        if isFirst, let group {
            await group.triggerGracefulShutdown()
        } else {
            work?.cancel()
        }
    }
}

/// A service whose end is the end of the run, not a failure.
protocol FiniteService: Service {}

/// A service that prints as its name: groups print services into logs and errors, with all that is in them.
private struct NamedService: Service, CustomStringConvertible {
    let service: any Service

    var description: String { "\(type(of: service))" }

    func run() async throws { try await service.run() }
}
