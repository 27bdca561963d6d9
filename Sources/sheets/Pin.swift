// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import MarketClient
import MarketWire
import SheetCore

/// Which installed templates are meant.
struct InstalledOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("Slugs or ids.", valueName: "template"), completion: KnownNames.installed)
    var templates: [String]

    @OptionGroup var market: MarketOptions
    @OptionGroup var libraryOptions: LibraryOptions
    @OptionGroup var output: OutputOptions

    /// Changes one after the other, and tells what became of each.
    func change(_ change: (Library, LibraryRecord) async throws -> (LibraryRecord, said: String)) async throws {
        let library = libraryOptions.open()
        let server = try market.address().description
        var changed: [InstalledSheet] = []
        for key in templates {
            let before = try library.find(key, server: server)
            let (record, said) = try await change(library, before)
            changed.append(InstalledSheet(record, library, from: before.installed?.version))
            if !output.json { Terminal.out(Terminal.printable(said)) }
        }
        if output.json { try Terminal.json(InstalledSheets(templates: changed)) }
    }
}

struct Pin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Hold templates at their versions: `update` passes them by, and no quota takes them.")

    @OptionGroup var installed: InstalledOptions

    func run() async throws {
        try await installed.change { library, record in
            let pinned = try await library.pin(record)
            let version = pinned.installed.map { " at \($0.version)" } ?? ""
            return (pinned, "Pinned \(record.template.slug)\(version).")
        }
    }
}

struct Unpin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpin", abstract: "Let pinned templates be updated again.")

    @OptionGroup var installed: InstalledOptions

    func run() async throws {
        try await installed.change { library, record in
            (try await library.pin(record, false), "\(record.template.slug) is pinned no longer.")
        }
    }
}

struct Rollback: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback",
        abstract: "Go back to the versions that were installed before. Needs no network.",
        discussion:
            "Rolling back again undoes it. `sheets pin` keeps `sheets update` from installing the newer one again.")

    @OptionGroup var installed: InstalledOptions

    func run() async throws {
        try await installed.change { library, record in
            let now = try await library.rollBack(record)
            let from = record.installed.map { " from \($0.version)" } ?? ""
            let to = now.installed.map { " to \($0.version)" } ?? ""
            return (now, "Went back\(from)\(to) of \(record.template.slug).")
        }
    }
}
