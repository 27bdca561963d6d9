// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CharacterCore
import Foundation
import MarketClient
import SheetCore

extension DuplicatePolicy: ExpressibleByArgument {}

/// What came in, as `--json` prints it.
struct ImportView: Encodable {
    let added: [CharacterID]
    let replaced: [CharacterID]
    let skipped: [CharacterID]
    /// Drawings of which parts were lost before they were packed.
    let damaged: [String]
    /// Other files of a backup that were put back, those of which another is here and stays, and those of sheets that are
    /// not what their names say and were left out.
    let files: Int?
    let filesKept: Int?
    let filesDamaged: Int?

    init(
        _ plan: LibraryImport, _ damage: [String: [DrawingReading.Damage]], files outcomes: [Library.PutBack]? = nil
    ) {
        func count(_ outcome: Library.PutBack) -> Int? { outcomes.map { $0.count { $0 == outcome } } }
        (files, filesKept, filesDamaged) = (count(.put), count(.kept), count(.damaged))
        (added, replaced, skipped) = (plan.added, plan.replaced, plan.skipped)
        damaged = damage.keys.sorted()
    }

    func tell(_ output: OutputOptions) throws {
        for path in damaged {
            Terminal.note("sheets: parts of \(Terminal.printable(path)) were lost before it was packed.")
        }
        if output.json { return try Terminal.json(self) }
        let new = Readable.count(added.count, "new character")
        Terminal.out("Imported \(new), replaced \(replaced.count), skipped \(skipped.count).")
        if let files {
            Terminal.out("Put back \(Readable.count(files, "file")) of sheets, campaigns, rolls and initiative.")
        }
        if let filesKept, filesKept > 0 {
            Terminal.note(
                "sheets: \(Readable.count(filesKept, "file")) of these differ here and were kept; "
                    + "--duplicates replace takes campaigns, rolls and initiative of the backup instead.")
        }
        if let filesDamaged, filesDamaged > 0 {
            Terminal.note(
                "sheets: left out \(Readable.count(filesDamaged, "damaged file")) of sheets; `sheets verify --repair` fetches "
                    + "what is missing.")
        }
    }
}

/// What to do with characters that are there already.
struct DuplicateOptions: ParsableArguments {
    @Option(help: "For characters that are there already: replace, new or skip (asked on a terminal, else skip).")
    var duplicates: DuplicatePolicy?

    /// Asks for each that is there, and gives the answers: whoever waits for the lock waits for no answer.
    func asked(
        _ characters: [ImportedName], in store: CharacterStore
    ) throws -> (PlayerCharacter) -> DuplicatePolicy {
        if let duplicates { return { _ in duplicates } }
        var answers: [CharacterID: DuplicatePolicy] = [:]
        if Terminal.isWatched {
            let existing = Set(try store.index().characters.map(\.id))
            for character in characters where existing.contains(character.id) {
                let name = Terminal.printable(character.name)
                let answer = Terminal.ask("\(name) is here already: [r]eplace, make a [n]ew one, or [s]kip? ") ?? ""
                answers[character.id] = answer.hasPrefix("r") ? .replace : answer.hasPrefix("n") ? .createNew : .skip
            }
        }
        return { answers[$0.id] ?? .skip }
    }
}

/// Who is in an archive or backup.
struct ImportedName {
    let id: CharacterID
    let name: String

    init(_ character: ArchivedCharacter) {
        id = character.content.character.id
        name = character.content.character.name
    }
}

struct ArchiveExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write characters into one file (.ttrpg), with their sheet where its licence allows.")

    @Argument(
        help: ArgumentHelp("Names or ids; all characters if none.", valueName: "character"),
        completion: KnownNames.characters)
    var characters: [String] = []

    @Option(name: .shortAndLong, help: ArgumentHelp("Where to write it.", valueName: "file"))
    var output = "characters.ttrpg"

    @Option(
        help: ArgumentHelp("Sign it with this key, which `sheets archive new-key` makes.", valueName: "keyfile"),
        completion: .file(extensions: ["pem"]))
    var sign: String?

    @Flag(help: "Replace a file that is there.") var force = false
    @OptionGroup var libraryOptions: LibraryOptions
    @OptionGroup var progress: ProgressOptions
    @Flag(help: "Print JSON for programs.") var json = false

    private struct Written: Encodable {
        let path: String
        let characters: Int
        let sizeBytes: Int
        let sha256: ContentHash
        /// Of the key that signed it.
        let signer: String?
    }

    func run() async throws {
        let store = libraryOptions.characters()
        var named: Set<CharacterID> = []
        let entries = try (characters.isEmpty ? store.index().characters : characters.map(store.find))
            .filter { named.insert($0.id).inserted }
        guard !entries.isEmpty else { throw CommandFailure("There are no characters to export.") }
        let path = URL(fileURLWithPath: output).path
        guard force || !FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure("\(Terminal.printable(path)) is there already; --force replaces it.")
        }
        let key = try sign.map(NewArchiveKey.read)
        let bar = progress.bar("Exporting", quiet: json)
        var (hash, size) = (ContentHash(hashing: Data()), 0)
        var archived = ReadAhead(entries.count) { try store.archived(entries[$0]) }
        try Interruption.check()
        try AtomicFile.write(to: path) { append in
            try CharacterArchive.write(
                count: entries.count, at: Date(), signingKey: key?.key, progress: bar.steps,
                character: { try archived.take($0) }, to: append)
        } check: { draft in
            // What cannot be read again is no archive.
            let file = try ArchiveFile.open(draft)
            (hash, size) = (try file.contentHash(), file.count)
            var read = 0
            _ = try CharacterArchive.read(
                file, progress: { _, _ in try Interruption.check() }, take: { _ in read += 1 })
            guard read == entries.count else { throw CommandFailure("The archive does not read as it was written.") }
        }
        bar.end()
        if json {
            return try Terminal.json(
                Written(
                    path: path, characters: entries.count, sizeBytes: size, sha256: hash, signer: key?.publicKey))
        }
        Terminal.out("Exported \(Readable.count(entries.count, "character")) to \(Terminal.printable(path)).")
        if let key { Terminal.out("Signed by \(key.publicKey).") }
    }
}

