// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import ChildProcess
import Foundation
import MarketClient
import MarketWire
import SheetCore

struct Open: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Open an installed template, after checking its bytes. Needs no network.",
        discussion: """
            The file is the library's own and read-only: to fill it in, save a copy elsewhere. With --html a viewer opens \
            instead: one file with the pages and what to zoom into. Pictures that the library lacks are fetched and kept, \
            so that the next time needs no network.

            Without a desktop the pages are shown in the terminal, where that shows pictures (kitty's protocol or sixel; \
            needs dwebp, of the package webp), with frames around what can be zoomed into; else the viewer is written.
            """)

    @Argument(help: TemplateReference.help, completion: KnownNames.installed)
    var template: TemplateReference

    @Flag(help: "Print the file's path instead of opening it.")
    var path = false

    @Flag(help: "Write a viewer that works in any browser, and open that.")
    var html = false

    @Flag(help: "Show the pages in the terminal.")
    var terminal = false

    @Option(help: ArgumentHelp("Show this zoom region in the terminal, enlarged.", valueName: "region"))
    var region: String?

    @Option(
        help: ArgumentHelp("With --html: write the viewer to this file, and do not open it.", valueName: "file"),
        completion: .file())
    var to: String?

    @Flag(help: "Fetch no pictures.")
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
        if !path && !output.json && to == nil { try await show(file, record, library) }
    }

    /// On the desktop; in the terminal, where there is none or that was asked for; else as a file for any browser.
    private func show(_ file: String, _ found: LibraryRecord, _ library: Library) async throws {
        let wantsTerminal = terminal || region != nil
        guard wantsTerminal || !(html || Self.hasDesktop) else { return try launch(file) }
        let hasPages = found.template.kind.hasPages
        if hasPages, let graphics = TerminalGraphics.detected() {
            let (record, version) = try await withPictures(found, library)
            let pages = TerminalPages(record: record, version: version, library: library, graphics: graphics)
            if try pages.show(region: region) { return }
        }
        guard !wantsTerminal else {
            throw CommandFailure(
                "No pages can be shown here: that takes a terminal with kitty's protocol or sixel, and "
                    + "\(PixelPicture.decoder), of the package webp. `sheets open --html` writes a viewer.")
        }
        let written = hasPages ? try await writeViewer(of: found, library, beside: file) : file
        Terminal.out("There is no desktop here to open it on. The file is \(Terminal.printable(written))")
    }

    private static var hasDesktop: Bool {
        #if os(macOS)
            true
        #else
            Environment.variable("DISPLAY") != nil || Environment.variable("WAYLAND_DISPLAY") != nil
        #endif
    }

    /// Writes the viewer, and answers where.
    private func writeViewer(
        of found: LibraryRecord, _ library: Library, beside sheet: String
    ) async throws -> String {
        let slug = found.template.slug
        guard found.template.kind.hasPages else {
            throw CommandFailure("\(slug) has no pages to look at; `sheets show \(slug)` tells what is in it.")
        }
        let (record, version) = try await withPictures(found, library)
        guard let saved = record.saved(version) else { throw LibraryError.notInstalled(slug) }
        let viewer = SheetViewer(record: record, saved: saved, pictures: library.pictures(of: saved))
        let file = try to.map { URL(fileURLWithPath: $0).standardizedFileURL.path } ?? place(of: sheet, library)
        try AtomicFile.write(Data(viewer.html().utf8), to: file)
        return file
    }

    /// With the pictures of its pages, as far as they can be had.
    private func withPictures(
        _ found: LibraryRecord, _ library: Library
    ) async throws -> (record: LibraryRecord, version: SemanticVersion) {
        guard let version = template.version ?? found.installed?.version else {
            throw LibraryError.notInstalled(found.template.slug)
        }
        var record = found
        if !offline {
            do {
                let client = try mirror.client(of: found.server, beside: market)
                record = try await Installer(client: client, library: library)
                    .keepPictures(of: found, version: version)
            } catch let error where error is MarketClientError || error is LibraryError {
                Terminal.note(Terminal.printable("Some pictures could not be fetched: \(error)", lines: true))
            }
        }
        return (record, version)
    }

    /// Beside the sheet, or where a library cannot be written to, in a folder of its own for what may be thrown away.
    private func place(of sheet: String, _ library: Library) throws -> String {
        let own = (sheet as NSString).deletingPathExtension + ".html"
        guard library.isReadOnly else { return own }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sheets-\(UUID().uuidString)").path
        try AtomicFile.makeFolder(folder, permissions: 0o700)
        return "\(folder)/\((own as NSString).lastPathComponent)"
    }

    func validate() throws {
        guard html || to == nil else { throw ValidationError("--to goes with --html.") }
        guard !(html && (terminal || region != nil)) else {
            throw ValidationError("--html is for a browser; --terminal and --region are for the terminal.")
        }
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
            try process.start()
            process.waitUntilExit()
        } catch {
            throw CommandFailure("Cannot start \(opener). The file is \(file)")
        }
        guard process.terminationStatus == 0 else {
            throw CommandFailure("\(opener) could not open it. The file is \(file)")
        }
    }
}
