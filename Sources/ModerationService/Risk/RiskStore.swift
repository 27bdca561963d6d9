// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Moderation
import Postgres
import SheetCore

/// SQL of the risk score: what the rules are told, and what they said.
enum RiskStore {
    /// The template as it stands before a submission is published.
    struct PublishedState: Sendable {
        var slug: String
        var isOffered: Bool
        var name: String
        var license: String
        var gameSystem: String
        var language: String
        var uploaderHandle: String
        var uploaderName: String
    }

    static func publishedState(
        of template: TemplateID, uploader: UserID, in database: some PostgresExecutor
    ) async throws -> PublishedState? {
        try await database.first(
            """
            SELECT t.slug, t.latest_version_id IS NOT NULL AS is_offered, t.name, t.license, t.game_system, t.language,
                u.handle, u.display_name
            FROM templates AS t CROSS JOIN users AS u WHERE t.id = \(template) AND u.id = \(uploader)
            """
        ) { row in
            PublishedState(
                slug: try row.get("slug"), isOffered: try row.get("is_offered"), name: try row.get("name"),
                license: try row.get("license"), gameSystem: try row.get("game_system"),
                language: try row.get("language"), uploaderHandle: try row.get("handle"),
                uploaderName: try row.get("display_name"))
        }
    }

    /// What an uploader did before, and whether the template was reported.
    static func record(
        of uploader: UserID, template: TemplateID, at now: Date, in database: some PostgresExecutor
    ) async throws -> AuthorRecord {
        try await database.first(
            """
            SELECT extract(epoch FROM \(now)::timestamptz - u.created_at)::float8 / 86400 AS days,
                (SELECT count(*) FROM submissions AS s WHERE s.uploader_id = u.id AND s.state = 'published'
                    AND EXISTS (SELECT FROM cases JOIN decisions ON decisions.case_id = cases.id
                        WHERE cases.submission_id = s.id AND decisions.decision = 'approve')) AS approvals,
                (SELECT count(*) FROM submissions AS s WHERE s.uploader_id = u.id AND s.state = 'rejected'
                    AND s.updated_at > \(now)::timestamptz - interval '90 days'
                    AND EXISTS (SELECT FROM cases JOIN decisions ON decisions.case_id = cases.id
                        WHERE cases.submission_id = s.id AND decisions.decision = 'reject')) AS refusals,
                (SELECT count(*) FROM versions AS v JOIN submissions AS s ON s.id = v.submission_id
                    WHERE s.uploader_id = u.id AND v.state = 'taken_down') AS take_downs,
                (SELECT count(*) FROM submissions AS s WHERE s.uploader_id = u.id
                    AND s.created_at > \(now)::timestamptz - interval '1 day') AS today,
                (SELECT count(*) FROM reports AS r WHERE r.state = 'open' AND (
                    r.subject_kind = 'template' AND r.subject_id = \(template)
                    OR r.subject_kind = 'version'
                        AND r.subject_id IN (SELECT id FROM versions WHERE template_id = \(template)))) AS reports
            FROM users AS u WHERE u.id = \(uploader)
            """
        ) { row in
            var record = AuthorRecord()
            record.accountDays = max(0, try row.get("days", as: Double.self))
            record.approvals = try row.get("approvals")
            record.refusals = try row.get("refusals")
            record.takeDowns = try row.get("take_downs")
            record.uploadsToday = try row.get("today")
            record.openReports = try row.get("reports")
            return record
        } ?? AuthorRecord()
    }

    /// How many templates, and how many authors, names are compared with, at most: the popular ones, which are worth
    /// being mistaken for.
    private static let popular = 2000

    /// Names of somebody else's popular templates, of popular authors and of moderators, and of publishers.
    static func knownNames(
        besides uploader: UserID, template: TemplateID, in database: some PostgresExecutor
    ) async throws -> [(kind: RiskFacts.NameKind, text: String)] {
        try await database.all(
            """
            WITH popular AS (
                SELECT t.id, t.name, t.slug, t.owner_id FROM templates AS t
                WHERE t.latest_version_id IS NOT NULL AND t.id <> \(template) AND t.owner_id <> \(uploader)
                    AND NOT EXISTS (SELECT FROM template_authors AS a WHERE a.template_id = t.id AND a.user_id = \(uploader))
                ORDER BY t.downloads DESC, t.id DESC LIMIT \(literal: popular)
            ), people AS (
                SELECT u.handle, u.display_name FROM users AS u
                WHERE u.id <> \(uploader) AND (u.id IN (SELECT owner_id FROM popular) OR u.role <> 'user')
                LIMIT \(literal: popular)
            )
            SELECT 'template' AS kind, name AS text FROM popular
            UNION ALL SELECT 'slug', slug FROM popular
            UNION ALL SELECT 'author', handle FROM people
            UNION ALL SELECT 'author', display_name FROM people WHERE display_name <> handle
            UNION ALL SELECT DISTINCT 'publisher', publisher FROM game_systems WHERE publisher IS NOT NULL
            """
        ) { row in
            (
                kind: RiskFacts.NameKind(rawValue: try row.get("kind", as: String.self)) ?? .template,
                text: try row.get("text")
            )
        }
    }

