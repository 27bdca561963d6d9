// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CharacterCore
import Foundation
import SheetCore

extension CharacterStore {
    struct Merged {
        var added: [CharacterID] = []
        var merged: [CharacterID] = []
        /// Of which both say the same already.
        var unchanged: [CharacterID] = []
        /// Keys of which two values stand, by character.
        var conflicts: [CharacterID: [String]] = [:]
    }

    /// The sheet of a packed character with the edits that made it.
    static func mergeable(_ character: ArchivedCharacter) throws -> CharacterSheet {
        guard let sheet = character.mergeable else {
            let name = Terminal.printable(character.content.character.name)
            throw CommandFailure(
                "The archive does not say by which edits \(name) became what it is, so that nothing can be merged: "
                    + "export it anew with this version on the other device, or choose by --duplicates.", .refused)
        }
        return sheet
    }

    /// Takes in what other devices did to characters that are here, and characters that are not; all of it or nothing.
    func merge(_ characters: Characters) async throws -> Merged {
        try await update { index in
            var result = Merged()
            try characters { try merge($0, into: &index, &result) }
            return result
        }
    }

    private func merge(_ character: ArchivedCharacter, into index: inout Index, _ result: inout Merged) throws {
        let sheet = try Self.mergeable(character)
        var stored = Stored(sheet: sheet.copy())
        if let entry = index.characters.first(where: { $0.id == sheet.id }) {
            stored = try load(entry)
            let before = stored.sheet
            stored.sheet.merge(sheet)
            guard !stored.sheet.agrees(with: before) else {
                result.unchanged.append(sheet.id)
                return
            }
            result.merged.append(sheet.id)
        } else {
            result.added.append(sheet.id)
        }
        for hash in try character.images.values.map(put) where !stored.images.contains(hash) {
            stored.images.append(hash)
        }
        stored.others.merge(try character.filesOfOthers.mapValues(put)) { old, _ in old }
        if let template = character.template { try put(template) }
        let conflicts = stored.sheet.conflicts.keys.map(ConflictView.name).sorted()
        if !conflicts.isEmpty { result.conflicts[sheet.id] = conflicts }
        try enter(stored, in: &index)
    }
}

/// What was merged, as `--json` prints it.
struct MergeView: Encodable {
    let added: [CharacterID]
    let merged: [CharacterID]
    let unchanged: [CharacterID]
    let conflicts: [String: [String]]

    init(_ merged: CharacterStore.Merged) {
        added = merged.added
        self.merged = merged.merged
        unchanged = merged.unchanged
        conflicts = Dictionary(uniqueKeysWithValues: merged.conflicts.map { ($0.key.description, $0.value) })
    }

    func tell(_ output: OutputOptions) throws {
        if output.json { return try Terminal.json(self) }
        Terminal.out(
            "Merged \(Readable.count(merged.count, "character")), \(added.count) new, \(unchanged.count) unchanged.")
        for (id, keys) in conflicts.sorted(by: { $0.key < $1.key }) {
            Terminal.note(
                Terminal.printable(
                    "sheets: Both devices changed \(keys.joined(separator: ", ")); `sheets character show \(id)` tells "
                        + "what they say, `sheets character settle` chooses."))
        }
    }
}

struct SettleCharacter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settle", abstract: "Choose where two devices said different things of a character.",
        discussion: "`sheets character show` numbers what they say: sheets character settle Brom notes --take 2")

    @Argument(help: CharacterView.nameHelp, completion: KnownNames.characters) var character: String
    @Argument(help: "What they differ in, as `show` names it.", completion: KnownNames.conflicts) var field: String
    @Option(help: "The number of the value that is to stay.") var take: Int
    @OptionGroup var libraryOptions: LibraryOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (stored, text) = try await libraryOptions.characters().edit(character) { stored in
            let conflicts = ConflictView.all(of: stored.sheet)
            guard let conflict = conflicts.first(where: { ConflictView.name($0.key) == field }) else {
                let names = conflicts.map { ConflictView.name($0.key) }.joined(separator: ", ")
                throw CommandFailure(
                    Terminal.printable(
                        names.isEmpty
                            ? "There is nothing to settle." : "Nobody differs in '\(field)', but in: \(names)."), .usage
                )
            }
            guard (1...conflict.values.count).contains(take) else {
                throw CommandFailure("--take is from 1 to \(conflict.values.count).", .usage)
            }
            let value = conflict.values[take - 1]
            stored.sheet.settle(conflict.key, value)
            return (stored, ConflictView.text(value))
        }
        if output.json { return try Terminal.json(CharacterView(stored)) }
        Terminal.out(Terminal.printable("Settled \(field): \(text)"))
    }
}
