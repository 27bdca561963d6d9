// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// What to do with a character that is there already.
public enum DuplicatePolicy: String, Sendable, Codable, CaseIterable {
    case replace
    /// The imported one gets an id and a name of its own.
    case createNew = "new"
    case skip
}

/// What an import will do, decided before anything is written.
public struct LibraryImport: Sendable, Hashable {
    public var added: [ArchivedCharacter] = []
    public var replaced: [ArchivedCharacter] = []
    public var skipped: [CharacterID] = []

    /// Decides; `choose` is asked for each character that is there already.
    public static func plan(
        _ characters: [ArchivedCharacter], existing: Set<CharacterID>,
        newID: () -> CharacterID = { CharacterID.make() }, choose: (PlayerCharacter) throws -> DuplicatePolicy
    ) rethrows -> LibraryImport {
        var plan = LibraryImport()
        for character in characters {
            guard existing.contains(character.content.character.id) else {
                plan.added.append(character)
                continue
            }
            switch try choose(character.content.character) {
            case .replace: plan.replaced.append(character)
            case .skip: plan.skipped.append(character.content.character.id)
            case .createNew:
                var copy = character
                let old = character.content.character
                copy.content.character.id = newID()
                copy.content.character.name = String("\(old.name) (copy)".prefix(200))
                plan.added.append(copy)
            }
        }
        return plan
    }
}
