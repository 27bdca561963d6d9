// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging

/// Makes a cluster that is complete or not there at all.
struct ClusterInitializer {
    static let role = "sheetmarket"
    static let database = "sheetmarket"
    static let superuser = "postgres"

    let folder: ClusterFolder
    let binaries: PostgresBinaries
    /// Whether the cluster must survive a power failure from its first moment on; not where `fsync` is off.
    let isDurable: Bool
    let logger: Logger

    private static let neededBytes: UInt64 = 128 << 20

    /// Builds the cluster beside its place and moves it there when it is whole and on disk.
    func initialize() async throws {
        let started = ContinuousClock.now
        try checkSpace()
        try await removeUnfinished()
        try POSIXFolder.make(folder.unfinished, mode: 0o700, owner: folder.user)
        // The locale: code points order text (the same on every machine, and no index breaks with a new libc), while
        // C.UTF-8 knows the letters of every script, which full-text search and trigrams need.
        try await run(
            binaries.initdb,
            [
                "--pgdata", ServerProgram.data, "--username", Self.superuser, "--auth", "peer", "--data-checksums",
                "--encoding", "UTF8", "--locale", "C.UTF-8", "--lc-collate", "C", "--text-search-config", "simple",
                "--no-sync", "--no-instructions",
            ])
        try await run(
            binaries.postgres,
            ["--single", "-D", ServerProgram.data, "-c", "fsync=off", "-c", "exit_on_error=true", "template1"],
            input: "CREATE ROLE \(Self.role) LOGIN;\nCREATE DATABASE \(Self.database) OWNER \(Self.role);\n")
        try AccessRules(user: folder.user).write(to: folder.unfinished, owner: folder.user)
        if isDurable { try await sync() }
        guard rename(folder.unfinished, folder.cluster) == 0 else {
            throw PostgresClusterError.system("finish", folder.cluster, errno: errno)
        }
        try POSIXFolder.sync(folder.path)
        logger.info(
            "made a PostgreSQL cluster",
            metadata: [
                "folder": "\(folder.cluster)", "version": "\(binaries.majorVersion)", "osUser": "\(folder.user.name)",
                "seconds": "\((ContinuousClock.now - started) / .seconds(1))",
            ])
    }

    /// Brings the whole cluster to the disk. One call for the file system: `initdb --sync-only` asks for each of its
    /// thousand files, which a busy disk makes seconds of.
    private func sync() async throws {
        let (exit, text) = try await ChildProcess.output(of: "/usr/bin/sync", ["--file-system", folder.unfinished])
        guard exit.isSuccess else {
            throw PostgresClusterError(.folderUnusable, "Cannot bring \(folder.unfinished) to the disk: \(text)")
        }
    }

    private func removeUnfinished() async throws {
        guard POSIXFolder.exists(folder.unfinished) else { return }
        logger.notice("removing the rest of an interrupted initdb", metadata: ["folder": "\(folder.unfinished)"])
        // An initdb whose parent was killed may still be writing; it fails as its folder goes.
        for attempt in 1... {
            do {
                return try FileManager.default.removeItem(atPath: folder.unfinished)
            } catch {
                guard attempt < 100 else {
                    throw PostgresClusterError(
                        .folderUnusable, "Cannot remove \(folder.unfinished): \(error.localizedDescription)")
                }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    private func checkSpace() throws {
        var disk = statvfs()
        guard statvfs(folder.path, &disk) == 0 else {
            throw PostgresClusterError.system("look at the disk of", folder.path, errno: errno)
        }
        let free = UInt64(disk.f_bavail) * UInt64(disk.f_frsize)
        guard free >= Self.neededBytes else {
            throw PostgresClusterError(
                .folderUnusable,
                "The disk of \(folder.path) has \(free >> 20) MB free; a new database needs \(Self.neededBytes >> 20) MB. "
                    + "Free some space, or choose another folder.")
        }
    }

    private func run(_ program: String, _ arguments: [String], input: String? = nil) async throws {
        let log = try folder.openLog()
        let mark = lseek(log.raw, 0, SEEK_END)
        let server = ServerProgram(folder: folder, cluster: folder.unfinished)
        let child = try server.spawn(program, arguments, input: input, output: log)
        let status = await withTaskCancellationHandler {
            await child.exit()
        } onCancel: {
            child.send(signal: SIGKILL)
        }
        guard let status else { throw CancellationError() }
        guard status.isSuccess else {
            let output = server.logText(from: mark)
            throw PostgresClusterError.server("make the cluster \(folder.cluster)", output: output, log: folder.log)
        }
    }
}

/// Who may connect: the socket's folder lets in the server's own user and root alone, and `peer` checks it once more.
struct AccessRules {
    let user: OSUser

    func write(to cluster: String, owner: OSUser) throws {
        let names = Set([user.name, "root"]).sorted()
        let roles = [ClusterInitializer.role, ClusterInitializer.superuser]
        let map = names.flatMap { name in roles.map { "private \"\(name)\" \($0)\n" } }.joined()
        try replace(
            cluster + "/pg_ident.conf", with: "# map OS-user role; written at every start\n" + map, owner: owner)
        try replace(
            cluster + "/pg_hba.conf",
            with: """
                # Written at every start. Unix socket only, and only for the OS users in pg_ident.conf.
                local all         all peer map=private
                local replication all peer map=private

                """,
            owner: owner)
    }

    /// The folder is the server user's: root must not follow a link that stands in the file's place.
    private func replace(_ path: String, with text: String, owner: OSUser) throws {
        let fresh = path + ".new"
        unlink(fresh)
        let file = try OwnedDescriptor(opening: fresh, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, action: "write")
        let bytes = Array(text.utf8)
        guard write(file.raw, bytes, bytes.count) == bytes.count, fsync(file.raw) == 0,
            fchown(file.raw, owner.uid, owner.gid) == 0, rename(fresh, path) == 0
        else { throw PostgresClusterError.system("write", path, errno: errno) }
    }

    private func write(_ descriptor: Int32, _ bytes: [UInt8], _ count: Int) -> Int {
        Foundation.write(descriptor, bytes, count)
    }
}
