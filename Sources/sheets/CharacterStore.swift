// SPDX-License-Identifier: Apache-2.0
import CharacterCore
import Foundation
import MarketClient
import SheetCore

/// Characters in the library's folder, below `characters/`: files by their hashes, and one index that names them.
/// Whatever is written is there whole or not at all, since the index is replaced at once.
struct CharacterStore {
    /// A character in the index.
    struct Entry: Codable {
        var id: CharacterID
        var name: String
        var changedAt: Date
        var isFavourite: Bool
        var templateName: String?
        var pages: [Int]
        /// The object that holds all of it.
        var state: ContentHash
        /// The other objects that it or a save of it needs; `nil` in an index of before.
        var objects: [ContentHash]?
    }

    struct Index: Codable {
        static let current = 1
        var format = current
        var characters: [Entry] = []
    }

    /// A character with its history. Pictures, saves and the files of newer programs are objects of their own.
    struct Stored {
        var sheet: CharacterSheet
        var saves = SaveHistory()
        var images: [ContentHash] = []
        var others: [String: ContentHash] = [:]
        /// Sheets that it or a save of it is written on; `nil` in files of before.
        var templates: [ContentHash]?
        /// What a newer program put beside it into the archive that it came from; files by their objects.
        var surroundings: [String: ContentHash]?
        var manifest: [String: JSONValue]?
        var entry: [String: JSONValue]?
        /// Files of its strokes, as it was read or written; none of a state that holds them itself.
        var ink: [ContentHash: Data] = [:]

        /// The objects that it needs.
        var objects: [ContentHash] {
            let parts = saves.saves.flatMap { [$0.character] + $0.pages.values } + Array(ink.keys)
            let sheet = [self.sheet.content.character.template?.sha256].compactMap { $0 }
            let files = Array(others.values) + Array((surroundings ?? [:]).values)
            return Set(parts + images + files + (templates ?? sheet)).sorted { $0.hex < $1.hex }
        }

        /// Reads a state; `source` gives the files of its strokes.
        static func read(_ data: Data, ink source: @escaping SheetInk.Source) throws -> Stored {
            let ink = SheetInk(source)
            do {
                var stored = try read(data, ink: ink)
                stored.ink = ink.files
                return stored
            } catch { throw ink.failure ?? error }
        }

        /// The state's file; those of its strokes are in `ink` then.
        mutating func written() throws -> Data {
            let ink = SheetInk()
            let data = try ink.encode(self)
            self.ink = ink.files
            return data
        }
    }

    /// A file that a character needs cannot be used.
    struct FileFailure: ToldFailure {
        let path: String
        /// What is wrong with it, part of a sentence.
        let problem: String
        var isMissing: Bool { problem == Self.missing }

        static let missing = "is missing"

        var failure: CommandFailure {
            CommandFailure(
                Terminal.printable("A file of a character \(problem) (\(path)). ")
                    + "`sheets backup restore --duplicates replace` brings the character back as the last backup has it.",
                isMissing ? .failed : .refused)
        }
    }

    let library: Library

    private var root: String { "\(library.root)/characters" }
    private var indexPath: String { "\(root)/index.json" }
    private var objects: ObjectFolder { ObjectFolder(root: "\(root)/objects") }

    // MARK: - Reading

    func index() throws -> Index {
        guard let data = FileManager.default.contents(atPath: indexPath) else { return Index() }
        guard let index = try? SheetJSON.decoder().decode(Index.self, from: data) else {
            throw LibraryError.unreadableRecord(path: indexPath, reason: "it is damaged")
        }
        guard index.format <= Index.current else { throw LibraryError.newerFormat(path: root, format: index.format) }
        return index
    }

    /// Finds one by id, the beginning of one, or name.
    func find(_ key: String) throws -> Entry {
        guard let entry = try known(key) else {
            throw CommandFailure(
                "No character is called '\(Terminal.printable(key))'; `sheets character list` lists them.")
        }
        return entry
    }

    /// `nil` if there is none.
    func known(_ key: String) throws -> Entry? {
        let all = try index().characters
        var found = all.filter { $0.id.description == key.lowercased() || $0.name == key }
        if found.isEmpty { found = all.filter { $0.name.lowercased() == key.lowercased() } }
        if found.isEmpty, key.count >= 6 { found = all.filter { $0.id.description.hasPrefix(key.lowercased()) } }
        guard found.count <= 1 else {
            let ids = found.map(\.id.description).joined(separator: ", ")
            throw CommandFailure(
                "Several characters are called '\(Terminal.printable(key))'; name one by its id: \(ids).")
        }
        return found.first
    }

