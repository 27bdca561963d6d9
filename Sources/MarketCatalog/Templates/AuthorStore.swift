// SPDX-License-Identifier: Apache-2.0
import MarketWire
import Postgres
import SheetCore

package enum AuthorStore {
    /// A person's part in `templates AS t`; NULL for none.
    package static func part(of user: UserID) -> PostgresQuery {
        """
        CASE WHEN t.owner_id = \(user) THEN 'owner'
            ELSE (SELECT a.role FROM template_authors AS a WHERE a.template_id = t.id AND a.user_id = \(user)) END
        """
    }

    /// A person's part in a template; `nil` for none.
    package static func part(
        of user: UserID, in template: TemplateID, _ database: some PostgresExecutor
    ) async throws -> AuthorRole? {
        try await database.first("SELECT \(fragment: part(of: user)) FROM templates AS t WHERE t.id = \(template)") {
            try $0.get(0, as: AuthorRole?.self)
        } ?? nil
    }

    /// All authors of a template that was published: the owner first, then in the order they came.
    package static func list(_ key: TemplateKey, _ database: some PostgresExecutor) async throws -> [TemplateAuthor] {
        try await database.all(
            """
            SELECT u.handle, a.role, a.since
            FROM templates AS t
            CROSS JOIN LATERAL (
                SELECT t.owner_id AS user_id, 'owner' AS role, t.created_at AS since, 0 AS place
                UNION ALL
                SELECT m.user_id, m.role, m.added_at, 1 FROM template_authors AS m WHERE m.template_id = t.id
            ) AS a
            JOIN users AS u ON u.id = a.user_id
            WHERE \(fragment: key.condition) AND EXISTS (SELECT FROM versions AS v WHERE v.template_id = t.id)
            ORDER BY a.place, a.since, u.handle
            """
        ) { TemplateAuthor(handle: try $0.get(0), role: try $0.get(1), since: try $0.get(2)) }
    }

    /// A template as whoever works on it lists it.
    package struct Work: Sendable {
        package var id: TemplateID
        package var slug: String
        package var name: String
        package var part: AuthorRole
        /// What is on offer; `nil` while nothing is.
        package var offered: SemanticVersion?
        package var downloads: Int
        package var reviews: Int
        package var isDeprecated: Bool
    }

    /// What somebody works on and was published, the newest first, beginning behind `position`.
    package static func works(
        of user: UserID, after position: TemplateID?, limit: Int, _ database: some PostgresExecutor
    ) async throws -> [Work] {
        let rest: PostgresQuery = position.map { "AND t.id < \($0)" } ?? ""
        return try await database.all(
            """
            SELECT t.id, t.slug, t.name, \(fragment: part(of: user)) AS part, v.number, t.downloads, t.rating_count,
                t.deprecated_at IS NOT NULL AS is_deprecated
            FROM templates AS t LEFT JOIN versions AS v ON v.id = t.latest_version_id
            WHERE t.id IN (
                    SELECT o.id FROM templates AS o WHERE o.owner_id = \(user)
                    UNION SELECT a.template_id FROM template_authors AS a WHERE a.user_id = \(user))
                AND EXISTS (SELECT FROM versions AS p WHERE p.template_id = t.id) \(fragment: rest)
            ORDER BY t.id DESC LIMIT \(literal: limit)
            """
        ) { row in
            Work(
                id: try row.get("id"), slug: try row.get("slug"), name: try row.get("name"),
                part: try row.get("part"), offered: try row.get("number"), downloads: try row.get("downloads"),
                reviews: try row.get("rating_count"), isDeprecated: try row.get("is_deprecated"))
        }
    }

    /// Enters somebody as an author beside the owner, or changes their part.
    package static func set(
        _ user: UserID, as role: AuthorRole, of template: TemplateID, _ connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            INSERT INTO template_authors (template_id, user_id, role) VALUES (\(template), \(user), \(role))
            ON CONFLICT (template_id, user_id) DO UPDATE SET role = EXCLUDED.role
            """)
    }

    package static func delete(_ user: UserID, of template: TemplateID, _ connection: PostgresConnection) async throws {
        try await connection.execute(
            "DELETE FROM template_authors WHERE template_id = \(template) AND user_id = \(user)")
    }

    /// Hands a locked template over; whoever owned it stays as a maintainer.
    static func transfer(
        _ template: TemplateID, from owner: UserID, to user: UserID, _ connection: PostgresConnection
    ) async throws {
        try await delete(user, of: template, connection)
        try await set(owner, as: .maintainer, of: template, connection)
        try await changeOwner(of: template, to: user, connection)
    }

    /// What the owner before allowed is the new one's to allow.
    package static func changeOwner(
        of template: TemplateID, to user: UserID, _ connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            "UPDATE templates SET owner_id = \(user), is_training_allowed = false WHERE id = \(template)")
    }
}
