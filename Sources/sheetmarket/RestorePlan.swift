// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import SheetCore

/// Which backup a restore takes, known to be whole before anything is written.
struct RestorePlan: Sendable {
    let name: String
    let backup: Backup
    let manifest: BackupManifest
    /// What was received since, on this machine.
    let log: [String: URL]
    /// The number of the first file that is missing between the backup and what was received later.
    let gap: UInt64?
    let objects: any Storage
    let keys: SealedKeys?

    /// Takes the newest backup that was complete by `time`, or the newest of all. `passphrase` is asked once the rest is
    /// known to be whole.
    init(of target: any BackupTarget, to time: Date?, passphrase: () throws -> String?) async throws {
        (name, manifest) = try await Self.choose(in: target, time)
        backup = try await target.fetch(name, manifest.parts.map(\.name))
        try manifest.verifyParts(of: backup)
        objects = try await target.objects()
        try await Self.verify(try ArtifactList(of: backup), in: target, objects, name)
        let log = try await ReceivedLog(for: backup, in: target)
        if time != nil, log.isEmpty {
            throw CommandFailure(
                "No log of the database was received after \(backup.place): leave --to away to restore it as it is.")
        }
        if time != nil, log.gap != nil {
            throw CommandFailure(
                "The log in \(target.place)/wal has a gap after the backup \(name): leave --to away.")
        }
        gap = log.gap
        let keysName = backup.keys.lastPathComponent
        let hasKeys = manifest.parts.contains { $0.name == keysName }
        keys =
            if hasKeys, let secret = try passphrase() {
                try SealedKeys(opening: backup.keys, with: secret, place: backup.place(of: backup.keys))
            } else { nil }
        self.log = try await log.fetch(from: target)
    }

    /// Refuses a backup of which artifacts are missing, or have another size.
    private static func verify(
        _ list: ArtifactList, in target: any BackupTarget, _ objects: any Storage, _ name: String
    ) async throws {
        let sizes = try await target.sizes()
        for (hash, size) in list.entries.sorted(by: { $0.key.hex < $1.key.hex }) where sizes[hash] != size {
            let found = try await objects.size(of: hash)
            guard found == size else {
                throw CommandFailure(
                    "The artifact \(hash) in \(target.place) is \(found == nil ? "missing" : "damaged"): "
                        + "the backup \(name) is not whole.")
            }
        }
    }

    private static func choose(
        in target: any BackupTarget, _ time: Date?
    ) async throws -> (String, BackupManifest) {
        let backups = try await target.backups()
        for name in backups.reversed() {
            let manifest = try await target.manifest(of: name)
            if time.map({ manifest.finishedAt <= $0 }) ?? true { return (name, manifest) }
        }
        guard backups.isEmpty else {
            throw CommandFailure("Every backup in \(target.place) is younger than that time.")
        }
        throw CommandFailure("There is no complete backup in \(target.place).")
    }
}
