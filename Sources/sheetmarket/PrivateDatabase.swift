// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import Postgres
import PostgresCluster
import ServiceLifecycle

/// The private PostgreSQL of a data folder, as a service: when it dies it is started again, and at the end it is
/// stopped.
actor PrivateDatabase: Service {
    private let configuration: PostgresClusterConfiguration
    private let logger: Logger
    private var cluster: PostgresCluster?

    init(folder: DataFolder, logger: Logger) {
        configuration = PostgresClusterConfiguration(dataDirectory: folder.database, settings: Self.settings)
        self.logger = logger
    }

    /// Room for the search index of a large catalog, taken up only as it is used; bitmaps of common words stay exact.
    static var settings: [String: String] {
        let megabytes = min(max(Int(ProcessInfo.processInfo.physicalMemory >> 20) / 4, 128), 4096)
        return [
            "shared_buffers": "\(megabytes)MB", "work_mem": "32MB", "random_page_cost": "1.1",
            // What a continuous backup that went away may keep the server from throwing away.
            "max_slot_wal_keep_size": "8GB",
        ]
    }

    /// Starts the server and gives the connection string, which stays the same over restarts.
    func start() async throws -> String {
        let started = try await PostgresCluster.start(configuration, logger: logger)
        cluster = started
        return started.connectionString
    }

    /// Lends a client of the server's superuser.
    func withSuperuser(_ body: @Sendable (PostgresClient) async throws -> Void) async throws {
        guard let cluster else { return }
        let client = PostgresClient(
            configuration: .init(connectionString: cluster.superuserConnectionString), logger: logger)
        do {
            try await body(client)
        } catch {
            await client.shutdown()
            throw error
        }
        await client.shutdown()
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { await self.keepAlive() }
        try await stop()
    }

    /// Stops the server cleanly; does nothing when none runs.
    func stop() async throws {
        let running = cluster
        cluster = nil
        try await running?.stop()
    }

    /// Waits for the end of a process, and pauses only when the next one does not start.
    private func keepAlive() async {
        var pause: Duration = .milliseconds(50)
        while !Task.isCancelled {
            guard let exit = await cluster?.waitForExit() else { return }
            logger.error("PostgreSQL has ended; starting it again", metadata: ["exit_status": "\(exit)"])
            cluster = nil
            let lived = ContinuousClock.now
            while cluster == nil && !Task.isCancelled {
                do {
                    _ = try await start()
                } catch {
                    logger.error("PostgreSQL does not start", metadata: ["error": "\(error)"])
                    // A cancelled sleep ends the loop by its condition.
                    try? await Task.sleep(for: pause)
                    pause = min(pause * 2, .seconds(10))
                }
            }
            if ContinuousClock.now - lived > .seconds(60) { pause = .milliseconds(50) }
        }
    }
}
