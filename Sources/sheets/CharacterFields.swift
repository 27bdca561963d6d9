// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CharacterCore
import Foundation
import MarketClient
import MarketWire
import SheetCore

extension CharacterStore {
    /// What the fields of a character's sheet mean.
    func names(of character: PlayerCharacter) -> FieldMatcher { FieldMatcher(gameSystem: gameSystem(of: character)) }

    /// The slug of the game system that a character's sheet is for; `nil` if nobody knows.
    func gameSystem(of character: PlayerCharacter) -> String? {
        if let known = character.template?.gameSystem { return known }
        guard let id = character.template?.id, let contents = try? library.contents() else { return nil }
        return contents.records.first { $0.template.id == id }?.template.gameSystem
    }
}

struct SetFields: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Say what stands in the sheet's fields, for `sheets fill` and `sheets roll`.",
        discussion: """
            sheets character set Brom class=Wizard level=5 "hit points=31" strength_save_proficient=yes

            Names are those of the game system, in any case, or the sheet's own; `name=` alone forgets a field. Of a \
            box it is yes or no. `sheets fill Brom` lists the fields of the sheet.
            """)

    @Argument(help: CharacterView.nameHelp, completion: KnownNames.characters) var character: String
    @Argument(help: ArgumentHelp("What stands where.", valueName: "name=value")) var fields: [FieldValue]
    @OptionGroup var libraryOptions: LibraryOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let store = libraryOptions.characters()
        let stored = try await store.edit(character) { stored in
            let character = stored.sheet.content.character
            let names = store.names(of: character)
            var wanted: [String: String] = [:]
            for field in fields {
                let name =
                    character.values[field.name] != nil ? field.name : names.meaning(of: field.name) ?? field.name
                if let reason = character.refusal(of: field.value, in: name, beside: wanted.count) {
                    throw CommandFailure("\(Terminal.printable(field.name)) stays as it is: \(reason).", .usage)
                }
                wanted[name] = field.value
            }
            stored.sheet.perform(SheetEdit("Fields", character.changes(to: wanted)))
            return stored
        }
        if output.json { return try Terminal.json(CharacterView(stored)) }
        Terminal.out("Set \(Readable.count(fields.count, "field")).")
    }
}
