// SPDX-License-Identifier: Apache-2.0
import MarketPlatform
import Postgres
import SheetCore

/// SQL of what people corrected.
enum CorrectionStore {
    /// A corrected page of a sheet on offer.
    struct Page: Sendable {
        var label: CorrectedPageLabel
        /// Whether its owner lets the operator learn from it.
        var isAllowed: Bool
    }

    /// The condition that page `p` has regions that somebody corrected.
    static let hasCorrected: PostgresQuery = #"p.regions @> '[{"source": "corrected"}]'"#

    /// The condition that somebody corrected page `p`, be it that no region is left. Nodes of the release before leave
    /// `is_corrected` as it is.
    static let isCorrected: PostgresQuery = "(p.is_corrected OR \(fragment: hasCorrected))"

    /// Those of PDF files, by template and page.
    static func pages(_ database: some PostgresExecutor) async throws -> [Page] {
        try await database.all(
            """
            SELECT t.slug, t.license, t.is_training_allowed, u.handle, v.number, s.artifact_sha256, p.page_index, p.width, p.height,
                p.regions, p.proposed_regions,
                (SELECT i.sha256 FROM previews AS i
                    WHERE i.submission_id = p.submission_id AND i.page_index = p.page_index
                    ORDER BY i.width DESC LIMIT 1) AS picture
            FROM templates AS t
            JOIN users AS u ON u.id = t.owner_id
            JOIN versions AS v ON v.id = t.latest_version_id AND v.state = 'published'
            JOIN submissions AS s ON s.id = v.submission_id
            JOIN artifacts AS a ON a.sha256 = s.artifact_sha256 AND a.media_type = 'application/pdf'
            JOIN submission_pages AS p ON p.submission_id = s.id
            WHERE \(fragment: isCorrected)
            ORDER BY t.slug, p.page_index
            """
        ) { row in
            let hash = try row.get("artifact_sha256", as: ContentHash.self)
            let proposed = try row.get("proposed_regions", as: PostgresJSON<[ZoomRegion]>?.self)
            return Page(
                label: CorrectedPageLabel(
                    pdf: "sheets/\(hash).pdf", repository: try row.get("handle"), sha256: hash,
                    page: try row.get("page_index"), width: try row.get("width"), height: try row.get("height"),
                    regions: try row.get("regions", as: PostgresJSON<[ZoomRegion]>.self).value.map { .init($0) },
                    detected: proposed?.value.map { .init($0) }, picture: try row.get("picture"),
                    template: try row.get("slug"), version: try row.get("number"), license: try row.get("license")),
                isAllowed: try row.get("is_training_allowed"))
        }
    }
}
