// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import PostgresCluster
import SheetCore

/// Makes one backup.
struct BackupRun: Sendable {
    struct Outcome: Sendable {
        /// Where the backup is.
        let place: String
        let manifest: BackupManifest
        /// Artifacts that no backup had yet.
        let copied: Int
        /// Artifacts whose bytes in the market's storage are not those of their names.
        let damaged: [ContentHash]
    }

    let source: BackupSource
    let target: any BackupTarget
    /// Seals the keys; without one they are left out.
    let passphrase: String?

    /// Copies artifacts, then the database, then the artifacts that came meanwhile: so every row of the copy has its
    /// bytes, whatever is stored and removed beside. The manifest comes last.
    func run() async throws -> Outcome {
        try await target.make()
        let lock = try target.lock(for: "backup")
        defer { withExtendedLifetime(lock) {} }
        let begin = try await source.withDatabase { try await BackupStore.server($0) }
        try await Self.refuseOther(than: begin.system, in: target)
        let objects = try await target.objects()
        let first = try await ArtifactCopy(
            source: source.storage, target: objects, known: try await target.sizes()
        ).everything()

        let name = try await nextName(at: begin.now)
        let partial = try target.begin(name)
        try await source.programs().copyServer(to: partial.url)
        let end = try await source.withDatabase { try await BackupStore.server($0) }
        let second = try await ArtifactCopy(
            source: source.storage, target: objects, known: first.list.entries
        ).everything()

        try second.list.write(to: partial.objects)
        var files = [partial.base, partial.log, partial.serverManifest, partial.objects]
        if let passphrase {
            try source.keys.sealed(with: passphrase).write(to: partial.keys)
            files.append(partial.keys)
        }
        let manifest = BackupManifest(
            system: begin.system, database: begin.database, startedAt: begin.now, finishedAt: end.now,
            list: second.list, parts: try files.map { try BackupManifest.part($0) })
        try await target.commit(partial, as: name, manifest)
        return Outcome(
            place: partial.place, manifest: manifest, copied: first.copied + second.copied, damaged: second.damaged)
    }

    /// A name of its own for a backup that begins in the same second as another.
    private func nextName(at date: Date) async throws -> String {
        let name = Backup.name(at: date)
        guard try await target.names("\(name)/").isEmpty else {
            return try await nextName(at: date.addingTimeInterval(1))
        }
        return name
    }

    /// Two markets in one place would be taken for one.
    static func refuseOther(than system: String, in target: any BackupTarget) async throws {
        guard let newest = try await target.backups().last else { return }
        guard try await target.manifest(of: newest).system == system else {
            throw CommandFailure("\(target.place) has backups of another market: choose another one.")
        }
    }
}
