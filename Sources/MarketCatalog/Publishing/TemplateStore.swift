// SPDX-License-Identifier: Apache-2.0
import Postgres
import SheetCore

/// Templates on their way to a first version.
package enum TemplateStore {
    /// Enters a template that nobody sees yet; `false` when the slug is another's.
    package static func insert(
        _ id: TemplateID, slug: Slug, owner: UserID, draft: UploadDraft, in connection: some PostgresExecutor
    ) async throws -> Bool {
        try await connection.execute(
            """
            INSERT INTO templates
                (id, slug, owner_id, game_system, name, summary, description, tags, license, language)
            SELECT
                \(id), \(slug), \(owner), present_game_system(\(draft.gameSystem)), \(draft.name), \(draft.summary),
                \(draft.description), present_tags(\(draft.tags)::text[]), \(draft.license), \(draft.language)
            WHERE NOT EXISTS (SELECT FROM template_slugs WHERE slug = \(slug))
            ON CONFLICT ON CONSTRAINT templates_slug_key DO NOTHING
            """) == 1
    }
}
