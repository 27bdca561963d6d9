// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import MarketPlatform
import MarketWire
import SheetCore
import TemplateIngest

/// What an inspection came to.
package struct InspectionOutcome: Sendable {
    package var report: ReaderReport
    package var pictures: [StoredPreview]
    package var imported: ImportedFile
    /// What takes the file's place, where it was cleaned; report and pictures are the copy's then.
    package var copy: CleanedArtifact?
    /// What changed since the version on offer, where there is one.
    package var changes: VersionChanges?
    /// Pages that look like those of other sheets.
    package var alike: [SimilarPage] = []
    /// What the reader found on pages, by their index, whose regions were taken from elsewhere.
    package var proposals: [Int: [ZoomRegion]] = [:]
    /// Pages, by their index, that have no regions since somebody deleted all of them in the version on offer.
    package var emptied: Set<Int> = []

    package init(
        report: ReaderReport, pictures: [StoredPreview], imported: ImportedFile, copy: CleanedArtifact? = nil,
        changes: VersionChanges? = nil, alike: [SimilarPage] = []
    ) {
        self.report = report
        self.pictures = pictures
        self.imported = imported
        self.copy = copy
        self.changes = changes
        self.alike = alike
    }

    /// Pages, by their index, whose regions are what somebody made of them, be it none.
    package var correctedPages: Set<Int> {
        let drawn = report.pages.filter { page in page.regions.contains { $0.source == .corrected } }
        return emptied.union(drawn.map(\.index))
    }

    /// A blocker refuses, whatever the verdict says.
    var isRefused: Bool {
        report.verdict == .refused || report.findings.contains { $0.severity == .blocker }
    }

    /// Whether there is something to lay the pages over.
    var wantsDifferences: Bool { !isRefused && (changes != nil || !alike.isEmpty) }
}

/// A page's picture that lies in storage.
package struct StoredPreview: Sendable, Equatable {
    package var page: Int
    package var width: Int
    package var height: Int
    package var object: StoredObject
}