    func object(_ hash: ContentHash) throws -> Data {
        let path = objects.path(hash)
        guard let data = objects.bytes(hash) else { throw FileFailure(path: path, problem: FileFailure.missing) }
        guard ContentHash(hashing: data) == hash else { throw FileFailure(path: path, problem: "is damaged") }
        return data
    }

    func load(_ entry: Entry) throws -> Stored { try look(entry).stored }

    /// All that is known of a character, and its file. If another command throws its files away meanwhile, because it
    /// changed it, this looks anew.
    func look(_ entry: Entry) throws -> (stored: Stored, state: Data) {
        var entry = entry
        while true {
            do {
                let data = try object(entry.state)
                return (try read(data, of: entry), data)
            } catch let error as FileFailure where error.isMissing {
                let now = try find(entry.id.description)
                guard now.state != entry.state else { throw error }
                entry = now
            }
        }
    }

    private func read(_ data: Data, of entry: Entry) throws -> Stored {
        do {
            return try Stored.read(data, ink: object)
        } catch let error as FormatFailure {
            throw FileFailure(path: objects.path(entry.state), problem: "cannot be read: \(error.description)")
        }
    }

    /// A file of a character, or its sheet from wherever the library has it.
    func intact(_ hash: ContentHash) -> Data? {
        objects.intact(hash)
            ?? FileManager.default.contents(atPath: library.objectPath(hash)).flatMap {
                ContentHash(hashing: $0) == hash ? $0 : nil
            }
    }

    /// What an archive takes of a character.
    func archived(_ entry: Entry) throws -> ArchivedCharacter { try archived(load(entry)) }

    func archived(_ stored: Stored) throws -> ArchivedCharacter {
        var made = ArchivedCharacter(stored.sheet.content)
        for hash in stored.images { made.images[hash] = try object(hash) }
        made.others = try stored.others.mapValues(object)
        made.surroundings.files = try (stored.surroundings ?? [:]).mapValues(object)
        made.surroundings.manifest = stored.manifest ?? [:]
        made.surroundings.entry = stored.entry ?? [:]
        made.template = made.content.character.template.flatMap { intact($0.sha256) }
        try made.tellEdits(of: stored.sheet)
        return made
    }

    // MARK: - Writing

    /// Changes the index under a lock; objects that `change` puts are there before it names them.
    func update<Result>(_ change: (inout Index) throws -> Result) async throws -> Result {
        try AtomicFile.makeFolder(objects.root)
        let lock = try await FileLock.wait(for: "\(root)/lock", atMost: .seconds(30))
        return try withExtendedLifetime(lock) {
            let before = try index()
            var index = before
            let result = try change(&index)
            index.characters.sort {
                ($0.name.lowercased(), $0.id.description) < ($1.name.lowercased(), $1.id.description)
            }
            try AtomicFile.write(try SheetJSON.encoder().encode(index), to: indexPath)
            let states = Set(index.characters.map(\.state))
            let gone = before.characters.filter { !states.contains($0.state) }
            // A state names its character, so no two characters share one; other objects may be of several.
            for entry in gone { objects.remove(entry.state) }
            if !gone.isEmpty, let needed = try? needed(by: index) { objects.removeAll(but: needed) }
            return result
        }
    }

    /// All objects that characters need. Throws if a state that has to be asked cannot be read: then nobody knows.
    private func needed(by index: Index) throws -> Set<ContentHash> {
        try index.characters.reduce(into: []) { needed, entry in
            needed.insert(entry.state)
            needed.formUnion(try entry.objects ?? load(entry).objects)
        }
    }

    /// Files that characters are written on, those of their saves as well.
    func sheetsInUse() throws -> Set<ContentHash> { try needed(by: try index()) }

    private func templates(of stored: Stored) -> [ContentHash] {
        [stored.sheet.content.character.template?.sha256].compactMap { $0 }
    }

    @discardableResult
    func put(_ data: Data) throws -> ContentHash {
        let hash = ContentHash(hashing: data)
        try objects.put(data, as: hash)
        return hash
    }

    /// Enters a character into an index, or what became of it; its state is a save if anything changed.
    func enter(_ stored: Stored, in index: inout Index, at date: Date = Date()) throws {
        var stored = stored
        let content = stored.sheet.content
        for save in stored.saves.saves.suffix(1) {
            for hash in [save.character] + save.pages.values { stored.saves.parts[hash] = try object(hash) }
        }
        try stored.saves.save(content, at: date)
        for data in stored.saves.parts.values { try put(data) }
        stored.saves.parts = [:]
        let known = stored.templates ?? []
        stored.templates = known + templates(of: stored).filter { !known.contains($0) }
        let data = try stored.written()
        for file in stored.ink.values { try put(file) }
        let state = try put(data)
        let character = content.character
        index.characters.removeAll { $0.id == character.id }
        index.characters.append(
            Entry(
                id: character.id, name: character.name, changedAt: character.changedAt,
                isFavourite: character.isFavourite, templateName: character.template?.name,
                pages: content.drawings.keys.sorted(), state: state, objects: stored.objects))
    }

