// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketIngest
import MarketWire
import Moderation
import Postgres
import SheetCore

enum CaseDetailStore {
    /// The case itself, with the upload that it is about or that the version in question was made of.
    struct Head: Sendable {
        var summary: CaseSummary
        var submission: SubmissionStatus?
        var metadata: UploadMetadata?
        var outline: ContentOutline?
        var respondent: UserID?
    }

    static func head(_ id: CaseID, terms: CaseDueTimes, in database: some PostgresExecutor) async throws
        -> Head?
    {
        try await database.first(
            """
            SELECT \(fragment: CaseQueueStore.summaryColumns(terms)), submissions.id AS submission_id, submissions.version,
                submissions.state AS submission_state, submissions.progress, submissions.step, submissions.findings,
                submissions.file_name, submissions.size_bytes, submissions.artifact_sha256, submissions.page_count,
                submissions.created_at, submissions.updated_at, submissions.metadata, submissions.original_sha256,
                submissions.cleaning, templates.slug AS template_slug, submissions.kind, submissions.outline,
                submissions.changes, cases.respondent_id
            FROM \(fragment: CaseQueueStore.summaryTables)
            WHERE cases.id = \(id)
            """
        ) { row in
            var head = Head(summary: try CaseSummary(row), respondent: try row.get("respondent_id"))
            guard try row.get("submission_id", as: SubmissionID?.self) != nil else { return head }
            head.submission = try SubmissionStatus(caseRow: row)
            head.metadata = try row.get("metadata", as: PostgresJSON<UploadMetadata>.self).value
            head.outline = try row.get("outline", as: PostgresJSON<ContentOutline>?.self)?.value
            return head
        }
    }

    /// The text of each page, in order.
    static func texts(_ id: SubmissionID, in database: some PostgresExecutor) async throws -> [String] {
        try await database.all(
            "SELECT page_text FROM submission_pages WHERE submission_id = \(id) ORDER BY page_index"
        ) { try $0.get("page_text") }
    }

    static func decisions(
        _ id: CaseID, in database: some PostgresExecutor
    ) async throws -> [SubmissionStatus.Decision] {
        try await database.all(
            """
            SELECT decision, reason_code, message, decided_at, evidence FROM decisions WHERE case_id = \(id)
            ORDER BY decided_at, id
            """
        ) { row in
            SubmissionStatus.Decision(
                decision: try row.get("decision"), reasonCode: try row.get("reason_code"),
                message: try row.get("message"), decidedAt: try row.get("decided_at"),
                evidence: try row.get("evidence", as: PostgresJSON<[String]>.self).value)
        }
    }

    static func proposal(_ id: CaseID, in database: some PostgresExecutor) async throws -> CaseProposal? {
        try await database.first(
            """
            SELECT p.decision, p.reason_code, p.message, p.evidence, p.ends_at, u.handle, p.proposed_at
            FROM case_proposals AS p JOIN users AS u ON u.id = p.moderator_id WHERE p.case_id = \(id)
            """
        ) { row in
            CaseProposal(
                decision: try row.get("decision"), reasonCode: try row.get("reason_code"),
                message: try row.get("message"),
                evidence: try row.get("evidence", as: PostgresJSON<[String]>.self).value,
                until: try row.get("ends_at"), by: try row.get("handle"), proposedAt: try row.get("proposed_at"))
        }
    }

    /// The newest reports of a case.
    static func reports(_ id: CaseID, in database: some PostgresExecutor) async throws -> [CaseReport] {
        try await database.all(
            """
            SELECT r.id, r.reason, r.text, u.handle, r.state, r.created_at
            FROM reports AS r JOIN users AS u ON u.id = r.reporter_id
            WHERE r.case_id = \(id) ORDER BY r.id DESC LIMIT 100
            """
        ) { row in
            CaseReport(
                id: try row.get("id"), reason: try row.get("reason"), text: try row.get("text"),
                by: try row.get("handle"), state: try row.get("state"), createdAt: try row.get("created_at"))
        }
    }

    static func review(_ id: ReviewID, in database: some PostgresExecutor) async throws -> CaseReview? {
        try await database.first(
            """
            SELECT r.stars, r.text, u.handle, r.hidden_at IS NOT NULL AS is_hidden, r.updated_at
            FROM reviews AS r JOIN users AS u ON u.id = r.user_id WHERE r.id = \(id)
            """
        ) { row in
            CaseReview(
                id: id, stars: try row.get("stars"), text: try row.get("text"), by: try row.get("handle"),
                isHidden: try row.get("is_hidden"), updatedAt: try row.get("updated_at"))
        }
    }

