// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CharacterCore
import Foundation
import MarketClient
import SheetCore

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Back up all that is yours, and get it back.",
        discussion: """
            A backup holds characters with all that can be undone and their last saves, campaigns, rolls, initiative and \
            installed sheets, as far as no earlier one in its folder has them. It counts only after it was read back. Kept \
            are the last of 7 days, 4 weeks and 12 months. Choose a folder on another disk: --folder or $SHEETS_BACKUPS.
            """,
        subcommands: [MakeBackup.self, ListBackups.self, RestoreBackup.self], defaultSubcommand: MakeBackup.self)
}

struct BackupOptions: ParsableArguments {
    /// Of backups in the folder that the words name, from the newest.
    static let names = CompletionKind.custom { words, _, _ in
        let given = KnownNames.value(of: "--folder", words) ?? Environment.variable("SHEETS_BACKUPS")
        return BackupFolder(root: folder(given, for: KnownNames.library(words).root)).names()
    }

    @OptionGroup var libraryOptions: LibraryOptions
    @Option(
        help: ArgumentHelp(
            "The folder of backups (default: $SHEETS_BACKUPS, else sheets-backups beside the library).",
            valueName: "folder"))
    var folder: String?

    private var library: String { libraryOptions.open().root }
    private var given: String? { folder ?? Environment.variable("SHEETS_BACKUPS") }

    /// The folder that is meant: without a word of it, one beside the library.
    private static func folder(_ given: String?, for library: String) -> String {
        let beside = URL(fileURLWithPath: library).deletingLastPathComponent().appendingPathComponent("sheets-backups")
        return (given.map { URL(fileURLWithPath: $0) } ?? beside).standardizedFileURL.path
    }

    /// Refuses one that would be lost with the library.
    func backups() throws -> BackupFolder {
        let root = Self.folder(given, for: library)
        guard root != library, !root.hasPrefix(library + "/") else {
            throw CommandFailure(
                "\(Terminal.printable(root)) is in the library and would be lost with it; choose another --folder.",
                .usage)
        }
        return BackupFolder(root: root)
    }

    /// Where there are some: those of earlier versions lie in the library.
    func existing() throws -> BackupFolder {
        let chosen = try backups()
        let old = BackupFolder(root: "\(library)/backups")
        return given == nil && chosen.names().isEmpty && !old.names().isEmpty ? old : chosen
    }

    /// A line if one broken disk would take both.
    func warn(of backups: BackupFolder) {
        func disk(_ path: String) -> NSNumber? {
            (try? FileManager.default.attributesOfItem(atPath: path))?[.systemNumber] as? NSNumber
        }
        guard let here = disk(library), here == disk(backups.root) else { return }
        Terminal.note(
            "sheets: \(Terminal.printable(backups.root)) is on the same disk as the library; copy it to another, or "
                + "choose one there by --folder or $SHEETS_BACKUPS.")
    }
}

struct MakeBackup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "now", abstract: "Back up all that is yours (the default).")

    @OptionGroup var options: BackupOptions
    @OptionGroup var progress: ProgressOptions
    @OptionGroup var output: OutputOptions

    private struct Made: Encodable {
        let backup: String
        let characters: Int
        let parts: Int
        let newParts: Int
        let removedBackups: Int
    }

    func run() async throws {
        let store = options.libraryOptions.characters()
        let backups = try options.backups()
        let now = Date()
        let bar = progress.bar("Backing up", quiet: output.json)
        let lock = try await backups.lock()
        let (made, name, removed) = try withExtendedLifetime(lock) {
            let name = backups.newName(at: now)
            let made = try Backup.make(name, in: backups, at: now) { packer, sink in
                try LibraryBackup(store: store).pack(into: &packer, sink, progress: bar.steps)
            }
            return (made, name, try backups.thin(now: now))
        }
        bar.end()
        let (count, all) = (made.manifest.characters.count, made.manifest.parts.count)
        if output.json {
            return try Terminal.json(
                Made(backup: name, characters: count, parts: all, newParts: made.newParts, removedBackups: removed))
        }
        Terminal.out(
            "Backed up \(Readable.count(count, "character")) as \(name): \(made.newParts) of \(all) parts were new.")
        options.warn(of: backups)
    }
}

struct ListBackups: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the backups, the newest first.")

    @OptionGroup var options: BackupOptions
    @OptionGroup var output: OutputOptions

    private struct Listed: Encodable { let backups: [String] }

    func run() async throws {
        let names = try options.existing().names()
        if output.json { return try Terminal.json(Listed(backups: names)) }
        if names.isEmpty { return Terminal.note("There are no backups yet. `sheets backup` makes one.") }
        Terminal.out(Terminal.printable(names.joined(separator: "\n"), lines: true))
    }
}

struct RestoreBackup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Get all of a backup back. Of what is there already, characters and what is played can be replaced.")

    @Argument(help: "The backup's name; the newest if none.", completion: BackupOptions.names) var backup: String?
    @OptionGroup var duplicates: DuplicateOptions
    @OptionGroup var options: BackupOptions
    @OptionGroup var progress: ProgressOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let backups = try options.existing()
        guard let name = backup ?? backups.names().first else {
            throw CommandFailure("There are no backups in \(Terminal.printable(backups.root)).")
        }
        let manifest = try backups.manifest(name)
        let store = options.libraryOptions.characters()
        let restoring = LibraryRestore(manifest: manifest, backups: backups, store: store)
        let checking = progress.bar("Checking", quiet: output.json)
        let (names, damage) = try restoring.check(progress: checking.steps)
        checking.end()
        let choose = try duplicates.asked(names, in: store)
        let bar = progress.bar("Restoring", quiet: output.json)
        let (plan, files) = try await restoring.restore(
            replacing: duplicates.duplicates == .replace, choose: choose, progress: bar.steps)
        bar.end()
        try ImportView(plan, damage, files: files).tell(output)
    }
}
