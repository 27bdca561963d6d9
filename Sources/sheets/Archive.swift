// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketClient
import MarketWire
import SheetCore

struct Archive: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "archive",
        abstract: "Write a template or characters into one file, and read characters from one.",
        discussion: "`sheets archive NAME` is `sheets archive template NAME`.",
        subcommands: [
            ArchiveTemplate.self, ArchiveExport.self, ArchiveImport.self, ArchiveVerify.self, NewArchiveKey.self,
        ],
        defaultSubcommand: ArchiveTemplate.self)
}

struct ArchiveTemplate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "template",
        abstract: "Write an installed template into one file, with its metadata, zoom regions and picture.",
        discussion: """
            The file is a sheet bundle (.sheetbundle): it can be kept, carried, and given to `sheets publish` on any \
            market. Needs no network; the same version always gives the same bytes.
            """)

    @Argument(help: TemplateReference.help, completion: KnownNames.kept)
    var template: TemplateReference

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Where to write it (default: NAME-VERSION.sheetbundle here).", valueName: "file"),
        completion: .file(extensions: ["sheetbundle"]))
    var output: String?

    @Flag(help: "Replace a file that is there.")
    var force = false

    @OptionGroup var market: MarketOptions
    @OptionGroup var libraryOptions: LibraryOptions

    @Flag(help: "Print JSON for programs.")
    var json = false

    private struct Written: Encodable {
        let path: String
        let version: SemanticVersion
        let sizeBytes: Int
        let sha256: ContentHash
    }

    func run() async throws {
        let library = libraryOptions.open()
        let record = try library.find(template.key, server: try market.address().description)
        guard let version = template.version ?? record.installed?.version else {
            throw LibraryError.notInstalled(record.template.slug)
        }
        let bundle = try library.bundle(of: record, version: version)
        let stem = Slug(record.template.slug)?.text ?? record.template.id.description
        let path = URL(fileURLWithPath: output ?? "\(stem)-\(version).sheetbundle").path
        guard force || !FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure("\(path) is there already; --force replaces it.")
        }
        do {
            try bundle.write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw CommandFailure("\(path) cannot be written: \(error.localizedDescription)")
        }
        if json {
            try Terminal.json(
                Written(
                    path: path, version: version, sizeBytes: bundle.count, sha256: ContentHash(hashing: bundle)))
        } else {
            Terminal.out(Terminal.printable("Archived \(record.template.slug) \(version) in \(path)."))
        }
    }
}
