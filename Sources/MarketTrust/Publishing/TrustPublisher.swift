// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import MarketCatalog
import MarketPlatform
import Postgres
import SheetCore

/// Signs what the catalog offers, in small steps: each is one transaction, so that readers see a whole step or none,
/// and a crash leaves the one before. One node publishes at a time: the step holds an advisory lock, which ends with
/// the transaction, and a publisher that lost its connection can commit nothing.
package struct TrustPublisher: Sendable {
    /// How a step ended.
    package enum Step: Sendable, Equatable {
        /// Another node publishes.
        case busy
        /// There is nothing left to do.
        case idle
        case more
    }

    private let platform: Platform
    private let settings: TrustSettings

    package init(platform: Platform, settings: TrustSettings = TrustSettings()) {
        self.platform = platform
        self.settings = settings
    }

    /// Publishes what there is to publish. Does nothing where no keys were ever made.
    package func publish() async throws {
        try await ChangeStore.number(platform.database)
        guard try await TrustStore.isDue(settings, at: platform.now(), platform.database) else { return }
        let begin = ContinuousClock.now
        var steps = 0
        while try await step() == .more {
            steps += 1
            try Task.checkCancellation()
        }
        platform.logger.debug(
            "signed metadata is published",
            metadata: ["steps": "\(steps)", "seconds": "\(begin.duration(to: .now).seconds)"])
    }

    /// One step.
    package func step() async throws -> Step {
        guard let secrets = platform.secrets else { throw TrustPublishingError.cannotSeal }
        let now = platform.now()
        return try await platform.database.withTransaction { connection in
            guard try await TrustStore.tryLock(connection) else { return .busy }
            guard let known = try await TrustStore.state(connection, locking: true),
                let layout = BinLayout(count: known.binCount)
            else { return .idle }
            var catalog = CatalogReading(connection: connection, layout: layout, state: known)
            let hasMore = try await catalog.read()
            var state = catalog.state
            guard !state.isSyncing else {
                try await TrustStore.save(state, connection)
                return .more
            }
            let signing = try await SigningStep(
                connection: connection, layout: layout, settings: settings, secrets: secrets, now: now)
            guard var signing else { return hasMore ? .more : .idle }
            let isUnfinished = try await signing.run(&state)
            try await TrustStore.save(state, connection)
            try await TrustStore.prune(before: now.addingTimeInterval(-settings.keptSeconds), connection)
            return hasMore || isUnfinished ? .more : .idle
        }
    }
}
