// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import MarketCatalog
import MarketWire
import Postgres
import SheetCore
import TemplateIngest

/// SQL of comparing a new version with the one on offer.
enum ComparisonStore {
    /// The version that a template offers on a channel, with what is compared of it; `nil` when it offers none.
    static func offered(
        by template: TemplateID, on channel: ReleaseChannel, in database: some PostgresExecutor
    ) async throws -> (version: SemanticVersion, pages: [ComparedPage])? {
        let rows = try await database.all(
            """
            SELECT v.number, p.page_index, p.width, p.height, p.regions, l.layout, p.perceptual_hash
            FROM templates AS t
            JOIN versions AS v ON \(fragment: VersionKey.offered(channel).condition)
            JOIN submission_pages AS p ON p.submission_id = v.submission_id
            LEFT JOIN page_layouts AS l ON l.submission_id = p.submission_id AND l.page_index = p.page_index
            WHERE t.id = \(template)
            ORDER BY p.page_index
            """
        ) { row in
            (
                version: try row.get(0, as: SemanticVersion.self),
                page: ComparedPage(
                    index: try row.get(1), width: try row.get(2), height: try row.get(3),
                    look: try row.get(6, as: Fingerprint?.self),
                    layout: try row.get(5, as: PostgresJSON<PageLayout>?.self)?.value ?? PageLayout(),
                    regions: try row.get(4, as: PostgresJSON<[ZoomRegion]>.self).value)
            )
        }
        return rows.first.map { ($0.version, rows.map(\.page)) }
    }

    /// Keeps what later versions are compared with. The pages are there.
    static func insertLayouts(
        _ pages: [ReaderReport.Page], of id: SubmissionID, in connection: some PostgresExecutor
    ) async throws {
        let encoder = JSONEncoder()
        let layouts = try pages.map { String(decoding: try encoder.encode(PageLayout($0)), as: UTF8.self) }
        try await connection.execute(
            """
            INSERT INTO page_layouts (submission_id, page_index, layout)
            SELECT \(id), page_index, layout::jsonb FROM unnest(
                \(pages.map { Int32(clamping: $0.index) })::integer[], \(layouts)::text[]) AS page (page_index, layout)
            """)
    }

    static func setChanges(
        _ changes: VersionChanges?, of id: SubmissionID, in connection: some PostgresExecutor
    ) async throws {
        guard let changes else { return }
        try await connection.execute("UPDATE submissions SET changes = \(PostgresJSON(changes)) WHERE id = \(id)")
    }
}
