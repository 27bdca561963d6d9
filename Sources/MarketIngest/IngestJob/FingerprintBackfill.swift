// SPDX-License-Identifier: Apache-2.0
import IngestWire
import MarketPlatform
import Postgres
import SheetCore

/// Gives pages that were stored before there were fingerprints theirs.
package struct FingerprintBackfill: Sendable {
    package let platform: Platform
    /// Reads a stored file again.
    package let read: @Sendable (InspectionDependencies.File) async throws -> ReaderReport

    package init(
        platform: Platform, read: @escaping @Sendable (InspectionDependencies.File) async throws -> ReaderReport
    ) {
        self.platform = platform
        self.read = read
    }

    private static let batch = 50

    /// Goes once through all that lacks them; gives the number of pages that have them now.
    package func run(onSheet: @Sendable (_ name: String, _ pages: Int) async -> Void) async throws -> Int {
        var last: SubmissionID?
        var count = 0
        while true {
            let batch = try await Self.lacking(after: last, in: platform.database)
            for sheet in batch {
                let pages = try await fill(sheet)
                count += pages
                await onSheet(sheet.fileName, pages)
            }
            guard let end = batch.last, batch.count == Self.batch else { return count }
            last = end.id
        }
    }

    private func fill(_ sheet: Sheet) async throws -> Int {
        let read = self.read
        let report: ReaderReport
        do {
            report = try await platform.storage.withLocalFile(sheet.sha256) { location in
                try await read(.init(location: location, sha256: sheet.sha256, name: sheet.fileName))
            }
        } catch StorageError.missing {
            // One lost file is no reason to leave out those behind it.
            return 0
        }
        return try await Self.fill(report.pages, of: sheet.id, in: platform.database)
    }

    private struct Sheet: Sendable {
        var id: SubmissionID
        var sha256: ContentHash
        var fileName: String
    }

    /// Submissions that were published or wait for it, whose first page has no fingerprint.
    private static func lacking(
        after last: SubmissionID?, in database: some PostgresExecutor
    ) async throws -> [Sheet] {
        try await database.all(
            """
            SELECT submissions.id, artifact_sha256, file_name
            FROM submissions
            JOIN submission_pages AS p ON p.submission_id = submissions.id AND p.page_index = 0
            WHERE p.perceptual_hash IS NULL AND submissions.state IN ('published', 'awaiting_review')
                AND (\(last)::uuid IS NULL OR submissions.id > \(last))
            ORDER BY submissions.id LIMIT \(batch)
            """
        ) { row in
            Sheet(id: try row.get("id"), sha256: try row.get("artifact_sha256"), fileName: try row.get("file_name"))
        }
    }

    private static func fill(
        _ pages: [ReaderReport.Page], of id: SubmissionID, in database: some PostgresExecutor
    ) async throws -> Int {
        let pages = pages.filter { $0.look != nil }
        return try await database.execute(
            """
            UPDATE submission_pages AS p SET perceptual_hash = page.look::bit(64), text_hash = page.words::bit(64)
            FROM unnest(
                \(pages.map { Int32(clamping: $0.index) })::integer[], \(pages.map(\.look))::bigint[],
                \(pages.map(\.words))::bigint[]) AS page (page_index, look, words)
            WHERE p.submission_id = \(id) AND p.page_index = page.page_index
            """)
    }
}
