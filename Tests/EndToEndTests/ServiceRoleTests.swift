// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Postgres
import SheetCore
import TestSupport
import Testing

@Suite("A database whose owner is not the service")
struct ServiceRoleTests {
    private let program = BuildProducts.executable("sheetmarket")

    @Test("migrate gives the service's role all it needs to publish a sheet, and nothing that touches the audit log")
    func divided() async throws {
        let (owner, service) = try await TestCluster.shared.makeDivided()
        let migrated = try await Command.run(
            program, ["migrate"], environment: ["DATABASE_URL": owner, "SHEETMARKET_SERVICE_ROLE": "sheetmarket"])
        #expect(migrated.status == 0 && migrated.output.contains("'sheetmarket' may serve"), "\(migrated.errors)")

        try await withMarket(workers: 1, connection: service) { market in
            let author = try await market.person("ada")
            let moderator = try await market.person("moritz", role: .moderator)
            let file = try Scene.sheet("oathbound-journal")
            let sheet = try await Scene.publish("Divided", file: file, as: author, approvedBy: moderator)
            #expect(sheet.state == .published)
            #expect(try await market.http.get(Paths.template(sheet.templateSlug)).status == 200)

            let database = PostgresClient(configuration: .calm(connectionString: service), logger: TestLog.logger)
            #expect(try await database.scalar("SELECT count(*) > 0 FROM audit_entries", as: Bool.self))
            for statement in [
                "UPDATE audit_entries SET actor = NULL, actor_salt = NULL", "UPDATE audit_entries SET action = 'x'",
                "DELETE FROM audit_entries", "TRUNCATE audit_entries", "DROP TABLE audit_entries",
                "ALTER TABLE audit_entries DISABLE TRIGGER ALL", "SET session_replication_role = replica",
                "DROP TRIGGER audit_entries_append_only ON audit_entries",
                "ALTER TABLE audit_entries OWNER TO sheetmarket",
                "DELETE FROM audit_checkpoints", "UPDATE audit_checkpoints SET sequence = 1",
                "TRUNCATE audit_checkpoints", "SET ROLE postgres",
                "CREATE OR REPLACE FUNCTION audit_entries_are_immutable() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
                "DROP SCHEMA public CASCADE", "DELETE FROM schema_migrations", "CREATE TABLE public.mine (id integer)",
            ] {
                await #expect(throws: PostgresError.self, "\(statement)") {
                    _ = try await database.query(PostgresQuery(unsafeSQL: statement))
                }
            }
            // PostgreSQL only warns of a grant that gives nothing.
            _ = try await database.query("GRANT UPDATE ON audit_entries TO sheetmarket")
            let mayChange = try await database.scalar(
                "SELECT has_table_privilege('audit_entries', 'UPDATE, DELETE, TRUNCATE')", as: Bool.self)
            #expect(!mayChange)
            await database.shutdown()
        }
    }

    @Test(
        "migrate refuses a role that owns the schema, and one that is not there, in plain words; serving as the owner is warned of"
    )
    func unfit() async throws {
        let (owner, service) = try await TestCluster.shared.makeDivided()
        for (role, words) in [("postgres", "owns the schema"), ("nobody_at_all", "There is no role 'nobody_at_all'")] {
            let refused = try await Command.run(
                program, ["migrate"], environment: ["DATABASE_URL": owner, "SHEETMARKET_SERVICE_ROLE": role])
            #expect(refused.status == 1 && refused.errors.contains(words), "\(refused.errors)")
        }
        let fit = try await Command.run(
            program, ["migrate"], environment: ["DATABASE_URL": owner, "SHEETMARKET_SERVICE_ROLE": "sheetmarket"])
        #expect(fit.status == 0, "\(fit.errors)")

        let folder = try ScratchFolder("role")
        let secret = Data(repeating: 9, count: 32).base64EncodedString()
        for (address, isWarned) in [(owner, true), (service, false)] {
            let environment = [
                "DATABASE_URL": address, "SHEETMARKET_LISTEN": "127.0.0.1:0",
                "SHEETMARKET_STORAGE": folder.url.appendingPathComponent("storage").path,
                "SHEETMARKET_DOWNLOAD_KEYS": "k1:\(secret)", "SHEETMARKET_SECRET_KEYS": "s1:\(secret)",
            ]
            let server = try ChildProgram(program, ["serve"], environment: environment)
            #expect(await server.line(within: 600) { $0.hasPrefix("ready ") } != nil, "\(server.errors)")
            server.signal(SIGTERM)
            #expect(await server.waitForExit() == 0, "\(server.errors)")
            #expect(server.errors.contains("could change the audit log") == isWarned, "\(server.errors)")
        }
    }
}
