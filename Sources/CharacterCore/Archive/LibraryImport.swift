// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// What to do with a character that is there already.
public enum DuplicatePolicy: String, Sendable, Codable, CaseIterable {
    case replace
    /// The imported one gets an id and a name of its own.
    case createNew = "new"
    case skip
}

/// What an import does with the characters of an archive, one after the other.
public struct LibraryImport: Sendable, Hashable {
    public private(set) var added: [CharacterID] = []
    public private(set) var replaced: [CharacterID] = []
    public private(set) var skipped: [CharacterID] = []

    public init() {}

    /// The character as it is to be kept, `nil` if it is skipped. `choose` is asked if it is among the `existing`.
    public mutating func take(
        _ character: ArchivedCharacter, existing: Set<CharacterID>, newID: () -> CharacterID = { CharacterID.make() },
        choose: (PlayerCharacter) throws -> DuplicatePolicy
    ) rethrows -> ArchivedCharacter? {
        var character = character
        let old = character.content.character
        guard existing.contains(old.id) else {
            added.append(old.id)
            return character
        }
        switch try choose(old) {
        case .replace: replaced.append(old.id)
        case .skip:
            skipped.append(old.id)
            return nil
        case .createNew:
            character.content.character.id = newID()
            character.content.character.name = String("\(old.name) (copy)".prefix(200))
            added.append(character.content.character.id)
        }
        return character
    }
}
