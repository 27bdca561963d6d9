// SPDX-License-Identifier: Apache-2.0
import MarketWire

/// Why a report is not taken.
package enum ReportError: Error, Equatable, Sendable {
    case textTooLong
    /// There is no such thing that the reporter could see.
    case noSuchSubject(ReportSubject.Kind)
    /// The reporter has an open report on the same.
    case reportedBefore
    /// The reporter has sent as many within a day as are taken.
    case tooMany(allowed: Int, retryAfterSeconds: Int)
}
