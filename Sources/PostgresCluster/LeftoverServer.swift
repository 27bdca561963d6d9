// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging

/// A server, or parts of one, that outlived the process which started it (`kill -9` of the parent or of the postmaster).
///
/// Only the holder of the folder's lock may ask: nobody else can then be using what is found.
struct LeftoverServer {
    let folder: ClusterFolder
    let logger: Logger

    private var pidFile: String { folder.cluster + "/postmaster.pid" }

    /// Ends whatever still works on the cluster and removes its marks, so that a start meets a quiet folder.
    func clear() async throws {
        guard POSIXFolder.exists(pidFile) else { return removeSockets() }
        if let postmaster = PostmasterFile(contentsOf: pidFile)?.id, processes().contains(postmaster) {
            logger.notice(
                "stopping the PostgreSQL that a killed process left behind", metadata: ["pid": "\(postmaster)"])
            if await end(postmaster, with: SIGINT, within: .seconds(30)) == false {
                _ = await end(postmaster, with: SIGQUIT, within: .seconds(10))
            }
        }
        // Children of a dead postmaster leave by themselves within moments; their memory must be gone before a start.
        if await quiet(within: .seconds(5)) == false {
            for process in processes() { kill(process, SIGKILL) }
            guard await quiet(within: .seconds(10)) else {
                throw PostgresClusterError(
                    .alreadyRunning,
                    "Processes of an earlier PostgreSQL still use \(folder.cluster) and do not end: "
                        + processes().map(String.init).joined(separator: ", "))
            }
        }
        // Nothing works on the cluster. PostgreSQL would refuse if the noted id has meanwhile gone to somebody else.
        unlink(pidFile)
        removeSockets()
    }

    private func removeSockets() {
        for name in [".s.PGSQL.5432", ".s.PGSQL.5432.lock"] { unlink(folder.sockets + "/" + name) }
    }

    private func end(_ process: pid_t, with signal: Int32, within limit: Duration) async -> Bool {
        kill(process, signal)
        return await poll(within: limit) { !processes().contains(process) }
    }

    private func quiet(within limit: Duration) async -> Bool {
        await poll(within: limit) { processes().isEmpty }
    }

    private func poll(within limit: Duration, _ condition: () -> Bool) async -> Bool {
        let end = ContinuousClock.now + limit
        while !condition() {
            if ContinuousClock.now >= end { return false }
            // Cancelled, it goes on without pauses: a server must not be left half stopped.
            try? await Task.sleep(for: .milliseconds(5))
        }
        return true
    }

    /// Every living process whose working folder is the cluster: each process of a PostgreSQL server is there.
    private func processes() -> [pid_t] {
        var cluster = stat()
        guard stat(folder.cluster, &cluster) == 0 else { return [] }
        // Where there is no /proc, no process can be found.
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap(pid_t.init).filter { $0 != getpid() && works($0, in: cluster) }
    }

    private func works(_ process: pid_t, in cluster: stat) -> Bool {
        var workingFolder = stat()
        if stat("/proc/\(process)/cwd", &workingFolder) == 0 {
            return workingFolder.st_dev == cluster.st_dev && workingFolder.st_ino == cluster.st_ino
        }
        // A zombie has no working folder. Without CAP_SYS_PTRACE (root in a container) that of others is hidden:
        // then the program's name and its user must do.
        guard errno == EACCES || errno == EPERM else { return false }
        var own = stat()
        guard stat("/proc/\(process)", &own) == 0, own.st_uid == folder.user.uid else { return false }
        // A process may end while it is looked at.
        guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
        return status.contains(" (postgres) ") && !status.contains(") Z ")
    }
}

/// What a postmaster writes about itself into `postmaster.pid`.
struct PostmasterFile {
    let id: pid_t
    let isReady: Bool

    init?(contentsOf path: String) {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.first, let id = pid_t(first), id > 1 else { return nil }
        self.id = id
        isReady = lines.count > 7 && lines[7].hasPrefix("ready")
    }
}
