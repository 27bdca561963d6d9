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
            try FileManager.default.createDirectory(
                at: url.appendingPathComponent("repeatable"), withIntermediateDirectories: true)
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

    @Test("a migration that meets others' locks gives way and is tried again")
    func locks() async throws {
        let folder = try Self.folder()
        try await withClient { client async throws in
            try await folder.migrator.migrate(client, logger: quietLogger())
            try folder.write("20250104000000_widen.sql", "ALTER TABLE users ADD COLUMN age int;")
            let impatient = PostgresMigrator(directory: folder.url, lockTimeout: .milliseconds(50), attempts: 2)
            let patient = PostgresMigrator(directory: folder.url, lockTimeout: .milliseconds(50), attempts: 10_000)
            let schema = try await client.scalar("SELECT current_schema()", as: String.self)
            try await withClient({ $0.searchPath = schema }) { other async throws in
                let error = await problem {
                    try await other.withTransaction { holder async throws in
                        try await holder.execute("LOCK TABLE users IN ACCESS SHARE MODE")
                        try await impatient.migrate(client, logger: quietLogger())
                    }
                }
                guard case .failed(_, let underlying)? = error else { throw try #require(error) }
                #expect(underlying.code == .lockNotAvailable)
            }
            try await withClient({ $0.searchPath = schema }) { other async throws in
                try await withThrowingTaskGroup(of: Void.self) { group async throws in
                    try await other.withTransaction { holder async throws in
                        try await holder.execute("LOCK TABLE users IN ACCESS SHARE MODE")
                        group.addTask { _ = try await patient.migrate(client, logger: quietLogger()) }
                        try await Task.sleep(for: .milliseconds(300))
                    }
                    try await group.waitForAll()
                }
            }
            #expect(try await client.scalar("SELECT count(age) FROM users", as: Int.self) == 0)
        }
    }

    @Test("a migration waits for a lock for less than deadlock_timeout")
    func deadlock() async throws {
        let folder = try Self.folder()
        try await withClient { client async throws in
            try await folder.migrator.migrate(client, logger: quietLogger())
            try folder.write(
                "20250104000000_lock_timeout.sql",
                """
                CREATE TABLE timeouts AS SELECT current_setting('lock_timeout')::interval AS locks,
                    current_setting('deadlock_timeout')::interval AS deadlocks;
                """)
            try await PostgresMigrator(directory: folder.url, lockTimeout: .seconds(300))
                .migrate(client, logger: quietLogger())
            let isShorter = try await client.scalar("SELECT locks < deadlocks FROM timeouts", as: Bool.self)
            #expect(isShorter)
        }
    }

    @Test("an index that was given up half way is not taken for a good one")
    func invalidIndex() async throws {
        let folder = try Self.folder()
        try await withClient { client async throws in
            try await folder.migrator.migrate(client, logger: quietLogger())
            try await client.execute("INSERT INTO users VALUES (1, 'twice')")
            try folder.write(
                "20250104000000_index_ids.sql",
                "-- no-transaction\nCREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS users_id ON users (id);")
            var error = await problem { try await folder.migrator.migrate(client, logger: quietLogger()) }
            guard case .failed(_, let underlying)? = error else { throw try #require(error) }
            #expect(underlying.code == .uniqueViolation)
            error = await problem { try await folder.migrator.migrate(client, logger: quietLogger()) }
            guard case .invalidIndex(_, index: let index)? = error else { throw try #require(error) }
            #expect(index.hasSuffix("users_id"))
            try await client.execute("DELETE FROM users WHERE name = 'twice'")
            try await client.execute("DROP INDEX users_id")
            #expect(try await folder.migrator.migrate(client, logger: quietLogger()).count == 1)
        }
    }

    // MARK: - Repeatable files

    static let one = "repeatable/010_one.sql"
    static let two = "repeatable/020_two.sql"

    /// Functions that say a number; the second stands on the first, and both on a table.
    static func repeatableFolder() throws -> Folder {
        let folder = try folder()
        try folder.write(one, function("one", "SELECT 1 + count(*)::int FROM users"))
        try folder.write(two, function("two", "SELECT one() + 1"))
        return folder
    }

    static func function(_ name: String, _ body: String) -> String {
        "CREATE OR REPLACE FUNCTION \(name)() RETURNS int LANGUAGE sql AS $$ \(body) $$;"
    }

    @Test("repeatable files come after the numbered ones, and again exactly when they have changed")
    func repeatable() async throws {
        let folder = try Self.repeatableFolder()
        try await withClient { client async throws in
            let first = try await folder.migrator.migrate(client, logger: quietLogger())
            #expect(first.suffix(2).map(\.name) == ["010_one", "020_two"])
            #expect(first.suffix(2).map(\.version) == ["010", "020"])
            #expect(try await client.scalar("SELECT two()", as: Int.self) == 3)
            #expect(try await folder.migrator.migrate(client, logger: quietLogger()).isEmpty)

            try folder.write(Self.one, Self.function("one", "SELECT 10 + (SELECT count(*) FROM later)::int"))
            try folder.write("20250104000000_create_later.sql", "CREATE TABLE later (id int);")
            let pending = try await folder.migrator.status(client).filter { $0.state == .pending }.map(\.name)
            #expect(pending == ["20250104000000_create_later", "010_one"])
            #expect(try await folder.migrator.migrate(client, logger: quietLogger()).map(\.name) == pending)
            #expect(try await client.scalar("SELECT two()", as: Int.self) == 11)
            #expect(try await folder.migrator.status(client).allSatisfy { $0.state != .pending })
        }
    }

    @Test("a repeatable file that fails leaves what was there, and is tried again")
    func failingRepeatable() async throws {
        let folder = try Self.repeatableFolder()
        try await withClient { client async throws in
            try await folder.migrator.migrate(client, logger: quietLogger())
            try folder.write(Self.one, Self.function("one", "SELECT 5") + " SELECT wrong;")
            let error = await problem { try await folder.migrator.migrate(client, logger: quietLogger()) }
            guard case .failed(name: "010_one", _)? = error else { throw try #require(error) }
            #expect(try await client.scalar("SELECT one()", as: Int.self) == 2)
            try folder.write(Self.one, Self.function("one", "SELECT 5"))
            #expect(try await folder.migrator.migrate(client, logger: quietLogger()).map(\.name) == ["010_one"])
            #expect(try await client.scalar("SELECT one()", as: Int.self) == 5)
        }
    }

    @Test("an older program does not put its own functions back")
    func superseded() async throws {
        let folder = try Self.repeatableFolder()
        let old = Self.function("one", "SELECT 1 + count(*)::int FROM users")
        try await withClient { client async throws in
            try await folder.migrator.migrate(client, logger: quietLogger())
            try folder.write(Self.one, Self.function("one", "SELECT 7"))
            try await folder.migrator.migrate(client, logger: quietLogger())
            try folder.write(Self.one, old)
            try folder.write("20250104000000_create_later.sql", "CREATE TABLE later (id int);")
            let error = await problem { try await folder.migrator.migrate(client, logger: quietLogger()) }
            guard case .superseded(name: "010_one")? = error else { throw try #require(error) }
            let states = try await folder.migrator.status(client)
            guard case .changed = states.first(where: { $0.name == "010_one" })?.state else {
                Issue.record("unexpected: \(states)")
                return
            }
            #expect(try await client.scalar("SELECT one()", as: Int.self) == 7)
            #expect(try await client.scalar("SELECT to_regclass('later') IS NULL", as: Bool.self))
            // On purpose.
            try folder.write(Self.one, old + " -- Back.")
            try await folder.migrator.migrate(client, logger: quietLogger())
            #expect(try await client.scalar("SELECT one()", as: Int.self) == 2)
        }
    }

    @Test("a clock that was set back confuses nobody about what is newest")
    func clock() async throws {
        let folder = try Self.repeatableFolder()
        try await withClient { client async throws in
            try await folder.migrator.migrate(client, logger: quietLogger())
            try await client.execute("UPDATE schema_migrations SET applied_at = applied_at + interval '1 year'")
            try folder.write(Self.one, Self.function("one", "SELECT 7"))
            #expect(try await folder.migrator.migrate(client, logger: quietLogger()).map(\.name) == ["010_one"])
            #expect(try await folder.migrator.migrate(client, logger: quietLogger()).isEmpty)
        }
    }

    @Test("names of repeatable files are checked, and a folder may have none")
    func repeatableNames() async throws {
        let folder = try Folder(["repeatable/search.sql": "SELECT 1"])
        try await withClient { client async throws in
            let error = await problem { _ = try await folder.migrator.status(client) }
            guard case .badFileName("search.sql", digits: 3)? = error else { throw try #require(error) }
            try folder.remove("repeatable")
            #expect(try await folder.migrator.migrate(client, logger: quietLogger()).isEmpty)
        }
    }

    // MARK: - Databases of other programs

    @Test("a database that other migrations made is refused as a whole, and told what to do")
    func foreignHistory() async throws {
        let folder = try Self.repeatableFolder()
        try await withClient { client async throws in
            // As the migrations before the re-base left it.
            try await client.execute(
                """
                CREATE TABLE schema_migrations (version text PRIMARY KEY, name text NOT NULL, checksum text NOT NULL,
                    applied_at timestamptz NOT NULL DEFAULT clock_timestamp(), milliseconds bigint NOT NULL)
                """)
            try await client.execute(
                """
                INSERT INTO schema_migrations (version, name, checksum, milliseconds) VALUES
                    ('20261121120000', '20261121120000_create_market', 'a', 1),
                    ('20261121130000', '20261121130000_add_likeness_search', 'b', 1)
                """)
            let error = await problem { try await folder.migrator.migrate(client, logger: quietLogger()) }
            guard case .foreignHistory(let oldest, let first)? = error else { throw try #require(error) }
            #expect(oldest == "20261121120000_create_market")
            #expect(first == "20250101000000_create_users")
            #expect(try #require(error).description.contains("an empty database"))
            #expect(try await client.scalar("SELECT count(*) FROM schema_migrations", as: Int.self) == 2)
            #expect(try await client.scalar("SELECT to_regclass('users') IS NULL", as: Bool.self))
        }
    }
}