    /// What a person wrote in a collection or their profile; `nil` when it is gone.
    static func memberText(
        _ part: ReportSubject.Part, of person: UserID, collection: MemberCollectionID?,
        in database: some PostgresExecutor
    ) async throws -> CaseMemberText? {
        let query: PostgresQuery
        switch part {
        case .collection:
            query = """
                SELECT c.title, c.summary AS text, ARRAY[]::text[] AS links, u.handle, c.updated_at,
                    NULL::bytea AS picture, EXISTS (SELECT FROM visible_member_collections AS v WHERE v.id = c.id) AS is_visible
                FROM member_collections AS c JOIN users AS u ON u.id = c.owner_id WHERE c.id = \(collection)
                """
        case .profile:
            query = """
                SELECT u.display_name AS title, p.bio AS text, p.links, u.handle, p.updated_at,
                    i.sha256 AS picture, EXISTS (SELECT FROM visible_profiles AS v WHERE v.user_id = p.user_id) AS is_visible
                FROM profiles AS p JOIN users AS u ON u.id = p.user_id
                LEFT JOIN profile_pictures AS i ON i.user_id = p.user_id WHERE p.user_id = \(person)
                """
        }
        return try await database.first(query) { row in
            CaseMemberText(
                part: part, title: try row.get("title"), text: try row.get("text"), links: try row.get("links"),
                by: try row.get("handle"), isHidden: !(try row.get("is_visible", as: Bool.self)),
                updatedAt: try row.get("updated_at"),
                pictureURL: try row.get("picture", as: ContentHash?.self).map(Paths.picture))
        }
    }

    static func author(_ id: UserID, in database: some PostgresExecutor) async throws -> CaseAuthor? {
        try await database.first(
            """
            SELECT u.handle, u.created_at, u.disabled_at IS NOT NULL AS is_disabled, s.*,
                (SELECT count(*) FROM versions AS v JOIN submissions AS p ON p.id = v.submission_id
                 WHERE p.uploader_id = u.id AND v.state = 'taken_down') AS taken_down,
                (SELECT count(*) FROM cases AS c
                 WHERE c.respondent_id = u.id AND c.state IN ('open', 'claimed', 'waiting')) AS open_cases
            FROM users AS u
            CROSS JOIN LATERAL (
                SELECT count(*) FILTER (WHERE state = 'published') AS published,
                    count(*) FILTER (WHERE state = 'rejected') AS rejected,
                    count(*) FILTER (WHERE state = 'changes_requested') AS changes_requested
                FROM submissions WHERE uploader_id = u.id
            ) AS s
            WHERE u.id = \(id)
            """
        ) { row in
            CaseAuthor(
                handle: try row.get("handle"), since: try row.get("created_at"), published: try row.get("published"),
                rejected: try row.get("rejected"), changesRequested: try row.get("changes_requested"),
                takenDown: try row.get("taken_down"), openCases: try row.get("open_cases"),
                isDisabled: try row.get("is_disabled"))
        }
    }

    /// Other cases of the same template, or of the same person where there is none; newest first.
    static func history(
        of id: CaseID, terms: CaseDueTimes, in database: some PostgresExecutor
    ) async throws -> [CaseSummary] {
        try await database.all(
            """
            SELECT \(fragment: CaseQueueStore.summaryColumns(terms)) FROM \(fragment: CaseQueueStore.summaryTables)
            JOIN cases AS this ON this.id = \(id)
            WHERE cases.id <> this.id
                AND (cases.template_id = this.template_id
                    OR this.template_id IS NULL AND cases.respondent_id = this.respondent_id)
            ORDER BY cases.opened_at DESC, cases.id DESC LIMIT 20
            """, CaseSummary.init)
    }
}

extension SubmissionStatus {
    fileprivate init(caseRow row: PostgresRow) throws {
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

extension CaseDetailStore {
    /// Whether a picture shows differences of the submission that a case is about.
    static func hasDifference(_ hash: ContentHash, of id: CaseID, in database: some PostgresExecutor)
        async throws -> Bool
    {
        try await database.scalar(
            """
            SELECT EXISTS (
                SELECT FROM page_differences AS d WHERE d.sha256 = \(hash) AND d.submission_id = (
                    SELECT submissions.id FROM \(fragment: CaseQueueStore.summaryTables) WHERE cases.id = \(id)))
            """, as: Bool.self)
    }
}
