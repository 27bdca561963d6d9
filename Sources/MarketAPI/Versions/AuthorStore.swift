// SPDX-License-Identifier: Apache-2.0
import MarketWire
import Postgres
import SheetCore

/// SQL of who works on a template.
enum AuthorStore {
    /// A person's part in `templates AS t`; NULL for none.
    static func part(of user: UserID) -> PostgresQuery {
        """
        CASE WHEN t.owner_id = \(user) THEN 'owner'
            ELSE (SELECT a.role FROM template_authors AS a WHERE a.template_id = t.id AND a.user_id = \(user)) END
        """
    }

    /// A person's part in a template; `nil` for none.
    static func part(
        of user: UserID, in template: TemplateID, _ database: some PostgresExecutor
    ) async throws -> AuthorRole? {
        try await database.first("SELECT \(fragment: part(of: user)) FROM templates AS t WHERE t.id = \(template)") {
            try $0.get(0, as: AuthorRole?.self)
        } ?? nil
    }
}
