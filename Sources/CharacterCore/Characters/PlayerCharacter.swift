// SPDX-License-Identifier: Apache-2.0
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Entity {
    public enum PlayerCharacter {}
}

/// A character on somebody's device. No market ever learns of one.
public typealias CharacterID = Identifier<Entity.PlayerCharacter>

/// The sheet that a character is written on, named so that any copy of it can be told to be the same.
public struct CharacterTemplate: Hashable, Sendable, Codable {
    /// On the market that it came from; none of a sheet of one's own.
    public var id: TemplateID?
    public var version: SemanticVersion?
    /// Of its file.
    public var sha256: ContentHash
    public var name: String
    /// SPDX identifier: whether an archive may carry the file.
    public var license: String?
    /// The game system's slug: what its fields mean.
    public var gameSystem: String?

    public init(
        id: TemplateID? = nil, version: SemanticVersion? = nil, sha256: ContentHash, name: String,
        license: String? = nil, gameSystem: String? = nil
    ) {
        self.id = id
        self.version = version
        self.sha256 = sha256
        self.name = name
        self.license = license
        self.gameSystem = gameSystem
    }
}

/// A value that lost against a later one from another device, kept until somebody chooses.
public struct FieldConflict: Hashable, Sendable, Codable {
    /// The member of the character.
    public var field: String
    public var value: JSONValue

    public init(field: String, value: JSONValue) {
        self.field = field
        self.value = value
    }
}

/// A character, without what is drawn on its pages. Its JSON is `character.json` of an archive.
public struct PlayerCharacter: Hashable, Sendable {
    /// The JSON that this version writes; later versions are refused, earlier ones would be brought up to it.
    public static let formatVersion = 1

    public var id: CharacterID
    public var name: String
    public var template: CharacterTemplate?
    /// The page that was looked at last, from 0.
    public var lastPage: Int
    public var isFavourite: Bool
    public var notes: String
    /// The hash of a picture.
    public var portrait: ContentHash?
    public var palettes: [Palette]
    /// What stands in the sheet's fields, by the names of `FieldNames`, or else by the fields' own.
    public var values: [String: String] = [:]
    /// Formulas for dice, by the names that people give them.
    public var rolls: [String: String] = [:]
    /// In whole seconds, as `changedAt`.
    public var createdAt: Date
    public var changedAt: Date
    public var conflicts: [FieldConflict]
    /// Members that this version does not know.
    public var unknown: [String: JSONValue]

    public init(
        id: CharacterID, name: String, template: CharacterTemplate? = nil, lastPage: Int = 0,
        isFavourite: Bool = false, notes: String = "", portrait: ContentHash? = nil, palettes: [Palette] = [],
        createdAt: Date, changedAt: Date? = nil, conflicts: [FieldConflict] = [], unknown: [String: JSONValue] = [:]
    ) {
        self.id = id
        self.name = name
        self.template = template
        self.lastPage = lastPage
        self.isFavourite = isFavourite
        self.notes = notes
        self.portrait = portrait
        self.palettes = palettes
        self.createdAt = createdAt.wholeSeconds
        self.changedAt = (changedAt ?? createdAt).wholeSeconds
        self.conflicts = conflicts
        self.unknown = unknown
    }
}

