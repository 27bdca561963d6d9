// SPDX-License-Identifier: Apache-2.0
import MarketWire
import Postgres
import SheetCore

/// SQL of what owners change. All of it in the caller's transaction.
enum OwnerStore {
    /// A template that nobody else changes until the transaction ends.
    struct Locked: Sendable {
        var id: TemplateID
        var owner: UserID
        /// The number of the version on offer.
        var offered: SemanticVersion?
        /// What the entry says now.
        var metadata: UploadMetadata
    }

    /// `nil` when there is no such template, or none that was ever published.
    static func lock(_ key: TemplateKey, _ connection: PostgresConnection) async throws -> Locked? {
        try await connection.first(
            """
            SELECT t.id, t.owner_id, t.name, t.summary, t.description, t.game_system, t.tags, t.license, t.language,
                (SELECT v.number FROM versions AS v WHERE v.id = t.latest_version_id) AS offered
            FROM templates AS t
            WHERE \(fragment: key.condition) AND EXISTS (SELECT FROM versions AS v WHERE v.template_id = t.id)
            FOR UPDATE OF t
            """
        ) { row in
            Locked(
                id: try row.get("id"), owner: try row.get("owner_id"), offered: try row.get("offered"),
                metadata: UploadMetadata(
                    name: try row.get("name"), summary: try row.get("summary"), description: try row.get("description"),
                    gameSystem: try row.get("game_system"), tags: try row.get("tags"),
                    license: try row.get("license"), language: try row.get("language")))
        }
    }

    static func update(_ template: TemplateID, to draft: UploadDraft, _ connection: PostgresConnection) async throws {
        try await connection.execute(
            """
            UPDATE templates SET name = \(draft.name), summary = \(draft.summary), description = \(draft.description),
                tags = \(draft.tags), license = \(draft.license), language = \(draft.language), updated_at = now()
            WHERE id = \(template)
            """)
    }

    /// A version of a locked template.
    struct Version: Sendable {
        var id: VersionID
        var number: SemanticVersion
        var state: VersionState
        var submission: SubmissionID
        var pageCount: Int
    }

    static func version(
        _ key: VersionKey, of template: TemplateID, _ connection: PostgresConnection
    ) async throws -> Version? {
        try await connection.first(
            """
            SELECT v.id, v.number, v.state, v.submission_id, v.page_count
            FROM templates AS t JOIN versions AS v ON \(fragment: key.condition)
            WHERE t.id = \(template)
            FOR UPDATE OF v
            """
        ) { row in
            Version(
                id: try row.get("id"), number: try row.get("number"), state: try row.get("state"),
                submission: try row.get("submission_id"), pageCount: try row.get("page_count"))
        }
    }

    static func setState(
        of version: VersionID, to state: VersionState, reason: String?, _ connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            "UPDATE versions SET state = \(state), state_reason = \(reason) WHERE id = \(version)")
    }

    static func replaceRegions(
        of submission: SubmissionID, with list: RegionList, _ connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            UPDATE submission_pages AS s SET regions = n.regions
            FROM jsonb_to_recordset(\(PostgresJSON(list.pages))) AS n (index integer, regions jsonb)
            WHERE s.submission_id = \(submission) AND s.page_index = n.index
            """)
    }

    /// Tells caches that the template reads differently now; no trigger watches its pages.
    static func announce(_ template: TemplateID, _ connection: PostgresConnection) async throws {
        try await connection.execute("SELECT pg_notify('catalog', \(template.description))")
    }
}
