// SPDX-License-Identifier: Apache-2.0
import Postgres
import SheetCore

/// What a template is called, whether it can be seen now or not.
package struct TemplateHeading: Sendable {
    package var id: TemplateID
    package var slug: String
    /// Its slug while all of it is taken down, since its name is not shown then.
    package var name: String
    /// Whether it has a page.
    package var isOnOffer: Bool

    /// That of a template that was ever published; `nil` when there is no such thing.
    package static func fetch(
        _ key: TemplateKey, _ database: some PostgresExecutor
    ) async throws -> TemplateHeading? {
        try await database.first(
            """
            SELECT t.id, t.slug, t.latest_version_id IS NOT NULL AS is_on_offer,
                CASE WHEN EXISTS (SELECT FROM versions AS v WHERE v.template_id = t.id AND v.state <> 'taken_down')
                    THEN t.name ELSE t.slug END AS name
            FROM templates AS t
            WHERE \(fragment: key.condition) AND EXISTS (SELECT FROM versions AS v WHERE v.template_id = t.id)
            """
        ) { row in
            TemplateHeading(
                id: try row.get("id"), slug: try row.get("slug"), name: try row.get("name"),
                isOnOffer: try row.get("is_on_offer"))
        }
    }
}
