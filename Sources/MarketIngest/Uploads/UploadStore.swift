// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// The template that a new version is for.
package struct BaseTemplate: Equatable, Sendable {
    package var id: TemplateID
    /// The uploader's part in it; `nil` for none.
    package var part: AuthorRole?
    /// Whether everybody can see it.
    var isListed: Bool
    /// Why it is taken down, if it is.
    var takedownMessage: String?
    /// The same as a stable word.
    package var takedownCode: String?
    /// What it says now.
    package var metadata: UploadMetadata
}

/// A submission about to be entered.
struct NewSubmission: Sendable {
    var id: SubmissionID
    var templateID: TemplateID
    var uploaderID: UserID
    var draft: UploadDraft
    var fileName: String
    var object: StoredObject
    var mediaType: String
}

/// What an upload reads and writes.
enum UploadStore {
    /// The template of an id or slug.
    static func fetchBaseTemplate(
        _ key: String, for uploader: UserID, in database: some PostgresExecutor
    ) async throws -> BaseTemplate? {
        let condition: PostgresQuery =
            if let id = TemplateID(key) {
                "t.id = \(id)"
            } else {
                // By a slug that it had before, too: a body that streams in is better not sent twice.
                "t.id = (SELECT s.template_id FROM template_slugs AS s WHERE s.slug = \(key))"
            }
        return try await database.first(
            """
            SELECT t.id, \(fragment: AuthorStore.part(of: uploader)) AS part, t.latest_version_id IS NOT NULL AS is_listed,
                   t.name, t.summary, t.description, t.game_system, t.tags, t.license, t.language,
                   t.takedown_message, t.takedown_code
            FROM templates AS t WHERE \(fragment: condition)
            """
        ) { row in
            BaseTemplate(
                id: try row.get("id"), part: try row.get("part"), isListed: try row.get("is_listed"),
                takedownMessage: try row.get("takedown_message"), takedownCode: try row.get("takedown_code"),
                metadata: UploadMetadata(
                    name: try row.get("name"), summary: try row.get("summary"),
                    description: try row.get("description"), gameSystem: try row.get("game_system"),
                    tags: try row.get("tags"), license: try row.get("license"), language: try row.get("language")))
        }
    }

    /// Whether the number is published, or on its way.
    static func isTaken(
        _ version: SemanticVersion, of template: TemplateID, in database: some PostgresExecutor
    ) async throws -> Bool {
        try await database.scalar(
            """
            SELECT EXISTS (SELECT FROM versions WHERE template_id = \(template)
                           AND split_part(number, '+', 1) = split_part(\(version)::text, '+', 1))
                OR EXISTS (SELECT FROM submissions WHERE template_id = \(template) AND version = \(version)
                           AND state IN ('received', 'inspecting', 'awaiting_review', 'published'))
            """)
    }

    /// The numbers that are published or on their way; and those of uploads that moderators want changed, which can be
    /// used again.
    static func numbers(
        of template: TemplateID, in database: some PostgresExecutor
    ) async throws -> [(version: SemanticVersion, isTaken: Bool)] {
        try await database.all(
            """
            SELECT number, true FROM versions WHERE template_id = \(template)
            UNION ALL
            SELECT version, state <> 'changes_requested' FROM submissions
            WHERE template_id = \(template)
                AND state IN ('received', 'inspecting', 'awaiting_review', 'changes_requested')
            """
        ) { (version: try $0.get(0), isTaken: try $0.get(1)) }
    }

    /// Enters a submission; `false` when a version of this number is published. One that is on its way violates
    /// `submissions_version_key`.
    static func insertSubmission(_ new: NewSubmission, in connection: some PostgresExecutor) async throws -> Bool {
        try await connection.execute(
            """
            INSERT INTO submissions
                (id, template_id, uploader_id, version, metadata, artifact_sha256, file_name, size_bytes)
            SELECT \(new.id), \(new.templateID), \(new.uploaderID), \(new.draft.version),
                   \(PostgresJSON(new.draft.metadata)), \(new.object.hash), \(new.fileName), \(new.object.sizeBytes)
            WHERE NOT EXISTS (
                SELECT FROM versions WHERE template_id = \(new.templateID)
                    AND split_part(number, '+', 1) = split_part(\(new.draft.version)::text, '+', 1))
            """) == 1
    }
}
