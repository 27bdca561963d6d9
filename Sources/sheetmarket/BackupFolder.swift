// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform

/// A folder with the backups of one market.
///
///     20261125T180000Z/     one backup: the database, the keys, the list of its artifacts, and the manifest
///     ….partial/            one that was cut off, or is being made
///     objects/ab/cd/…       artifacts of all backups, by SHA-256, each once
///     wal/                  the database's log, where it is received continuously
struct BackupFolder: Sendable {
    let url: URL

    init(_ path: String) { url = DataFolder(path).url }

    var log: URL { url.appending(path: "wal") }

    /// Makes the folder, which nobody else may look into.
    func make() throws { try DataFolder(url.path).make() }

    /// Keeps other runs of the same kind out for as long as the value lives.
    func lock(for purpose: String) throws -> BackupLock {
        try BackupLock(url.appending(path: "lock-\(purpose)"))
    }

    /// The store of the artifacts.
    func openObjects() async throws -> DiskStorage {
        do {
            return try await DiskStorage.open(url)
        } catch {
            throw CommandFailure("Artifacts cannot be kept in \(url.path): \(error)")
        }
    }

    /// Complete backups, the oldest first. What has no manifest is none.
    func backups() throws -> [Backup] {
        try names(ending: "Z").map { Backup(url: url.appending(path: $0)) }.filter(\.isComplete)
    }

    /// What cut-off backups have left; only for who holds the lock.
    func removeUnfinished() throws {
        for name in try names(ending: ".partial") { try FileManager.default.removeItem(at: url.appending(path: name)) }
    }

    private func names(ending: String) throws -> [String] {
        guard FileManager.default.fileExists(atPath: url.path) else {
            throw CommandFailure("There is no folder \(url.path).")
        }
        do {
            return try FileManager.default.contentsOfDirectory(atPath: url.path)
                .filter { $0.first?.isNumber == true && $0.hasSuffix(ending) }.sorted()
        } catch {
            throw CommandFailure("\(url.path) cannot be read: \(error.localizedDescription)")
        }
    }
}

/// One backup of a folder.
struct Backup: Sendable {
    let url: URL

    var name: String { url.lastPathComponent }
    var base: URL { url.appending(path: "base.tar.gz") }
    var log: URL { url.appending(path: "pg_wal.tar.gz") }
    var serverManifest: URL { url.appending(path: "backup_manifest") }
    var keys: URL { url.appending(path: "keys.sealed") }
    var objects: URL { url.appending(path: "objects.txt") }
    var manifest: URL { url.appending(path: "manifest.json") }
    /// The manifest's own sum, as `sha256sum --check` reads it.
    var manifestSum: URL { url.appending(path: "manifest.sha256") }

    var isComplete: Bool { FileManager.default.fileExists(atPath: manifestSum.path) }

    /// The name of a backup that begins now.
    static func name(at date: Date) -> String {
        let text = date.formatted(.iso8601)
        return text.replacing("-", with: "").replacing(":", with: "")
    }
}

/// A lock that ends with the process, however it dies.
final class BackupLock: Sendable {
    private let descriptor: Int32

    init(_ file: URL) throws {
        descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure("\(file.path) cannot be written: \(String(cString: strerror(errno)))")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw CommandFailure("Another run works on \(file.deletingLastPathComponent().path); wait for its end.")
        }
    }

    deinit { close(descriptor) }
}
