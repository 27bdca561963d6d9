// SPDX-License-Identifier: Apache-2.0
import IngestWire
import MarketPlatform
import MarketWire
import SheetCore

/// What a submission keeps of a cleaning, as it stands in its row.
package struct CleaningRecord: Codable, Equatable, Sendable {
    /// The clean copy.
    package var copy: ContentHash
    /// What was taken out.
    package var removed: [Removal]
    /// What was found in the file that was sent.
    package var findings: [Finding]
    /// Whether the uploader did not want the copy.
    package var isDeclined = false
}

/// The clean copy that a submission goes on with.
package struct CleanedArtifact: Sendable, Equatable {
    package var object: StoredObject
    package var record: CleaningRecord
}
