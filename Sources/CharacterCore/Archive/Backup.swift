// SPDX-License-Identifier: Apache-2.0
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where backups lie: parts by their hashes, and manifests by names. A manifest is a draft until it is committed.
public protocol BackupStorage {
    /// Keeps a part; whether it was not there, or damaged.
    func put(_ data: Data, as hash: ContentHash) throws -> Bool
    func part(_ hash: ContentHash) throws -> Data?
    func writeDraft(_ manifest: Data, _ name: String) throws
    func draft(_ name: String) throws -> Data?
    /// From now on the backup counts.
    func commit(_ name: String) throws
    func discard(_ name: String)
}

/// Makes and reads backups. One counts only after all of it was read back.
public enum Backup {
    /// What lies in a backup besides characters: files of the library, by their paths in it.
    public static let libraryFolder = "library/"

    public struct Made: Sendable {
        public var manifest: ArchiveManifest
        public var newParts: Int
    }

    /// Writes a backup of what `pack` packs, reads it back, and lets it count.
    public static func make(
        _ name: String, in storage: some BackupStorage, at date: Date,
        pack: (_ packer: inout ArchivePacker, _ sink: ArchivePacker.Sink) throws -> Void
    ) throws -> Made {
        var packer = ArchivePacker(.backup)
        var new = 0
        try pack(&packer) { _, data in
            if try storage.put(data, as: ContentHash(hashing: data)) { new += 1 }
        }
        let manifest = packer.manifest(at: date)
        try storage.writeDraft(try SheetJSON.encoder().encode(manifest), name)
        do {
            guard let data = try storage.draft(name), try ArchiveManifest.read(data) == manifest else {
                throw ArchiveFailure(.malformed, "Its manifest does not read as it was written.")
            }
            for part in manifest.parts where isInLibrary(part) { _ = try self.part(part, in: storage) }
            // One character after the other, so that no more are in memory.
            _ = try read(manifest, in: storage) { _ in }
        } catch {
            storage.discard(name)
            throw ArchiveFailure(
                .malformed, "The backup was written, but does not read back, so it does not count: \(error)")
        }
        try storage.commit(name)
        return Made(manifest: manifest, newParts: new)
    }

    /// Hands its characters over, one after the other. Files of the library are read one by one, by `part`.
    public static func read(
        _ manifest: ArchiveManifest, in storage: some BackupStorage,
        progress: CharacterArchive.Progress = { _, _ in }, take: (ArchivedCharacter) throws -> Void
    ) throws -> ArchiveReading {
        var bare = manifest
        bare.parts.removeAll(where: isInLibrary)
        let byPath = Dictionary(bare.parts.map { ($0.path, $0) }) { first, _ in first }
        return try CharacterArchive.unpack(
            bare, as: .backup, progress: progress,
            part: { path in
                guard let part = byPath[path] else { throw missing(path) }
                return try self.part(part, in: storage)
            }, take: take)
    }

    public static func isInLibrary(_ part: ArchivePart) -> Bool { part.path.hasPrefix(libraryFolder) }

    /// A part's bytes, which are those that the manifest promises.
    public static func part(_ part: ArchivePart, in storage: some BackupStorage) throws -> Data {
        guard let data = try storage.part(part.sha256) else { throw missing(part.path) }
        guard data.count == part.sizeBytes, ContentHash(hashing: data) == part.sha256 else {
            throw ArchiveFailure(.invalidFormat, "'\(part.path)' is not the file that the manifest promises.")
        }
        return data
    }

    private static func missing(_ path: String) -> ArchiveFailure {
        ArchiveFailure(.malformed, "'\(path)' is missing in the backup.")
    }
}