extension PlayerCharacter: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case formatVersion, id, name, template, lastPage, isFavourite, notes, portrait, palettes, createdAt, changedAt
        case conflicts, values, rolls
    }

    private static let known = Set(CodingKeys.allCases.map(\.rawValue))
    /// Members that devices do not change one by one.
    private static let fixed: Set<CodingKeys> = [.formatVersion, .id, .createdAt, .changedAt, .conflicts]

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let version = try container.decode(Int.self, forKey: .formatVersion)
        guard version == Self.formatVersion else {
            throw FormatFailure(
                "/formatVersion", "Only version \(Self.formatVersion) is read here; a newer program wrote this one.")
        }
        self.init(
            id: try container.decode(CharacterID.self, forKey: .id),
            name: try container.decode(String.self, forKey: .name),
            template: try container.decodeIfPresent(CharacterTemplate.self, forKey: .template),
            lastPage: try container.decodeIfPresent(Int.self, forKey: .lastPage) ?? 0,
            isFavourite: try container.decodeIfPresent(Bool.self, forKey: .isFavourite) ?? false,
            notes: try container.decodeIfPresent(String.self, forKey: .notes) ?? "",
            portrait: try container.decodeIfPresent(ContentHash.self, forKey: .portrait),
            palettes: try container.decodeIfPresent([Palette].self, forKey: .palettes) ?? [],
            createdAt: try container.decode(Date.self, forKey: .createdAt),
            changedAt: try container.decode(Date.self, forKey: .changedAt),
            conflicts: try container.decodeIfPresent([FieldConflict].self, forKey: .conflicts) ?? [],
            unknown: try UnknownMembers.read(from: decoder, known: Self.known))
        values = try container.decodeIfPresent([String: String].self, forKey: .values) ?? [:]
        rolls = try container.decodeIfPresent([String: String].self, forKey: .rolls) ?? [:]
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.formatVersion, forKey: .formatVersion)
        try container.encode(id, forKey: .id)
        try container.encode(name, forKey: .name)
        try container.encodeIfPresent(template, forKey: .template)
        try container.encode(lastPage, forKey: .lastPage)
        try container.encode(isFavourite, forKey: .isFavourite)
        try container.encode(notes, forKey: .notes)
        try container.encodeIfPresent(portrait, forKey: .portrait)
        if !palettes.isEmpty { try container.encode(palettes, forKey: .palettes) }
        try container.encode(createdAt, forKey: .createdAt)
        try container.encode(changedAt, forKey: .changedAt)
        if !conflicts.isEmpty { try container.encode(conflicts, forKey: .conflicts) }
        if !values.isEmpty { try container.encode(values, forKey: .values) }
        if !rolls.isEmpty { try container.encode(rolls, forKey: .rolls) }
        try UnknownMembers.write(unknown, to: encoder)
    }

    /// Reads `character.json`.
    public static func read(_ data: Data) throws(FormatFailure) -> PlayerCharacter {
        let value: PlayerCharacter
        do {
            value = try SheetJSON.decoder().decode(PlayerCharacter.self, from: data)
        } catch {
            throw FormatFailure(error)
        }
        var check = FormatCheck()
        // Their own letters and marks are the person's affair; whoever shows them makes them harmless.
        check.require(value.name.utf8.count <= 4000, "/name", "A name has at most 4000 bytes.")
        check.require(value.notes.utf8.count <= 2 << 20, "/notes", "Notes have at most 2 MiB.")
        check.require(value.lastPage >= 0, "/lastPage", "Pages are counted from 0.")
        check.require(value.palettes.count <= 100, "/palettes", "At most 100 palettes.")
        let isShort = { (entry: (key: String, value: String)) in
            entry.key.utf8.count <= maximumValueNameLength && entry.value.utf8.count <= maximumValueLength
        }
        check.require(
            value.values.count <= maximumValues && value.values.allSatisfy(isShort), "/values",
            "At most \(maximumValues) fields of \(maximumValueLength) bytes.")
        check.require(
            value.rolls.count <= maximumRolls && value.rolls.allSatisfy(isShort), "/rolls",
            "At most \(maximumRolls) rolls.")
        try check.finish()
        return value
    }

    /// What devices change one by one, member by member, unknown ones too; of fields and rolls each, as `values/NAME`.
    var fields: [String: JSONValue] {
        // The encoder writes an object, and nothing in it fails to be written.
        guard let data = try? SheetJSON.encoder().encode(self),
            let members = try? SheetJSON.decoder().decode([String: JSONValue].self, from: data)
        else { return [:] }
        var fields = members.filter { name, _ in !Self.fixed.contains { $0.rawValue == name } }
        for (key, entries) in [(CodingKeys.values, values), (.rolls, rolls)] {
            fields[key.rawValue] = nil
            for (name, value) in entries { fields["\(key.rawValue)/\(name)"] = .string(value) }
        }
        return fields
    }

    /// Puts it together again. A member that no version of this type could read is left at its default.
    init(id: CharacterID, createdAt: Date, changedAt: Date, conflicts: [FieldConflict], fields: [String: JSONValue]) {
        self.init(id: id, name: "", createdAt: createdAt, changedAt: changedAt, conflicts: conflicts)
        func value<Value: Decodable>(_ key: CodingKeys, _ type: Value.Type) -> Value? {
            guard let json = fields[key.rawValue], let data = try? SheetJSON.encoder().encode([json]) else {
                return nil
            }
            return (try? SheetJSON.decoder().decode([Value].self, from: data))?.first
        }
        name = value(.name, String.self) ?? ""
        template = value(.template, CharacterTemplate.self)
        lastPage = value(.lastPage, Int.self) ?? 0
        isFavourite = value(.isFavourite, Bool.self) ?? false
        notes = value(.notes, String.self) ?? ""
        portrait = value(.portrait, ContentHash.self)
        palettes = value(.palettes, [Palette].self) ?? []
        func entries(_ key: CodingKeys) -> [String: String] {
            let prefix = "\(key.rawValue)/"
            let all = fields.compactMap { name, value in
                if name.hasPrefix(prefix), case .string(let text) = value {
                    (String(name.dropFirst(prefix.count)), text)
                } else {
                    nil
                }
            }
            return Dictionary(all) { first, _ in first }
        }
        values = entries(.values)
        rolls = entries(.rolls)
        let listed = ["\(CodingKeys.values.rawValue)/", "\(CodingKeys.rolls.rawValue)/"]
        unknown = fields.filter { name, _ in
            !Self.known.contains(name) && !listed.contains { name.hasPrefix($0) }
        }
    }
}

extension Date {
    /// As the formats write it.
    package var wholeSeconds: Date { Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down)) }
}
