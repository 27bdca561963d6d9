// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Postgres
import SheetCore
import TestSupport
import Testing

@Suite("The audit log of a running market")
struct AuditStoryTests {
    private let program = BuildProducts.executable("sheetmarket")

    @Test(
        "The service's own role can read and add, and nothing else; the log verifies, is signed, exported, and goes on after a restart"
    )
    func ownership() async throws {
        let folder = try ScratchFolder("audit")
        let data = folder.url.appendingPathComponent("data")
        var market = try await RunningMarket(data: data)
        _ = try await market.person("moritz", role: .moderator)
        for round in 0..<2 {
            try await market.withDatabase { database in
                for statement in [
                    "UPDATE audit_entries SET actor = NULL, actor_salt = NULL", "UPDATE audit_entries SET action = 'x'",
                    "DELETE FROM audit_entries", "TRUNCATE audit_entries", "DROP TABLE audit_entries",
                    "ALTER TABLE audit_entries DISABLE TRIGGER ALL",
                    "DROP TRIGGER audit_entries_append_only ON audit_entries",
                    "ALTER TABLE audit_entries OWNER TO sheetmarket", "DELETE FROM audit_checkpoints",
                    "UPDATE audit_checkpoints SET sequence = 1", "SET ROLE sheetmarket_audit", "SET ROLE postgres",
                    "DROP FUNCTION erase_audit_entries(uuid, text, text)", "DROP SCHEMA public CASCADE",
                    "CREATE OR REPLACE FUNCTION audit_entries_are_immutable() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
                ] {
                    await #expect(throws: PostgresError.self, "\(statement)") {
                        _ = try await database.query(PostgresQuery(unsafeSQL: statement))
                    }
                }
                let isThere = try await database.scalar("SELECT count(*) > 0 FROM audit_entries", as: Bool.self)
                #expect(isThere, "\(round)")
            }
            // Once more after a restart, which takes the tables back to migrate and gives them away again.
            if round == 0 {
                #expect(await market.stop() == 0)
                market = try await RunningMarket(data: data)
            }
        }
        func audit(_ arguments: String...) async throws -> Command.Outcome {
            try await Command.run(program, ["admin", "audit"] + arguments + ["--data", data.path])
        }
        let signed = try await audit("checkpoint")
        // A worker may have been faster.
        #expect(signed.status == 0 && !signed.output.isEmpty, "\(signed.errors)")
        let verified = try await audit("verify")
        #expect(verified.status == 0 && !verified.output.contains(" 0 signed"), "\(verified.output)\(verified.errors)")
        let export = try await audit("export")
        #expect(
            export.output.contains(#""action":"user.role_changed""#) && export.output.contains(#""type":"checkpoint""#))
        let kept = folder.url.appendingPathComponent("audit.jsonl")
        try Data(export.output.utf8).write(to: kept)
        #expect(try await audit("verify", "--kept", kept.path).status == 0)
        #expect(await market.stop() == 0)
    }
}
