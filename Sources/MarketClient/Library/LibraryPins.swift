// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore

extension Library {
    /// Holds an installed template at its version: updates pass it by, and no quota takes any of its versions. Or
    /// lets it go.
    @discardableResult
    public func pin(_ record: LibraryRecord, _ isPinned: Bool = true) async throws -> LibraryRecord {
        guard record.installed != nil || !isPinned else { throw LibraryError.notInstalled(record.template.slug) }
        try prepare()
        let changed = try await changeRecord(record.template.id) { known in
            var changed = known ?? record
            changed.pinned = isPinned ? true : nil
            return changed
        }
        return changed ?? record
    }

    /// Installs the version that was installed before, without a network; rolling back again undoes it.
    public func rollBack(_ record: LibraryRecord) async throws -> LibraryRecord {
        let slug = record.template.slug
        guard let installed = record.installed else { throw LibraryError.notInstalled(slug) }
        let older = record.versions.first { $0.detail.version < installed.version }
        guard let saved = record.before.flatMap(record.saved) ?? older else {
            throw LibraryError.nothingBefore(slug, version: installed.version)
        }
        try prepare()
        return try await install(saved, of: record)
    }

    /// Makes a version that the library has the installed one. Its bytes are checked first.
    func install(_ saved: LibraryRecord.SavedVersion, of record: LibraryRecord) async throws -> LibraryRecord {
        let name = "\(record.template.slug)@\(saved.detail.version)"
        let path = objectPath(saved.detail.sha256)
        switch try state(of: saved.detail.sha256) {
        case .intact: break
        case .missing: throw LibraryError.missingFile(name: name, path: path)
        case .damaged: throw LibraryError.damagedFile(name: name, path: path)
        }
        let now = Date()
        noteUse(of: saved.detail.sha256)
        let changed = try await changeRecord(record.template.id) { known in
            var changed = known ?? record
            guard changed.saved(saved.detail.version) != nil else {
                throw LibraryError.missingFile(name: name, path: path)
            }
            changed.install(saved.detail, at: now)
            return changed
        }
        return changed ?? record
    }

    /// Remembers, in the file's own time of change, that it was used: what was used longest ago goes first when room
    /// is needed.
    func noteUse(of hash: ContentHash) {
        // Of a read-only library nothing is removed either.
        AtomicFile.touch(objectPath(hash))
    }

    /// When an object was used last.
    func lastUse(of hash: ContentHash) -> Date? {
        // What is not there was never used.
        FileBytes.facts(objectPath(hash))?.changedAt
    }
}
