// SPDX-License-Identifier: Apache-2.0
import CharacterCore
import MarketClient
import SheetCore

/// Whose numbers and named rolls: a character's, which go with it wherever it goes, or those kept for the name of somebody
/// who is no character here.
struct RollOwner {
    private let library: Library
    private let name: String
    private let character: CharacterStore.Entry?
    private var store: CharacterStore { CharacterStore(library: library) }

    init(_ name: String, in library: Library) throws {
        self.library = library
        self.name = name
        character = try CharacterStore(library: library).known(name)
    }

    /// What is kept for the name, as it was for characters, too, before they had fields.
    private func kept() throws -> RollBook? { try library.table(Library.rollBook(character?.name ?? name)) }

    func book() throws -> RollBook {
        guard let character else {
            guard let book = try kept() else {
                throw CommandFailure(
                    "Nobody here is called '\(Terminal.printable(name))', and nothing is saved for that name; "
                        + "`sheets roll set` saves numbers.")
            }
            return book
        }
        var book = RollBook(of: try store.load(character).sheet.content.character)
        if let old = try kept() { book.add(old) }
        return book
    }

    /// Numbers by other names of the same fields: @str for what the sheet calls strength.
    func addAliases(_ variables: Set<String>, to numbers: inout [String: Int]) {
        guard let character, let content = try? store.load(character).sheet.content.character else { return }
        // On a sheet of nobody knows which system each system's names will do.
        let system = store.gameSystem(of: content)
        let systems = system.map { [$0] } ?? FieldNames.presets.compactMap(\.gameSystem)
        for names in systems.map({ FieldMatcher(gameSystem: $0) }) {
            for variable in variables where numbers[variable] == nil {
                guard let meaning = names.meaning(of: variable) else { continue }
                let same = numbers.keys.sorted().first { names.meaning(of: $0) == meaning }
                numbers[variable] = same.flatMap { numbers[$0] }
            }
        }
    }

    /// Changes numbers and rolls; of a character that can be undone.
    func change(_ change: (inout RollBook) throws -> Void) async throws -> RollBook {
        guard let character else {
            return try await library.changeTable(Library.rollBook(name)) { (known: RollBook?) in
                var book = known ?? RollBook(name: name)
                try TableCommand.doing { try change(&book) }
                return book
            }
        }
        let old = try kept()
        let book = try await store.edit(character.id.description) { stored in
            let content = stored.sheet.content.character
            let before = RollBook(of: content)
            var book = before
            if let old { book.add(old) }
            try TableCommand.doing { try change(&book) }
            stored.sheet.perform(SheetEdit("Rolls", book.edits(of: content, before, store.names(of: content))))
            return RollBook(of: stored.sheet.content.character)
        }
        if old != nil { try await library.removeTable(Library.rollBook(character.name)) }
        return book
    }
}

extension RollBook {
    /// What makes of a character's numbers and rolls those of this book.
    fileprivate func edits(
        of character: PlayerCharacter, _ before: RollBook, _ names: FieldMatcher
    ) -> [SheetEdit.Change] {
        var values: [String: String] = [:]
        for name in Set(variables.keys).union(before.variables.keys) where variables[name] != before.variables[name] {
            let field = character.values[name] != nil ? name : names.meaning(of: name) ?? name
            values[field] = variables[name].map(String.init) ?? ""
        }
        var rolls: [String: String?] = [:]
        for name in Set(formulas.keys).union(before.formulas.keys) where formulas[name] != before.formulas[name] {
            rolls[name] = .some(formulas[name])
        }
        return character.changes(to: values) + character.changes(toRolls: rolls)
    }
}
