// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres
import Testing

/// Nodes are replaced one by one: those of the release before go on while the database is migrated, and afterwards.
///
/// `Tests/Fixtures/schema` holds a database of that release and what its nodes ask; `scripts/make-schema-fixture` makes
/// it.
@Suite("Upgrades")
struct UpgradeTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let migrations = root.appendingPathComponent("migrations")
    private static let fixtures = root.appendingPathComponent("Tests/Fixtures/schema")

    @Test("the release before goes on while its database is migrated to this one")
    func upgrade() async throws {
        try await withDatabase { database async throws in
            let outcome = try await Self.upgrade(database, to: Self.migrations)
            #expect(outcome.failures.isEmpty, "\(outcome.failures)")
            #expect(try await database.client.scalar("SELECT count(*) FROM reviews", as: Int.self) > 0)
        }
    }

    @Test("a migrated database has the schema of a fresh one")
    func sameSchema() async throws {
        let migrator = PostgresMigrator(directory: Self.migrations)
        let fresh = try await withDatabase { database async throws in
            try await migrator.migrate(database.client, logger: quietLogger())
            let schema = try await Self.schema(database.client)
            // Making the tables of lists anew leaves them as the migrations state them.
            for table in ["listings", "popular"] {
                for _ in 0..<2 {
                    let rebuild = table == "listings" ? "rebuild_listings()" : "rebuild_popular(10)"
                    try await database.client.execute(PostgresQuery(unsafeSQL: "SELECT \(rebuild)"))
                }
            }
            #expect(try await Self.schema(database.client) == schema)
            #expect(schema.count > 500)
            return schema
        }
        let migrated = try await withDatabase { database async throws in
            try await Self.restore(database)
            try await migrator.migrate(database.client, logger: quietLogger())
            return try await Self.schema(database.client)
        }
        #expect(migrated.subtracting(fresh) == [])
        #expect(fresh.subtracting(migrated) == [])
    }

    @Test("pages whose zoom regions the release before corrected are marked")
    func correctedPages() async throws {
        try await withDatabase { database async throws in
            try await Self.restore(database)
            try await database.client.execute(
                #"""
                UPDATE submission_pages SET regions = '[{"source": "corrected"}]'
                WHERE submission_id = (SELECT submission_id FROM submission_pages ORDER BY submission_id LIMIT 1)
                """#)
            try await PostgresMigrator(directory: Self.migrations).migrate(database.client, logger: quietLogger())
            let marked = try await database.client.all(
                "SELECT is_corrected FROM submission_pages ORDER BY submission_id, page_index"
            ) { try $0.get(0, as: Bool.self) }
            #expect(marked.count > 1 && marked.first == true && marked.dropFirst().allSatisfy { !$0 })
        }
    }

    @Test("a change that expands keeps the release before going")
    func expand() async throws {
        let next = try NextRelease(Self.migrations)
        // Each locks one table that the nodes write: one that locks two may meet a transaction that wants them the
        // other way round.
        try next.add("01_column", "ALTER TABLE templates ADD COLUMN subtitle text;")
        try next.add("02_column", "ALTER TABLE listings ADD COLUMN subtitle text;")
        try next.add(
            "03_check", "ALTER TABLE reviews ADD CONSTRAINT reviews_next_check CHECK (stars IS NOT NULL) NOT VALID;")
        try next.add("04_validate", "ALTER TABLE reviews VALIDATE CONSTRAINT reviews_next_check;")
        try next.add("05_column", "ALTER TABLE reviews ALTER COLUMN stars SET NOT NULL;")
        try next.add(
            "06_table", "CREATE TABLE next_release (template_id uuid CONSTRAINT next_fkey REFERENCES templates (id));")
        try next.add(
            "07_index",
            """
            -- no-transaction
            CREATE INDEX CONCURRENTLY IF NOT EXISTS templates_next ON templates (subtitle, updated_at);
            """)
        try next.add(
            "08_rows",
            "UPDATE templates SET subtitle = '' WHERE id IN (SELECT id FROM templates ORDER BY id LIMIT 1000);")
        try next.touchRepeatable()
        try await withDatabase { database async throws in
            let outcome = try await Self.upgrade(database, to: next.url)
            #expect(outcome.failures.isEmpty, "\(outcome.failures)")
            #expect(outcome.applied.filter { $0.name.hasPrefix("9999") }.count == 8)
            #expect(outcome.applied.filter { $0.version.count == 3 }.count > 10)
        }
    }

    @Test(
        "a change that the release before does not survive is noticed",
        arguments: [
            "ALTER TABLE versions RENAME COLUMN changelog TO news;",
            "ALTER TABLE jobs ADD COLUMN tenant text NOT NULL DEFAULT ''; ALTER TABLE jobs ALTER COLUMN tenant DROP DEFAULT;",
            "DROP FUNCTION aggregate_downloads;",
        ])
    func contract(_ change: String) async throws {
        let next = try NextRelease(Self.migrations)
        try next.add("01_contract", change)
        try await withDatabase { database async throws in
            let outcome = try await Self.upgrade(database, to: next.url)
            #expect(!outcome.failures.isEmpty)
        }
    }
}

// MARK: - A database of the release before, and its nodes

extension UpgradeTests {
    /// A database of its own: the fixture states the schema `public`.
    struct Database: Sendable {
        let client: PostgresClient
        let configuration: PostgresConfiguration
    }

    private func withDatabase<T: Sendable>(_ body: (Database) async throws -> T) async throws -> T {
        try await withClient { administrator async throws in
            let name = "upgrade_" + UUID().uuidString.lowercased().replacingOccurrences(of: "-", with: "")
            // In the locale of the market's own databases, which orders text by code points.
            try await administrator.execute("CREATE DATABASE \(ident: name) TEMPLATE template0 LC_COLLATE 'C'")
            var configuration = PostgresConfiguration(
                connectionString: "host=\(TestServer.shared.folder) user=postgres dbname=\(name)")
            configuration.checkoutTimeout = .seconds(300)
            configuration.connectTimeout = .seconds(60)
            configuration.statementTimeout = .seconds(300)
            let client = PostgresClient(configuration: configuration, logger: quietLogger())
            let result: Result<T, any Error>
            do {
                result = .success(try await body(Database(client: client, configuration: configuration)))
            } catch { result = .failure(error) }
            await client.shutdown()
            try await administrator.execute("DROP DATABASE \(ident: name) WITH (FORCE)")
            return try result.get()
        }
    }

    private static func restore(_ database: Database) async throws {
        let dump = try String(contentsOf: fixtures.appendingPathComponent("release.sql"), encoding: .utf8)
        try await database.client.withConnection { connection in
            // It sets the search path.
            connection.discardAfterUse()
            try await connection.executeScript(dump)
        }
        try await database.client.execute("ANALYZE")
    }

    /// Nodes of the release before ask all their queries at least twice before, whatever comes of it during, and twice
    /// after the migrations.
    private static func upgrade(
        _ database: Database, to migrations: URL
    ) async throws -> (applied: [AppliedMigration], failures: [String]) {
        try await restore(database)
        let queries = try queries()
        let progress = Cell<[Int]>([Int](repeating: 0, count: 3))
        let isOver = Cell(false)
        return try await withThrowingTaskGroup(of: [String].self) { group async throws in
            for node in 0..<3 {
                group.addTask {
                    // Each with a pool of its own, which keeps plans that were made before.
                    let client = PostgresClient(configuration: database.configuration, logger: quietLogger())
                    var failures: [String] = []
                    while !isOver.withLock({ $0 }) {
                        for query in queries {
                            do {
                                try await Self.ask(query, client)
                            } catch let error as PostgresError {
                                failures.append("\(error.code.map { "\($0)" } ?? ""): \(error.message): \(query)")
                            }
                        }
                        progress.withLock { $0[node] += 1 }
                    }
                    await client.shutdown()
                    return failures
                }
            }
            defer { isOver.withLock { $0 = true } }
            func waitForTwoRounds() async throws {
                let begun = progress.withLock { $0 }
                let isDone = try await eventually { progress.withLock { zip($0, begun).allSatisfy { $0 >= $1 + 2 } } }
                #expect(isDone)
            }
            try await waitForTwoRounds()
            let applied = try await PostgresMigrator(directory: migrations, attempts: 100)
                .migrate(database.client, logger: quietLogger())
            try await waitForTwoRounds()
            isOver.withLock { $0 = true }
            return (applied, Array(try await group.reduce(into: Set()) { $0.formUnion($1) }))
        }
    }

    /// A node tries again what lost a deadlock against a migration, as transactions do.
    private static func ask(_ query: String, _ client: PostgresClient) async throws {
        do {
            try await client.execute(PostgresQuery(unsafeSQL: query))
        } catch let error as PostgresError where error.code == .deadlockDetected {
            try await client.withTransaction { try await $0.execute(PostgresQuery(unsafeSQL: query)) }
        }
    }

    /// The parts of `queries.sql`, without what it says of itself.
    private static func queries() throws -> [String] {
        let text = try String(contentsOf: fixtures.appendingPathComponent("queries.sql"), encoding: .utf8)
        let queries = text.components(separatedBy: "\n\n").dropFirst()
            .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.filter { !$0.isEmpty }
        #expect(queries.count > 40)
        return queries
    }

    /// Everything that the schema says, a line each, however it came about: columns in any order.
    private static func schema(_ client: PostgresClient) async throws -> Set<String> {
        let lines = try await client.all(
            """
            SELECT format('column %s.%s %s %s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
                    a.attcollation, pg_get_expr(d.adbin, d.adrelid))
                FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                LEFT JOIN pg_attrdef AS d ON d.adrelid = c.oid AND d.adnum = a.attnum
                WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v')
                    AND c.relname !~ '^download_days_[0-9]'
            UNION ALL SELECT format('table %s %s %s', c.relname, c.relpersistence, c.reloptions)
                FROM pg_class AS c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
                    AND c.relname !~ '^download_days_[0-9]'
            UNION ALL SELECT format('constraint %s %s %s', conname, pg_get_constraintdef(oid, true), convalidated)
                FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND conname !~ '^download_days_[0-9]'
            UNION ALL SELECT 'index ' || pg_get_indexdef(i.indexrelid, 0, true)
                FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid
                WHERE c.relnamespace = 'public'::regnamespace AND c.relname !~ '^download_days_[0-9]'
            UNION ALL SELECT 'trigger ' || pg_get_triggerdef(oid, true) FROM pg_trigger WHERE NOT tgisinternal
            UNION ALL SELECT 'function ' || pg_get_functiondef(p.oid) FROM pg_proc AS p
                WHERE pronamespace = 'public'::regnamespace
                    AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.objid = p.oid AND d.deptype = 'e')
            UNION ALL SELECT 'view ' || c.relname || pg_get_viewdef(c.oid, true) FROM pg_class AS c
                WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'v'
            """
        ) { try $0.get(0, as: String.self) }
        return Set(lines)
    }
}

// MARK: - The release after this one

extension UpgradeTests {
    /// A copy of the migrations with more of them, gone at the end of the test.
    private final class NextRelease: Sendable {
        let url: URL

        init(_ migrations: URL) throws {
            url = FileManager.default.temporaryDirectory.appendingPathComponent("next-\(UUID())")
            try FileManager.default.copyItem(at: migrations.resolvingSymlinksInPath(), to: url)
        }

        deinit { try? FileManager.default.removeItem(at: url) }

        func add(_ name: String, _ sql: String) throws {
            try Data(sql.utf8).write(to: url.appendingPathComponent("999912310000\(name).sql"))
        }

        /// Changes each of the files that are applied again.
        func touchRepeatable() throws {
            let folder = url.appendingPathComponent("repeatable")
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                let file = folder.appendingPathComponent(name)
                try Data((try String(contentsOf: file, encoding: .utf8) + "-- Changed.\n").utf8).write(to: file)
            }
        }
    }
}
