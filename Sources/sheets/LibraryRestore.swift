// SPDX-License-Identifier: Apache-2.0
import CharacterCore
import Foundation
import MarketClient
import SheetCore

/// Puts a backup back: what `LibraryBackup` packed. One character, or one file, is in memory at a time.
struct LibraryRestore {
    let manifest: ArchiveManifest
    let backups: BackupFolder
    let store: CharacterStore
    private let parts: [String: ArchivePart]

    init(manifest: ArchiveManifest, backups: BackupFolder, store: CharacterStore) {
        (self.manifest, self.backups, self.store) = (manifest, backups, store)
        parts = Dictionary(manifest.parts.map { ($0.path, $0) }) { first, _ in first }
    }

    /// Reads all of it, before any of it is written.
    func check(
        progress: CharacterArchive.Progress
    ) throws -> (names: [ImportedName], damage: [String: [DrawingReading.Damage]]) {
        for part in manifest.parts where Backup.isInLibrary(part) { _ = try Backup.part(part, in: backups) }
        var names: [ImportedName] = []
        let reading = try Backup.read(manifest, in: backups, progress: progress) { character in
            _ = try state(of: character.content.character.id)
            names.append(ImportedName(character))
        }
        return (names, reading.damage)
    }

    /// Puts all back. Characters come last and at once: until then, and after a crash, another run does the rest.
    func restore(
        replacing: Bool, choose: (PlayerCharacter) throws -> DuplicatePolicy,
        progress: @escaping CharacterArchive.Progress
    ) async throws -> (plan: LibraryImport, files: [Library.PutBack]) {
        let files = parts.keys.filter { $0.hasPrefix(Backup.libraryFolder) && !$0.hasPrefix(LibraryBackup.states) }
            .map { String($0.dropFirst(Backup.libraryFolder.count)) }
        let outcomes = try await store.library.putBack(files, replacing: replacing) { path in
            guard let part = parts[Backup.libraryFolder + path] else {
                throw ArchiveFailure(.malformed, "'\(path)' is missing in the backup.")
            }
            return try Backup.part(part, in: backups)
        }
        let plan = try await store.take(
            { each in _ = try Backup.read(manifest, in: backups, progress: progress, take: each) }, kept: state,
            choose: choose
        ) {
            for part in manifest.parts where part.path.hasPrefix(LibraryBackup.objects) {
                try store.put(try Backup.part(part, in: backups))
            }
        }
        return (plan, outcomes)
    }

    /// A character with its history; `nil` in backups of before.
    private func state(of id: CharacterID) throws -> CharacterStore.Stored? {
        guard let part = parts["\(LibraryBackup.states)\(id).json"] else { return nil }
        let (backups, parts) = (backups, parts)
        let stored = try CharacterStore.Stored.read(try Backup.part(part, in: backups)) { hash in
            let path = "\(LibraryBackup.objects)\(hash)"
            guard let part = parts[path] else {
                throw ArchiveFailure(.malformed, "'\(path)' is missing in the backup.")
            }
            return try Backup.part(part, in: backups)
        }
        guard stored.sheet.id == id else {
            throw ArchiveFailure(.invalidFormat, "'\(part.path)' is of another character.")
        }
        return stored
    }
}
