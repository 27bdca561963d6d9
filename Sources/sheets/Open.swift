// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketClient
import MarketWire
import SheetCore

struct Open: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Open an installed template, after checking its bytes. Needs no network.",
        discussion: """
            The file is the library's own and read-only: to fill it in, save a copy elsewhere. With --html a viewer opens \
            instead: one file with the pages and what to zoom into. Pictures that the library lacks are fetched and kept, \
            so that the next time needs no network.
            """)

    @Argument(help: TemplateReference.help, completion: KnownNames.installed)
    var template: TemplateReference

    @Flag(help: "Print the file's path instead of opening it.")
    var path = false

    @Flag(help: "Write a viewer that works in any browser, and open that.")
    var html = false

    @Option(
        help: ArgumentHelp("With --html: write the viewer to this file, and do not open it.", valueName: "file"),
        completion: .file())
    var to: String?

    @Flag(help: "With --html: fetch no pictures.")
    var offline = false

    @OptionGroup var market: MarketOptions
    @OptionGroup var mirror: MirrorOptions
    @OptionGroup var libraryOptions: LibraryOptions
    @OptionGroup var output: OutputOptions

    private struct Opened: Encodable {
        let id: TemplateID
        let slug: String
        let version: SemanticVersion?
        let path: String
    }

    func run() async throws {
        let library = libraryOptions.open()
        let record = try library.find(template.key, server: try market.address().description)
        let sheet = try library.openablePath(of: record, version: template.version)
        let file = html ? try await writeViewer(of: record, library, beside: sheet) : sheet
        if output.json {
            try Terminal.json(
                Opened(
                    id: record.template.id, slug: record.template.slug,
                    version: template.version ?? record.installed?.version, path: file))
        } else if path {
            Terminal.out(file)
        }
        if html && to != nil && !path && !output.json { Terminal.out(Terminal.printable("Written to \(file).")) }
        if !path && !output.json && to == nil { try launch(file) }
    }

    /// Writes the viewer, and answers where.
    private func writeViewer(
        of found: LibraryRecord, _ library: Library, beside sheet: String
    ) async throws -> String {
        let slug = found.template.slug
        guard found.template.kind.hasPages else {
            throw CommandFailure("\(slug) has no pages to look at; `sheets show \(slug)` tells what is in it.")
        }
        guard let version = template.version ?? found.installed?.version else {
            throw LibraryError.notInstalled(slug)
        }
        var record = found
        if !offline {
            do {
                let client = try mirror.client(of: found.server)
                record = try await Installer(client: client, library: library)
                    .keepPictures(of: found, version: version)
            } catch let error where error is MarketClientError || error is LibraryError {
                Terminal.note(Terminal.printable("Some pictures could not be fetched: \(error)", lines: true))
            }
        }
        guard let saved = record.saved(version) else { throw LibraryError.notInstalled(slug) }
        let viewer = SheetViewer(record: record, saved: saved, pictures: library.pictures(of: saved))
        let own = (sheet as NSString).deletingPathExtension + ".html"
        let file = to.map { URL(fileURLWithPath: $0).standardizedFileURL.path } ?? own
        try AtomicFile.write(Data(viewer.html().utf8), to: file)
        return file
    }

    func validate() throws {
        guard html || (to == nil && !offline) else { throw ValidationError("--to and --offline go with --html.") }
    }

    private func launch(_ file: String) throws {
        #if os(macOS)
            let opener = "open"
        #else
            let opener = "xdg-open"
        #endif
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [opener, file]
        do {
            try process.run()
            process.waitUntilExit()
        } catch {
            throw CommandFailure("Cannot start \(opener). The file is \(file)")
        }
        guard process.terminationStatus == 0 else {
            throw CommandFailure("\(opener) could not open it. The file is \(file)")
        }
    }
}