struct NewArchiveKey: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new-key", abstract: "Make a key that signs archives, so that others can tell yours.",
        discussion: """
            Keep the file to yourself, and tell others the public key that is printed: `sheets archive verify FILE \
            --signer KEY` tells whether an archive is by you. OpenSSL makes such files, too: openssl genpkey -algorithm \
            ed25519.
            """)

    @Argument(help: "Where to write it, such as key.pem.") var file: String
    @OptionGroup var output: OutputOptions

    private struct Made: Encodable {
        let path: String
        let publicKey: String
    }

    func run() async throws {
        let path = URL(fileURLWithPath: file).path
        let key = ArchiveKey()
        // Another key is never written over, not even by a second such command at once.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let isThere = FileManager.default.fileExists(atPath: path)
            throw CommandFailure("\(Terminal.printable(path)) \(isThere ? "is there already" : "cannot be written").")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: Data(key.pem.utf8))
        try handle.synchronize()
        if output.json { return try Terminal.json(Made(path: path, publicKey: key.publicKey)) }
        Terminal.out("Made a key in \(Terminal.printable(path)). Its public key: \(key.publicKey)")
    }

    static func read(_ path: String) throws -> ArchiveKey {
        guard let data = FileManager.default.contents(atPath: path), data.count < 1 << 16 else {
            throw CommandFailure("\(Terminal.printable(path)) cannot be read.", .usage)
        }
        do {
            return try ArchiveKey(pem: String(decoding: data, as: UTF8.self))
        } catch {
            throw CommandFailure(Terminal.printable("\(path): \(error)"), .usage)
        }
    }
}

struct ArchiveImport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Take in the characters of a .ttrpg file: all of it, or nothing.")

    @Argument(help: "The archive.", completion: .file(extensions: ["ttrpg"])) var file: String
    @OptionGroup var duplicates: DuplicateOptions
    @Flag(help: "Merge what another device did to characters that are here; what both changed is kept twice.")
    var merge = false
    @OptionGroup var libraryOptions: LibraryOptions
    @OptionGroup var progress: ProgressOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !merge || duplicates.duplicates == nil else { throw ValidationError("Either --merge or --duplicates.") }
    }

    func run() async throws {
        let store = libraryOptions.characters()
        let file = try ArchiveFile.open(file)
        // All of it is read before any of it is written, and once more for that: so one character is in memory.
        var names: [ImportedName] = []
        let checking = progress.bar("Checking", quiet: output.json)
        let reading = try CharacterArchive.read(file, progress: checking.steps) { character in
            if merge { _ = try CharacterStore.mergeable(character) }
            names.append(ImportedName(character))
        }
        checking.end()
        let choose = merge ? nil : try duplicates.asked(names, in: store)
        let bar = progress.bar("Importing", quiet: output.json)
        let characters: CharacterStore.Characters = { each in
            _ = try CharacterArchive.read(file, progress: bar.steps, take: each)
        }
        guard let choose else {
            let merged = try await store.merge(characters)
            bar.end()
            return try MergeView(merged).tell(output)
        }
        let plan = try await store.take(characters, choose: choose)
        bar.end()
        try ImportView(plan, reading.damage).tell(output)
    }
}

struct ArchiveVerify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check a .ttrpg file: every part's hash, the whole's, and the signature if it has one.")

    @Argument(help: "The archive.", completion: .file(extensions: ["ttrpg"])) var file: String
    @Option(help: ArgumentHelp("Refuse it unless this public key signed it.", valueName: "key")) var signer: String?
    @OptionGroup var progress: ProgressOptions
    @OptionGroup var output: OutputOptions

    private struct Verified: Encodable {
        let characters: [String]
        let damaged: [String]
        /// A public key in hexadecimal digits.
        let signer: String?
    }

    func run() async throws {
        let bar = progress.bar("Verifying", quiet: output.json)
        var names: [String] = []
        let reading = try CharacterArchive.read(
            try ArchiveFile.open(file), progress: bar.steps, take: { names.append($0.content.character.name) })
        bar.end()
        let signer = reading.signer.map(ArchiveKey.text)
        if let wanted = self.signer, signer != wanted.lowercased() {
            throw CommandFailure(
                "It is \(signer.map { "signed by \($0)" } ?? "not signed"), not by that key.", .refused)
        }
        if output.json {
            return try Terminal.json(Verified(characters: names, damaged: reading.damage.keys.sorted(), signer: signer))
        }
        Terminal.out(
            Terminal.printable(
                "Intact: \(Readable.count(names.count, "character")) (\(names.joined(separator: ", "))).")
                + (signer.map { " Signed by \($0)." } ?? ""))
    }
}
