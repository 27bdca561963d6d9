// SPDX-License-Identifier: Apache-2.0
import Foundation

/// PostgreSQL's own programs that copy a running server.
package struct BackupPrograms: Sendable {
    private let folder: String
    /// How they reach the server: libpq's variables, such as `PGHOST`.
    private let environment: [String: String]

    /// Finds the programs of the newest version there is: they copy servers of older ones, too.
    package init(environment: [String: String]) throws {
        self.environment = environment
        let debian = "/usr/lib/postgresql"
        // Other systems than Debian have no such folder.
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: debian)) ?? []
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders =
            versions.compactMap(Int.init).sorted(by: >).map { "\(debian)/\($0)/bin" }
            + path.split(separator: ":").map(String.init)
        let wanted = ["pg_basebackup", "pg_receivewal"]
        guard
            let found = folders.first(where: { folder in
                wanted.allSatisfy { access("\(folder)/\($0)", X_OK) == 0 }
            })
        else {
            throw PostgresClusterError(
                .binariesMissing,
                "pg_basebackup and pg_receivewal were not found in PATH or \(debian)/*/bin. "
                    + "On Debian: sudo apt-get install postgresql-client-15")
        }
        folder = found
    }

    /// Writes `base.tar.gz`, `pg_wal.tar.gz` and `backup_manifest` into `target`, on disk when it returns; the server
    /// goes on meanwhile. The log that makes the copy consistent is in it.
    package func copyServer(to target: URL) async throws {
        try await run(
            "pg_basebackup",
            [
                "--pgdata", target.path, "--format", "tar", "--compress", "client-gzip:1", "--wal-method", "stream",
                "--checkpoint", "fast", "--label", "sheetmarket", "--no-password",
            ])
    }

    /// Has the server keep its log until the receiver of this name has it.
    package func makeSlot(_ name: String) async throws {
        try await run("pg_receivewal", ["--create-slot", "--if-not-exists", "--slot", name, "--no-password"])
    }

    /// Starts writing the server's log into `target`, each commit on disk at once, reconnecting as often as needed.
    package func receiveLog(into target: URL, slot: String) throws -> LogReceiver {
        let output = OwnedDescriptor(adopting: dup(STDERR_FILENO))
        return LogReceiver(
            child: try ChildProcess(
                folder + "/pg_receivewal",
                ["--directory", target.path, "--slot", slot, "--synchronous", "--no-password"], output: output,
                environment: environment))
    }

    private func run(_ program: String, _ arguments: [String]) async throws {
        let (exit, text) = try await ChildProcess.output(
            of: "\(folder)/\(program)", arguments, environment: environment)
        guard exit.isSuccess else {
            let words = text.trimmingCharacters(in: .whitespacesAndNewlines)
            throw PostgresClusterError(.server, "\(program) failed (\(exit)): \(words)")
        }
    }
}

/// A program that receives the server's log.
package struct LogReceiver: Sendable {
    let child: ChildProcess

    /// Waits for its end; `nil` when the waiting task was cancelled first.
    package func exit() async -> ProcessExit? { await child.exit() }

    /// Ends it: what it has received is on disk.
    package func stop() async {
        // Not the caller's task, which may be cancelled: the next receiver must not meet this one.
        await Task.detached { [child] in
            child.send(signal: SIGTERM)
            if await child.exit(within: .seconds(10)) != nil { return }
            child.send(signal: SIGKILL)
            _ = await child.exit()
        }.value
    }
}
