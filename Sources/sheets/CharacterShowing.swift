// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CharacterCore
import Foundation
import MarketClient
import MarketWire
import SheetCore

/// A character as `--json` prints it.
struct CharacterView: Encodable {
    static let nameHelp = ArgumentHelp("Name or id of a character.", valueName: "character")

    struct Page: Encodable {
        let page: Int
        let width: Double
        let height: Double
        let layers: [String]
        let elements: Int
    }

    let character: PlayerCharacter
    let pages: [Page]
    /// Where devices differ: values by their numbers from 1, the first is the one that is shown.
    let conflicts: [ConflictView]
    let undo: String?
    let redo: String?

    init(_ stored: CharacterStore.Stored) {
        let content = stored.sheet.content
        character = content.character
        pages = content.drawings.sorted { $0.key < $1.key }.map { page, drawing in
            Page(
                page: page, width: drawing.size.width, height: drawing.size.height, layers: drawing.layers.map(\.name),
                elements: drawing.elements.count)
        }
        conflicts = ConflictView.all(of: stored.sheet).map(ConflictView.init)
        undo = stored.sheet.history.undoName(.everything)
        redo = stored.sheet.history.redoName(.everything)
    }
}

struct NewCharacter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Make a character, on an installed sheet or on blank pages.")

    @Argument(help: "What it is called.")
    var name: String

    @Option(
        help: ArgumentHelp("An installed sheet: NAME or NAME@VERSION.", valueName: "template"),
        completion: KnownNames.installed)
    var template: TemplateReference?

    @Option(help: "Blank pages in US letter, without a sheet.")
    var pages = 1

    @OptionGroup var libraryOptions: LibraryOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...100).contains(pages) else { throw ValidationError("Give 1 to 100 pages.") }
        guard (1...200).contains(name.count), PlainText.isPlain(name) else {
            throw ValidationError("A name is one line of at most 200 characters.")
        }
    }

    func run() async throws {
        var sizes = (0..<pages).map { ($0, PageSize(width: 612, height: 792)) }
        var character = PlayerCharacter(id: .make(), name: name, createdAt: Date())
        if let template {
            let record = try libraryOptions.open().find(template.key)
            guard let number = template.version ?? record.installed?.version, let saved = record.saved(number) else {
                throw LibraryError.notInstalled(template.key)
            }
            character.template = CharacterTemplate(
                id: record.template.id, version: number, sha256: saved.detail.sha256, name: record.template.name,
                license: record.template.license, gameSystem: record.template.gameSystem)
            sizes = saved.detail.pages.map { ($0.index, PageSize(width: $0.width, height: $0.height)) }
        }
        let drawings = Dictionary(sizes.map { ($0, PageDrawing(size: $1)) }) { first, _ in first }
        let stored = CharacterStore.Stored(
            sheet: CharacterSheet(SheetContent(character: character, drawings: drawings)))
        try await libraryOptions.characters().update { index in
            try libraryOptions.characters().enter(stored, in: &index)
        }
        if output.json { return try Terminal.json(CharacterView(stored)) }
        Terminal.out("Made \(Terminal.printable(name)), \(Readable.count(sizes.count, "page")): \(character.id)")
    }
}

struct ListCharacters: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the characters.")

    @OptionGroup var libraryOptions: LibraryOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        var index = try libraryOptions.characters().index()
        // What the store needs to know of its files is no part of the list.
        for place in index.characters.indices { index.characters[place].objects = nil }
        if output.json { return try Terminal.json(index) }
        guard !index.characters.isEmpty else {
            return Terminal.note("There are no characters yet. `sheets character new NAME` makes one.")
        }
        var table = Table(("NAME", .left), ("SHEET", .left), ("PAGES", .right), ("CHANGED", .left), ("ID", .left))
        for entry in index.characters {
            table.add(
                (entry.isFavourite ? "* " : "") + entry.name, entry.templateName ?? "", "\(entry.pages.count)",
                Readable.minute(entry.changedAt), entry.id.description)
        }
        Terminal.out(table.text)
    }
}

struct ShowCharacter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a character and what is on its pages.")

    @Argument(help: CharacterView.nameHelp, completion: KnownNames.characters) var character: String
    @OptionGroup var libraryOptions: LibraryOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let store = libraryOptions.characters()
        let view = CharacterView(try store.load(store.find(character)))
        if output.json { return try Terminal.json(view) }
        var lines = [view.character.name, "id       \(view.character.id)"]
        if let template = view.character.template { lines.append("sheet    \(template.name)") }
        lines.append("changed  \(Readable.minute(view.character.changedAt))")
        lines += view.pages.map { "page \($0.page + 1)   \(Readable.count($0.elements, "thing")) drawn or written" }
        for (field, value) in view.character.values.sorted(by: { $0.key < $1.key }) {
            lines.append("\(field) = \(value.split(whereSeparator: \.isNewline).joined(separator: " "))")
        }
        for conflict in view.conflicts {
            lines += conflict.values.enumerated().map { "conflict \(conflict.field), \($0 + 1): \($1)" }
        }
        // No name makes lines of its own.
        Terminal.out(lines.map { Terminal.printable($0) }.joined(separator: "\n"))
    }
}

struct RemoveCharacter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Delete a character with its saves; backups and archives keep theirs.")

    @Argument(help: CharacterView.nameHelp, completion: KnownNames.characters) var character: String
    @Flag(help: "Do not ask.") var yes = false
    @OptionGroup var libraryOptions: LibraryOptions
    @OptionGroup var output: OutputOptions

    private struct Removed: Encodable { let removed: CharacterID }

    func run() async throws {
        let store = libraryOptions.characters()
        let entry = try store.find(character)
        let name = Terminal.printable(entry.name)
        if !yes {
            guard Terminal.isWatched else { throw CommandFailure("Say --yes to delete \(name).", .usage) }
            let answer = Terminal.ask("Delete \(name) (\(entry.id)) and all its saves? [y/N] ") ?? ""
            guard answer.lowercased().hasPrefix("y") else { throw CommandFailure("\(name) is kept.") }
        }
        try await store.update { index in index.characters.removeAll { $0.id == entry.id } }
        if output.json { return try Terminal.json(Removed(removed: entry.id)) }
        Terminal.out("Removed \(name).")
    }
}

struct CharacterHistory: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "List the last ten saves, the newest first, and what each changed.")

    @Argument(help: CharacterView.nameHelp, completion: KnownNames.characters) var character: String
    @OptionGroup var libraryOptions: LibraryOptions
    @OptionGroup var output: OutputOptions

    private struct Saves: Encodable { let saves: [SaveHistory.Save] }

    func run() async throws {
        let store = libraryOptions.characters()
        let saves = Array(try store.load(store.find(character)).saves.saves.reversed())
        if output.json { return try Terminal.json(Saves(saves: saves)) }
        var table = Table(("SAVE", .right), ("WHEN", .left), ("WHAT", .left))
        for (place, save) in saves.enumerated() {
            let what = save.changes.map { change in
                guard let page = change.page else { return change.what }
                let parts = [(change.added, "added"), (change.removed, "removed"), (change.changed, "changed")]
                let told = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
                return "page \(page + 1): \(told)"
            }
            table.add(
                "\(place + 1)", Readable.minute(save.date), what.isEmpty ? "first save" : what.joined(separator: "; "))
        }
        Terminal.out(table.text)
    }
}
