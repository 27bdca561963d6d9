// SPDX-License-Identifier: Apache-2.0
import Foundation

extension OSUser {
    /// The user for a cluster: whoever owns its files, else the asked-for one, else `postgres` or `nobody`; as an
    /// ordinary user always oneself, because PostgreSQL refuses files of anybody else.
    static func forCluster(at cluster: String, asked: String?) throws -> OSUser {
        guard let own = OSUser(uid: geteuid()) else {
            throw PostgresClusterError(
                .osUser,
                "This process runs as user id \(geteuid()), which has no name in /etc/passwd; PostgreSQL needs one. "
                    + "Add the user, or start as another one.")
        }
        let owner = POSIXFolder.exists(cluster) ? try POSIXFolder.status(cluster).st_uid : nil
        if own.uid != 0 {
            if let owner, owner != own.uid {
                let name = OSUser(uid: owner)?.name ?? "user id \(owner)"
                throw PostgresClusterError(
                    .osUser,
                    "\(cluster) belongs to \(name), but this process runs as \(own.name). "
                        + "Start as \(name) or as root, or choose another folder.")
            }
            return own
        }
        if let owner, owner != 0 {
            guard let user = OSUser(uid: owner) else {
                throw PostgresClusterError(
                    .osUser, "\(cluster) belongs to user id \(owner), which has no name in /etc/passwd. Add that user.")
            }
            return user
        }
        return try toDropTo(asked: asked)
    }

    private static func toDropTo(asked: String?) throws -> OSUser {
        let names = asked.map { [$0] } ?? ["postgres", "nobody"]
        guard let user = names.lazy.compactMap(OSUser.init(name:)).first else {
            throw PostgresClusterError(
                .osUser, "PostgreSQL does not run as root, and there is no OS user \(names.joined(separator: " or ")).")
        }
        guard user.uid != 0 else {
            throw PostgresClusterError(
                .osUser, "PostgreSQL does not run as root: name another OS user than \(user.name).")
        }
        return user
    }
}
