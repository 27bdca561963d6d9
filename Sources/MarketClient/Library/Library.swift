// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore

/// A folder of installed templates that is complete without a network. Several processes may use one at once:
/// readers see whole records, writers take turns. `docs/library-format.md` describes the folder.
public struct Library: Sendable {
    /// The format that this version writes; later formats are refused, earlier ones read.
    public static let format = LibraryRecord.currentFormat

    /// The library's folder.
    public let root: String

    /// Hashes of files that something else than the library needs, such as a player's characters: cleaning leaves their
    /// versions alone, and all versions where this throws.
    public let inUse: @Sendable () throws -> Set<ContentHash>

    /// Names a library; the folder is made by the first installation.
    public init(root: String, inUse: @escaping @Sendable () throws -> Set<ContentHash> = { [] }) {
        self.inUse = inUse
        var root = root
        while root.count > 1 && root.hasSuffix("/") { root.removeLast() }
        self.root = root
    }

    /// What could be read of the records.
    public struct Contents: Sendable {
        /// By name.
        public var records: [LibraryRecord] = []
        /// Those that could not be read.
        public var unreadable: [LibraryError] = []

        /// The records of what is installed now.
        public var installed: [LibraryRecord] { records.filter { $0.installed != nil } }
    }

    // MARK: - Where things are

    /// Where the bytes of that hash are, if they are here.
    public func objectPath(_ hash: ContentHash) -> String { "\(root)/objects/\(hash.hex.prefix(2))/\(hash.hex)" }

    var formatPath: String { "\(root)/library.json" }
    var recordsFolder: String { "\(root)/templates" }
    var partialFolder: String { "\(root)/partial" }
    func recordPath(_ id: TemplateID) -> String { "\(recordsFolder)/\(id).json" }
    func partialPath(_ hash: ContentHash) -> String { "\(partialFolder)/\(hash.hex).part" }
    func entityTagPath(_ hash: ContentHash) -> String { "\(partialFolder)/\(hash.hex).etag" }
    func openFolder(_ id: TemplateID) -> String { "\(root)/open/\(id)" }
    func objectLockPath(_ hash: ContentHash) -> String { "\(root)/locks/\(hash.hex.prefix(2))" }

    // MARK: - Reading

    private struct FormatFile: Codable {
        var format: Int
    }

    /// Refuses a library of a later format; one that is not there yet is fine.
    func checkFormat() throws {
        guard let data = FileManager.default.contents(atPath: formatPath) else { return }
        guard let file = try? JSONDecoder().decode(FormatFile.self, from: data) else {
            throw LibraryError.unreadableRecord(path: formatPath, reason: "it names no format")
        }
        guard file.format <= Self.format else { throw LibraryError.newerFormat(path: root, format: file.format) }
    }

    /// All records, and which of them could not be read; `brief` without regions and outlines, which is for showing
    /// only: such a record must not be written.
    public func contents(brief: Bool = false) throws -> Contents {
        try checkFormat()
        var contents = Contents()
        // A library that is not there yet has no records.
        for name in (try? FileManager.default.contentsOfDirectory(atPath: recordsFolder)) ?? [] {
            guard name.hasSuffix(".json"), let id = TemplateID(String(name.dropLast(5))) else { continue }
            do {
                if let record = try record(id, brief: brief) { contents.records.append(record) }
            } catch let error as LibraryError {
                contents.unreadable.append(error)
            }
        }
        contents.records = contents.records
            .map { (name: $0.template.name.lowercased(), id: $0.template.id.description, record: $0) }
            .sorted { ($0.name, $0.id) < ($1.name, $1.id) }
            .map(\.record)
        return contents
    }

    /// The record of a template, or `nil` when it was never installed.
    public func record(_ id: TemplateID) throws -> LibraryRecord? { try record(id, brief: false) }

