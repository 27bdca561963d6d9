// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import Postgres
import ServiceLifecycle

/// Removes what has had its time, now and then: unnamed objects, sessions that are over, old sign-in failures, ended jobs;
/// and brings the queue up to what was downloaded since.
/// Any number of nodes may run one; they do each other no harm.
public struct Sweeper: Service {
    /// How long ended jobs stay for operators to look at, in seconds; dead ones stay for good.
    public static let doneJobSeconds = 7.0 * 86_400

    private let market: Market
    private let interval: Duration

    /// Sweeps every `interval`, the first time after a tenth of it.
    public init(market: Market, interval: Duration = .seconds(3600)) {
        self.market = market
        self.interval = interval
    }

    /// Sweeps until the task is cancelled or the service group shuts down.
    public func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            var pause = interval / 10
            // Spread, so that nodes that start together do not sweep together.
            while (try? await Task.sleep(for: pause * Double.random(in: 0.8...1.2))) != nil {
                await sweep()
                pause = interval
            }
        }
    }

    /// Sweeps once; what cannot be done is logged and left for the next time.
    public func sweep() async {
        await market.attempt("sweep sessions and tokens") {
            try await CredentialStore.sweep(at: market.now(), in: market.database)
        }
        await market.attempt("sweep sign-ins under way") {
            try await SignInStore.sweep(at: market.now(), in: market.database)
        }
        await market.attempt("erase people whose time is up") { try await Erasure(market: market).eraseDue() }
        await market.attempt("sweep sign-in failures") {
            try await SignInAttempts.sweep(at: market.now(), in: market.database)
        }
        await market.attempt("sweep letters") {
            try await MailStore.sweep(at: market.now(), in: market.database)
        }
        await market.attempt("sweep answers to repeated calls") {
            try await ReplayStore.sweep(market.database)
        }
        await market.attempt("sweep jobs") {
            try await market.database.execute(
                """
                DELETE FROM jobs WHERE state = 'done' AND finished_at < now() - \(Self.doneJobSeconds) * interval '1 second'
                """)
        }
        await market.attempt("refresh the reach of cases that wait") {
            try await CaseStore.refreshReach(in: market.database)
        }
        await market.attempt("close cases that can no longer be appealed") {
            let now = market.now()
            let end = now.addingTimeInterval(-market.limits.appealSeconds)
            while try await CaseStore.settle(before: end, at: now, in: market.database) > 0 {}
        }
        await market.attempt("sweep storage") {
            let removed = try await StorageSweep(market: market).run()
            if removed > 0 { market.logger.info("removed unnamed objects", metadata: ["count": "\(removed)"]) }
        }
    }
}
