// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import MarketClient
import SheetCore

struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List what is installed. Needs no network.")

    @Flag(help: "Also what was removed and can be installed again without a network.")
    var all = false

    @OptionGroup var libraryOptions: LibraryOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let library = libraryOptions.open()
        let (entries, unreadable) = try library.entries()
        let sheets = entries.filter { all || $0.isInstalled }.map { InstalledSheet($0, library) }
        for error in unreadable { Terminal.note("sheets: \(Terminal.printable(error.description))") }
        if output.json {
            try Terminal.json(InstalledSheets(templates: sheets))
        } else if sheets.isEmpty {
            Terminal.note("Nothing is installed. `sheets search` finds templates, `sheets install NAME` installs one.")
        } else {
            Terminal.out(table(sheets).text)
        }
        if !unreadable.isEmpty { throw ExitStatus.refused }
    }

    private func table(_ sheets: [InstalledSheet]) -> Table {
        var table = Table(
            ("NAME", .left), ("VERSION", .left), ("SYSTEM", .left), ("PAGES", .right), ("SIZE", .right),
            ("INSTALLED", .left), ("TITLE", .left))
        for sheet in sheets {
            var since = sheet.installedAt.map(Readable.day) ?? "removed"
            if sheet.state == .yanked { since += ", withdrawn" }
            if sheet.state == .takenDown { since += ", taken down" }
            if sheet.pinned { since += ", pinned" }
            if sheet.deprecation != nil { since += ", deprecated" }
            table.add(
                sheet.slug, sheet.version?.description ?? "", sheet.gameSystem, "\(sheet.pageCount)",
                sheet.sizeBytes.map(Readable.bytes) ?? "", since, sheet.name)
        }
        return table
    }
}
