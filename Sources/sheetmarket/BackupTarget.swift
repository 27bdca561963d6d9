// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import SheetCore

/// Where the backups of one market are kept: a folder, or a bucket. What is there has the same names in both.
///
///     20261125T180000Z/…    one backup: the database, the keys, the list of its artifacts, and, written last, the manifest
///     objects/…             artifacts of all backups, by SHA-256, each once
///     wal/…                 the database's log, where it is received continuously
protocol BackupTarget: Sendable {
    /// Its path or address, for the operator.
    var place: String { get }

    /// A folder of this machine where backups are made before they are put.
    var workshop: URL { get }

    /// Whether the log is received in another place, and then put.
    var receivesElsewhere: Bool { get }

    /// Makes it ready for backups.
    func make() async throws

    /// Names of the files that begin with `prefix`, in order.
    func names(_ prefix: String) async throws -> [String]

    /// Takes a file of this machine away and keeps it under `name`; it is safe there when this returns.
    func put(_ file: URL, as name: String) async throws

    /// The file on this machine; nil when there is none. To be read only, for as long as the target lives.
    func open(_ name: String) async throws -> URL?

    /// Removes the file; does nothing when there is none.
    func remove(_ name: String) async throws

    /// The store of the artifacts.
    func objects() async throws -> any Storage

    /// Artifacts that are there and their sizes, where a list costs less than asking for each.
    func sizes() async throws -> [ContentHash: Int]

    /// Keeps other runs of the same kind on this machine out for as long as the value lives.
    func lock(for purpose: String) throws -> BackupLock

    /// The folder of this machine that the log of a timeline is received into.
    func logFolder(_ timeline: String) throws -> URL
}

extension BackupTarget {
    /// Names of complete backups, the oldest first. What has no manifest is none.
    func backups() async throws -> [String] {
        try await backupFiles().filter { $0.value.contains(Backup.manifestSumName) }.map(\.key).sorted()
    }

    /// The files of all backups, complete or not, by the backups' names.
    private func backupFiles() async throws -> [String: Set<String>] {
        var files: [String: Set<String>] = [:]
        // Names of backups begin with the year.
        for name in try await names("2") {
            let parts = name.split(separator: "/").map(String.init)
            guard parts.count == 2, parts[0].hasSuffix("Z") else { continue }
            files[parts[0], default: []].insert(parts[1])
        }
        return files
    }

    /// An empty folder of the workshop for a new backup, which removes what cut-off ones have left there; only for who
    /// holds the lock.
    func begin(_ name: String) throws -> Backup {
        for left in try FileManager.default.contentsOfDirectory(atPath: workshop.path)
        where left.hasPrefix("2") && left.hasSuffix(".partial") {
            try FileManager.default.removeItem(at: workshop.appending(path: left))
        }
        let partial = workshop.appending(path: "\(name).partial")
        try FileManager.default.createDirectory(
            at: partial, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        return Backup(place: "\(place)/\(name)", url: partial)
    }

    /// Puts all parts of a backup, and then, only when all are there, its manifest and that one's sum.
    func commit(_ partial: Backup, as name: String, _ manifest: BackupManifest) async throws {
        for part in manifest.parts {
            try await put(partial.url.appending(path: part.name), as: "\(name)/\(part.name)")
        }
        let present = try await backupFiles()[name] ?? []
        guard manifest.parts.allSatisfy({ present.contains($0.name) }) else {
            throw CommandFailure("Parts of \(partial.place) are gone: another run works there.")
        }
        try manifest.write(into: partial)
        for file in [partial.manifest, partial.manifestSum] {
            try await put(file, as: "\(name)/\(file.lastPathComponent)")
        }
        try FileManager.default.removeItem(at: partial.url)
    }

    /// A backup of which the named files are on this machine, as far as they are there.
    func fetch(_ name: String, _ files: [String]) async throws -> Backup {
        var folder: URL?
        for file in files {
            if let found = try await open("\(name)/\(file)") { folder = found.deletingLastPathComponent() }
        }
        return Backup(place: "\(place)/\(name)", url: folder ?? workshop.appending(path: name))
    }

    /// The manifest of a backup.
    func manifest(of name: String) async throws -> BackupManifest {
        try BackupManifest(of: try await fetch(name, Backup.manifestNames))
    }

    /// Removes a backup. Without its manifest's sum it is none any more, should this be cut off.
    func removeBackup(_ name: String) async throws {
        try await remove("\(name)/\(Backup.manifestSumName)")
        for file in try await names("\(name)/") { try await remove(file) }
    }

    /// Removes what is left of backups from before `oldest` that were cut off, or half removed.
    func removeRemains(before oldest: String) async throws {
        for (name, files) in try await backupFiles()
        where name < oldest && !files.contains(Backup.manifestSumName) {
            try await removeBackup(name)
        }
    }
}
