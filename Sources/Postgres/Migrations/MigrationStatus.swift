// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A migration that has been applied.
package struct AppliedMigration: Sendable, Equatable {
    /// The digits that the file name begins with: 14, or three of a repeatable file.
    package let version: String
    /// The file name without its suffix.
    package let name: String
    /// When it was applied.
    package let appliedAt: Date
    /// How long it took.
    package let milliseconds: Int
}

/// A migration's standing.
package struct MigrationStatus: Sendable, Equatable {
    /// How file and database stand to one another.
    package enum State: Sendable, Equatable {
        case applied(at: Date)
        /// Not applied, or, of a repeatable file, not in this state.
        case pending
        /// Applied, but the file is no longer the one that was; of a repeatable file, it is an older one.
        case changed(appliedAt: Date)
        /// Applied, but there is no such file.
        case unknown(appliedAt: Date)
    }

    /// The digits that the file name begins with: 14, or three of a repeatable file.
    package let version: String
    /// The file name without its suffix.
    package let name: String
    /// How file and database stand to one another.
    package let state: State
}
