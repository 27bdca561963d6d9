// SPDX-License-Identifier: Apache-2.0
import ChildProcess
import Foundation
import Logging
import MarketAPI
import MarketPlatform
import Postgres
import PostgresCluster

/// One real PostgreSQL for all tests of this process, and a migrated database of its own for each that asks.
/// Databases, not schemas: NOTIFY and advisory locks belong to a database, and tests must not hear each other.
package actor TestCluster {
    /// The one of this process.
    package static let shared = TestCluster()

    private let logger = TestLog.logger
    private var starting: Task<Started, any Error>?
    private var count = 0

    private struct Started: Sendable {
        let cluster: PostgresCluster
        let folder: ScratchFolder
        let administrator: PostgresClient
    }

    /// Makes a migrated database, which goes with its owner.
    package func makeOwnedDatabase() async throws -> TestDatabase {
        let started = try await start()
        count += 1
        let name = "market_\(count)"
        try await copyTemplate(to: name, started.administrator)
        return TestDatabase(
            connection: started.cluster.connectionString(user: "sheetmarket", database: name),
            name: name, administrator: started.administrator)
    }

    /// Makes a migrated database that stays until the tests end, and returns its connection string.
    package func makeDatabase() async throws -> String {
        let started = try await start()
        count += 1
        let name = "market_\(count)"
        try await copyTemplate(to: name, started.administrator)
        return started.cluster.connectionString(user: "sheetmarket", database: name)
    }

    /// Makes an empty database and returns its connection string.
    package func makeEmptyDatabase() async throws -> String {
        let started = try await start()
        count += 1
        let name = "empty_\(count)"
        try await started.administrator.execute("CREATE DATABASE \(ident: name) OWNER sheetmarket")
        return started.cluster.connectionString(user: "sheetmarket", database: name)
    }

    /// Makes an empty database whose owner is not the service, and returns both connection strings.
    package func makeDivided() async throws -> (owner: String, service: String) {
        let started = try await start()
        count += 1
        let name = "divided_\(count)"
        try await started.administrator.execute("CREATE DATABASE \(ident: name)")
        return (
            started.cluster.connectionString(user: "postgres", database: name),
            started.cluster.connectionString(user: "sheetmarket", database: name)
        )
    }

    private func start() async throws -> Started {
        if let starting { return try await starting.value }
        let logger = self.logger
        let task = Task {
            let folder = try ScratchFolder("pg")
            // Not durable: this cluster lives as long as the tests do. The product's own never runs like this.
            let cluster = try await PostgresCluster.start(
                .init(
                    dataDirectory: folder.url.appendingPathComponent("c"),
                    settings: [
                        "fsync": "off", "synchronous_commit": "off", "full_page_writes": "off",
                        "max_connections": "300",
                        // Its workers hold the template database, and change plans and statistics between two lines.
                        "autovacuum": "off",
                    ]),
                logger: logger)
            stopAtExit(cluster.processID, folder.url)
            SuiteLog.keep(URL(fileURLWithPath: cluster.logFile), growing: true)
            let administrator = PostgresClient(
                configuration: .calm(
                    connectionString: cluster.connectionString(user: "postgres", database: "postgres")),
                logger: logger)
            try await administrator.execute("CREATE DATABASE market OWNER sheetmarket")
            let market = PostgresClient(
                configuration: .calm(
                    connectionString: cluster.connectionString(user: "sheetmarket", database: "market")),
                logger: logger)
            _ = try await PostgresMigrator(directory: BuildProducts.root.appendingPathComponent("migrations"))
                .migrate(market, logger: logger)
            await market.shutdown()
            return Started(cluster: cluster, folder: folder, administrator: administrator)
        }
        starting = task
        return try await task.value
    }
}

/// A migrated database that is gone when its owner is.
package final class TestDatabase: Sendable {
    /// Its connection string.
    package let connection: String
    private let name: String
    private let administrator: PostgresClient

    fileprivate init(connection: String, name: String, administrator: PostgresClient) {
        self.connection = connection
        self.name = name
        self.administrator = administrator
    }

    deinit {
        Task.detached { [administrator, name] in
            // What is left goes with the cluster.
            try? await administrator.execute("DROP DATABASE IF EXISTS \(ident: name) WITH (FORCE)")
        }
    }
}

/// Makes a database like the migrated one, which must be without a session; one that has just ended may still be seen.
private func copyTemplate(to name: String, _ administrator: PostgresClient) async throws {
    let isMade = try await eventually {
        do {
            // By file: the pages of so many copies would drive each other out of the shared buffers.
            try await administrator.execute(
                "CREATE DATABASE \(ident: name) TEMPLATE market OWNER sheetmarket STRATEGY FILE_COPY")
            return true
        } catch let error as PostgresError where error.code == "55006" {
            return false
        }
    }
    guard isMade else { throw RunningMarket.StartFailure(description: "the template database is always in use") }
}

/// Ends the test cluster with the process: tests have no last moment of their own.
func stopAtExit(_ processID: Int32, _ folder: URL) {
    let script =
        "while kill -0 \(getpid()) 2>/dev/null; do sleep 1; done; kill -QUIT \(processID); sleep 1; rm -rf '\(folder.path)'"
    let watcher = Process()
    watcher.executableURL = URL(fileURLWithPath: "/bin/sh")
    watcher.arguments = ["-c", script]
    watcher.standardOutput = FileHandle.nullDevice
    watcher.standardError = FileHandle.nullDevice
    watcher.standardInput = FileHandle.nullDevice
    // Without a shell the cluster is left to the next boot: no reason to fail the tests.
    try? watcher.start()
}
