// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MarketWire
import Moderation
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAPI

@Suite("The audit log in the database")
struct AuditLogTests {
    static func append(_ count: Int, to scene: AccountsScene) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<count {
                group.addTask {
                    try await scene.market.database.withTransaction { connection in
                        _ = try await AuditLog.append(
                            connection, actor: .system, action: "test.done", subject: "thing:\(index)",
                            details: ["text": "caf\u{E9} \"\(index)\" \u{1F409}\n"], requestID: "r\(index)")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("writers at once make one chain without gaps, and it verifies")
    func chain() async throws {
        try await AccountsScene.run { scene in
            try await Self.append(60, to: scene)
            let verified = try await AuditLog.verify(scene.market.database)
            #expect(verified.count == 60)
            #expect(
                try await AuditLog.entries(before: nil, limit: 1, in: scene.market.database).first?.hash
                    == verified.head)
        }
    }

    @Test("an entry of a transaction that fails is not there, and leaves no gap")
    func rollback() async throws {
        struct Failure: Error {}
        try await AccountsScene.run { scene in
            try await Self.append(2, to: scene)
            await #expect(throws: Failure.self) {
                try await scene.market.database.withTransaction { connection in
                    _ = try await AuditLog.append(connection, actor: .system, action: "test.failed", subject: "x")
                    throw Failure()
                }
            }
            try await Self.append(2, to: scene)
            #expect(try await AuditLog.verify(scene.market.database).count == 4)
        }
    }

    @Test("the database refuses to change or remove entries")
    func appendOnly() async throws {
        try await AccountsScene.run { scene in
            try await Self.append(2, to: scene)
            for statement: PostgresQuery in [
                "UPDATE audit_entries SET actor = 'eve'", "DELETE FROM audit_entries", "TRUNCATE audit_entries",
            ] {
                await #expect(throws: PostgresError.self) { try await scene.market.database.execute(statement) }
            }
            #expect(try await AuditLog.verify(scene.market.database).count == 2)
        }
    }

    @Test(
        "whoever gets around that is found at the entry they touched",
        arguments: [
            (
                "UPDATE audit_entries SET details = replace(details, 'caf', 'cag') WHERE sequence = 6", 6,
                AuditFault.Kind.changed
            ),
            ("UPDATE audit_entries SET at = at + interval '1 microsecond' WHERE sequence = 3", 3, .changed),
            ("UPDATE audit_entries SET request_id = NULL WHERE sequence = 9", 9, .changed),
            ("DELETE FROM audit_entries WHERE sequence = 4", 5, .gap),
            (
                "UPDATE audit_entries SET hash = sha256('x') WHERE sequence = 7; "
                    + "UPDATE audit_entries SET previous_hash = sha256('x') WHERE sequence = 8", 7, .changed
            ),
        ])
    func tampering(sql: String, sequence: Int64, kind: AuditFault.Kind) async throws {
        try await AccountsScene.run { scene in
            try await Self.append(10, to: scene)
            try await scene.market.database.withConnection { connection in
                _ = try await connection.query("ALTER TABLE audit_entries DISABLE TRIGGER ALL")
                for part in sql.split(separator: ";") {
                    _ = try await connection.query(PostgresQuery(unsafeSQL: String(part)))
                }
            }
            await #expect(throws: AuditFault(sequence: sequence, kind: kind)) {
                try await AuditLog.verify(scene.market.database)
            }
        }
    }

    @Test("moderators read it newest first, page by page")
    func reading() async throws {
        try await AccountsScene.run { scene in
            let mod = try await scene.person("mod", role: .moderator)
            try await Self.append(6, to: scene)
            var sequences: [Int64] = []
            var cursor: String?
            repeat {
                let part = cursor.map { "&cursor=\($0)" } ?? ""
                let page = try await scene.send(.get, "/moderation/audit?limit=3\(part)", as: mod.caller)
                    .json(AuditList.self)
                sequences += page.entries.map(\.sequence)
                cursor = page.nextCursor
            } while cursor != nil
            #expect(sequences == [7, 6, 5, 4, 3, 2, 1])
            let first = try await scene.send(.get, "/moderation/audit?limit=100", as: mod.caller).json(AuditList.self)
                .entries.last
            #expect(first?.action == "user.role_changed" && first?.actor == "operator")
            let ada = try await scene.person("ada")
            #expect(try await scene.send(.get, "/moderation/audit", as: ada.caller).status == .forbidden)
        }
    }
}
