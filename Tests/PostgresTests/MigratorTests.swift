// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres
import Testing

@Suite("Migrations")
struct MigratorTests {
    /// A migrations folder, gone at the end of the test.
    final class Folder {
        let url: URL

        init(_ files: [String: String]) throws {
            url = FileManager.default.temporaryDirectory.appendingPathComponent("migrations-\(UUID())")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            for (name, sql) in files { try write(name, sql) }
        }

        deinit { try? FileManager.default.removeItem(at: url) }

        func write(_ name: String, _ sql: String) throws {
            try Data(sql.utf8).write(to: url.appendingPathComponent(name))
        }

        func remove(_ name: String) throws {
            try FileManager.default.removeItem(at: url.appendingPathComponent(name))
        }

        // Building an index waits for the transactions of the tests beside.
        var migrator: PostgresMigrator { PostgresMigrator(directory: url, lockTimeout: .seconds(300)) }
    }

    static let users = "20250101000000_create_users.sql"
    static let index = "20250102000000_index_users.sql"
    static let notes = "20250103000000_create_notes.sql"

    static func folder() throws -> Folder {
        try Folder([
            users: "CREATE TABLE users (id int, name text);\nINSERT INTO users VALUES (1, 'a;b');",
            index: "-- no-transaction\nCREATE INDEX CONCURRENTLY IF NOT EXISTS users_name ON users (name);",
            notes: "CREATE TABLE notes (id int); SET LOCAL lock_timeout = '1s';",
            "README.md": "not SQL",
        ])
    }

    private func problem(_ body: () async throws -> Void) async -> PostgresMigrationError? {
        do {
            try await body()
            return nil
        } catch { return error as? PostgresMigrationError }
    }

    @Test("four nodes that start at once apply everything once")
    func concurrent() async throws {
        let folder = try Self.folder()
        let migrator = folder.migrator
        try await withClient { client async throws in
            let schema = try await client.scalar("SELECT current_schema()", as: String.self)
            let applied = try await withThrowingTaskGroup(of: [String].self) { group async throws in
                for _ in 0..<4 {
                    group.addTask {
                        try await withClient({ $0.searchPath = schema }) { node async throws in
                            try await migrator.migrate(node, logger: quietLogger()).map(\.name)
                        }
                    }
                }
                return try await group.reduce([], +)
            }
            let all = ["20250101000000_create_users", "20250102000000_index_users", "20250103000000_create_notes"]
            #expect(applied == all)
            #expect(try await client.scalar("SELECT count(*) FROM users", as: Int.self) == 1)
            #expect(try await migrator.migrate(client, logger: quietLogger()).isEmpty)
        }
    }

    @Test("status tells applied from pending and changes nothing")
    func status() async throws {
        let folder = try Self.folder()
        try folder.remove(Self.notes)
        try await withClient { client async throws in
            #expect(try await folder.migrator.status(client).map(\.state) == [.pending, .pending])
            let applied = try await folder.migrator.migrate(client, logger: quietLogger())
            try folder.write(Self.notes, "CREATE TABLE notes ();")
            let states = try await folder.migrator.status(client)
            #expect(
                states.map(\.state) == [
                    .applied(at: applied[0].appliedAt), .applied(at: applied[1].appliedAt), .pending,
                ]
            )
            try folder.remove(Self.users)
            try folder.write(Self.index, "-- changed")
            let after = try await folder.migrator.status(client).map(\.state)
            #expect(
                after == [
                    .unknown(appliedAt: applied[0].appliedAt), .changed(appliedAt: applied[1].appliedAt), .pending,
                ]
            )
        }
    }

    @Test("bad SQL leaves nothing half applied, and what came before it stays")
    func badSQL() async throws {
        let folder = try Self.folder()
        try folder.write(Self.notes, "CREATE TABLE notes (id int); INSERT INTO notes VALUES (1); SELECT wrong;")
        try await withClient { client async throws in
            let error = await problem { try await folder.migrator.migrate(client, logger: quietLogger()) }
            guard case .failed(let name, let underlying)? = error else {
                Issue.record("unexpected: \(String(describing: error))")
                return
            }
            #expect(name == "20250103000000_create_notes")
            #expect(underlying.code == .undefinedColumn)
            #expect(try await client.scalar("SELECT to_regclass('notes') IS NULL", as: Bool.self))
            #expect(try await client.scalar("SELECT count(*) FROM schema_migrations", as: Int.self) == 2)
            try folder.write(Self.notes, "CREATE TABLE notes (id int);")
            #expect(try await folder.migrator.migrate(client, logger: quietLogger()).count == 1)
        }
    }

    @Test("a changed file, an unknown migration and one out of order are refused")
    func refusals() async throws {
        let folder = try Self.folder()
        try await withClient { client async throws in
            try await folder.migrator.migrate(client, logger: quietLogger())
            try folder.write("20250101120000_come_late.sql", "SELECT 1")
            var error = await problem { try await folder.migrator.migrate(client, logger: quietLogger()) }
            guard case .outOfOrder? = error else { throw try #require(error) }
            try folder.remove("20250101120000_come_late.sql")
            try folder.write(Self.notes, "CREATE TABLE notes (id bigint);")
            error = await problem { try await folder.migrator.migrate(client, logger: quietLogger()) }
            guard case .checksumChanged(name: "20250103000000_create_notes")? = error else { throw try #require(error) }
            try folder.remove(Self.notes)
            error = await problem { try await folder.migrator.migrate(client, logger: quietLogger()) }
            guard case .unknownApplied(name: "20250103000000_create_notes")? = error else { throw try #require(error) }
        }
    }

    @Test("bad names, equal versions and a missing folder are refused before anything runs")
    func folders() async throws {
        try await withClient { client async throws in
            let named = try Folder(["1_create.sql": "SELECT 1"])
            guard case .badFileName? = await problem({ _ = try await named.migrator.status(client) }) else {
                Issue.record("a bad name was accepted")
                return
            }
            let twice = try Folder([Self.users: "", "20250101000000_other.sql": ""])
            guard case .duplicateVersion? = await problem({ _ = try await twice.migrator.status(client) }) else {
                Issue.record("equal versions were accepted")
                return
            }
            let absent = PostgresMigrator(directory: URL(fileURLWithPath: "/nonexistent"))
            guard case .unreadable? = await problem({ _ = try await absent.status(client) }) else {
                Issue.record("a missing folder was accepted")
                return
            }
        }
    }

    @Test("a migration that ends its own transaction is refused")
    func ownCommit() async throws {
        let folder = try Folder([Self.users: "CREATE TABLE users (); COMMIT; BEGIN; CREATE TABLE others ();"])
        try await withClient { client async throws in
            let error = await problem { try await folder.migrator.migrate(client, logger: quietLogger()) }
            guard case .endedTransaction? = error else { throw try #require(error) }
            #expect(try await client.scalar("SELECT count(*) FROM schema_migrations", as: Int.self) == 0)
        }
    }
}
