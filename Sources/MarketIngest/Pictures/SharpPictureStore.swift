// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketPlatform
import Postgres
import SheetCore

/// SQL of the sharper pictures that a page gets after its inspection.
package enum SharpPictureStore {
    /// Enters jobs for submissions whose sharper pictures nobody has asked for yet, the newest first, until so many jobs
    /// wait; gives how many came. The inspection of new uploads never stands behind a long row of them.
    package static func enqueue(
        upTo most: Int, attempts: Int, at now: Date, in database: PostgresClient
    ) async throws -> Int {
        try await database.withTransaction { connection in
            let room = most - (try await JobQueue.outstanding(.drawSharpPictures, in: connection))
            guard room > 0 else { return 0 }
            let due = try await connection.all(
                """
                UPDATE submissions SET sharpened_at = \(now)
                WHERE id IN (
                    SELECT id FROM submissions
                    WHERE sharpened_at IS NULL AND page_count > 0 AND state IN ('published', 'awaiting_review')
                    ORDER BY id DESC LIMIT \(literal: room) FOR UPDATE SKIP LOCKED)
                RETURNING id
                """
            ) { try $0.get("id", as: SubmissionID.self) }
            for id in due {
                try await JobQueue.enqueue(
                    .drawSharpPictures, subject: id.rawValue, maximumAttempts: attempts, at: now, in: connection)
            }
            return due.count
        }
    }

    /// The file whose pages are to be drawn; `nil` when there is no such submission, or its file has no pages.
    static func file(of id: SubmissionID, in database: some PostgresExecutor) async throws -> ContentHash? {
        try await database.first(
            "SELECT artifact_sha256 FROM submissions WHERE id = \(id) AND page_count > 0"
        ) { try $0.get(0) }
    }

    /// Enters pictures that lie in storage beside those of the inspection.
    static func insert(
        _ pictures: [StoredPreview], of id: SubmissionID, in connection: some PostgresExecutor
    ) async throws {
        let wider = pictures.filter { $0.width > InspectionPictures.largestWidth }
        try await IngestStore.insertPictures(wider, of: id, in: connection)
        try await connection.execute(
            """
            UPDATE submission_pages AS p SET picture_width = picture.width
            FROM unnest(
                \(wider.map { Int32(clamping: $0.page) })::integer[],
                \(wider.map { Int32(clamping: $0.width) })::integer[]) AS picture (page_index, width)
            WHERE p.submission_id = \(id) AND p.page_index = picture.page_index
            """)
    }
}

/// What the inspection draws of each page.
enum InspectionPictures {
    /// Its larger picture, in pixels; lists and comparisons use it and the smaller one.
    static let largestWidth = 1200
}
