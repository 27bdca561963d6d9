// SPDX-License-Identifier: Apache-2.0
import Postgres

/// The role that serves, where another one owns the schema and migrates it: it reads and writes rows, and can neither
/// change nor remove entries of the audit log, nor switch off what refuses that, since it owns nothing.
package enum ServiceRole {
    /// Why a role cannot be the service's, in words for the operator.
    package struct Unfit: Error, CustomStringConvertible {
        package let description: String
    }

    /// Lets `role` do what the service does; for the role that migrated, after each migration. Throws `Unfit`.
    package static func grant(to role: String, by owner: PostgresClient) async throws {
        try await check(role, owner)
        let rights: [PostgresQuery] = [
            "GRANT USAGE ON SCHEMA public TO \(ident: role)",
            "REVOKE CREATE ON SCHEMA public FROM \(ident: role)",
            "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(ident: role)",
            "GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA public TO \(ident: role)",
            "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO \(ident: role)",
            "REVOKE ALL ON audit_entries, audit_checkpoints, schema_migrations FROM \(ident: role)",
            "GRANT SELECT, INSERT ON audit_entries, audit_checkpoints TO \(ident: role)",
            "GRANT SELECT ON schema_migrations TO \(ident: role)",
        ]
        try await owner.withTransaction { connection in
            for right in rights { try await connection.execute(right) }
        }
    }

    /// Whether the role that a client signs in as could change the audit log.
    package static func canTamper(_ client: PostgresClient) async throws -> Bool {
        try await client.scalar(
            """
            SELECT coalesce(bool_or(
                has_table_privilege(c.oid, 'UPDATE, DELETE, TRUNCATE') OR pg_has_role(c.relowner, 'MEMBER')), true)
            FROM pg_class AS c
            WHERE c.oid IN (to_regclass('audit_entries'), to_regclass('audit_checkpoints'))
            """, as: Bool.self)
    }

    private static func check(_ role: String, _ owner: PostgresClient) async throws {
        let found = try await owner.first(
            """
            SELECT r.rolname = current_user AS is_owner, r.rolsuper,
                pg_has_role(r.oid, (SELECT relowner FROM pg_class WHERE oid = to_regclass('audit_entries')), 'MEMBER')
                    AS is_member
            FROM pg_roles AS r WHERE r.rolname = \(role)
            """
        ) { row in
            (
                isOwner: try row.get("is_owner", as: Bool.self), isSuperuser: try row.get("rolsuper", as: Bool.self),
                isMember: try row.get("is_member", as: Bool.self)
            )
        }
        guard let found else {
            throw Unfit(description: "There is no role '\(role)' in the database. Make it first: CREATE ROLE … LOGIN.")
        }
        if found.isOwner || found.isSuperuser || found.isMember {
            throw Unfit(
                description: "The role '\(role)' owns the schema, or may do what its owner may. "
                    + "SHEETMARKET_SERVICE_ROLE names another one, which `serve` and `work` sign in as.")
        }
    }
}
