// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import ServiceLifecycle

/// Begins each day for ratings and downloads beside the workers. Any number of nodes may run one.
public struct DayKeeper: Service {
    private let market: Market

    /// Works for `market`.
    public init(market: Market) {
        self.market = market
    }

    /// Works until the task is cancelled or the service group shuts down.
    public func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            // Spread, so that nodes that start together do not begin the day together.
            var pause = Duration.seconds(Double.random(in: 1...20))
            while (try? await Task.sleep(for: pause)) != nil {
                await work()
                pause = .seconds(Double.random(in: 50...70))
            }
        }
    }

    /// Does what is due.
    func work() async {
        await market.attempt("begin the day for ratings") {
            let moved = try await Ratings(database: market.database).beginDay(at: market.now())
            if moved > 0 { market.logger.info("ratings moved with the day", metadata: ["count": "\(moved)"]) }
        }
        await market.attempt("add up downloads") {
            try await DownloadStore.fold(market.database)
        }
        await market.attempt("put back what a counter-notice has freed") {
            let count = try await CopyrightService(market: market).advanceTime()
            if count > 0 { market.logger.info("works put back after counter-notices", metadata: ["count": "\(count)"]) }
        }
        await market.attempt("end a day of downloads") {
            try await DownloadStore.keepDays(at: market.now(), market.database)
        }
    }
}