    /// Hands characters of an archive or backup over, one after the other.
    typealias Characters = (_ each: (ArchivedCharacter) throws -> Void) throws -> Void

    /// Takes in what an archive or backup holds, all of it or nothing, one character after the other. A backup has the
    /// `kept` states, with all that can be undone and earlier saves; `putting` puts their objects.
    func take(
        _ characters: @escaping Characters, kept: (CharacterID) throws -> Stored? = { _ in nil },
        choose: (PlayerCharacter) throws -> DuplicatePolicy, putting: () throws -> Void = {}
    ) async throws -> LibraryImport {
        try await update { index in
            // Under the lock: before they are named, another command would throw them away.
            try putting()
            let existing = Set(index.characters.map(\.id))
            var plan = LibraryImport()
            try characters { character in
                guard let character = try plan.take(character, existing: existing, choose: choose) else { return }
                try enter(character, kept: try kept(character.content.character.id), in: &index)
            }
            return plan
        }
    }

    /// Enters what was packed, with its `kept` state if there is one.
    private func enter(_ character: ArchivedCharacter, kept state: Stored?, in index: inout Index) throws {
        let id = character.content.character.id
        var stored = state ?? Stored(sheet: character.sheet)
        if state != nil { stored.sheet = stored.sheet.restored() }
        for hash in try character.images.values.map(put) where !stored.images.contains(hash) {
            stored.images.append(hash)
        }
        // What stood here before can be had again, with its pictures and its sheet, unless it is broken.
        if let entry = index.characters.first(where: { $0.id == id }), let old = try? load(entry),
            isIntact(old.saves)
        {
            stored.saves.join(old.saves)
            stored.images += old.images.filter { !stored.images.contains($0) }
            stored.templates = (stored.templates ?? []) + (old.templates ?? templates(of: old))
        }
        stored.others = try character.filesOfOthers.mapValues(put)
        let surroundings = character.surroundings
        if !surroundings.isEmpty {
            stored.surroundings = try surroundings.files.mapValues(put)
            (stored.manifest, stored.entry) = (surroundings.manifest, surroundings.entry)
        }
        if let template = character.template { try put(template) }
        try enter(stored, in: &index)
    }

    /// Whether the last save can be had again.
    private func isIntact(_ saves: SaveHistory) -> Bool {
        saves.saves.suffix(1).flatMap { [$0.character] + $0.pages.values }.allSatisfy { objects.intact($0) != nil }
    }

    /// Changes one character.
    func edit<Result>(_ key: String, _ change: (inout Stored) throws -> Result) async throws -> Result {
        try await update { index in
            let entry = try find(key)
            var stored = try load(entry)
            let result = try change(&stored)
            try enter(stored, in: &index)
            return result
        }
    }
}

extension CharacterStore.Stored: VersionedFormat {
    static let formatName = "A character's state"
    static let formatVersion = 1
    static let maximumBytes = 256 << 20

    private enum CodingKeys: String, CodingKey {
        case formatVersion, sheet, saves, images, others, templates, surroundings, manifest, entry
    }

    init(from decoder: any Decoder) throws {
        if let older = try Self.migrated(decoder) {
            self = older
            return
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        sheet = try container.decode(CharacterSheet.self, forKey: .sheet)
        saves = try container.decode(SaveHistory.self, forKey: .saves)
        images = try container.decode([ContentHash].self, forKey: .images)
        others = try container.decode([String: ContentHash].self, forKey: .others)
        templates = try container.decodeIfPresent([ContentHash].self, forKey: .templates)
        surroundings = try container.decodeIfPresent([String: ContentHash].self, forKey: .surroundings)
        manifest = try container.decodeIfPresent([String: JSONValue].self, forKey: .manifest)
        entry = try container.decodeIfPresent([String: JSONValue].self, forKey: .entry)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.formatVersion, forKey: .formatVersion)
        try container.encode(sheet, forKey: .sheet)
        try container.encode(saves, forKey: .saves)
        try container.encode(images, forKey: .images)
        try container.encode(others, forKey: .others)
        try container.encodeIfPresent(templates, forKey: .templates)
        try container.encodeIfPresent(surroundings, forKey: .surroundings)
        try container.encodeIfPresent(manifest, forKey: .manifest)
        try container.encodeIfPresent(entry, forKey: .entry)
    }
}
