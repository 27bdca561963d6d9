// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Moderation
import Postgres
import SheetCore

/// Cases in SQL, as the desk shows them.
enum DeskStore {
    /// Where a page of the queue begins.
    struct Position: Equatable, Sendable {
        var openedAt: Date
        var id: CaseID
    }

    /// Cases in the given state, or all that are not decided; oldest first. A claim that ran out shows as open.
    static func cases(
        state: CaseState?, after position: Position?, limit: Int, at now: Date, in database: some PostgresExecutor
    ) async throws -> [CaseSummary] {
        let after: PostgresQuery =
            position.map { "AND (cases.opened_at, cases.id) > (\($0.openedAt), \($0.id))" } ?? ""
        return try await database.all(
            """
            SELECT \(fragment: summaryColumns(at: now)) FROM \(fragment: summaryTables)
            WHERE \(fragment: condition(state, at: now)) \(fragment: after)
            ORDER BY cases.opened_at, cases.id LIMIT \(limit)
            """, CaseSummary.init)
    }

    /// One case as the queue shows it.
    static func summary(
        _ id: CaseID, at now: Date, in database: some PostgresExecutor
    ) async throws -> CaseSummary? {
        try await database.first(
            """
            SELECT \(fragment: summaryColumns(at: now)) FROM \(fragment: summaryTables)
            WHERE cases.id = \(id)
            """, CaseSummary.init)
    }

    /// One case with all that a decision needs.
    static func detail(_ id: CaseID, at now: Date, in database: some PostgresExecutor) async throws -> CaseDetail? {
        async let pages = self.pages(id, in: database)
        async let decisions = self.decisions(id, in: database)
        let head = try await database.first(
            """
            SELECT \(fragment: summaryColumns(at: now)),
                submissions.state AS submission_state, submissions.progress, submissions.step, submissions.findings,
                submissions.file_name, submissions.size_bytes, submissions.artifact_sha256, submissions.page_count,
                submissions.created_at, submissions.updated_at, submissions.metadata, submissions.original_sha256,
                submissions.cleaning, templates.slug AS template_slug, submissions.kind, submissions.outline,
                submissions.changes
            FROM \(fragment: summaryTables)
            WHERE cases.id = \(id)
            """
        ) { row in
            (
                summary: try CaseSummary(row), submission: try SubmissionStatus(deskRow: row),
                metadata: try row.get("metadata", as: PostgresJSON<UploadMetadata>.self).value,
                outline: try row.get("outline", as: PostgresJSON<ContentOutline>?.self)?.value
            )
        }
        let (found, made) = try await (pages, decisions)
        guard var head else { return nil }
        head.submission.decision = made.last
        return CaseDetail(
            summary: head.summary, submission: head.submission, metadata: head.metadata, pages: found.map(\.page),
            regions: found.map(\.regions), decisions: made, outline: head.outline)
    }

    /// The file of the case's submission: name, size, hash and version.
    static func artifact(
        _ id: CaseID, in database: some PostgresExecutor
    ) async throws -> (hash: ContentHash, fileName: String, sizeBytes: Int, version: SemanticVersion)? {
        try await database.first(
            """
            SELECT submissions.artifact_sha256, submissions.file_name, submissions.size_bytes, submissions.version
            FROM submissions JOIN cases ON cases.submission_id = submissions.id
            WHERE cases.id = \(id)
            """
        ) {
            (
                hash: try $0.get("artifact_sha256"), fileName: try $0.get("file_name"),
                sizeBytes: try $0.get("size_bytes"), version: try $0.get("version")
            )
        }
    }

