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

    let target: any BackupTarget
    /// The market's own storage: what it has is not removed.
    let storage: any Storage

    /// Keeps the newest `count` backups.
    func keep(_ count: Int) async throws -> Outcome {
        let lock = try target.lock(for: "backup")
        defer { withExtendedLifetime(lock) {} }
        let backups = try await target.backups()
        let kept = Array(backups.suffix(count))
        guard let name = kept.first else { return Outcome() }
        // What is kept is read before anything goes: an unreadable list must not cost artifacts.
        let oldest = try await target.fetch(name, Backup.manifestNames + Backup.indexNames)
        let begin = try BackupManifest(of: oldest).startedAt
        var needed = Set(try ArtifactList(of: oldest).entries.keys)
        for backup in kept.dropFirst() {
            needed.formUnion(try ArtifactList(of: try await target.fetch(backup, Backup.indexNames)).entries.keys)
        }

        var outcome = Outcome()
        for backup in backups.dropLast(count) {
            try await target.removeBackup(backup)
            outcome.backups += 1
        }
        try await target.removeRemains(before: name)
        try await ReceivedLog.prune(target, before: oldest)
        outcome.artifacts = try await removeArtifacts(except: needed, olderThan: begin)
        return outcome
    }

    /// What came after the oldest backup may be named by the log that was received since.
    private func removeArtifacts(except needed: Set<ContentHash>, olderThan begin: Date) async throws -> Int {
        let objects = try await target.objects()
        var removed = 0
        for hash in try await ArtifactCopy.names(in: objects, olderThan: begin) where !needed.contains(hash) {
            guard try await storage.size(of: hash) == nil else { continue }
            try await objects.remove(hash)
            removed += 1
        }
        return removed
    }
}
