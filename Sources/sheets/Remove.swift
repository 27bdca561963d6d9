// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import MarketClient
import MarketWire

struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Take templates off the list of what is installed. Needs no network.",
        discussion: "The files stay, so that `install` needs no network; --purge drops them as well.")

    @Argument(help: ArgumentHelp("Slugs or ids.", valueName: "template"), completion: KnownNames.installed)
    var templates: [String]

    @Flag(help: "Drop the files and all that is known of the template.")
    var purge = false

    @OptionGroup var market: MarketOptions
    @OptionGroup var libraryOptions: LibraryOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let library = libraryOptions.open()
        let server = try market.address().description
        var removed: [InstalledSheet] = []
        for key in templates {
            let record = try library.find(key, server: server)
            guard purge || record.installed != nil else { throw LibraryError.notInstalled(key) }
            let changed = try await library.uninstall(record, purge: purge)
            removed.append(InstalledSheet(changed, library, from: record.installed?.version))
            let version = record.installed.map { " \($0.version)" } ?? ""
            let rest = purge ? "" : " Its file is kept; `sheets install \(record.template.slug)` brings it back."
            if !output.json { Terminal.out(Terminal.printable("Removed \(record.template.slug)\(version).\(rest)")) }
        }
        if output.json { try Terminal.json(InstalledSheets(templates: removed)) }
    }
}