    /// Keeps a decision for good.
    static func insertDecision(
        _ decision: Decision, on id: CaseID, by moderator: UserID, at now: Date, in connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            INSERT INTO decisions (id, case_id, moderator_id, decision, reason_code, message, decided_at)
            VALUES (\(UUID.version7(at: now)), \(id), \(moderator), \(decision.verdict.rawValue),
                \(decision.reasonCode), \(decision.message), \(now))
            """)
    }

    /// Moves a submission on.
    static func setSubmission(
        _ id: SubmissionID, to state: SubmissionState, at now: Date, in connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            "UPDATE submissions SET state = \(state), updated_at = \(now) WHERE id = \(id)")
    }

    // MARK: Parts

    private static func condition(_ state: CaseState?, at now: Date) -> PostgresQuery {
        switch state {
        case nil: "cases.state <> 'decided'"
        case .decided: "cases.state = 'decided'"
        case .open:
            """
            cases.state <> 'decided' AND (cases.state = 'open' OR cases.claim_expires_at <= \(now))
            """
        case .claimed: "cases.state = 'claimed' AND cases.claim_expires_at > \(now)"
        }
    }

    private static func summaryColumns(at now: Date) -> PostgresQuery {
        """
        cases.id AS case_id,
        CASE WHEN cases.state = 'claimed' AND cases.claim_expires_at <= \(now) THEN 'open' ELSE cases.state END
            AS case_state,
        CASE WHEN cases.state = 'claimed' AND cases.claim_expires_at > \(now) THEN claimer.handle END AS claimed_by,
        CASE WHEN cases.state = 'claimed' AND cases.claim_expires_at > \(now) THEN cases.claim_expires_at END
            AS claim_expires_at,
        cases.opened_at, submissions.id AS submission_id, submissions.template_id, submissions.version,
        COALESCE(submissions.metadata ->> 'name', templates.name) AS template_name,
        COALESCE(submissions.metadata ->> 'gameSystem', templates.game_system) AS game_system,
        uploader.handle AS uploader,
        (SELECT CASE max(array_position('{info,warning,blocker}'::text[], finding ->> 'severity'))
                WHEN 1 THEN 'info' WHEN 2 THEN 'warning' WHEN 3 THEN 'blocker' END
         FROM jsonb_array_elements(submissions.findings) AS finding) AS severity
        """
    }

    private static let summaryTables: PostgresQuery = """
        cases
        JOIN submissions ON submissions.id = cases.submission_id
        JOIN templates ON templates.id = submissions.template_id
        JOIN users AS uploader ON uploader.id = submissions.uploader_id
        LEFT JOIN users AS claimer ON claimer.id = cases.claimed_by
        """

    private static func pages(
        _ id: CaseID, in database: some PostgresExecutor
    ) async throws -> [(page: PageSummary, regions: RegionList.Page)] {
        try await database.all(
            """
            SELECT page_index, width, height, form_fields, regions, cases.submission_id
            FROM submission_pages JOIN cases ON cases.submission_id = submission_pages.submission_id
            WHERE cases.id = \(id) ORDER BY page_index
            """
        ) { row in
            let index = try row.get("page_index", as: Int.self)
            let submission = try row.get("submission_id", as: SubmissionID.self)
            let regions = try row.get("regions", as: PostgresJSON<[ZoomRegion]>.self).value
            return (
                PageSummary(
                    index: index, width: try row.get("width"), height: try row.get("height"),
                    formFields: try row.get("form_fields"), regionCount: regions.count,
                    previewURL: "\(Paths.submission(submission.description))/pages/\(index)/preview"),
                RegionList.Page(index: index, regions: regions)
            )
        }
    }

    private static func decisions(
        _ id: CaseID, in database: some PostgresExecutor
    ) async throws -> [SubmissionStatus.Decision] {
        try await database.all(
            """
            SELECT decision, reason_code, message, decided_at FROM decisions WHERE case_id = \(id)
            ORDER BY decided_at, id
            """
        ) { row in
            SubmissionStatus.Decision(
                decision: try row.get("decision"), reasonCode: try row.get("reason_code"),
                message: try row.get("message"), decidedAt: try row.get("decided_at"))
        }
    }
}

extension CaseSummary {
    fileprivate init(_ row: PostgresRow) throws {
        self.init(
            id: try row.get("case_id"), state: try row.get("case_state"), submissionId: try row.get("submission_id"),
            templateId: try row.get("template_id"), templateName: try row.get("template_name"),
            gameSystem: try row.get("game_system"), version: try row.get("version"), uploader: try row.get("uploader"),
            claimedBy: try row.get("claimed_by"), claimExpiresAt: try row.get("claim_expires_at"),
            severity: try row.get("severity"), openedAt: try row.get("opened_at"))
    }
}

extension SubmissionStatus {
    fileprivate init(deskRow row: PostgresRow) throws {
        self.init(
            id: try row.get("submission_id"), state: try row.get("submission_state"),
            progress: Progress(fraction: try row.get("progress"), step: try row.get("step")),
            findings: try row.get("findings", as: PostgresJSON<[Finding]>.self).value,
            templateId: try row.get("template_id"), templateSlug: try row.get("template_slug"),
            templateName: try row.get("template_name"), version: try row.get("version"), caseId: try row.get("case_id"),
            fileName: try row.get("file_name"), sizeBytes: try row.get("size_bytes"),
            sha256: try row.get("artifact_sha256"), pageCount: try row.get("page_count"), decision: nil,
            cleaned: try SubmissionStatus.Cleaned(row), createdAt: try row.get("created_at"),
            updatedAt: try row.get("updated_at"), kind: try row.get("kind"),
            changes: try row.get("changes", as: PostgresJSON<VersionChanges>?.self)?.value)
    }
}
