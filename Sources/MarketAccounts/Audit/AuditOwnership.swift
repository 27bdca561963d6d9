// SPDX-License-Identifier: Apache-2.0
import Postgres

/// Takes the audit log out of the hands of the role that the service works as: its tables, their triggers and the
/// function that erases belong to a role that nobody signs in as, and the service may read and add. For superusers of
/// the database; `sheetmarket up` does it with its own. docs/audit.md has the statements for other databases.
package enum AuditOwnership {
    /// Gives the log to its own role, as it should be while the service runs. `service` is the role of the service.
    package static func take(_ superuser: PostgresClient, from service: String) async throws {
        try await superuser.withConnection { connection in
            try await connection.executeScript(
                """
                BEGIN;
                DO $do$ BEGIN
                    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'sheetmarket_audit') THEN
                        CREATE ROLE sheetmarket_audit NOLOGIN;
                    END IF;
                END $do$;
                \(statements(owner: "sheetmarket_audit"))
                REVOKE ALL ON audit_entries, audit_checkpoints FROM \(quoted(service));
                GRANT SELECT, INSERT ON audit_entries, audit_checkpoints TO \(quoted(service));
                GRANT EXECUTE ON FUNCTION erase_audit_entries(uuid, text, text) TO \(quoted(service));
                \(stays)
                COMMIT;
                """)
        }
    }

    /// Gives the log back to the role that migrates, so that a migration may change its tables.
    package static func release(_ superuser: PostgresClient, to service: String) async throws {
        let isOurs = try await superuser.scalar(
            """
            SELECT EXISTS (SELECT FROM pg_tables WHERE tablename = 'audit_entries' AND tableowner = 'sheetmarket_audit')
            """, as: Bool.self)
        guard isOurs else { return }
        try await superuser.withConnection { connection in
            try await connection.executeScript(
                "BEGIN; DROP EVENT TRIGGER IF EXISTS audit_tables_stay; \(statements(owner: service)) COMMIT;")
        }
    }

    private static func statements(owner: String) -> String {
        let tables = ["audit_entries", "audit_checkpoints"].map {
            "ALTER TABLE \($0) OWNER TO \(quoted(owner));"
        }
        // The owner of a trigger's function can replace it.
        let functions = [
            "erase_audit_entries(uuid, text, text)", "audit_entries_are_immutable()",
            "audit_entries_allow_erasure_only()",
            "audit_checkpoints_are_immutable()",
        ].map { "ALTER FUNCTION \($0) OWNER TO \(quoted(owner));" }
        return (tables + functions).joined(separator: "\n")
    }

    /// A schema's owner may drop what others own in it; this says no, from a schema that is not theirs.
    private static let stays = """
        CREATE SCHEMA IF NOT EXISTS audit_guard;
        CREATE OR REPLACE FUNCTION audit_guard.tables_stay() RETURNS event_trigger LANGUAGE plpgsql AS $stay$
        BEGIN
            IF current_setting('is_superuser') = 'off' AND EXISTS (
                SELECT FROM pg_event_trigger_dropped_objects() AS o
                WHERE o.object_type IN ('table', 'trigger', 'function') AND (
                    o.object_identity LIKE '%audit\\_entries%' OR o.object_identity LIKE '%audit\\_checkpoints%')
            ) THEN
                RAISE EXCEPTION 'the audit log stays' USING ERRCODE = 'insufficient_privilege';
            END IF;
        END $stay$;
        DROP EVENT TRIGGER IF EXISTS audit_tables_stay;
        CREATE EVENT TRIGGER audit_tables_stay ON sql_drop EXECUTE FUNCTION audit_guard.tables_stay();
        """

    private static func quoted(_ role: String) -> String { "\"\(role.replacing("\"", with: "\"\""))\"" }
}