    func record(_ id: TemplateID, brief: Bool) throws -> LibraryRecord? {
        let path = recordPath(id)
        guard let data = FileManager.default.contents(atPath: path) else {
            if FileManager.default.fileExists(atPath: path) {
                throw LibraryError.unreadableRecord(path: path, reason: "no permission to read it")
            }
            return nil
        }
        let record: LibraryRecord
        do {
            let decoder = WireJSON.decoder()
            if brief, let key = LibraryRecord.SavedVersion.brief { decoder.userInfo[key] = true }
            record = try decoder.decode(LibraryRecord.self, from: data)
        } catch {
            throw LibraryError.unreadableRecord(path: path, reason: "it is damaged or of a later format")
        }
        guard record.template.id == id else {
            throw LibraryError.unreadableRecord(path: path, reason: "it is about another template")
        }
        if let installed = record.installed, record.saved(installed.version)?.detail.sha256 != installed.sha256 {
            throw LibraryError.unreadableRecord(path: path, reason: "its parts contradict each other")
        }
        return record
    }

    /// Finds a template by slug or id; a slug that several servers use is settled by `server`.
    public func find(_ key: String, server: String? = nil) throws -> LibraryRecord {
        try checkFormat()
        if let id = TemplateID(key), let record = try record(id) { return record }
        let (entries, unreadable) = try self.entries()
        var found = entries.filter { $0.slug == key }
        if found.count > 1, let server { found = found.filter { $0.server == server } }
        if found.count > 1 { throw LibraryError.ambiguous(key, ids: found.map(\.id)) }
        guard let entry = found.first, let record = try record(entry.id) else {
            // The one that was asked for may be the one that cannot be read.
            if let error = unreadable.first { throw error }
            throw LibraryError.notInLibrary(key)
        }
        return record
    }

    /// Whether bytes of that hash and size are here; only `intactObject` looks at the bytes.
    func hasObject(_ hash: ContentHash, bytes: Int) -> Bool {
        // What is not there has no size.
        FileBytes.facts(objectPath(hash))?.bytes == bytes
    }

    /// How a stored object is.
    enum ObjectState: Equatable {
        case intact, missing, damaged
    }

    func state(of hash: ContentHash) throws -> ObjectState {
        guard let found = try FileBytes.hash(objectPath(hash)) else { return .missing }
        return found.hash == hash ? .intact : .damaged
    }

    /// Keeps a file from being cleaned away as long as the answer lives, which needs no right to write; `nil` where it is
    /// not there.
    package func hold(_ hash: ContentHash) -> FileLock? { FileLock.share(objectPath(hash)) }

    /// Whether nothing can be changed here: on a file system that is mounted so, or somebody else's.
    package var isReadOnly: Bool {
        FileManager.default.fileExists(atPath: root) && !FileManager.default.isWritableFile(atPath: root)
    }

    // MARK: - Opening

    /// The path of a version's file, checked byte by byte, under a name that people and programs understand.
    public func openablePath(of record: LibraryRecord, version: SemanticVersion? = nil) throws -> String {
        let key = record.template.slug
        guard let number = version ?? record.installed?.version else { throw LibraryError.notInstalled(key) }
        guard let saved = record.saved(number) else {
            throw LibraryError.versionNotInLibrary(
                key, version: number, has: record.versions.map(\.detail.version))
        }
        let object = objectPath(saved.detail.sha256)
        switch try state(of: saved.detail.sha256) {
        case .intact: break
        case .missing: throw LibraryError.missingFile(name: "\(key)@\(number)", path: object)
        case .damaged: throw LibraryError.damagedFile(name: "\(key)@\(number)", path: object)
        }
        noteUse(of: saved.detail.sha256)
        // Never the file name that the server gave: it could lead anywhere.
        let stem = Slug(key)?.text ?? record.template.id.description
        let path = "\(openFolder(record.template.id))/\(stem)-\(number).\(record.template.kind.fileSuffix)"
        if let identity = FileBytes.identity(path), identity == FileBytes.identity(object) { return path }
        do {
            try AtomicFile.makeFolder(openFolder(record.template.id))
            // Linking fails when something is left in the way.
            AtomicFile.discard(path)
            try AtomicFile.link(object, as: path)
            return path
        } catch {
            // A read-only library, or a file system without hard links: the object itself will do.
            return object
        }
    }
}
