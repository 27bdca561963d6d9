// SPDX-License-Identifier: Apache-2.0
import MarketSearch
import MarketWire
import Postgres
import SheetCore

package enum CollectionStore {
    /// Where a page of the list begins: behind this collection.
    package struct Position: Sendable {
        package var title: String
        package var slug: String
    }

    /// By title, beginning behind `last`.
    package static func list(
        after last: Position?, limit: Int, _ database: some PostgresExecutor
    ) async throws -> [TemplateCollection] {
        let start: PostgresQuery =
            last.map { "(lower(c.title), c.slug) > (lower(\($0.title)::text), \($0.slug)::text)" } ?? "TRUE"
        return try await collections(start, limit: limit, database)
    }

    package static func collection(
        _ slug: String, _ database: some PostgresExecutor
    ) async throws -> TemplateCollection? {
        try await collections("c.slug = \(slug)", limit: 1, database).first
    }

    package static func collections(
        _ condition: PostgresQuery, limit: Int, _ database: some PostgresExecutor
    ) async throws -> [TemplateCollection] {
        try await database.all(
            """
            SELECT c.slug, c.title, c.summary, c.updated_at, (
                SELECT count(*) FROM collection_items AS i JOIN templates AS t ON t.id = i.template_id
                WHERE i.collection = c.slug AND t.latest_version_id IS NOT NULL) AS count
            FROM collections AS c
            WHERE \(fragment: condition)
            ORDER BY lower(c.title), c.slug LIMIT \(literal: limit)
            """
        ) { row in
            TemplateCollection(
                slug: try row.get("slug"), title: try row.get("title"), summary: try row.get("summary"),
                templateCount: try row.get("count"), updatedAt: try row.get("updated_at"))
        }
    }

    /// The templates on offer in a collection, in the curator's order.
    package static func items(_ slug: String, _ database: some PostgresExecutor) async throws -> [CollectionDetail.Item]
    {
        try await database.all(
            """
            SELECT \(fragment: ListedTemplate.columns), i.note
            FROM collection_items AS i JOIN listings AS l ON l.id = i.template_id
            WHERE i.collection = \(slug)
            ORDER BY i.position, l.id
            """
        ) { row in
            CollectionDetail.Item(
                template: try TemplateSummary(row), note: try row.get(ListedTemplate.columnCount))
        }
    }

    /// Addresses of pictures of the first templates in each of these collections, at most `count` of one.
    package static func pictures(
        _ slugs: [String], count: Int, _ database: some PostgresExecutor
    ) async throws -> [String: [String]] {
        let found = try await database.all(
            """
            SELECT c.slug, p.id, p.number
            FROM unnest(\(slugs)::text[]) AS c (slug)
            CROSS JOIN LATERAL (
                SELECT l.id, l.number, i.position
                FROM collection_items AS i JOIN listings AS l ON l.id = i.template_id
                WHERE i.collection = c.slug
                ORDER BY i.position, l.id LIMIT \(literal: count)
            ) AS p
            ORDER BY c.slug, p.position, p.id
            """
        ) { row -> (String, String) in
            let id: TemplateID = try row.get(1)
            let version: SemanticVersion = try row.get(2)
            return (try row.get(0), Paths.preview(id.description, version.description, page: 0))
        }
        return Dictionary(grouping: found, by: { $0.0 }).mapValues { $0.map { $0.1 } }
    }

    /// A template of a collection as its curators write it down.
    package struct Line: Sendable {
        package var id: TemplateID
        package var slug: String
        package var note: String
    }

    /// The templates of a collection in the curator's order, including those not on offer.
    package static func lines(_ slug: String, _ database: some PostgresExecutor) async throws -> [Line] {
        try await database.all(
            """
            SELECT t.id, t.slug, i.note FROM collection_items AS i JOIN templates AS t ON t.id = i.template_id
            WHERE i.collection = \(slug)
            ORDER BY i.position, t.id
            """
        ) { Line(id: try $0.get(0), slug: try $0.get(1), note: try $0.get(2)) }
    }

    /// The templates that have, or once had, these slugs.
    package static func ids(of slugs: [String], _ database: some PostgresExecutor) async throws -> [String: TemplateID]
    {
        let found = try await database.all(
            "SELECT slug, template_id FROM template_slugs WHERE slug = ANY (\(slugs)::text[])"
        ) { row -> (String, TemplateID) in (try row.get(0), try row.get(1)) }
        return Dictionary(found, uniquingKeysWith: { first, _ in first })
    }

    /// Puts a template at the end of a collection; `false` when it is in it already.
    package static func append(
        _ template: TemplateID, to slug: String, _ connection: PostgresConnection
    ) async throws -> Bool {
        let added = try await connection.execute(
            """
            INSERT INTO collection_items (collection, template_id, position)
            SELECT \(slug)::text, \(template)::uuid, coalesce(max(i.position), 0) + 1
            FROM collection_items AS i WHERE i.collection = \(slug)
            ON CONFLICT DO NOTHING
            """)
        guard added > 0 else { return false }
        try await connection.execute("UPDATE collections SET updated_at = now() WHERE slug = \(slug)")
        return true
    }

    /// Puts the collection as it is given in the place of what was there; whether it is new.
    package static func put(_ slug: String, _ edit: CollectionEdit, _ connection: PostgresConnection) async throws
        -> Bool
    {
        let isNew = try await connection.one(
            """
            INSERT INTO collections AS c (slug, title, summary) VALUES (\(slug), \(edit.title), \(edit.summary ?? ""))
            ON CONFLICT (slug) DO UPDATE SET title = excluded.title, summary = excluded.summary, updated_at = now()
            RETURNING xmax = 0
            """
        ) { try $0.get(0, as: Bool.self) }
        try await connection.execute("DELETE FROM collection_items WHERE collection = \(slug)")
        try await connection.execute(
            """
            INSERT INTO collection_items (collection, template_id, position, note)
            SELECT \(slug), i.id, i.position::integer, i.note
            FROM unnest(\(edit.items.map(\.templateId))::uuid[], \(edit.items.map { $0.note ?? "" })::text[])
                WITH ORDINALITY AS i (id, note, position)
            """)
        return isNew
    }

    /// Keeps a collection as it is until the transaction ends, also one that is not there.
    package static func lock(_ slug: String, _ connection: PostgresConnection) async throws {
        try await connection.execute("SELECT pg_advisory_xact_lock(5640015, hashtext(\(slug)))")
        try await connection.execute("SELECT FROM collections WHERE slug = \(slug) FOR UPDATE")
    }

    /// Which of these templates there are not.
    package static func missing(_ ids: [TemplateID], _ connection: PostgresConnection) async throws -> Set<TemplateID> {
        let found = try await connection.all("SELECT id FROM templates WHERE id = ANY (\(ids)::uuid[])") {
            try $0.get(0, as: TemplateID.self)
        }
        return Set(ids).subtracting(found)
    }

    /// Whether there was one.
    package static func delete(_ slug: String, _ connection: PostgresConnection) async throws -> Bool {
        try await connection.execute("DELETE FROM collections WHERE slug = \(slug)") > 0
    }
}
