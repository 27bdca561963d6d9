// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore

extension Library {
    /// How long a writer waits for another that changes records, which takes milliseconds.
    static let recordLockTimeout = Duration.seconds(30)
    /// How long a download waits for another process that downloads the same.
    static let downloadLockTimeout = Duration.seconds(3600)
    /// After that time nobody will go on with a download.
    static let partialLifetime: TimeInterval = 30 * 86_400

    /// Makes the folders that writing needs, and sweeps up what nobody will go on with.
    func prepare() throws {
        try checkFormat()
        try AtomicFile.makeFolder(root)
        var isNew = false
        for folder in ["objects", "templates", "partial", "locks"] {
            if try AtomicFile.makeFolderLightly("\(root)/\(folder)") { isNew = true }
        }
        if !FileManager.default.fileExists(atPath: formatPath) {
            // This flushes the folder, and so what is new in it.
            try AtomicFile.write(Data("{\"format\":\(Self.format)}\n".utf8), to: formatPath)
        } else if isNew {
            try AtomicFile.flushFolder(root)
        }
        try removeStalePartials()
    }

    /// Changes a template's record under the library's lock: `change` gets what is there now and gives what shall be
    /// there, `nil` to remove it.
    @discardableResult
    func changeRecord(
        _ id: TemplateID, _ change: @escaping @Sendable (LibraryRecord?) throws -> LibraryRecord?
    ) async throws -> LibraryRecord? {
        guard let result = try await changeRecords([RecordChange(id: id, change: change)]).first else { return nil }
        return try result.get()
    }

    /// A change of one record: `change` is given what is there and gives what shall be there.
    struct RecordChange: Sendable {
        let id: TemplateID
        let change: @Sendable (LibraryRecord?) throws -> LibraryRecord?
    }

    /// Changes several records under one lock, each as `changeRecord` does it; flushes are made at the same time, as
    /// they take longest. One that fails does not keep the others from being changed. No record may be among them twice.
    func changeRecords(_ changes: [RecordChange]) async throws -> [Result<LibraryRecord?, any Error>] {
        let lock = try await FileLock.wait(for: "\(root)/lock", atMost: Self.recordLockTimeout)
        return try await DiskWork.run { [self] in
            try withExtendedLifetime(lock) {
                removeDrafts(in: recordsFolder)
                let results = DiskWork.together(changes) { change in
                    Result<(LibraryRecord?, draft: String?), any Error> {
                        // An unreadable record is mended by writing it anew.
                        let changed = try change.change(try? record(change.id))
                        return (changed, try changed.map { try draft($0, change.id) })
                    }
                }
                let placed = zip(changes, results).map { change, result in
                    Result<LibraryRecord?, any Error> {
                        let (record, draft) = try result.get()
                        if let draft {
                            try AtomicFile.rename(draft, to: recordPath(change.id))
                        } else {
                            try removeIfThere(recordPath(change.id))
                        }
                        return record
                    }
                }
                try AtomicFile.flushFolder(recordsFolder)
                return placed
            }
        }
    }

    private func draft(_ record: LibraryRecord, _ id: TemplateID) throws -> String {
        try AtomicFile.draft(try WireJSON.encoder().encode(record) + Data("\n".utf8), for: recordPath(id))
    }

    /// Puts a record in the place of what is there, or removes that. Under the library's lock.
    func putRecord(_ id: TemplateID, _ record: LibraryRecord?) throws {
        let path = recordPath(id)
        if let record {
            try AtomicFile.write(try WireJSON.encoder().encode(record) + Data("\n".utf8), to: path)
        } else {
            try removeIfThere(path)
            try AtomicFile.flushFolder(recordsFolder)
        }
    }

    /// Stores bytes that are in memory.
    func store(_ data: Data, by objects: ObjectQueue) async throws -> ContentHash {
        let hash = ContentHash(hashing: data)
        let lock = try await FileLock.wait(for: objectLockPath(hash), atMost: Self.downloadLockTimeout)
        defer { withExtendedLifetime(lock) {} }
        guard try state(of: hash) != .intact else { return hash }
        let partial = try PartialFile(path: partialPath(hash))
        try partial.clear()
        try partial.append(data)
        try await objects.place(partial, as: hash)
        return hash
    }

