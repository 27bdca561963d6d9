// SPDX-License-Identifier: Apache-2.0
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What an archive says besides a character's content so that it can be merged with another device's: which edits made
/// it, and which they replaced. `edits.json` in the character's folder; docs/formats.md has it. What stands on the sheet
/// is not said again.
private struct ArchivedEdits: Codable {
    struct Edit: Codable {
        var id: EditID
        var clock: Int
        var date: Date
        var key: SheetKey
        var replaces: [EditID]?
        /// It took something away.
        var removes: Bool?
        /// What it says, where the content does not.
        var value: SheetValue?
    }

    static let path = "edits.json"
    static let current = 1
    var formatVersion = current
    /// Hash of the `character.json` that these edits made.
    var character: ContentHash
    var clock: Int
    var edits: [Edit]
    /// Numbers of replaced edits, as runs, by device.
    var replaced: [String: NumberSet]

    /// Of a sheet with this content.
    init(_ sheet: CharacterSheet, _ content: SheetContent) throws {
        character = try Self.hash(content.character)
        let (standing, known) = (Standing(content), sheet.known)
        clock = known.clock
        edits = known.operations.map { operation in
            Edit(
                id: operation.id, clock: operation.clock, date: operation.date, key: operation.key,
                replaces: operation.replaces.isEmpty ? nil : operation.replaces,
                removes: operation.value == nil ? true : nil,
                value: standing.value(of: operation.id, at: operation.key) == operation.value ? nil : operation.value)
        }
        let pairs = known.replaced.map { (String($0.key.bits, radix: 16), $0.value) }
        replaced = Dictionary(uniqueKeysWithValues: pairs)
    }

    private static func hash(_ character: PlayerCharacter) throws -> ContentHash {
        ContentHash(hashing: try SheetJSON.encoder().encode(character))
    }

    /// The sheet again; `nil` if that would be another than the content says, as when a program changed it that keeps no
    /// edits.
    func sheet(of content: SheetContent) -> CharacterSheet? {
        guard formatVersion == Self.current, (try? Self.hash(content.character)) == character else { return nil }
        let standing = Standing(content)
        let operations = edits.map { edit in
            SheetOperation(
                id: edit.id, clock: edit.clock, date: edit.date, key: edit.key,
                value: edit.removes == true ? nil : edit.value ?? standing.value(of: edit.id, at: edit.key),
                replaces: edit.replaces ?? [])
        }
        let known = replaced.compactMap { name, numbers in
            UInt64(name, radix: 16).map { (DeviceID(bits: $0), numbers) }
        }
        let made = CharacterSheet(
            of: content.character, operations: operations,
            replaced: Dictionary(known) { first, _ in first }, clock: clock)
        let (mine, theirs) = (made.content, content)
        guard mine.character == theirs.character, mine.values == theirs.values else { return nil }
        return made
    }
}

/// What a content says of its keys.
private struct Standing {
    private let content: SheetContent
    private let values: [SheetKey: SheetValue]

    init(_ content: SheetContent) {
        self.content = content
        values = content.values
    }

    /// What an edit left at a key. Of an element that two devices changed the loser stands beside it, under the edit's
    /// own id.
    func value(of edit: EditID, at key: SheetKey) -> SheetValue? {
        switch key {
        case .element(let page, let id):
            guard case .element(var copy)? = values[.element(page: page, id: edit)] else { return values[key] }
            copy.id = id
            return .element(copy)
        // Those that every page has are no values.
        case .layer(let page, let id):
            return values[key] ?? content.drawings[page]?.layers.first { $0.id == id }.map(SheetValue.layer)
        default: return values[key]
        }
    }
}

extension ArchivedCharacter {
    /// Tells the edits that made the character, so that it can be merged with what another device did to it. Its content
    /// is that of the sheet.
    public mutating func tellEdits(of sheet: CharacterSheet) throws {
        others[ArchivedEdits.path] = try SheetJSON.encoder().encode(try ArchivedEdits(sheet, content))
    }

    /// The character as this device will keep it; the edits that made it are known if the archive told them.
    public var sheet: CharacterSheet { mergeable ?? CharacterSheet(content) }

    /// The character with the edits that made it; `nil` if the archive tells none, or not those of its content.
    public var mergeable: CharacterSheet? {
        guard let data = others[ArchivedEdits.path],
            let edits = try? SheetJSON.decoder().decode(ArchivedEdits.self, from: data)
        else { return nil }
        return edits.sheet(of: content)
    }

    /// Files that are to be kept for programs that know them.
    public var filesOfOthers: [String: Data] { others.filter { $0.key != ArchivedEdits.path } }
}