    /// Other sheets with the same bytes: on offer, taken down, or refused by a moderator.
    static func twins(
        of hashes: [ContentHash], submission: SubmissionID, template: TemplateID, in database: some PostgresExecutor
    ) async throws -> [RiskFacts.Twin] {
        let hashes = hashes.map { Data($0.bytes) }
        return try await database.all(
            """
            SELECT CASE WHEN versions.state = 'taken_down' THEN 'taken_down'
                    WHEN s.state = 'rejected' THEN 'rejected' ELSE 'published' END AS fate,
                s.template_id = \(template) AS is_same, templates.name, s.version
            FROM submissions AS s
            JOIN templates ON templates.id = s.template_id
            LEFT JOIN versions ON versions.submission_id = s.id
            WHERE s.id <> \(submission)
                AND (s.artifact_sha256 = ANY (\(hashes)::bytea[]) OR s.original_sha256 = ANY (\(hashes)::bytea[]))
                AND (versions.state IN ('published', 'taken_down')
                    OR s.state = 'rejected' AND EXISTS (SELECT FROM cases JOIN decisions ON decisions.case_id = cases.id
                        WHERE cases.submission_id = s.id AND decisions.decision = 'reject'))
            ORDER BY s.id LIMIT 20
            """
        ) { row in
            RiskFacts.Twin(
                fate: RiskFacts.Fate(rawValue: try row.get("fate", as: String.self)) ?? .published,
                isSameTemplate: try row.get("is_same"), name: try row.get("name"), version: try row.get("version"))
        }
    }

    // MARK: What the rules said

    /// A row of `risk_assessments`.
    struct Entry: Sendable {
        var assessment: RiskAssessment
        var route: RiskRoute
        var obstacles: [String]
        /// Only with the rules in force.
        var facts: RiskFacts?
        var isShadow: Bool
        var assessedAt: Date
    }

    static func insert(_ entry: Entry, of id: SubmissionID, in connection: some PostgresExecutor) async throws {
        try await connection.execute(
            """
            INSERT INTO risk_assessments (submission_id, is_shadow, rules_version, score, hits, facts, route, obstacles,
                assessed_at)
            VALUES (\(id), \(entry.isShadow), \(entry.assessment.rulesVersion), \(entry.assessment.score),
                \(PostgresJSON(entry.assessment.hits)), \(entry.facts.map { PostgresJSON($0) }), \(entry.route.rawValue),
                \(entry.obstacles)::text[], \(entry.assessedAt))
            ON CONFLICT (submission_id, is_shadow) DO UPDATE SET rules_version = EXCLUDED.rules_version,
                score = EXCLUDED.score, hits = EXCLUDED.hits, facts = EXCLUDED.facts, route = EXCLUDED.route,
                obstacles = EXCLUDED.obstacles, assessed_at = EXCLUDED.assessed_at
            """)
    }

    /// Notes a score on the case, and whether a moderator looks at what is published already.
    static func setRisk(
        _ score: Int, isAudit: Bool, of id: CaseID, in connection: some PostgresExecutor
    ) async throws {
        try await connection.execute("UPDATE cases SET risk = \(score), is_audit = \(isAudit) WHERE id = \(id)")
    }

    static func entries(of id: SubmissionID, in database: some PostgresExecutor) async throws -> [Entry] {
        try await database.all(
            """
            SELECT is_shadow, rules_version, score, hits, facts, route, obstacles, assessed_at FROM risk_assessments
            WHERE submission_id = \(id)
            """, Entry.init)
    }

    /// The widest picture of some pages.
    static func previews(
        of pages: [(submission: SubmissionID, page: Int)], in database: some PostgresExecutor
    ) async throws -> [PageKey: ContentHash] {
        guard !pages.isEmpty else { return [:] }
        let found = try await database.all(
            """
            SELECT DISTINCT ON (p.submission_id, p.page_index) p.submission_id, p.page_index, p.sha256
            FROM previews AS p
            JOIN unnest(\(pages.map(\.submission))::uuid[], \(pages.map { Int32(clamping: $0.page) })::integer[])
                AS wanted (id, page) ON p.submission_id = wanted.id AND p.page_index = wanted.page
            ORDER BY p.submission_id, p.page_index, p.width DESC
            """
        ) { row in
            (PageKey(submission: try row.get(0), page: try row.get(1)), try row.get(2, as: ContentHash.self))
        }
        return Dictionary(found, uniquingKeysWith: { first, _ in first })
    }

    /// A page of a submission.
    struct PageKey: Hashable, Sendable {
        var submission: SubmissionID
        var page: Int
    }
}

extension RiskStore.Entry {
    fileprivate init(_ row: PostgresRow) throws {
        var assessment = RiskAssessment(
            rulesVersion: try row.get("rules_version"),
            hits: try row.get("hits", as: PostgresJSON<[RiskHit]>.self).value)
        assessment.score = try row.get("score")
        self.init(
            assessment: assessment, route: RiskRoute(rawValue: try row.get("route", as: String.self)) ?? .moderator,
            obstacles: try row.get("obstacles"), facts: try row.get("facts", as: PostgresJSON<RiskFacts>?.self)?.value,
            isShadow: try row.get("is_shadow"), assessedAt: try row.get("assessed_at"))
    }
}

/// Where a submission goes once the rules have seen it.
enum RiskRoute: String, Sendable {
    case moderator
    /// Published at once.
    case approved
    /// Published at once, and looked at by a moderator afterwards.
    case audited
    /// No submission: what is said of a published template was changed.
    case edited
}
