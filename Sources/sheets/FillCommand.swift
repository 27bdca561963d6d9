// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CharacterCore
import Foundation
import MarketClient
import SheetCore

struct FillForm: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fill", abstract: "Fill in a sheet's form from a character's fields, and read a filled one back.",
        discussion: """
            sheets fill Brom                     list the sheet's fields and what Brom has for them
            sheets fill Brom --pdf brom.pdf      write the sheet with them
            sheets fill Brom --from filled.pdf   take over what a filled form says; `sheets character undo` takes it back

            Which field is what is known by its name, as sheets of the game system usually have it; what is not known is \
            listed, and keeps the form's own name. --names FILE maps more: {"format": "fieldnames", "formatVersion": 1, \
            "fields": {"strength": ["Text12"]}}. Needs the program sheet-export, which reads and writes PDFs in a sandbox.
            """)

    @Argument(help: CharacterView.nameHelp, completion: KnownNames.characters) var character: String
    @Option(
        help: ArgumentHelp("Where to write the filled form.", valueName: "file"), completion: .file(extensions: ["pdf"])
    )
    var pdf: String?
    @Option(
        help: ArgumentHelp("Read this filled form into the character.", valueName: "file"),
        completion: .file(extensions: ["pdf"]))
    var from: String?
    @Flag(name: .customLong("clear"), help: "With --from: a field that is empty there is forgotten here.")
    var isClearing = false
    @Option(
        name: [.customLong("game-system"), .customShort("g")],
        help: ArgumentHelp("Whose names the fields have (default: the sheet's).", valueName: "slug"),
        completion: .list(FieldNames.presets.compactMap(\.gameSystem)))
    var gameSystem: String?
    @Option(
        help: ArgumentHelp("Names of fields of your own, which count first.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var names: String?
    @Flag(help: "Replace a file that is there.") var force = false
    @OptionGroup var libraryOptions: LibraryOptions
    @OptionGroup var output: OutputOptions

    private struct Report: Encodable {
        var path: String?
        var sha256: ContentHash?
        let gameSystem: String?
        let fields: [FormFilling.Entry]
        let refused: [FormFilling.Refusal]
        let unmatchedFields: [String]
        let unmatchedNames: [String]
        var notes: [String] = []

        init(_ filling: FormFilling, _ gameSystem: String?) {
            self.gameSystem = gameSystem
            fields = filling.entries
            refused = filling.refused
            unmatchedFields = filling.unmatchedFields
            unmatchedNames = filling.unmatchedNames
        }

        /// What stays undone, for people.
        func warn() {
            for one in refused { Terminal.note(Terminal.printable("sheets: \(one.field): \(one.reason).")) }
            list("fields of the form that nothing is known for", unmatchedFields)
            list("of the character's fields that the form has no place for", unmatchedNames)
            for note in notes { Terminal.note("sheets: \(note)") }
        }

        private func list(_ what: String, _ names: [String]) {
            guard !names.isEmpty else { return }
            let more = names.count > 30 ? " …" : ""
            let shown = names.prefix(30).joined(separator: ", ")
            Terminal.note(Terminal.printable("sheets: \(names.count) \(what): \(shown)\(more)"))
        }
    }

    func validate() throws {
        guard pdf == nil || from == nil else { throw ValidationError("Either --pdf or --from.") }
        guard from != nil || !isClearing else { throw ValidationError("--clear goes with --from.") }
    }

    func run() async throws {
        let store = libraryOptions.characters()
        let content = try store.load(store.find(character)).sheet.content.character
        let exporter = try SheetExporter.found()
        if let from { return try await read(from, into: content, store, exporter) }
        guard let template = content.template else {
            throw CommandFailure("\(Terminal.printable(content.name)) is on blank pages, which have no form.")
        }
        let original = try store.sheet(template)
        let form = try exporter.fields(of: original)
        guard !form.isEmpty else {
            throw CommandFailure(
                "\(Terminal.printable(template.name)) has no form fields; `sheets export` draws on it.")
        }
        let (matcher, system) = try matcher(form, content, store)
        let filling = FormFilling.into(form, from: content, matcher)
        var report = Report(filling, system)
        guard let pdf else { return try list(form, filling, report, matcher) }
        let path = URL(fileURLWithPath: pdf).path
        guard force || !FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure("\(Terminal.printable(path)) is there already; --force replaces it.")
        }
        guard !filling.entries.isEmpty else {
            throw CommandFailure(
                "\(Terminal.printable(content.name)) has nothing for this form; `sheets character set` says what stands "
                    + "in its fields.")
        }
        let values = filling.entries.map { FieldValue(name: $0.field, value: $0.value) }
        let answer = try exporter.run(
            ExportRequest(
                [], keeping: nil, as: .content, filling: values, onto: original, picture: store.object))
        try AtomicFile.write(answer.pdf, to: path)
        (report.path, report.sha256, report.notes) = (path, ContentHash(hashing: answer.pdf), answer.notes)
        if output.json { return try Terminal.json(report) }
        report.warn()
        Terminal.out("Filled in \(Readable.count(filling.entries.count, "field")) in \(Terminal.printable(path)).")
    }

    private func matcher(
        _ form: [FormField], _ character: PlayerCharacter, _ store: CharacterStore
    ) throws -> (FieldMatcher, gameSystem: String?) {
        if let gameSystem, FieldNames.preset(gameSystem) == nil {
            let known = FieldNames.presets.compactMap(\.gameSystem).joined(separator: ", ")
            throw CommandFailure(
                "No names are known for '\(Terminal.printable(gameSystem))'; they are for: \(known).", .usage)
        }
        let own = try names.map { path in
            guard let data = FileManager.default.contents(atPath: path) else {
                throw CommandFailure("\(Terminal.printable(path)) cannot be read.", .usage)
            }
            do {
                return try FieldNames.read(data)
            } catch {
                throw CommandFailure(Terminal.printable("\(path): \(error)"), .usage)
            }
        }
        let system =
            gameSystem ?? own?.gameSystem ?? store.gameSystem(of: character)
            ?? FieldNames.likely(for: form.map(\.name))
        return (FieldMatcher(gameSystem: system, own: own), system)
    }

    private func read(
        _ path: String, into content: PlayerCharacter, _ store: CharacterStore, _ exporter: SheetExporter
    ) async throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure("\(Terminal.printable(path)) cannot be read.", .usage)
        }
        let form = try exporter.fields(of: data)
        guard !form.isEmpty else { throw CommandFailure("\(Terminal.printable(path)) has no form fields.") }
        let (matcher, system) = try matcher(form, content, store)
        let filling = try await store.edit(content.id.description) { stored in
            let (filling, edit) = FormFilling.out(
                of: form, into: stored.sheet.content.character, matcher, clearing: isClearing)
            stored.sheet.perform(edit)
            return filling
        }
        let report = Report(filling, system)
        if output.json { return try Terminal.json(report) }
        report.warn()
        Terminal.out("Took over \(Readable.count(filling.entries.count, "field")) from \(Terminal.printable(path)).")
    }

    private struct Listed: Encodable {
        struct Field: Encodable {
            let field: FormField
            /// What characters call it.
            let name: String?
            let value: String?
        }

        let gameSystem: String?
        let fields: [Field]
        let refused: [FormFilling.Refusal]
        let unmatchedFields: [String]
        let unmatchedNames: [String]
    }

    private func list(
        _ form: [FormField], _ filling: FormFilling, _ report: Report, _ matcher: FieldMatcher
    ) throws {
        let values = Dictionary(uniqueKeysWithValues: filling.entries.map { ($0.field, $0) })
        let fields = form.map { field in
            Listed.Field(
                field: field, name: values[field.name]?.name ?? matcher.meaning(of: field.name),
                value: values[field.name]?.value)
        }
        if output.json {
            return try Terminal.json(
                Listed(
                    gameSystem: report.gameSystem, fields: fields, refused: filling.refused,
                    unmatchedFields: filling.unmatchedFields, unmatchedNames: filling.unmatchedNames))
        }
        var table = Table(("FIELD", .left), ("KIND", .left), ("NAME", .left), ("VALUE", .left))
        for one in fields {
            let value = one.value?.split(whereSeparator: \.isNewline).joined(separator: " ") ?? ""
            table.add(one.field.name, one.field.kind.rawValue, one.name ?? "", String(value.prefix(40)))
        }
        Terminal.out(table.text)
    }
}
