// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CharacterCore
import Foundation
import SheetCore

/// A place on a page, as `72,144`.
struct PlaceArgument: ExpressibleByArgument {
    let point: PagePoint

    init?(argument: String) {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2, let x = Double(parts[0]), let y = Double(parts[1]), abs(x) < 20_000, abs(y) < 20_000
        else {
            return nil
        }
        point = PagePoint(x, y)
    }
}

/// Where on a character something goes.
struct PageOptions: ParsableArguments {
    @Option(help: "The page, from 1.") var page = 1
    @Option(help: "base, notes or temporary, or the id of a layer.", completion: KnownNames.layers)
    var layer = DrawingLayer.base.id
    @Option(help: ArgumentHelp("As #rrggbb or #rrggbbaa.", valueName: "color")) var color = "#000000"

    func validate() throws {
        try Self.check(page)
        guard InkColor(color) != nil else { throw ValidationError("A colour is #rrggbb or #rrggbbaa.") }
    }

    static func check(_ page: Int) throws {
        guard page >= 1 else { throw ValidationError("Pages count from 1.") }
    }

    var ink: InkColor { InkColor(color) ?? .black }

    /// Puts something in front of all else on the page.
    func put(_ content: PageElement.Content, name: String, in sheet: inout CharacterSheet) throws {
        guard let drawing = sheet.content.drawings[page - 1] else {
            throw CommandFailure("There is no page \(page).", .usage)
        }
        guard let layer = drawing.layers.first(where: { $0.id == self.layer }) else {
            throw CommandFailure("There is no layer '\(Terminal.printable(self.layer))'.", .usage)
        }
        guard !layer.isLocked else { throw CommandFailure("The layer '\(Terminal.printable(layer.name))' is locked.") }
        let element = PageElement(id: sheet.newID(), layer: layer.id, order: sheet.nextOrder(on: page - 1), content)
        sheet.perform(.putting([element], on: page - 1, name: name))
    }
}

struct DrawOnCharacter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "draw", abstract: "Draw a line through places on a page.",
        discussion: "Places are points from the top left, 72 to an inch: sheets character draw Brom 72,72 144,90")

    @Argument(help: CharacterView.nameHelp, completion: KnownNames.characters) var character: String
    @Argument(help: "Where the pen goes: X,Y.") var places: [PlaceArgument]
    @Option(help: "Of the line, in points.") var width = 2.0
    @Flag(help: "Make a line, arrow, rectangle or ellipse of it, if it looks like one.") var recognize = false
    @OptionGroup var target: PageOptions
    @OptionGroup var libraryOptions: LibraryOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard places.count >= 2, width > 0, width <= 200 else {
            throw ValidationError("Give two places or more, and a width up to 200.")
        }
    }

    func run() async throws {
        let points = places.enumerated().map { place, argument in
            InkPoint(x: argument.point.x, y: argument.point.y, time: Double(place) / 60, width: width)
        }
        let stroke = Stroke(color: target.ink, points: points)
        let found = recognize ? ShapeRecognition.recognize(stroke) : nil
        let content = found.map { PageElement.Content.shape($0.shape) } ?? .stroke(stroke)
        let stored = try await libraryOptions.characters().edit(character) { stored in
            try target.put(content, name: "Draw", in: &stored.sheet)
            return stored
        }
        if output.json { return try Terminal.json(CharacterView(stored)) }
        let what = found?.shape.kind.rawValue ?? "line"
        Terminal.out("Drew \(["a", "e"].contains(what.prefix(1)) ? "an" : "a") \(what) on page \(target.page).")
    }
}

struct TextOnCharacter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "text", abstract: "Write text on a page.")

    @Argument(help: CharacterView.nameHelp, completion: KnownNames.characters) var character: String
    @Argument(help: "What to write.") var text: String
    @Option(help: ArgumentHelp("Top left of the text: X,Y in points.", valueName: "x,y")) var at: PlaceArgument
    @Option(help: "Of the letters, in points.") var size = 12.0
    @Option(help: "leading, center or trailing.") var align = TextBox.Alignment.leading
    @Option(help: "Width of the box, in points.") var width = 200.0
    @OptionGroup var target: PageOptions
    @OptionGroup var libraryOptions: LibraryOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...500).contains(size), (1...20_000).contains(width), (1...20_000).contains(text.count) else {
            throw ValidationError("Give text, letters of 1 to 500 points, and a width.")
        }
    }

    func run() async throws {
        let lines = Double(text.split(separator: "\n", omittingEmptySubsequences: false).count)
        let frame = PageRect(x: at.point.x, y: at.point.y, width: width, height: 1.25 * size * lines)
        let box = TextBox(text, in: frame, size: size, color: target.ink, alignment: align)
        let stored = try await libraryOptions.characters().edit(character) { stored in
            try target.put(.text(box), name: "Text", in: &stored.sheet)
            return stored
        }
        if output.json { return try Terminal.json(CharacterView(stored)) }
        Terminal.out("Wrote on page \(target.page).")
    }
}

extension TextBox.Alignment: ExpressibleByArgument {}

struct UndoCharacter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "undo", abstract: "Take back the last edit.")

    @Argument(help: CharacterView.nameHelp, completion: KnownNames.characters) var character: String
    @OptionGroup var steps: StepOptions

    func run() async throws { try await steps.run(character, "Undid", "undo") { $0.undo($1) } }
}

struct RedoCharacter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "redo", abstract: "Do again what was taken back.")

    @Argument(help: CharacterView.nameHelp, completion: KnownNames.characters) var character: String
    @OptionGroup var steps: StepOptions

    func run() async throws { try await steps.run(character, "Redid", "redo") { $0.redo($1) } }
}

struct StepOptions: ParsableArguments {
    @Option(help: "Only what was done on this page, from 1.") var page: Int?
    @OptionGroup var libraryOptions: LibraryOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let page { try PageOptions.check(page) }
    }

    func run(
        _ character: String, _ did: String, _ verb: String,
        _ step: (inout CharacterSheet, EditHistory.Scope) -> [SheetOperation]
    ) async throws {
        let scope = page.map { EditHistory.Scope.page($0 - 1) } ?? .everything
        let (stored, name) = try await libraryOptions.characters().edit(character) { stored in
            let history = stored.sheet.history
            guard let name = verb == "undo" ? history.undoName(scope) : history.redoName(scope) else {
                throw CommandFailure("There is nothing to \(verb).")
            }
            _ = step(&stored.sheet, scope)
            return (stored, name)
        }
        if output.json { return try Terminal.json(CharacterView(stored)) }
        Terminal.out("\(did): \(Terminal.printable(name)).")
    }
}

struct RestoreCharacter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Go back to an earlier save; `undo` takes that back, too.")

    @Argument(help: CharacterView.nameHelp, completion: KnownNames.characters) var character: String
    @Argument(help: "Its number in `sheets character history`.") var save: Int
    @OptionGroup var libraryOptions: LibraryOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let store = libraryOptions.characters()
        let stored = try await store.edit(character) { stored in
            let saves = stored.saves.saves
            guard (1...max(1, saves.count)).contains(save), !saves.isEmpty else {
                throw CommandFailure("There is no save \(save).", .usage)
            }
            let wanted = saves[saves.count - save]
            var history = stored.saves
            for hash in [wanted.character] + wanted.pages.values { history.parts[hash] = try store.object(hash) }
            stored.sheet.perform(stored.sheet.edit("Restore", to: try history.content(of: wanted)))
            return stored
        }
        if output.json { return try Terminal.json(CharacterView(stored)) }
        Terminal.out("Restored save \(save).")
    }
}
