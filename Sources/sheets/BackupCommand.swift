// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CharacterCore
import Foundation
import MarketClient
import SheetCore

struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Back up all characters, and get them back.",
        discussion: """
            A backup holds only what no earlier one in its folder has. It is read again before it counts. Kept are the \
            last of 7 days, 4 weeks and 12 months.
            """,
        subcommands: [MakeBackup.self, ListBackups.self, RestoreBackup.self], defaultSubcommand: MakeBackup.self)
}

/// A folder of backups: manifests by their times, and parts by their hashes.
struct BackupFolder {
    let root: String
    static let suffix = ".backup.json"

    private var objects: ObjectFolder { ObjectFolder(root: "\(root)/objects") }
    func path(_ name: String) -> String { "\(root)/\(name)\(Self.suffix)" }

    /// From the newest.
    func names() -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).filter { $0.hasSuffix(Self.suffix) }
            .map { String($0.dropLast(Self.suffix.count)) }.sorted(by: >)
    }

    func manifest(_ name: String) throws -> ArchiveManifest {
        guard let data = FileManager.default.contents(atPath: path(name)) else {
            throw CommandFailure("There is no backup '\(Terminal.printable(name))'; `sheets backup list` lists them.")
        }
        return try ArchiveManifest.read(data)
    }

    /// Every part is read and checked.
    func read(_ name: String) throws -> ArchiveReading {
        let manifest = try manifest(name)
        let hashes = Dictionary(manifest.parts.map { ($0.path, $0.sha256) }) { first, _ in first }
        return try CharacterArchive.unpack(manifest, progress: { _, _ in }) { path in
            guard let hash = hashes[path], let data = objects.bytes(hash) else {
                throw ArchiveFailure(.malformed, "'\(path)' is missing in the backup.")
            }
            return data
        }
    }

    /// Writes a backup and reads it again; how many parts were new.
    func write(_ characters: [ArchivedCharacter], at date: Date) throws -> (name: String, newParts: Int, parts: Int) {
        let (manifest, parts) = try CharacterArchive.pack(characters, at: date)
        try AtomicFile.makeFolder(objects.root)
        var count = 0
        for part in manifest.parts {
            if try objects.put(parts[part.path] ?? Data(), as: part.sha256) { count += 1 }
        }
        let stamp = ISO8601DateFormatter().string(from: date).replacing(":", with: "-")
        try AtomicFile.write(try SheetJSON.encoder().encode(manifest), to: path(stamp))
        guard try read(stamp).characters.count == characters.count else {
            throw CommandFailure("The backup does not read as it was written.")
        }
        return (stamp, count, manifest.parts.count)
    }

    /// Removes what is kept no longer; how many backups that were. Parts of a backup that cannot be read are not
    /// touched.
    func thin(now: Date) throws -> Int {
        var dates: [Date: [String]] = [:]
        for name in names() { if let date = try? manifest(name).createdAt { dates[date, default: []].append(name) } }
        let kept = BackupRetention().kept(dates.keys, now: now, in: .current)
        let gone = dates.filter { !kept.contains($0.key) }.values.joined()
        for name in gone { try FileManager.default.removeItem(atPath: path(name)) }
        guard !gone.isEmpty else { return 0 }
        var needed: Set<ContentHash> = []
        for name in names() {
            guard let manifest = try? manifest(name) else { return gone.count }
            needed.formUnion(manifest.parts.map(\.sha256))
        }
        objects.removeAll(but: needed)
        return gone.count
    }
}

struct BackupOptions: ParsableArguments {
    /// Of backups in the folder that the words name, from the newest.
    static let names = CompletionKind.custom { words, _, _ in
        let folder = KnownNames.value(of: "--folder", words) ?? "\(KnownNames.library(words).root)/backups"
        return BackupFolder(root: folder).names()
    }

    @OptionGroup var libraryOptions: LibraryOptions
    @Option(help: ArgumentHelp("The folder of backups (default: backups in the library).", valueName: "folder"))
    var folder: String?

    var backups: BackupFolder {
        BackupFolder(root: folder.map { URL(fileURLWithPath: $0).path } ?? "\(libraryOptions.open().root)/backups")
    }
}

struct MakeBackup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "now", abstract: "Back up all characters (the default).")

    @OptionGroup var options: BackupOptions
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
        let characters = try store.index().characters.map(store.archived)
        let now = Date()
        let (name, new, all) = try options.backups.write(characters, at: now)
        let removed = try options.backups.thin(now: now)
        if output.json {
            return try Terminal.json(
                Made(backup: name, characters: characters.count, parts: all, newParts: new, removedBackups: removed))
        }
        Terminal.out(
            "Backed up \(Readable.count(characters.count, "character")) as \(name): \(new) of \(all) parts were new.")
    }
}

struct ListBackups: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the backups, the newest first.")

    @OptionGroup var options: BackupOptions
    @OptionGroup var output: OutputOptions

    private struct Listed: Encodable { let backups: [String] }

    func run() async throws {
        let names = options.backups.names()
        if output.json { return try Terminal.json(Listed(backups: names)) }
        if names.isEmpty { return Terminal.note("There are no backups yet. `sheets backup` makes one.") }
        Terminal.out(Terminal.printable(names.joined(separator: "\n"), lines: true))
    }
}

struct RestoreBackup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Get the characters of a backup back: all of them, or nothing.")

    @Argument(help: "The backup's name; the newest if none.", completion: BackupOptions.names) var backup: String?
    @OptionGroup var duplicates: DuplicateOptions
    @OptionGroup var options: BackupOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        guard let name = backup ?? options.backups.names().first else {
            throw CommandFailure("There are no backups in \(Terminal.printable(options.backups.root)).")
        }
        let reading = try options.backups.read(name)
        let store = options.libraryOptions.characters()
        let plan = try await store.take(reading.characters, choose: try duplicates.asked(reading.characters, in: store))
        try ImportView(plan, reading.damage).tell(output)
    }
}
