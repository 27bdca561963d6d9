// SPDX-License-Identifier: Apache-2.0
import Foundation

/// How long signed metadata is good, and when it is signed anew (The Update Framework 1.0, section 6.1). Seconds.
package struct TrustSettings: Sendable {
    /// Whoever can hold a client back from news can do so no longer than this.
    package var timestampSeconds = 7.0 * 86_400
    package var snapshotSeconds = 14.0 * 86_400
    package var binSeconds = 90.0 * 86_400
    package var targetsSeconds = 365.0 * 86_400
    package var rootSeconds = 365.0 * 86_400
    /// The timestamp is signed anew when it is older.
    package var timestampAge = 86_400.0
    /// A snapshot or a bin is signed anew when less than this part of its time is left.
    package var leastPart = 0.5
    /// Operators are told when a root or targets end within this.
    package var warningSeconds = 60.0 * 86_400
    /// Superseded metadata stays for readers that are at it.
    package var keptSeconds = 86_400.0

    package init() {}
}

/// Versions of what is signed online.
enum TrustVersion {
    /// 2026-01-01.
    private static let beginning = 1_767_225_600.0

    /// The seconds since the beginning of 2026, and always more than before: so what a database signs that was restored
    /// from a backup is later than what clients saw before the restoring, and no rollback.
    static func next(after last: Int64, at now: Date) -> Int64 {
        max(last + 1, Int64(now.timeIntervalSince1970 - beginning))
    }
}

/// How much is done in one step of the publisher, which is one transaction.
enum TrustBatch {
    static let bins = 64
    /// Entries of the change feed.
    static let changes = 500
    /// While all are gone through.
    static let templates = 500
}
