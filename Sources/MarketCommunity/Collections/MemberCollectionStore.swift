// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketSearch
import MarketWire
import Postgres
import SheetCore

/// SQL of members' collections.
package enum MemberCollectionStore {
    // MARK: - Reading

    /// All of a person's own, hidden ones among them.
    static func own(_ user: UserID, _ database: some PostgresExecutor) async throws -> [MemberCollection] {
        try await collections("c.owner_id = \(user)", forOwner: true, database)
    }

    /// Those that a person shows in lists.
    static func listed(of user: UserID, _ database: some PostgresExecutor) async throws -> [MemberCollection] {
        try await collections("c.owner_id = \(user) AND c.is_listed", database)
    }

    /// One that `viewer` may see: the owner any, others what is not hidden.
    static func collection(
        _ id: MemberCollectionID, for viewer: UserID?, _ database: some PostgresExecutor
    ) async throws -> MemberCollection? {
        if let viewer, let own = try await ownCollection(id, of: viewer, database) { return own }
        return try await collections("c.id = \(id)", database).first
    }

    static func ownCollection(
        _ id: MemberCollectionID, of user: UserID, _ database: some PostgresExecutor
    ) async throws -> MemberCollection? {
        try await collections("c.id = \(id) AND c.owner_id = \(user)", forOwner: true, database).first
    }

    /// Listed ones that hold a template, the last changed first.
    static func listed(
        with template: TemplateID, limit: Int, _ database: some PostgresExecutor
    ) async throws -> [MemberCollection] {
        try await collections(
            """
            c.is_listed AND EXISTS (
                SELECT FROM member_collection_items AS k WHERE k.collection_id = c.id AND k.template_id = \(template))
            """, order: "c.updated_at DESC, c.id LIMIT \(literal: limit)", database)
    }

    /// The moderators' that hold a template.
    static func curated(
        with template: TemplateID, limit: Int, _ database: some PostgresExecutor
    ) async throws -> [TemplateCollection] {
        try await CollectionStore.collections(
            """
            EXISTS (SELECT FROM collection_items AS k WHERE k.collection = c.slug AND k.template_id = \(template))
            """, limit: limit, database)
    }

    private static func collections(
        _ condition: PostgresQuery, forOwner: Bool = false, order: PostgresQuery = "lower(c.title), c.id",
        _ database: some PostgresExecutor
    ) async throws -> [MemberCollection] {
        let table: PostgresQuery = forOwner ? "member_collections" : "visible_member_collections"
        let hidden: PostgresQuery =
            forOwner
            ? "NOT EXISTS (SELECT FROM visible_member_collections AS v WHERE v.id = c.id)" : "NULL::boolean"
        return try await database.all(
            """
            SELECT c.id, c.title, c.summary, u.handle, c.is_listed, \(fragment: hidden) AS is_hidden, (
                SELECT count(*) FROM member_collection_items AS i JOIN templates AS t ON t.id = i.template_id
                WHERE i.collection_id = c.id AND t.latest_version_id IS NOT NULL) AS count, c.updated_at
            FROM \(fragment: table) AS c JOIN users AS u ON u.id = c.owner_id
            WHERE \(fragment: condition) ORDER BY \(fragment: order)
            """
        ) { row in
            MemberCollection(
                id: try row.get("id"), title: try row.get("title"), summary: try row.get("summary"),
                owner: try row.get("handle"), isListed: try row.get("is_listed"),
                isHidden: try row.get("is_hidden"), templateCount: try row.get("count"),
                updatedAt: try row.get("updated_at"))
        }
    }

    /// The templates on offer in a collection, in its order.
    static func items(
        _ id: MemberCollectionID, _ database: some PostgresExecutor
    ) async throws -> [CollectionDetail.Item] {
        try await database.all(
            """
            SELECT \(fragment: ListedTemplate.columns), i.note
            FROM member_collection_items AS i JOIN listings AS l ON l.id = i.template_id
            WHERE i.collection_id = \(id) ORDER BY i.position, l.id
            """
        ) { CollectionDetail.Item(template: try TemplateSummary($0), note: try $0.get("note")) }
    }

    /// A template of a collection as its owner edits it.
    package struct Line: Sendable {
        package var id: TemplateID
        package var slug: String
        package var name: String
        package var note: String
        package var isOffered: Bool
    }

    /// The templates of a collection in its order, including those not on offer.
    static func lines(_ id: MemberCollectionID, _ database: some PostgresExecutor) async throws -> [Line] {
        try await database.all(
            """
            SELECT t.id, t.slug, t.name, i.note, t.latest_version_id IS NOT NULL
            FROM member_collection_items AS i JOIN templates AS t ON t.id = i.template_id
            WHERE i.collection_id = \(id) ORDER BY i.position, t.id
            """
        ) {
            Line(
                id: try $0.get(0), slug: try $0.get(1), name: try $0.get(2), note: try $0.get(3),
                isOffered: try $0.get(4))
        }
    }

    /// A template, on offer or not.
    static func template(_ key: TemplateKey, _ database: some PostgresExecutor) async throws -> TemplateID? {
        try await database.first("SELECT t.id FROM templates AS t WHERE \(fragment: key.condition)") { try $0.get(0) }
    }

    /// Which of somebody's collections hold a template.
    static func holding(
        _ template: TemplateID, of user: UserID, _ database: some PostgresExecutor
    ) async throws -> Set<MemberCollectionID> {
        Set(
            try await database.all(
                """
                SELECT c.id FROM member_collections AS c
                JOIN member_collection_items AS i ON i.collection_id = c.id AND i.template_id = \(template)
                WHERE c.owner_id = \(user)
                """
            ) { try $0.get(0, as: MemberCollectionID.self) })
    }

    /// Addresses of pictures of the first templates in each of these collections, at most `count` of one.
    package static func pictures(
        _ ids: [MemberCollectionID], count: Int, _ database: some PostgresExecutor
    ) async throws -> [MemberCollectionID: [String]] {
        let found = try await database.all(
            """
            SELECT c.id, p.id, p.number
            FROM unnest(\(ids)::uuid[]) AS c (id)
            CROSS JOIN LATERAL (
                SELECT l.id, l.number, i.position
                FROM member_collection_items AS i JOIN listings AS l ON l.id = i.template_id
                WHERE i.collection_id = c.id ORDER BY i.position, l.id LIMIT \(literal: count)
            ) AS p
            ORDER BY c.id, p.position, p.id
            """
        ) { row -> (MemberCollectionID, String) in
            let id: TemplateID = try row.get(1)
            let version: SemanticVersion = try row.get(2)
            return (try row.get(0), Paths.preview(id.description, version.description, page: 0))
        }
        return Dictionary(grouping: found, by: { $0.0 }).mapValues { $0.map { $0.1 } }
    }

    // MARK: - Changing

    static func count(of user: UserID, _ connection: PostgresConnection) async throws -> Int {
        try await connection.scalar("SELECT count(*) FROM member_collections WHERE owner_id = \(user)")
    }

    /// Keeps somebody's collection as it is until the transaction ends; `false` when there is none.
    static func lock(
        _ id: MemberCollectionID, of user: UserID, _ connection: PostgresConnection
    ) async throws -> Bool {
        try await connection.first(
            "SELECT FROM member_collections WHERE id = \(id) AND owner_id = \(user) FOR UPDATE"
        ) { _ in true } ?? false
    }

    static func insert(
        _ id: MemberCollectionID, _ edit: MemberCollectionEdit, of user: UserID, at now: Date,
        _ connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            INSERT INTO member_collections (id, owner_id, title, summary, is_listed, created_at, updated_at)
            VALUES (\(id), \(user), \(edit.title), \(edit.summary ?? ""), \(edit.isListed ?? true), \(now), \(now))
            """)
        try await setItems(edit.items, of: id, connection)
    }

    static func update(
        _ id: MemberCollectionID, _ edit: MemberCollectionEdit, at now: Date, _ connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            UPDATE member_collections SET title = \(edit.title), summary = \(edit.summary ?? ""),
                is_listed = \(edit.isListed ?? true), updated_at = \(now)
            WHERE id = \(id)
            """)
        try await setItems(edit.items, of: id, connection)
    }

    /// Puts these in the place of what was there.
    static func setItems(
        _ items: [CollectionEdit.Item], of id: MemberCollectionID, _ connection: PostgresConnection
    ) async throws {
        try await connection.execute("DELETE FROM member_collection_items WHERE collection_id = \(id)")
        try await connection.execute(
            """
            INSERT INTO member_collection_items (collection_id, template_id, position, note)
            SELECT \(id)::uuid, i.id, i.position::integer, i.note
            FROM unnest(\(items.map(\.templateId))::uuid[], \(items.map { $0.note ?? "" })::text[])
                WITH ORDINALITY AS i (id, note, position)
            """)
    }

    static func touch(_ id: MemberCollectionID, at now: Date, _ connection: PostgresConnection) async throws {
        try await connection.execute("UPDATE member_collections SET updated_at = \(now) WHERE id = \(id)")
    }

    /// Whether there was one.
    static func delete(
        _ id: MemberCollectionID, of user: UserID, _ connection: PostgresConnection
    ) async throws -> Bool {
        try await connection.execute("DELETE FROM member_collections WHERE id = \(id) AND owner_id = \(user)") > 0
    }

    /// Which of these templates there are.
    static func present(_ ids: [TemplateID], _ connection: PostgresConnection) async throws -> Set<TemplateID> {
        Set(
            try await connection.all(
                """
                SELECT t.id FROM templates AS t WHERE t.id = ANY (\(ids)::uuid[])
                    AND EXISTS (SELECT FROM versions AS v WHERE v.template_id = t.id)
                """
            ) { try $0.get(0, as: TemplateID.self) })
    }
}
