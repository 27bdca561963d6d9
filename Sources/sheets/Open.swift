// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketClient
import MarketWire
import SheetCore

struct Open: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Open an installed template, after checking its bytes. Needs no network.",
        discussion: "The file is the library's own and read-only: to fill it in, save a copy elsewhere.")

    @Argument(help: TemplateReference.help)
    var template: TemplateReference

    @Flag(help: "Print the file's path instead of opening it.")
    var path = false

    @OptionGroup var market: MarketOptions
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
        let file = try library.openablePath(of: record, version: template.version)
        if output.json {
            try Terminal.json(
                Opened(
                    id: record.template.id, slug: record.template.slug,
                    version: template.version ?? record.installed?.version, path: file))
        } else if path {
            Terminal.out(file)
        }
        if !path && !output.json { try launch(file) }
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
