// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import SheetCore

/// Which backup a restore takes, known to be whole before anything is written.
struct RestorePlan: Sendable {
    let backup: Backup
    let manifest: BackupManifest
    let log: ReceivedLog
    let objects: any Storage
    let keys: SealedKeys?

    /// Takes the newest backup that was complete by `time`, or the newest of all.
    init(of folder: BackupFolder, to time: Date?, passphrase: PassphraseOptions) async throws {
        let (backup, manifest) = try Self.choose(in: folder, time)
        self.backup = backup
        self.manifest = manifest
        try manifest.verifyParts(of: backup)
        let list = try ArtifactList(reading: backup.objects)
        objects = try await folder.openObjects()
        for (hash, size) in list.entries.sorted(by: { $0.key.hex < $1.key.hex }) {
            let found = try await objects.size(of: hash)
            guard found == size else {
                throw CommandFailure(
                    "The artifact \(hash) in \(folder.url.path) is \(found == nil ? "missing" : "damaged"): "
                        + "the backup \(backup.name) is not whole.")
            }
        }
        log = try ReceivedLog(for: backup, in: folder)
        if time != nil, log.isEmpty {
            throw CommandFailure(
                "No log of the database was received after \(backup.url.path): leave --to away to restore it as it is.")
        }
        if time != nil, log.gap != nil {
            throw CommandFailure(
                "The log in \(folder.log.path) has a gap after the backup \(backup.name): leave --to away.")
        }
        guard manifest.parts.contains(where: { $0.name == backup.keys.lastPathComponent }),
            let secret = try passphrase.passphrase(isNew: false)
        else {
            keys = nil
            return
        }
        keys = try SealedKeys(opening: backup.keys, with: secret)
    }

    private static func choose(in folder: BackupFolder, _ time: Date?) throws -> (Backup, BackupManifest) {
        let backups = try folder.backups()
        for backup in backups.reversed() {
            let manifest = try BackupManifest(of: backup)
            if time.map({ manifest.finishedAt <= $0 }) ?? true { return (backup, manifest) }
        }
        guard backups.isEmpty else {
            throw CommandFailure("Every backup in \(folder.url.path) is younger than that time.")
        }
        throw CommandFailure("There is no complete backup in \(folder.url.path).")
    }
}
