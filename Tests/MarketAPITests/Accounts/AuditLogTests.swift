// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MarketPages
import MarketPlatform
import MarketWire
import Moderation
import NIOCore
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAccounts

@Suite("The audit log in the database")
struct AuditLogTests {
    static func append(_ count: Int, to scene: AccountsScene) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<count {
                group.addTask {
                    try await scene.features.database.withTransaction { connection in
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
            let verified = try await AuditLog.verify(scene.features.database)
            #expect(verified.count == 60)
            #expect(
                try await AuditLog.entries(before: nil, limit: 1, in: scene.features.database).first?.hash
                    == verified.head)
        }
    }

    @Test("an entry of a transaction that fails is not there, and leaves no gap")
    func rollback() async throws {
        struct Failure: Error {}
        try await AccountsScene.run { scene in
            try await Self.append(2, to: scene)
            await #expect(throws: Failure.self) {
                try await scene.features.database.withTransaction { connection in
                    _ = try await AuditLog.append(connection, actor: .system, action: "test.failed", subject: "x")
                    throw Failure()
                }
            }
            try await Self.append(2, to: scene)
            #expect(try await AuditLog.verify(scene.features.database).count == 4)
        }
    }

    @Test("the database refuses to change or remove entries")
    func appendOnly() async throws {
        try await AccountsScene.run { scene in
            try await Self.append(2, to: scene)
            for statement: PostgresQuery in [
                "UPDATE audit_entries SET actor = 'eve'", "DELETE FROM audit_entries", "TRUNCATE audit_entries",
            ] {
                await #expect(throws: PostgresError.self) { try await scene.features.database.execute(statement) }
            }
            #expect(try await AuditLog.verify(scene.features.database).count == 2)
        }
    }

    @Test(
        "whoever gets around that is found at the entry they touched",
        arguments: [
            (
                "UPDATE audit_entries SET details = replace(details, 'caf', 'cag') WHERE sequence = 6", 6,
                AuditViolation.Kind.changed
            ),
            ("UPDATE audit_entries SET at = at + interval '1 microsecond' WHERE sequence = 3", 3, .changed),
            ("UPDATE audit_entries SET request_id = NULL WHERE sequence = 9", 9, .changed),
            ("DELETE FROM audit_entries WHERE sequence = 4", 5, .gap),
            (
                "UPDATE audit_entries SET hash = sha256('x') WHERE sequence = 7; "
                    + "UPDATE audit_entries SET previous_hash = sha256('x') WHERE sequence = 8", 7, .changed
            ),
        ])
    func tampering(sql: String, sequence: Int64, kind: AuditViolation.Kind) async throws {
        try await AccountsScene.run { scene in
            try await Self.append(10, to: scene)
            try await scene.features.database.withConnection { connection in
                _ = try await connection.query("ALTER TABLE audit_entries DISABLE TRIGGER ALL")
                for part in sql.split(separator: ";") {
                    _ = try await connection.query(PostgresQuery(unsafeSQL: String(part)))
                }
            }
            await #expect(throws: AuditViolation(sequence: sequence, kind: kind)) {
                try await AuditLog.verify(scene.features.database)
            }
        }
    }

    /// Switches the triggers off, as a superuser could, and runs `statements`.
    private static func tamper(_ scene: AccountsScene, _ statements: String...) async throws {
        try await scene.features.database.withConnection { connection in
            for table in ["audit_entries", "audit_checkpoints"] {
                try await connection.execute("ALTER TABLE \(ident: table) DISABLE TRIGGER ALL")
            }
            for statement in statements { _ = try await connection.query(PostgresQuery(unsafeSQL: statement)) }
        }
    }

    /// A change of one byte, or the smallest there is, by the column's type.
    private static func change(_ column: String, _ type: String) -> String {
        switch type {
        case "bytea":
            "CASE WHEN \(column) IS NULL THEN '\\x00'::bytea ELSE set_byte(\(column), 0, get_byte(\(column), 0) # 1) END"
        case "text":
            "CASE WHEN coalesce(\(column), '') = '' THEN 'x' ELSE chr(ascii(\(column)) # 1) || substr(\(column), 2) END"
        case "uuid": "gen_random_uuid()"
        case "bigint": "\(column) + 1000"
        case "smallint": "3 - \(column)"
        default: "\(column) + interval '1 millisecond'"
        }
    }

    @Test("one changed byte in any column of any entry or checkpoint is found")
    func everyColumn() async throws {
        try await AccountsScene.run { scene in
            let mod = try await scene.person("mod", role: .moderator)
            let keys = try AuditKeys(setting: AuditKeys.makeSetting(id: "a1"))
            let database = scene.features.database
            try await Self.append(3, to: scene)
            let waiting = try await scene.waiting(by: try await scene.person("ada").id)
            #expect(try await scene.claim(waiting.caseID, as: mod.caller).status == .ok)
            let made = try await AuditCheckpointer(platform: scene.features.platform, keys: keys).work(atOnce: true)
            #expect(made?.sequence == 5)
            #expect(
                try await AuditCheckpointer(platform: scene.features.platform, keys: keys).work() == nil,
                "an hour is not over")
            #expect(try await AuditLog.verify(database, keys: keys).checkpoints == 1)
            try await Self.tamper(scene)
            let columns = try await database.all(
                """
                SELECT table_name, column_name, data_type FROM information_schema.columns
                WHERE table_name IN ('audit_entries', 'audit_checkpoints') ORDER BY 1, ordinal_position
                """
            ) { (try $0.get(0, as: String.self), try $0.get(1, as: String.self), try $0.get(2, as: String.self)) }
            #expect(columns.count == 22)
            for (table, column, type) in columns {
                for sequence in table == "audit_entries" ? [1, 5] : [5] {
                    let change = Self.change(column, type)
                    try await database.withTransaction { connection in
                        try await connection.execute("CREATE TABLE before AS SELECT * FROM \(ident: table)")
                    }
                    _ = try await database.query(
                        PostgresQuery(
                            unsafeSQL: "UPDATE \(table) SET \(column) = \(change) WHERE sequence = \(sequence)"))
                    await #expect(throws: AuditViolation.self, "\(table).\(column) of \(sequence)") {
                        try await AuditLog.verify(database, keys: keys)
                    }
                    try await database.withTransaction { connection in
                        try await connection.execute("DELETE FROM \(ident: table)")
                        try await connection.execute("INSERT INTO \(ident: table) SELECT * FROM before")
                        try await connection.execute("DROP TABLE before")
                    }
                }
            }
            try await AuditLog.verify(database, keys: keys)
        }
    }

    @Test("an end that was cut off is found by a checkpoint here, or by a copy of it when that went too")
    func cutOff() async throws {
        try await AccountsScene.run { scene in
            let keys = try AuditKeys(setting: AuditKeys.makeSetting(id: "a1"))
            try await Self.append(10, to: scene)
            _ = try await AuditCheckpointer(platform: scene.features.platform, keys: keys).work(atOnce: true)
            var export = ""
            try await AuditExport.lines(of: scene.features.database) { export += $0 }
            let kept = AuditExport.checkpoints(in: export)
            #expect(kept.count == 1 && export.split(separator: "\n").count == 11)
            try await Self.tamper(scene, "DELETE FROM audit_entries WHERE sequence > 7")
            await #expect(throws: AuditViolation(sequence: 10, kind: .cutOff)) {
                try await AuditLog.verify(scene.features.database, keys: keys)
            }
            try await Self.tamper(scene, "DELETE FROM audit_checkpoints")
            #expect(try await AuditLog.verify(scene.features.database, keys: keys).count == 7)
            await #expect(throws: AuditViolation(sequence: 10, kind: .cutOff)) {
                try await AuditLog.verify(scene.features.database, keys: keys, kept: kept)
            }
        }
    }

    @Test("an export ends with the entry that it was asked to, whatever is written and signed meanwhile")
    func exportOfOneMoment() async throws {
        try await AccountsScene.run { scene in
            let keys = try AuditKeys(setting: AuditKeys.makeSetting(id: "a1"))
            try await Self.append(3, to: scene)
            let head = try #require(try await AuditStore.head(scene.features.database))
            try await Self.append(1, to: scene)
            _ = try await AuditCheckpointer(platform: scene.features.platform, keys: keys).work(atOnce: true)
            var export = ""
            try await AuditExport.lines(of: scene.features.database, until: head.sequence) { export += $0 }
            let lines = export.split(separator: "\n")
            #expect(lines.count == 3 && lines.last?.contains(head.hash.hex) == true, "\(export)")
            #expect(AuditExport.checkpoints(in: export).isEmpty)
        }
    }

    @Test("an export's tag names its last entry, while others are being written")
    func tagOfExport() async throws {
        try await AccountsScene.run { scene in
            let mod = try await scene.person("mod", role: .moderator)
            async let writing: Void = Self.append(60, to: scene)
            for _ in 0..<10 {
                let answer = try await scene.send(.get, "/moderation/audit?format=jsonl", as: mod.caller)
                let tag = try #require(answer.headers[.eTag])
                let hash = tag.dropFirst("W/\"".count).dropLast()
                let last = try #require(String(buffer: answer.body).split(separator: "\n").last)
                #expect(last.contains("\"\(hash)\""), "\(tag): \(last)")
            }
            try await writing
        }
    }

    @Test("signed while it is exported, the log tells of no checkpoint whose entry it lacks")
    func signedWhileExported() async throws {
        try await AccountsScene.run { scene in
            let keys = try AuditKeys(setting: AuditKeys.makeSetting(id: "a1"))
            try await Self.append(3, to: scene)
            var export = ""
            try await AuditExport.lines(of: scene.features.database) { line in
                export += line
                // Nobody has signed before the first line is written.
                guard export == line else { return }
                _ = try await AuditCheckpointer(platform: scene.features.platform, keys: keys).work(atOnce: true)
            }
            #expect(export.split(separator: "\n").count == 3 && AuditExport.checkpoints(in: export).isEmpty)
        }
    }

    @Test("a person goes from the log, the chain stays whole, and an erasure that nobody tells of is found")
    func erasure() async throws {
        try await AccountsScene.run { scene in
            let mallory = try await scene.person("mallory", role: .moderator)
            let ada = try await scene.person("ada")
            let waiting = try await scene.waiting(by: ada.id)
            #expect(try await scene.claim(waiting.caseID, as: mallory.caller).status == .ok)
            #expect(try await scene.decide(waiting.caseID, as: mallory.caller).status == .ok)
            let database = scene.features.database
            try await database.withTransaction { connection in
                for (words, subject) in [("Asked by Mallory.", "x:1"), ("mallory-2 and small mallorycats", "x:2")] {
                    try await AuditLog.append(
                        connection, actor: .system, action: "test.done", subject: subject, reason: words)
                }
                try await AuditLog.append(
                    connection, actor: .system, action: "test.done", subject: "x:3",
                    details: ["to": "MALLORY@example.org"])
            }
            try await database.withTransaction { try await AuditLog.erase(person: mallory.id, in: $0) }
            #expect(try await AuditLog.verify(database).count == 7)
            let left = try await database.scalar(
                "SELECT string_agg(e::text, ' ') FROM audit_entries AS e", as: String.self)
            #expect(!left.lowercased().contains("mallory@") && !left.lowercased().contains("by mallory"))
            #expect(left.contains("mallory-2") && left.contains("mallorycats"), "other words stay")
            #expect(!left.contains(",mallory,"))
            #expect(left.contains("audit.erased") && left.contains("approve"), "what was decided stays")
            let admin = try await scene.person("chief", role: .administrator)
            let entries = try await scene.send(.get, "/moderation/audit?limit=100", as: admin.caller)
                .json(AuditList.self).entries
            #expect(entries.filter { $0.erased == true }.count == 5)
            #expect(entries.first { $0.action == "case.decided" }?.actor == "erased")

            for statement in [
                "UPDATE audit_entries SET actor = NULL WHERE sequence = 6",
                "UPDATE audit_entries SET actor = NULL, actor_salt = NULL, actor_hash = sha256('x') WHERE sequence = 6",
                "UPDATE audit_entries SET details = '{}' WHERE sequence = 1",
            ] {
                await #expect(throws: PostgresError.self) {
                    _ = try await database.query(PostgresQuery(unsafeSQL: statement))
                }
            }
            try await database.execute("UPDATE audit_entries SET actor = NULL, actor_salt = NULL WHERE sequence = 6")
            await #expect(throws: AuditViolation(sequence: 6, kind: .erased)) { try await AuditLog.verify(database) }
        }
    }

    @Test("an export verifies with a program that shares nothing with the market")
    func independent() async throws {
        try await AccountsScene.run { scene in
            let mod = try await scene.person("mod", role: .moderator)
            let keys = try AuditKeys(setting: AuditKeys.makeSetting(id: "a1"))
            try await Self.append(20, to: scene)
            try await scene.features.database.withTransaction { try await AuditLog.erase(person: mod.id, in: $0) }
            _ = try await AuditCheckpointer(platform: scene.features.platform, keys: keys).work(atOnce: true)
            let answer = try await scene.send(.get, "/moderation/audit?format=jsonl", as: mod.caller)
            #expect(answer.status == .ok && answer.headers[.contentType] == "application/jsonl")
            let wrong = try await scene.send(.get, "/moderation/audit?format=jsonl&limit=0", as: mod.caller)
            #expect(wrong.status == .unprocessableContent)
            let foreign = try await scene.send(.get, "/moderation/audit?format=jsonl&cursor=x", as: mod.caller)
            #expect(foreign.status == .badRequest)
            let folder = try ScratchFolder("audit")
            let file = folder.url.appendingPathComponent("audit.jsonl")
            let text = String(buffer: answer.body)
            let program = BuildProducts.root.appendingPathComponent("scripts/verify-audit")
            let key = try #require(keys.publicKeys.first).key.base64EncodedString()
            func verify(_ text: String, key: String) async throws -> Command.Outcome {
                try Data(text.utf8).write(to: file)
                return try await Command.run(program, [file.path, "a1:\(key)"])
            }
            let whole = try await verify(text, key: key)
            #expect(whole.status == 0 && whole.output.hasPrefix("22 entries, 1 checkpoints"), "\(whole.errors)")
            let other = try #require(AuditKeys(setting: AuditKeys.makeSetting(id: "a1")).publicKeys.first).key
            #expect(try await verify(text, key: other.base64EncodedString()).status == 1)
            #expect(try await verify(text.replacing("thing:7", with: "thing:8"), key: key).status == 1)
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
