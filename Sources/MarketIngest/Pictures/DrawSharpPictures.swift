// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import MarketPlatform
import Postgres
import SheetCore
import SystemPackage
import TemplateIngest

/// Draws a submission's pages once more, sharp enough for the viewer's largest magnification. It is done apart from the
/// inspection, so that nobody waits for it, and for sheets from before there were such pictures.
package struct DrawSharpPictures: JobHandler {
    package let kind = JobKind.drawSharpPictures
    private let platform: Platform
    private let reader: SheetReader
    private let limits: ReaderLimits

    /// How many attempts; the viewer works without these pictures.
    package static let attempts = 3
    /// Width of the pictures, in pixels.
    package static let width = 2400
    /// Most jobs of this kind that wait at once.
    private static let mostWaiting = 8

    package init(platform: Platform, reader: SheetReader, limits: ReaderLimits = ReaderLimits()) {
        self.platform = platform
        self.reader = reader
        self.limits = limits
    }

    package func run(_ lease: JobLease) async throws -> String {
        let id = SubmissionID(rawValue: lease.subject)
        guard let file = try await SharpPictureStore.file(of: id, in: platform.database) else {
            try await JobQueue.complete(lease, in: platform.database)
            return "skipped"
        }
        let pictures = try await draw(file)
        try await platform.database.withTransaction { connection in
            try await JobQueue.complete(lease, in: connection)
            guard try await SubmissionStore.lock(id, in: connection) != nil else { return }
            try await StorageGarbageCollection.blockGarbageCollection(in: connection)
            try await SharpPictureStore.insert(pictures, of: id, in: connection)
        }
        return "drawn"
    }

    /// Nothing to do: the viewer works without the pictures.
    package func deadLetter(_ lease: JobLease, in connection: PostgresConnection) async throws {}

    /// What a reader that gives up in the middle has drawn stays.
    private func draw(_ file: ContentHash) async throws -> [StoredPreview] {
        let pictures = PreviewStream(storage: platform.storage)
        let (reader, limits) = (self.reader, self.limits)
        do {
            try await platform.storage.withLocalFile(file) { location in
                _ = try await reader.read(
                    FilePath(location.path), sha256: file,
                    request: ReaderRequest(
                        limits: limits, wantsText: false, previewWidths: [Self.width], wantsLayout: false),
                    onPreview: pictures.take)
            }
        } catch StorageError.missing {
            // A lost file is for the check of the storage to tell.
            return []
        }
        return await pictures.stored
    }
}

extension DrawSharpPictures {
    /// Enters jobs for submissions that have none of these pictures; gives how many.
    @discardableResult package static func enqueueDue(_ platform: Platform) async throws -> Int {
        try await SharpPictureStore.enqueue(
            upTo: mostWaiting, attempts: attempts, at: platform.now(), in: platform.database)
    }
}

extension IngestDependencies {
    package var periodicTasks: [PeriodicTask] {
        [
            PeriodicTask("ask for sharper pictures", every: .seconds(10), firstAfter: .seconds(5)) {
                try await DrawSharpPictures.enqueueDue(platform)
            }
        ]
    }
}
