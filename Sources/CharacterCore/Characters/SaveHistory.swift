// SPDX-License-Identifier: Apache-2.0
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The last saves of a character, each part of them kept once however many share it.
public struct SaveHistory: Sendable, Hashable {
    /// Saves that are kept.
    public static let most = 10

    /// What differs from the save before.
    public struct Change: Sendable, Hashable, Codable {
        /// A member of the character, or `page`.
        public var what: String
        public var page: Int?
        public var added = 0
        public var removed = 0
        public var changed = 0
    }

    public struct Save: Sendable, Hashable, Codable {
        public var date: Date
        /// Of `character.json`.
        public var character: ContentHash
        /// Of the drawings, by page.
        public var pages: [Int: ContentHash]
        /// Since the save before; empty of the first.
        public var changes: [Change]
    }

    /// From the oldest.
    public private(set) var saves: [Save] = []
    /// Files by their hashes. A program may keep them elsewhere, and put them back before it reads.
    public var parts: [ContentHash: Data] = [:]

    public init() {}

    /// Keeps what is there now, if anything changed since the last save; whether it did.
    @discardableResult
    public mutating func save(_ content: SheetContent, at date: Date) throws -> Bool {
        var stored: [ContentHash: Data] = [:]
        func keep(_ data: Data) -> ContentHash {
            let hash = ContentHash(hashing: data)
            stored[hash] = data
            return hash
        }
        let character = keep(try SheetJSON.encoder().encode(content.character))
        let pages = try content.drawings.mapValues { keep(try DrawingFile.write($0)) }
        if let last = saves.last, last.pages == pages, last.character == character { return false }
        let before = try saves.last.map { try self.content(of: $0) }
        var save = Save(date: date.wholeSeconds, character: character, pages: pages, changes: [])
        if let before {
            var now = content
            // As it will be read again: what is not drawn on has not changed, though all was rounded.
            for (page, hash) in pages {
                let isSame = saves.last?.pages[page] == hash
                now.drawings[page] =
                    try isSame ? before.drawings[page] : stored[hash].map { try DrawingFile.read($0).drawing }
            }
            save.changes = Self.changes(from: before, to: now)
        }
        parts.merge(stored) { old, _ in old }
        saves.append(save)
        saves.removeFirst(max(0, saves.count - Self.most))
        let needed = Set(saves.flatMap { [$0.character] + $0.pages.values })
        parts = parts.filter { needed.contains($0.key) }
        return true
    }

    /// Takes in the saves of another history of the same character: the last ten of both, by their times.
    public mutating func join(_ other: SaveHistory) {
        let joined = saves + other.saves.filter { !saves.contains($0) }
        saves = Array(joined.sorted { $0.date < $1.date }.suffix(Self.most))
        parts.merge(other.parts) { own, _ in own }
    }

    /// What a save kept.
    public func content(of save: Save) throws -> SheetContent {
        func part(_ hash: ContentHash) throws -> Data {
            guard let data = parts[hash], ContentHash(hashing: data) == hash else {
                throw FormatFailure("", "A part of this save is missing or damaged.")
            }
            return data
        }
        return SheetContent(
            character: try PlayerCharacter.read(part(save.character)),
            drawings: try save.pages.mapValues { try DrawingFile.read(part($0)).drawing })
    }

    static func changes(from old: SheetContent, to new: SheetContent) -> [Change] {
        let (before, after) = (old.values, new.values)
        var made: [String: Change] = [:]
        for key in Set(before.keys).union(after.keys) where before[key] != after[key] {
            let what: String
            if case .field(let name) = key { what = name } else { what = "page" }
            var change = made["\(what)/\(key.page ?? -1)"] ?? Change(what: what, page: key.page)
            switch (before[key], after[key]) {
            case (nil, _): change.added += 1
            case (_, nil): change.removed += 1
            default: change.changed += 1
            }
            made["\(what)/\(key.page ?? -1)"] = change
        }
        return made.values.sorted { ($0.page ?? -1, $0.what) < ($1.page ?? -1, $1.what) }
    }
}

extension SaveHistory: VersionedFormat {
    public static let formatName = "A history of saves"
    public static let formatVersion = 1
    public static let maximumBytes = 256 << 20

    private enum CodingKeys: String, CodingKey { case formatVersion, saves, parts }

    public init(from decoder: any Decoder) throws {
        if let older = try Self.migrated(decoder) {
            self = older
            return
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        saves = try container.decode([Save].self, forKey: .saves)
        parts = try container.decode([ContentHash: Data].self, forKey: .parts)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.formatVersion, forKey: .formatVersion)
        try container.encode(saves, forKey: .saves)
        try container.encode(parts, forKey: .parts)
    }
}
