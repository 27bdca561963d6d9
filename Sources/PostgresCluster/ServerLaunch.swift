// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging

/// One start of a server on a quiet, complete cluster.
struct ServerLaunch {
    let folder: ClusterFolder
    let binaries: PostgresBinaries
    let configuration: PostgresClusterConfiguration
    let logger: Logger

    /// Starts the server and waits until it takes connections.
    func run() async throws -> ChildProcess {
        let started = ContinuousClock.now
        let program = ServerProgram(folder: folder, cluster: folder.cluster)
        let log = try folder.openLog()
        let mark = lseek(log.raw, 0, SEEK_END)
        let server = try program.spawn(binaries.postgres, arguments, output: log)
        do {
            try await waitUntilReady(server, since: started, failure: { program.logText(from: mark) })
        } catch {
            await end(server)
            throw error
        }
        logger.info(
            "PostgreSQL is ready",
            metadata: [
                "pid": "\(server.id)", "version": "\(binaries.majorVersion)",
                "seconds": "\((ContinuousClock.now - started) / .seconds(1))",
            ])
        return server
    }

    private var arguments: [String] {
        var settings = PostgresClusterConfiguration.builtInSettings
        // Recovery begins with everything on the disk; by file, as is the default, that takes most of a start.
        if (Int(binaries.majorVersion) ?? 0) >= 14 { settings["recovery_init_sync_method"] = "syncfs" }
        settings.merge(configuration.settings) { _, chosen in chosen }
        settings["unix_socket_directories"] = folder.socketsForServer
        return ["-D", ServerProgram.data] + settings.sorted { $0.key < $1.key }.flatMap { ["-c", "\($0)=\($1)"] }
    }

    private func waitUntilReady(
        _ server: ChildProcess, since started: ContinuousClock.Instant, failure: () -> String
    ) async throws {
        let pidFile = folder.cluster + "/postmaster.pid"
        var nextNotice: Duration = .seconds(5)
        while true {
            if server.knownExit != nil {
                throw PostgresClusterError.server("start on \(folder.cluster)", output: failure(), log: folder.log)
            }
            if let file = PostmasterFile(contentsOf: pidFile), file.id == server.id, file.isReady { return }
            let waited = ContinuousClock.now - started
            if waited > configuration.startTimeout {
                throw PostgresClusterError(
                    .server, "PostgreSQL is not ready after \(configuration.startTimeout). Its log: \(folder.log)")
            }
            if waited > nextNotice {
                logger.notice("waiting for PostgreSQL, which replays its log", metadata: ["log": "\(folder.log)"])
                nextNotice += .seconds(10)
            }
            try await Task.sleep(for: .milliseconds(3))
        }
    }

    /// Not in the caller's task, which may be cancelled: the child must be gone before the folder is let go.
    private func end(_ server: ChildProcess) async {
        await Task.detached {
            server.send(signal: SIGINT)
            if await server.exit(within: .seconds(10)) != nil { return }
            server.send(signal: SIGKILL)
            _ = await server.exit()
        }.value
    }
}
