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
        try await connection.execute("UPDATE templates SET owner_id = \(user) WHERE id = \(template)")
    }
}
