// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The folder of one cluster, held by this process alone while the value lives.
///
/// As root the folder stays root's and only `cluster/` and `sock/` are the server's, so that the server's user cannot
/// plant links for root to follow.
final class ClusterFolder: Sendable {
    let path: String
    let user: OSUser
    private let lock: FolderLock

    var cluster: String { path + "/cluster" }
    /// Where a cluster is built until it is complete; whatever stands here is the rest of an interrupted try.
    var unfinished: String { path + "/cluster.new" }
    var log: String { path + "/postgres.log" }
    private var ownSockets: String { path + "/sock" }

    /// Makes the folder where it is missing and takes its lock.
    init(_ configuration: PostgresClusterConfiguration) throws {
        path = Self.absolutePath(configuration.dataDirectory)
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw Self.unusable(path, error)
        }
        user = try OSUser.forCluster(at: path + "/cluster", asked: configuration.osUser)
        // 0711: the server's own user must get from cluster/ to sock/ through here.
        try POSIXFolder.make(path, mode: user.isOther ? 0o711 : 0o700)
        lock = try FolderLock(path)
        try POSIXFolder.make(sockets, mode: 0o700, owner: user)
        try Self.check(sockets, belongsTo: user)
    }

    deinit {
        if sockets != ownSockets { rmdir(sockets) }
    }

    static func absolutePath(_ folder: URL) -> String { folder.absoluteURL.standardizedFileURL.path }

    /// The major version that made the cluster; nil when there is none yet.
    func dataVersion() throws -> String? {
        guard POSIXFolder.exists(cluster) else { return nil }
        guard let text = try? String(contentsOfFile: cluster + "/PG_VERSION", encoding: .utf8) else {
            throw PostgresClusterError(
                .folderUnusable, "\(cluster) exists but has no readable PG_VERSION: it is not a PostgreSQL cluster.")
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    func openLog() throws -> OwnedDescriptor {
        var status = stat()
        if lstat(log, &status) == 0, status.st_size > 16 << 20 { _ = rename(log, log + ".1") }
        return try OwnedDescriptor(opening: log, flags: O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, action: "write")
    }

    // MARK: - Where the socket is

    /// The socket's folder, as clients must name it.
    var sockets: String { Self.socketFolder(of: path) }

    /// How the server names it: relative to its data where it can, which no length or odd character can break.
    var socketsForServer: String { sockets == ownSockets ? "../sock" : sockets }

    /// A socket's path holds 107 bytes, and a comma separates hosts in libpq: such folders get a stand-in.
    static func socketFolder(of path: String) -> String {
        let own = path + "/sock"
        if own.utf8.count <= 90 && !own.contains(",") { return own }
        let base = geteuid() == 0 ? "/run" : "/tmp"
        let hash = path.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return "\(base)/sheetmarket-\(geteuid())-\(String(hash, radix: 16))"
    }

    /// In a shared folder anybody could have made this name first.
    private static func check(_ folder: String, belongsTo user: OSUser) throws {
        let status = try POSIXFolder.status(folder)
        guard status.st_uid == user.uid, status.st_mode & 0o7777 == 0o700 else {
            throw PostgresClusterError(
                .folderUnusable, "\(folder) must belong to \(user.name) with mode 0700. Remove it and start again.")
        }
    }

    private static func unusable(_ path: String, _ error: any Error) -> PostgresClusterError {
        var root: (any Error)? = error
        while let current = root {
            if let posix = current as? POSIXError {
                return .system("create the folder", path, errno: posix.code.rawValue)
            }
            root = (current as NSError).userInfo[NSUnderlyingErrorKey] as? any Error
        }
        return PostgresClusterError(.folderUnusable, "Cannot create the folder \(path): \(error.localizedDescription)")
    }
}
