// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Postgres
import PostgresCluster

/// A migrated primary and its streaming replicas: clusters of a test's own.
package actor ReplicatedDatabase {
    package nonisolated let primary: PostgresCluster
    private let scratch: ScratchFolder
    private var replicas: [PostgresCluster] = []

    private static let settings = [
        "fsync": "off", "max_connections": "60", "shared_buffers": "32MB", "autovacuum": "off",
        "wal_keep_size": "256MB",
        // A replica that lost its primary looks for it again soon.
        "wal_retrieve_retry_interval": "100ms",
    ]

    /// Starts them; the replicas follow.
    package init(replicas count: Int = 1) async throws {
        let scratch = try ScratchFolder("rep")
        self.scratch = scratch
        primary = try await Self.start(scratch.url.appendingPathComponent("p"))
        let client = PostgresClient(
            configuration: .calm(connectionString: primary.connectionString), logger: TestLog.logger)
        _ = try await PostgresMigrator(directory: BuildProducts.root.appendingPathComponent("migrations"))
            .migrate(client, logger: TestLog.logger)
        await client.shutdown()
        for number in 0..<count {
            try await copyPrimary(to: folder(number))
            replicas.append(try await Self.start(folder(number)))
        }
    }

    private static func start(_ folder: URL) async throws -> PostgresCluster {
        let cluster = try await PostgresCluster.start(
            .init(dataDirectory: folder, settings: settings), logger: TestLog.logger)
        stopAtExit(cluster.processID, folder)
        return cluster
    }

    private func folder(_ number: Int) -> URL { scratch.url.appendingPathComponent("r\(number)") }

    /// As an operator makes a replica.
    private func copyPrimary(to folder: URL) async throws {
        let cluster = folder.appendingPathComponent("cluster").path
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let environment = try ConnectionOptions(primary.superuserConnectionString).environment
        let binaries = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")
        let newest = binaries.compactMap { Int($0) }.max() ?? 15
        try await run(
            "/usr/lib/postgresql/\(newest)/bin/pg_basebackup",
            ["--pgdata", cluster, "--checkpoint", "fast", "--write-recovery-conf", "--no-sync"], environment)
        if geteuid() == 0 { try await run("/usr/bin/chown", ["--recursive", "postgres:postgres", cluster]) }
    }

    private func run(_ program: String, _ arguments: [String], _ environment: [String: String] = [:]) async throws {
        let outcome = try await Command.run(URL(fileURLWithPath: program), arguments, environment: environment)
        guard outcome.status == 0 else {
            throw RunningMarket.StartFailure(description: "\(program): \(outcome.errors)")
        }
    }

    /// The replicas as a setting names them.
    package var replicaAddresses: [String] {
        replicas.map { "postgresql:///sheetmarket?host=\(Self.host($0))&user=sheetmarket" }
    }

    /// All servers in one address, of which whoever takes writes is meant.
    package var address: String {
        let hosts = ([primary] + replicas).map(Self.host).joined(separator: ",")
        return "host=\(hosts) user=sheetmarket dbname=sheetmarket target_session_attrs=read-write"
    }

    private static func host(_ cluster: PostgresCluster) -> String {
        (try? ConnectionOptions(cluster.connectionString))?.environment["PGHOST"] ?? ""
    }

    /// Runs a statement as a server's superuser, who may do everything; `nil` is the primary.
    package func administer(_ replica: Int? = nil, _ statements: PostgresQuery...) async throws {
        let cluster = replica.map { replicas[$0] } ?? primary
        var configuration = PostgresConfiguration.calm(connectionString: cluster.superuserConnectionString)
        configuration.pipelineConnections = 1
        let client = PostgresClient(configuration: configuration, logger: TestLog.logger)
        defer { Task { await client.shutdown() } }
        try await client.withConnection { connection in
            for statement in statements { try await connection.execute(statement) }
        }
    }

    /// From here on no commit is acknowledged before a replica has it on disk.
    package func makeSynchronous() async throws {
        try await administer(nil, "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
        let client = PostgresClient(
            configuration: .calm(connectionString: primary.superuserConnectionString), logger: TestLog.logger)
        defer { Task { await client.shutdown() } }
        let isSynchronous = try await eventually {
            try await client.scalar(
                "SELECT count(*) > 0 FROM pg_stat_replication WHERE sync_state = 'sync'", as: Bool.self)
        }
        guard isSynchronous else { throw RunningMarket.StartFailure(description: "no replica is synchronous") }
    }

    package func stopReplica(_ number: Int) async throws { try await replicas[number].stop() }

    package func startReplica(_ number: Int) async throws { replicas[number] = try await Self.start(folder(number)) }

    /// Sends a signal to every process of the primary.
    package func signalPrimary(_ signal: Int32) async { await self.signal(signal, primary) }

    /// Ends the primary as a power cut would.
    package func killPrimary() async { await signal(SIGKILL, primary) }

    /// Sends a signal to every process of a replica: `SIGSTOP` has it neither answer nor hang up.
    package func signal(_ signal: Int32, replica number: Int) async { await self.signal(signal, replicas[number]) }

    private func signal(_ signal: Int32, _ cluster: PostgresCluster) async {
        let parent = cluster.processID
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let children = entries.compactMap(pid_t.init).filter { process in
            // A process may end while it is looked at.
            let status = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
            let fields = status.split(separator: ")").last?.split(separator: " ") ?? []
            return fields.count > 1 && pid_t(fields[1]) == parent
        }
        for process in [parent] + children { kill(process, signal) }
    }

    /// Ends all servers that still run.
    package func stop() async {
        for cluster in replicas + [primary] {
            await signal(SIGCONT, cluster)
            // Whatever is left goes with the tests' end.
            try? await cluster.stop()
        }
    }
}
