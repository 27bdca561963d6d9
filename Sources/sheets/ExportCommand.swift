// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CharacterCore
import Foundation
import MarketClient
import SheetCore

extension InkPlacement: ExpressibleByArgument {}
extension FieldValue: ExpressibleByArgument {}

/// Pages from 1, as `1-3,5`.
struct PageRanges: ExpressibleByArgument {
    let ranges: [ClosedRange<Int>]

    init?(argument: String) {
        var found: [ClosedRange<Int>] = []
        for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard (1...2).contains(ends.count), let first = ends.first ?? nil, let last = ends.last ?? nil, first >= 1,
                last >= first, last <= 100_000
            else { return nil }
            found.append(first...last)
        }
        ranges = found
    }

    /// Indices from 0 of the pages among `count`.
    func indices(of count: Int) throws -> [Int] {
        if let last = ranges.map(\.upperBound).max(), last > count {
            throw CommandFailure("There is no page \(last): the character has \(count).", .usage)
        }
        return Set(ranges.joined()).sorted().map { $0 - 1 }
    }
}

struct ExportCharacter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write a character's pages, with what is drawn on them, into a PDF.",
        discussion: """
            The sheet's pages stay as they are: text can be selected, form fields filled in. Needs the program \
            sheet-export, and no network. Pictures, and ink of other apps, are left out.
            """)

    @Argument(help: CharacterView.nameHelp, completion: KnownNames.characters) var character: String
    @Option(help: ArgumentHelp("Where to write it.", valueName: "file")) var pdf: String
    @Option(
        name: .customLong("as"),
        help: "content: part of the pages; annotations: on top, where programs can hide or remove it.")
    var placement = InkPlacement.content
    @Option(help: ArgumentHelp("Only some, as 1-3,5.", valueName: "pages")) var pages: PageRanges?
    @Option(
        help: ArgumentHelp("Only these layers, by name or id (default: those that are shown).", valueName: "name,…"),
        completion: KnownNames.layers)
    var layers: String?
    @Option(
        help: ArgumentHelp(
            "Fill in a form field; yes or no for a box. May be repeated. An unknown name lists the fields.",
            valueName: "name=value"))
    var fill: [FieldValue] = []
    @Flag(help: "Replace a file that is there.") var force = false
    @OptionGroup var libraryOptions: LibraryOptions
    @OptionGroup var output: OutputOptions

    private struct Written: Encodable {
        let path: String
        let pages: Int
        let sizeBytes: Int
        let sha256: ContentHash
        /// What is not in it, in sentences.
        let leftOut: [String]
    }

    func run() async throws {
        let path = URL(fileURLWithPath: pdf).path
        guard force || !FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure("\(Terminal.printable(path)) is there already; --force replaces it.")
        }
        let store = libraryOptions.characters()
        let content = try store.load(store.find(character)).sheet.content
        let drawings = content.drawings.sorted { $0.key < $1.key }
        let chosen = try pages?.indices(of: drawings.count).map { drawings[$0].key }
        let names = try layerNames(of: drawings.map(\.value))
        let wanted = drawings.filter { chosen?.contains($0.key) ?? true }
        let drawn = wanted.map { (index: $0.key, size: $0.value.size, layers: $0.value.vectors(layers: names)) }
        let original = try content.character.template.map { try store.sheet($0) } ?? Data()
        let exporter = try SheetExporter.found()
        let answer = try exporter.run(
            ExportRequest(drawn, keeping: chosen, as: placement, filling: fill, onto: original))
        let others = drawn.reduce(0) { $0 + $1.layers.reduce(0) { $0 + $1.leftOut } }
        let lost =
            others == 0
            ? [] : ["\(Readable.count(others, "picture or drawing", "pictures and drawings")) of other apps left out."]
        try AtomicFile.write(answer.pdf, to: path)
        let written = Written(
            path: path, pages: wanted.count, sizeBytes: answer.pdf.count, sha256: ContentHash(hashing: answer.pdf),
            leftOut: answer.notes + lost)
        if output.json { return try Terminal.json(written) }
        for sentence in written.leftOut { Terminal.note("sheets: \(sentence)") }
        Terminal.out("Exported \(Readable.count(written.pages, "page")) to \(Terminal.printable(path)).")
    }

    private func layerNames(of drawings: [PageDrawing]) throws -> [String]? {
        guard let layers else { return nil }
        let names = layers.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        let known = Set(drawings.flatMap(\.layers).flatMap { [$0.id.lowercased(), $0.name.lowercased()] })
        for name in names where !known.contains(name.lowercased()) {
            throw CommandFailure("There is no layer '\(Terminal.printable(name))'.", .usage)
        }
        return names
    }
}

extension CharacterStore {
    /// The file of a character's sheet, from wherever the library has it, with its bytes checked.
    func sheet(_ template: CharacterTemplate) throws -> Data {
        if let data = try? object(template.sha256) { return data }
        let path = library.objectPath(template.sha256)
        guard let data = FileManager.default.contents(atPath: path) else {
            throw LibraryError.missingFile(name: template.name, path: path)
        }
        guard ContentHash(hashing: data) == template.sha256 else {
            throw LibraryError.damagedFile(name: template.name, path: path)
        }
        return data
    }
}
