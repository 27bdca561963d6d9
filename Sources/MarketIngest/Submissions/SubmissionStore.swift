// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Postgres
import SheetCore

/// A submission with what only some may know of it.
package struct SubmissionRecord: Equatable, Sendable {
    /// What its uploader and the moderators see.
    package var status: SubmissionStatus
    /// Who uploaded it.
    package var uploaderID: UserID
}

/// Submissions, read and moved on.
package enum SubmissionStore {
    private static let columns: PostgresQuery = """
        submissions.id, submissions.state, submissions.progress::float8 AS progress, submissions.step,
        submissions.findings, submissions.template_id, templates.slug,
        coalesce(submissions.metadata->>'name', templates.name) AS name, submissions.version, submissions.file_name,
        submissions.size_bytes, submissions.artifact_sha256, submissions.page_count, submissions.created_at,
        submissions.updated_at, submissions.uploader_id, submissions.original_sha256, submissions.cleaning,
        submissions.kind, submissions.changes, cases.id AS case_id, last.decision, last.reason_code,
        last.message, last.decided_at
        """

    private static let tables: PostgresQuery = """
        submissions
        JOIN templates ON templates.id = submissions.template_id
        LEFT JOIN cases ON cases.submission_id = submissions.id
        LEFT JOIN LATERAL (
            SELECT decision, reason_code, message, decided_at FROM decisions
            WHERE decisions.case_id = cases.id ORDER BY decided_at DESC LIMIT 1
        ) AS last ON true
        """

    package static func fetch(_ id: SubmissionID, in database: some PostgresExecutor) async throws -> SubmissionRecord?
    {
        try await database.first(
            "SELECT \(fragment: columns) FROM \(fragment: tables) WHERE submissions.id = \(id)", record)
    }

    /// A person's own, newest first, those in one state or in any, and those before `cursor`.
    package static func list(
        uploader: UserID, state: SubmissionState? = nil, before cursor: SubmissionID?, limit: Int,
        in database: some PostgresExecutor
    ) async throws -> [SubmissionStatus] {
        let after: PostgresQuery = if let cursor { "AND submissions.id < \(cursor)" } else { "" }
        let kept: PostgresQuery = if let state { "AND submissions.state = \(state)" } else { "" }
        return try await database.all(
            """
            SELECT \(fragment: columns) FROM \(fragment: tables)
            WHERE submissions.uploader_id = \(uploader) \(fragment: kept) \(fragment: after)
            ORDER BY submissions.id DESC LIMIT \(literal: limit)
            """, record
        ).map { record in
            var status = record.status
            status.changes = nil
            return status
        }
    }

    /// The pages that the reader saw, with their regions.
    package static func pages(
        _ id: SubmissionID, in database: some PostgresExecutor
    ) async throws -> [(page: PageSummary, regions: [ZoomRegion])] {
        try await database.all(
            """
            SELECT page_index, width, height, form_fields, regions, picture_width FROM submission_pages
            WHERE submission_id = \(id) ORDER BY page_index
            """
        ) { row in
            let index: Int = try row.get("page_index")
            let regions = try row.get("regions", as: PostgresJSON<[ZoomRegion]>.self).value
            let page = PageSummary(
                index: index, width: try row.get("width"), height: try row.get("height"),
                formFields: try row.get("form_fields"), regionCount: regions.count,
                previewURL: "\(Paths.submission(id.description))/pages/\(index)/preview",
                previewWidth: try row.get("picture_width"))
            return (page, regions)
        }
    }

    /// The readable rendering of a kind without pages.
    package static func outline(_ id: SubmissionID, in database: some PostgresExecutor) async throws -> ContentOutline?
    {
        try await database.first("SELECT outline FROM submissions WHERE id = \(id)") { row in
            try row.get("outline", as: PostgresJSON<ContentOutline>?.self)?.value
        } ?? nil
    }

    /// Locks a submission for the rest of the transaction and tells where it stands.
    package static func lock(_ id: SubmissionID, in connection: some PostgresExecutor) async throws -> SubmissionState?
    {
        try await connection.first("SELECT state FROM submissions WHERE id = \(id) FOR UPDATE") { row in
            try row.get("state")
        }
    }

    /// Moves a locked submission on.
    package static func update(
        _ id: SubmissionID, to state: SubmissionState, progress: Double? = nil, step: String,
        in connection: some PostgresExecutor
    ) async throws {
        try await connection.execute(
            """
            UPDATE submissions SET state = \(state), progress = coalesce(\(progress), progress), step = \(step),
                updated_at = clock_timestamp()
            WHERE id = \(id)
            """)
    }

    /// Puts the file that was sent back in the place of its clean copy, with what was found in it; `false` when nothing
    /// was cleaned, or that was declined before.
    package static func declineCleaning(_ id: SubmissionID, in connection: some PostgresExecutor) async throws -> Bool {
        try await connection.execute(
            """
            UPDATE submissions SET artifact_sha256 = original_sha256, size_bytes = original_size_bytes,
                findings = cleaning -> 'findings', cleaning = jsonb_set(cleaning, '{isDeclined}', 'true')
            WHERE id = \(id) AND cleaning ->> 'isDeclined' = 'false'
            """) == 1
    }

    private static func record(_ row: PostgresRow) throws -> SubmissionRecord {
        var decision: SubmissionStatus.Decision?
        if let kind = try row.get("decision", as: DecisionKind?.self) {
            decision = SubmissionStatus.Decision(
                decision: kind, reasonCode: try row.get("reason_code"), message: try row.get("message"),
                decidedAt: try row.get("decided_at"))
        }
        let status = SubmissionStatus(
            id: try row.get("id"), state: try row.get("state"),
            progress: .init(fraction: try row.get("progress"), step: try row.get("step")),
            findings: try row.get("findings", as: PostgresJSON<[Finding]>.self).value,
            templateId: try row.get("template_id"), templateSlug: try row.get("slug"),
            templateName: try row.get("name"), version: try row.get("version"), caseId: try row.get("case_id"),
            fileName: try row.get("file_name"), sizeBytes: try row.get("size_bytes"),
            sha256: try row.get("artifact_sha256"), pageCount: try row.get("page_count"), decision: decision,
            cleaned: try SubmissionStatus.Cleaned(row), createdAt: try row.get("created_at"),
            updatedAt: try row.get("updated_at"), kind: try row.get("kind"),
            changes: try row.get("changes", as: PostgresJSON<VersionChanges>?.self)?.value)
        return SubmissionRecord(status: status, uploaderID: try row.get("uploader_id"))
    }
}

