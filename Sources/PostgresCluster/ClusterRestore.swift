// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging

/// Makes a private cluster of a base backup and the log that was received since.
package struct ClusterRestore: Sendable {
    /// Where the received log lies for the server, which works in its data folder and may know no other path.
    private static let logFolder = "restore-wal"

    private let configuration: PostgresClusterConfiguration
    private let logger: Logger

    /// Restores into the folder that the configuration names, where no cluster is yet.
    package init(_ configuration: PostgresClusterConfiguration, logger: Logger) {
        self.configuration = configuration
        self.logger = logger
    }

    /// Unpacks both archives of a base backup and lays the log's files beside, by the names that the server asks for. The
    /// cluster is there whole or not at all.
    package func unpack(base: URL, log: URL, received: [String: URL]) async throws {
        let folder = try ClusterFolder(configuration)
        guard !POSIXFolder.exists(folder.cluster) else {
            throw PostgresClusterError(.folderUnusable, "\(folder.cluster) is there already.")
        }
        let new = folder.unfinished
        if POSIXFolder.exists(new) { try FileManager.default.removeItem(atPath: new) }
        try POSIXFolder.make(new, mode: 0o700)
        try await extract(base, into: new)
        try await extract(log, into: new + "/pg_wal")
        let logFolder = "\(new)/\(Self.logFolder)"
        try POSIXFolder.make(logFolder, mode: 0o700)
        for (name, file) in received {
            try FileManager.default.copyItem(atPath: file.path, toPath: "\(logFolder)/\(name)")
        }
        try Data().write(to: URL(filePath: new + "/recovery.signal"))
        // Debian keeps the settings of its own clusters elsewhere.
        let settings = new + "/postgresql.conf"
        if !POSIXFolder.exists(settings) { try Data().write(to: URL(filePath: settings)) }
        if folder.user.isOther {
            try await run("/usr/bin/chown", ["--recursive", "\(folder.user.uid):\(folder.user.gid)", new])
        }
        try await run("/usr/bin/sync", ["--file-system", new])
        guard rename(new, folder.cluster) == 0 else {
            throw PostgresClusterError.system("finish", folder.cluster, errno: errno)
        }
        try POSIXFolder.sync(folder.path)
    }

    /// Starts the cluster, which replays the log up to its end or to `time` (`2026-11-25 18:00:00+00`), and returns when
    /// it has begun a history of its own and takes connections.
    package func recover(to time: String?) async throws -> PostgresCluster {
        var configuration = configuration
        configuration.settings["restore_command"] = "cp \(Self.logFolder)/%f %p"
        // Nobody reads meanwhile, and then the settings of the server that was lost need not fit this one.
        configuration.settings["hot_standby"] = "off"
        if let time {
            configuration.settings["recovery_target_time"] = time
            configuration.settings["recovery_target_action"] = "promote"
        }
        return try await PostgresCluster.start(configuration, logger: logger)
    }

    /// Removes what only the recovery needed; the server is stopped.
    package func tidy() throws {
        let folder = try ClusterFolder(configuration)
        try FileManager.default.removeItem(atPath: "\(folder.cluster)/\(Self.logFolder)")
    }

    private func extract(_ archive: URL, into folder: String) async throws {
        try await run(
            "/usr/bin/tar",
            ["--extract", "--gzip", "--no-same-owner", "--file", archive.path, "--directory", folder])
    }

    private func run(_ program: String, _ arguments: [String]) async throws {
        let (exit, text) = try await ChildProcess.output(of: program, arguments)
        guard exit.isSuccess else {
            let words = text.trimmingCharacters(in: .whitespacesAndNewlines)
            throw PostgresClusterError(.folderUnusable, "\(program) failed (\(exit)): \(words)")
        }
    }
}
