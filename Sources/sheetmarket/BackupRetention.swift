// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import SheetCore

/// Removes backups that are no longer wanted, and what only they needed.
struct BackupRetention: Sendable {
    struct Outcome: Sendable {
        var backups = 0
        var artifacts = 0
    }

    let folder: BackupFolder
    /// The market's own storage: what it has is not removed.
    let storage: any Storage

    /// Keeps the newest `count` backups.
    func keep(_ count: Int) async throws -> Outcome {
        let lock = try folder.lock(for: "backup")
        defer { withExtendedLifetime(lock) {} }
        let backups = try folder.backups()
        let kept = Array(backups.suffix(count))
        guard let oldest = kept.first else { return Outcome() }
        // What is kept is read before anything goes: an unreadable list must not cost artifacts.
        var needed: Set<ContentHash> = []
        for backup in kept { needed.formUnion(try ArtifactList(reading: backup.objects).entries.keys) }
        let begin = try BackupManifest(of: oldest).startedAt

        var outcome = Outcome()
        for backup in backups.dropLast(count) {
            // Without its manifest's sum it is no backup any more, should this be cut off.
            try FileManager.default.removeItem(at: backup.manifestSum)
            try FileManager.default.removeItem(at: backup.url)
            outcome.backups += 1
        }
        try removeRemains()
        try ReceivedLog.prune(folder, before: oldest)
        outcome.artifacts = try await removeArtifacts(except: needed, olderThan: begin)
        return outcome
    }

    /// Folders that lost their manifest to a retention that was cut off.
    private func removeRemains() throws {
        let complete = Set(try folder.backups().map(\.name))
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) {
            guard name.first?.isNumber == true, name.hasSuffix("Z"), !complete.contains(name) else { continue }
            try FileManager.default.removeItem(at: folder.url.appending(path: name))
        }
    }

    /// What came after the oldest backup may be named by the log that was received since.
    private func removeArtifacts(except needed: Set<ContentHash>, olderThan begin: Date) async throws -> Int {
        let objects = try await folder.openObjects()
        var removed = 0
        for hash in try await ArtifactCopy.names(in: objects, olderThan: begin) where !needed.contains(hash) {
            guard try await storage.size(of: hash) == nil else { continue }
            try await objects.remove(hash)
            removed += 1
        }
        return removed
    }
}