    /// A complete and verified file, and the hash of its bytes.
    struct WholeFile: Sendable {
        let partial: PartialFile
        let hash: ContentHash
    }

    /// Gives files their places among the objects, each when its bytes last; flushes are made at the same time. One that
    /// fails does not keep the others from it. Blocks.
    func place(_ files: [WholeFile]) -> [Result<Void, any Error>] {
        let sealed = DiskWork.together(files) { file -> Result<Void, any Error> in
            Result { try file.partial.seal() }
        }
        var hasNewFolders = false
        let named = zip(files, sealed).map { file, sealed -> Result<String, any Error> in
            Result {
                try sealed.get()
                let path = objectPath(file.hash)
                let folder = AtomicFile.folder(of: path)
                if try AtomicFile.makeFolderLightly(folder) { hasNewFolders = true }
                try AtomicFile.rename(file.partial.path, to: path)
                // Of a file that is whole the tag means nothing; it is swept with the other parts.
                AtomicFile.discard(entityTagPath(file.hash))
                return folder
            }
        }
        let touched = Set(named.compactMap { try? $0.get() })
        let folders = Array(touched) + (hasNewFolders ? ["\(root)/objects"] : [])
        let flushes = DiskWork.together(folders) { folder -> Result<Void, any Error> in
            Result { try AtomicFile.flushFolder(folder) }
        }
        let flushed = Dictionary(uniqueKeysWithValues: zip(folders, flushes))
        return named.map { folder -> Result<Void, any Error> in
            Result {
                try flushed[try folder.get()]?.get()
                try flushed["\(root)/objects"]?.get()
            }
        }
    }

    /// Takes a template off the list of what is installed. Its files stay for a later installation without a
    /// network, unless `purge` drops them and all that is known of it. Gives its record as it is then; what was purged
    /// has no versions.
    @discardableResult
    public func uninstall(_ record: LibraryRecord, purge: Bool) async throws -> LibraryRecord {
        let id = record.template.id
        try prepare()
        // It only holds links for opening, and perhaps none.
        AtomicFile.discard(openFolder(id))
        guard purge else {
            return try await changeRecord(id) { Self.removed($0 ?? record) } ?? Self.removed(record)
        }
        try await self.purge(id)
        var gone = Self.removed(record)
        gone.versions = []
        return gone
    }

    private static func removed(_ record: LibraryRecord) -> LibraryRecord {
        var changed = record
        changed.installed = nil
        changed.pinned = nil
        changed.before = nil
        return changed
    }

    private func purge(_ id: TemplateID) async throws {
        let lock = try await FileLock.wait(for: "\(root)/lock", atMost: Self.recordLockTimeout)
        try withExtendedLifetime(lock) {
            // The record goes first: a record without its file would be a damaged library, the reverse is litter.
            // What an unreadable record needs is left alone, see below.
            let dropped = try? self.record(id)
            try putRecord(id, nil)
            let contents = try contents()
            // What an unreadable record needs cannot be known, so then nothing is dropped.
            guard let dropped, contents.unreadable.isEmpty else { return }
            let needed = contents.records.reduce(into: Set<ContentHash>()) { $0.formUnion($1.objects) }
            for hash in dropped.objects.subtracting(needed) {
                try removeIfThere(objectPath(hash))
            }
        }
    }

    func removeIfThere(_ path: String) throws {
        if FileManager.default.fileExists(atPath: path) { try AtomicFile.remove(path) }
    }

    /// Drafts of records exist only under the lock; any that are seen under it are a dead process's.
    func removeDrafts(in folder: String) {
        // What cannot be removed is tried again by the next writer.
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        where name.hasSuffix(AtomicFile.draftSuffix) {
            AtomicFile.discard("\(folder)/\(name)")
        }
    }

    private func removeStalePartials() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: partialFolder) {
            let path = "\(partialFolder)/\(name)"
            // Another process may have removed it; if not, the next one tries.
            guard let facts = FileBytes.facts(path), facts.changedAt.timeIntervalSinceNow < -Self.partialLifetime
            else { continue }
            guard let hash = ContentHash(hex: String(name.prefix(64))) else { continue }
            if let lock = try FileLock.take(objectLockPath(hash)) {
                withExtendedLifetime(lock) { AtomicFile.discard(path) }
            }
        }
    }
}