extension SubmissionStore {
    /// The submission behind a template's version.
    package static func submission(
        of template: TemplateID, version: SemanticVersion, in database: some PostgresExecutor
    ) async throws -> SubmissionID? {
        try await database.first(
            "SELECT submission_id FROM versions WHERE template_id = \(template) AND number = \(version)"
        ) { try $0.get("submission_id") }
    }
}

extension SubmissionStore {
    /// Those of the uploads whose versions are no longer on offer, and where these stand.
    package static func withdrawnVersions(
        of uploads: [SubmissionID], in database: some PostgresExecutor
    ) async throws -> [SubmissionID: VersionState] {
        if uploads.isEmpty { return [:] }
        let rows = try await database.all(
            """
            SELECT submission_id, state FROM versions
            WHERE submission_id = ANY (\(uploads)::uuid[]) AND state <> \(VersionState.published)
            """
        ) { row in
            (try row.get("submission_id", as: SubmissionID.self), try row.get("state", as: VersionState.self))
        }
        return Dictionary(rows, uniquingKeysWith: { first, _ in first })
    }
}

extension SubmissionStore {
    /// The regions that the inspection proposed, of pages where somebody corrected them.
    package static func proposedRegions(
        _ id: SubmissionID, in database: some PostgresExecutor
    ) async throws -> RegionList {
        RegionList(
            pages: try await database.all(
                """
                SELECT page_index, proposed_regions FROM submission_pages
                WHERE submission_id = \(id) AND proposed_regions IS NOT NULL ORDER BY page_index
                """
            ) { row in
                RegionList.Page(
                    index: try row.get(0), regions: try row.get(1, as: PostgresJSON<[ZoomRegion]>.self).value)
            })
    }
}
