// SPDX-License-Identifier: Apache-2.0
import Postgres
import SheetCore

/// Present and former slugs of templates.
package enum SlugStore {
    /// Most slugs that a template may use up: each is nobody else's for good.
    static let maximumPerTemplate = 10

    /// The slug of the template that has, or once had, this one; only of templates that were published.
    package static func present(of slug: Slug, _ database: some PostgresExecutor) async throws -> Slug? {
        try await database.first(
            """
            SELECT t.slug FROM template_slugs AS s JOIN templates AS t ON t.id = s.template_id
            WHERE s.slug = \(slug) AND EXISTS (SELECT FROM versions AS v WHERE v.template_id = t.id)
            """
        ) { try $0.get(0) }
    }

    /// The templates that have these slugs now.
    static func templates(_ slugs: [Slug], _ database: some PostgresExecutor) async throws -> [Slug: TemplateID] {
        guard !slugs.isEmpty else { return [:] }
        let found = try await database.all(
            "SELECT slug, id FROM templates WHERE slug = ANY (\(slugs.map(\.text))::text[])"
        ) { row in (try row.get(0, as: Slug.self), try row.get(1, as: TemplateID.self)) }
        return Dictionary(found) { first, _ in first }
    }

    /// Gives a locked template another slug; `false` when it has used up too many. A slug of another template violates
    /// `templates_slug_key`.
    package static func rename(
        _ template: TemplateID, to slug: Slug, _ connection: PostgresConnection
    ) async throws -> Bool {
        try await connection.execute(
            """
            UPDATE templates SET slug = \(slug)
            WHERE id = \(template) AND (
                SELECT count(*) < \(maximumPerTemplate) OR bool_or(s.slug = \(slug))
                FROM template_slugs AS s WHERE s.template_id = \(template))
            """) == 1
    }
}
