// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import PostgresCluster
import SheetCore

/// Makes one backup.
struct BackupRun: Sendable {
    struct Outcome: Sendable {
        let backup: Backup
        let manifest: BackupManifest
        /// Artifacts that no backup had yet.
        let copied: Int
        /// Artifacts whose bytes in the market's storage are not those of their names.
        let damaged: [ContentHash]
    }

    let source: BackupSource
    let folder: BackupFolder
    /// Seals the keys; without one they are left out.
    let passphrase: String?

    /// Copies artifacts, then the database, then the artifacts that came meanwhile: so every row of the copy has its
    /// bytes, whatever is stored and removed beside. The manifest and the folder's final name come last.
    func run() async throws -> Outcome {
        try folder.make()
        let lock = try folder.lock(for: "backup")
        defer { withExtendedLifetime(lock) {} }
        try folder.removeUnfinished()
        let begin = try await source.withDatabase { try await BackupStore.server($0) }
        try Self.refuseOther(than: begin.system, in: folder)
        let copy = ArtifactCopy(
            source: source.storage, target: try await folder.openObjects())
        let first = try await copy.everything()

        let name = nextName(at: begin.now)
        let final = Backup(url: folder.url.appending(path: name))
        let partial = Backup(url: folder.url.appending(path: "\(name).partial"))
        try FileManager.default.createDirectory(
            at: partial.url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try await source.programs().copyServer(to: partial.url)
        let end = try await source.withDatabase { try await BackupStore.server($0) }
        let second = try await copy.everything()

        try second.list.write(to: partial.objects)
        var files = [partial.base, partial.log, partial.serverManifest, partial.objects]
        if let passphrase {
            try source.keys.sealed(with: passphrase).write(to: partial.keys)
            files.append(partial.keys)
        }
        let manifest = BackupManifest(
            system: begin.system, database: begin.database, startedAt: begin.now, finishedAt: end.now,
            list: second.list, parts: try files.map(BackupManifest.part))
        try manifest.write(into: partial)
        try DurableFolder.commit(partial.url, as: final.url)
        return Outcome(
            backup: final, manifest: manifest, copied: first.copied + second.copied, damaged: second.damaged)
    }

    /// A name of its own for a backup that begins in the same second as another.
    private func nextName(at date: Date) -> String {
        let name = Backup.name(at: date)
        guard FileManager.default.fileExists(atPath: folder.url.appending(path: name).path) else { return name }
        return nextName(at: date.addingTimeInterval(1))
    }

    /// Two markets in one folder would be taken for one.
    static func refuseOther(than system: String, in folder: BackupFolder) throws {
        guard let newest = try folder.backups().last else { return }
        guard try BackupManifest(of: newest).system == system else {
            throw CommandFailure("\(folder.url.path) has backups of another market: choose another folder.")
        }
    }
}

/// Makes what was written survive a power failure.
enum DurableFolder {
    /// Gives a folder its final name when all in it is on the disk.
    static func commit(_ folder: URL, as name: URL) throws {
        try synchronize(folder, inside: true)
        guard rename(folder.path, name.path) == 0 else {
            throw CommandFailure("\(name.path) cannot be written: \(String(cString: strerror(errno)))")
        }
        try synchronize(name.deletingLastPathComponent(), inside: false)
    }

    private static func synchronize(_ folder: URL, inside: Bool) throws {
        if inside {
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                try synchronize(folder.appending(path: name), inside: false)
            }
        }
        let descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure("\(folder.path) cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw CommandFailure("\(folder.path) cannot be written: \(String(cString: strerror(errno)))")
        }
    }
}
