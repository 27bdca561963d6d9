// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import Synchronization

/// A PostgreSQL server of our own: its data in one folder, reachable over a unix socket by its OS user and root only.
///
/// The server does not die with this process when that is killed; the next start on the folder ends the leftover first.
package final class PostgresCluster: Sendable {
    /// A libpq connection string for the application's role and database.
    package let connectionString: String
    /// The postmaster's process id.
    package var processID: Int32 { server.id }
    /// The file that takes what the server writes.
    package let logFile: String

    private let server: ChildProcess
    /// Held while the server runs, then let go so that the folder can be started again.
    private let folder: Mutex<ClusterFolder?>
    private let socketFolder: String
    private let stopTimeout: Duration
    private let logger: Logger

    private init(
        server: ChildProcess, folder: ClusterFolder, configuration: PostgresClusterConfiguration, logger: Logger
    ) {
        self.server = server
        self.folder = Mutex(folder)
        self.logger = logger
        logFile = folder.log
        socketFolder = folder.sockets
        stopTimeout = configuration.stopTimeout
        connectionString = Self.connectionString(socketFolder: folder.sockets)
    }

    /// Starts the server of a folder, making the cluster first where there is none, and returns when it takes connections.
    package static func start(
        _ configuration: PostgresClusterConfiguration, logger: Logger
    ) async throws -> PostgresCluster {
        let folder = try ClusterFolder(configuration)
        let version = try folder.dataVersion()
        let binaries = try await PostgresBinaries.find(in: configuration.binaries, for: version)
        if version == nil {
            let initializer = ClusterInitializer(
                folder: folder, binaries: binaries, isDurable: configuration.settings["fsync"] != "off", logger: logger)
            try await initializer.initialize()
        } else {
            try await LeftoverServer(folder: folder, logger: logger).clear()
            try AccessRules(user: folder.user).write(to: folder.cluster, owner: folder.user)
        }
        let launch = ServerLaunch(folder: folder, binaries: binaries, configuration: configuration, logger: logger)
        let server = try await launch.run()
        let cluster = PostgresCluster(server: server, folder: folder, configuration: configuration, logger: logger)
        // Unowned: it ends with the server's process, and uses nothing but the cluster, which it keeps until then.
        Task.detached { await cluster.releaseFolderAtExit() }
        return cluster
    }

    /// The connection string of the server that another process runs on this folder; nil when nobody does.
    package static func connectionStringOfRunningServer(in dataDirectory: URL) -> String? {
        let path = ClusterFolder.absolutePath(dataDirectory)
        guard FolderLock.isHeld(path), PostmasterFile(contentsOf: path + "/cluster/postmaster.pid")?.isReady == true
        else { return nil }
        return connectionString(socketFolder: ClusterFolder.socketFolder(of: path))
    }

    /// The same for the server's superuser, who may copy the whole server.
    package static func superuserConnectionStringOfRunningServer(in dataDirectory: URL) -> String? {
        guard connectionStringOfRunningServer(in: dataDirectory) != nil else { return nil }
        return connectionString(
            socketFolder: ClusterFolder.socketFolder(of: ClusterFolder.absolutePath(dataDirectory)),
            user: ClusterInitializer.superuser)
    }

    /// The role that the application works as, which owns the database.
    package static var role: String { ClusterInitializer.role }

    /// A connection string for a superuser in the application's database.
    package var superuserConnectionString: String {
        connectionString(user: ClusterInitializer.superuser, database: ClusterInitializer.database)
    }

    /// A connection string for another role or database of this cluster. The superuser is `postgres`.
    package func connectionString(user: String, database: String) -> String {
        Self.connectionString(socketFolder: socketFolder, user: user, database: database)
    }

    /// Shuts the server down cleanly: open transactions are rolled back, everything committed is on disk. What does not
    /// end in time is forced, which loses nothing either. Returns when the process is gone; stopping twice is fine.
    package func stop() async throws {
        // Not the caller's task: a cancelled caller must not turn a clean shutdown into a forced one.
        let ended = await Task.detached { [self] in
            for (signal, timeout) in [(SIGINT, stopTimeout), (SIGQUIT, .seconds(10)), (SIGKILL, .seconds(10))] {
                if signal != SIGINT { logger.warning("PostgreSQL does not stop", metadata: ["signal": "\(signal)"]) }
                server.send(signal: signal)
                if await server.exit(within: timeout) != nil { return true }
            }
            return false
        }.value
        guard ended else {
            throw PostgresClusterError(
                .server, "PostgreSQL (pid \(processID)) survived SIGKILL: it waits for its disk.")
        }
        folder.withLock { $0 = nil }
    }

    /// Returns when the server has ended, wanted or not, or when the waiting task is cancelled (nil).
    @discardableResult
    package func waitForExit() async -> ProcessExit? {
        let exit = await server.exit()
        if exit != nil { folder.withLock { $0 = nil } }
        return exit
    }

    private func releaseFolderAtExit() async {
        let exit = await waitForExit()
        logger.debug("PostgreSQL has ended", metadata: ["how": "\(exit.map(String.init(describing:)) ?? "unknown")"])
    }

    private static func connectionString(
        socketFolder: String, user: String = ClusterInitializer.role, database: String = ClusterInitializer.database
    ) -> String {
        [("host", socketFolder), ("port", "5432"), ("user", user), ("dbname", database)]
            .map { key, value in
                let plain = value.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-".contains($0)) }
                if plain && !value.isEmpty { return "\(key)=\(value)" }
                let escaped = value.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
                return "\(key)='\(escaped)'"
            }
            .joined(separator: " ")
    }
}
