// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Where an upload stands in the queue.
public struct QueuePlace: Sendable, Codable, Equatable {
    /// Roughly how many are before it.
    public enum Band: String, Sendable, Codable, CaseIterable {
        /// Fewer than 5.
        case next
        /// Fewer than 25.
        case early
        /// Fewer than 100.
        case middle
        /// 100 or more.
        case late
    }

    /// How long it took with others like it.
    public struct Estimate: Sendable, Codable, Equatable {
        /// Half were decided within this many seconds of waiting.
        public var medianSeconds: Int
        /// Nine in ten were.
        public var p90Seconds: Int
        /// Of how many cases, of the last 90 days.
        public var cases: Int

        public init(medianSeconds: Int, p90Seconds: Int, cases: Int) {
            self.medianSeconds = medianSeconds
            self.p90Seconds = p90Seconds
            self.cases = cases
        }
    }

    /// How urgent it is.
    public var band: Band
    /// Since when it waits.
    public var waitingSince: Date
    /// By when it should be decided.
    public var promisedAt: Date
    /// Absent while there is too little to go by.
    public var estimate: Estimate?

    public init(band: Band, waitingSince: Date, promisedAt: Date, estimate: Estimate?) {
        self.band = band
        self.waitingSince = waitingSince
        self.promisedAt = promisedAt
        self.estimate = estimate
    }
}
