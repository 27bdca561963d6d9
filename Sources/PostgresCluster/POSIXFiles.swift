// SPDX-License-Identifier: Apache-2.0
import Foundation

/// An open file descriptor that never reaches a child process and closes with its last owner.
final class OwnedDescriptor: Sendable {
    let raw: Int32

    init(adopting raw: Int32) { self.raw = raw }

    init(opening path: String, flags: Int32, mode: mode_t = 0o600, action: String = "open") throws {
        raw = open(path, flags | O_CLOEXEC, mode)
        if raw < 0 { throw PostgresClusterError.system(action, path, errno: errno) }
    }

    deinit { close(raw) }
}

/// A lock that the kernel drops with the process, however it dies.
final class FolderLock: Sendable {
    private let file: OwnedDescriptor

    /// Takes the lock, or throws who holds it.
    init(_ folder: String) throws {
        let path = folder + "/lock"
        file = try OwnedDescriptor(opening: path, flags: O_RDWR | O_CREAT | O_NOFOLLOW, action: "write")
        guard flock(file.raw, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            guard code == EWOULDBLOCK else { throw PostgresClusterError.system("lock", path, errno: code) }
            // Only for the message.
            let holder = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            throw PostgresClusterError(
                .alreadyRunning,
                "Another process\(holder.isEmpty ? "" : " (\(holder))") already runs the database in \(folder). "
                    + "Stop it first, or choose another folder.")
        }
        let note = Array("pid \(getpid())".utf8)
        guard ftruncate(file.raw, 0) == 0, pwrite(file.raw, note, note.count, 0) == note.count else {
            throw PostgresClusterError.system("write", path, errno: errno)
        }
    }

    /// Not by closing alone: a child between fork and exec would hold a copy of the descriptor for a moment more.
    deinit { flock(file.raw, LOCK_UN) }

    /// Whether some process holds the lock of this folder; without a lock file that can be opened none does.
    static func isHeld(_ folder: String) -> Bool {
        guard let file = try? OwnedDescriptor(opening: folder + "/lock", flags: O_RDWR | O_NOFOLLOW) else {
            return false
        }
        return flock(file.raw, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }
}

/// The few system calls on folders whose errors must name the folder.
enum POSIXFolder {
    /// Makes one folder, or accepts a real folder that is there, and gives it `mode` and `owner`.
    static func make(_ path: String, mode: mode_t, owner: OSUser? = nil) throws {
        if mkdir(path, mode) != 0 && errno != EEXIST {
            throw PostgresClusterError.system("create the folder", path, errno: errno)
        }
        let status = try status(path)
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw PostgresClusterError(.folderUnusable, "\(path) is in the way: it is not a folder.")
        }
        if let owner, status.st_uid != owner.uid, lchown(path, owner.uid, owner.gid) != 0 {
            throw PostgresClusterError.system("change the owner of", path, errno: errno)
        }
        if status.st_mode & 0o7777 != mode, chmod(path, mode) != 0 {
            throw PostgresClusterError.system("change the mode of", path, errno: errno)
        }
    }

    /// The status of the entry itself: a symbolic link is not followed.
    static func status(_ path: String) throws -> stat {
        var status = stat()
        if lstat(path, &status) != 0 { throw PostgresClusterError.system("look at", path, errno: errno) }
        return status
    }

    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Makes a rename or a new file in `path` survive a power failure.
    static func sync(_ path: String) throws {
        let folder = try OwnedDescriptor(opening: path, flags: O_RDONLY | O_DIRECTORY)
        if fsync(folder.raw) != 0 { throw PostgresClusterError.system("sync", path, errno: errno) }
    }
}
