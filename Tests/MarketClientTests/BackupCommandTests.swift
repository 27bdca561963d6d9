// SPDX-License-Identifier: Apache-2.0
import CharacterCore
import Foundation
import MarketClient
import SheetCore
import Testing

@Suite("Backups and archives from the command line, when things go wrong")
struct BackupCommandTests {
    private static let nowhere = "http://127.0.0.1:1"

    @discardableResult
    private func sheets(
        _ scratch: Scratch, _ arguments: String..., server: String = nowhere, status: Int32 = 0
    ) async throws -> String {
        let run = try await CommandLineRun.start(arguments, in: scratch, server: server).end()
        #expect(run.status == status, "\(arguments): \(run.errors)")
        return run.output + run.errors
    }

    private func files(_ folder: String) throws -> [String: Data] {
        var found: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            let isPlace = path.hasPrefix("templates/") || path.hasPrefix("objects/") || path.hasPrefix("table/")
            guard isPlace, !path.hasSuffix("lock") else { continue }
            if let data = FileManager.default.contents(atPath: "\(folder)/\(path)") { found[path] = data }
        }
        return found
    }

    @Test(
        "all that is in the library comes back: sheets under any licence, campaigns, rolls, initiative, undo and saves")
    func everything() async throws {
        let scratch = try Scratch()
        let folder = "\(scratch.path)/elsewhere"
        let sheet = SampleSheet(license: "LicenseRef-All-Rights-Reserved")
        try await withStub(sheet.market()) { server in
            try await sheets(scratch, "install", "quest-sheet", server: server.url)
        }
        try await sheets(scratch, "character", "new", "Brom", "--template", "quest-sheet")
        for word in ["one", "two", "three"] {
            try await sheets(scratch, "character", "text", "Brom", word, "--at", "9,9")
        }
        try await sheets(scratch, "campaign", "new", "The Long Road")
        try await sheets(scratch, "campaign", "note", "The Long Road", "They met Zoë.")
        try await sheets(scratch, "roll", "set", "--for", "Brom", "str=3")
        try await sheets(scratch, "roll", "d20+@str", "--for", "Brom")
        try await sheets(scratch, "initiative", "add", "Brom", "18")
        let before = try files(scratch.library.root)
        let shown = try await sheets(scratch, "character", "show", "Brom", "--json")
        let history = try await sheets(scratch, "character", "history", "Brom")
        try await sheets(scratch, "backup", "--folder", folder)
        try FileManager.default.removeItem(atPath: scratch.library.root)
        let told = try await sheets(scratch, "backup", "restore", "--folder", folder)
        #expect(told.contains("Imported 1 new character") && told.contains("Put back "))
        #expect(try files(scratch.library.root) == before)
        #expect(try await sheets(scratch, "character", "show", "Brom", "--json") == shown)
        #expect(try await sheets(scratch, "character", "history", "Brom") == history)
        #expect(try await sheets(scratch, "character", "undo", "Brom").contains("Undid: Rolls."))
        #expect(try await sheets(scratch, "verify").isEmpty == false)
        // What was played since stays, unless it is told to go.
        try await sheets(scratch, "campaign", "note", "The Long Road", "They left.")
        #expect(try await sheets(scratch, "backup", "restore", "--folder", folder).contains("were kept"))
        #expect(try await sheets(scratch, "campaign", "show", "The Long Road").contains("They left."))
        try await sheets(scratch, "backup", "restore", "--folder", folder, "--duplicates", "replace")
        #expect(try await !sheets(scratch, "campaign", "show", "The Long Road").contains("They left."))
        // What stood there before the replacement is among the saves.
        try await sheets(scratch, "character", "restore", "Brom", "2")
    }

    @Test("no backup is made where it would be lost with the library; whose disk is the same is told so")
    func place() async throws {
        let scratch = try Scratch()
        try await sheets(scratch, "character", "new", "Brom")
        let inside = "\(scratch.library.root)/backups"
        #expect(try await sheets(scratch, "backup", "--folder", inside, status: 2).contains("would be lost with it"))
        #expect(!FileManager.default.fileExists(atPath: inside))
        #expect(try await sheets(scratch, "backup").contains("on the same disk"))
        let beside = URL(fileURLWithPath: scratch.library.root).deletingLastPathComponent().path + "/sheets-backups"
        #expect(try FileManager.default.contentsOfDirectory(atPath: beside).contains { $0.hasSuffix(".backup.json") })
        #expect(try await sheets(scratch, "backup", "restore").contains("skipped 1"))
        // What a run that was killed left is no backup.
        try Data("{}".utf8).write(to: URL(fileURLWithPath: "\(beside)/9999.backup.unproved"))
        #expect(try await !sheets(scratch, "backup", "list").contains("9999"))
    }

    @Test("of two backups at once each counts, though both fall into one second")
    func atOnce() async throws {
        let scratch = try Scratch()
        let folder = "\(scratch.path)/elsewhere"
        try await sheets(scratch, "character", "new", "Brom")
        let runs = try (0..<3).map { _ in
            try CommandLineRun.start(["backup", "--folder", folder, "--json"], in: scratch, server: Self.nowhere)
        }
        var names: Set<String> = []
        for run in runs {
            let made = try await run.end()
            #expect(made.status == 0, "\(made.errors)")
            let json = try JSONSerialization.jsonObject(with: Data(made.output.utf8)) as? [String: Any]
            names.insert(try #require(json?["backup"] as? String))
        }
        #expect(names.count == 3)
        // Those that are of one day are thinned out; what is listed can be read.
        let listed = try await sheets(scratch, "backup", "list", "--folder", folder)
        let left = names.filter { listed.contains($0) }
        #expect(!left.isEmpty)
        for name in left {
            try FileManager.default.removeItem(atPath: scratch.library.root)
            let told = try await sheets(scratch, "backup", "restore", name, "--folder", folder)
            #expect(told.contains("Imported 1 new character"))
        }
    }

    /// Forty characters in one archive.
    private func archive(in scratch: Scratch) throws -> String {
        let characters = (0..<40).map { number in
            let box = PageRect(x: 0, y: 0, width: 100, height: 100)
            let element = PageElement(
                id: EditID(device: DeviceID(bits: 7), number: 1), order: 1,
                .text(TextBox(String(repeating: "word \(number) ", count: 4000), in: box)))
            let drawing = PageDrawing(size: PageSize(width: 612, height: 792), elements: [element])
            return ArchivedCharacter(
                SheetContent(
                    character: PlayerCharacter(id: .make(), name: "Hero \(number)", createdAt: Date()),
                    drawings: [0: drawing]))
        }
        let path = "\(scratch.path)/many.ttrpg"
        try CharacterArchive.write(characters, at: Date()).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Another place with the same library.
    private func copy(_ scratch: Scratch) throws -> Scratch {
        let copy = try Scratch()
        try FileManager.default.copyItem(atPath: scratch.library.root, toPath: copy.library.root)
        return copy
    }

    @Test("an import that is killed, or finds no room, has brought all or nothing")
    func interrupted() async throws {
        let scratch = try Scratch()
        let archive = try archive(in: scratch)
        try await sheets(scratch, "character", "new", "Brom")
        let before = try await sheets(scratch, "character", "list")
        func shell(_ script: String) throws -> Int32 {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", script, "sh", CommandLineRun.executable.path, archive]
            process.environment = [
                "HOME": scratch.path, "SHEETS_LIBRARY": scratch.library.root, "PATH": "/usr/bin:/bin",
            ]
            (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
            try process.run()
            process.waitUntilExit()
            return process.terminationStatus
        }
        // The disk takes no file of more than 4 KiB, which the index of them all is, and some of the states before it.
        #expect(try shell(#"trap '' XFSZ; ulimit -f 8; exec "$1" archive import "$2""#) != 0)
        #expect(try await sheets(scratch, "character", "list") == before)
        // Killed at steps from the first to the last.
        let log = "\(scratch.path)/steps"
        let whole = try copy(scratch)
        defer { withExtendedLifetime(whole) {} }
        let counted = try await CommandLineRun.start(
            ["archive", "import", archive], in: whole, server: Self.nowhere,
            environment: [FaultPoint.logVariable: log]
        ).end()
        let steps = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").count
        #expect(counted.status == 0 && steps > 40, "\(counted)")
        for step in Set(stride(from: 1, to: steps, by: steps / 8) + [steps - 2, steps - 1, steps]) {
            let killed = try copy(scratch)
            let run = try await CommandLineRun.start(
                ["archive", "import", archive], in: killed, server: Self.nowhere,
                environment: [FaultPoint.variable: "\(step)"]
            ).end()
            let count = try await sheets(killed, "character", "list").components(separatedBy: "Hero ").count - 1
            #expect(count == 0 || count == 40, "\(step)")
            // There are a few folders more to make in one run than in another.
            #expect(run.status == SIGKILL || run.status == 0 && count == 40, "\(step): \(run)")
            let again = try await sheets(killed, "archive", "import", archive, "--duplicates", "replace")
            #expect(again.contains("Imported \(40 - count) new"), "\(step): \(again)")
        }
        #expect(try await sheets(scratch, "archive", "import", archive, "--duplicates", "replace").contains("Imported"))
        #expect(try await sheets(scratch, "archive", "verify", archive, "--no-progress").contains("100%"))
    }

    @Test("Ctrl-C stops an export, an import and a backup at their next step, and nothing of them is left")
    func stopped() async throws {
        let scratch = try Scratch()
        let archive = try archive(in: scratch)
        let folder = "\(scratch.path)/out"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        /// Stops a command once files of this name are written, and anew if it was done before; whether it stopped.
        func stop(_ arguments: [String], at place: String, _ suffix: String = "") async throws -> Bool {
            func isUnderWay() -> Bool {
                ((try? FileManager.default.subpathsOfDirectory(atPath: place)) ?? []).contains { $0.hasSuffix(suffix) }
            }
            for _ in 0..<10 {
                let started = try CommandLineRun.start(arguments, in: scratch, server: "http://127.0.0.1:1")
                while started.process.isRunning, !isUnderWay() { usleep(200) }
                kill(started.process.processIdentifier, SIGINT)
                let run = try await started.end()
                if run.status == 1, run.errors.contains("Stopped.") { return true }
                for name in (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? [] {
                    try FileManager.default.removeItem(atPath: "\(place)/\(name)")
                }
            }
            return false
        }
        let characters = "\(scratch.library.root)/characters"
        #expect(try await stop(["archive", "import", archive], at: characters, ".draft"))
        #expect(!(try await sheets(scratch, "character", "list").contains("Hero")))
        try await sheets(scratch, "archive", "import", archive)
        #expect(try await stop(["archive", "export", "-o", "\(folder)/all.ttrpg"], at: folder, ".draft"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        #expect(try await stop(["backup", "--folder", folder], at: folder, ".draft"))
        #expect(try await sheets(scratch, "backup", "list", "--folder", folder).contains("no backups"))
    }

    @Test("more than one archive takes is refused, and nothing is left of it")
    func tooLarge() async throws {
        let scratch = try Scratch()
        for number in 1...21 { try await sheets(scratch, "character", "new", "Hero \(number)", "--pages", "100") }
        let file = "\(scratch.path)/all.ttrpg"
        #expect(
            try await sheets(scratch, "archive", "export", "-o", file, status: 3).contains("export fewer characters"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).allSatisfy { !$0.contains(".ttrpg") })
        try await sheets(scratch, "archive", "export", "Hero 1", "Hero 2", "-o", file)
        // A backup has no such limit.
        #expect(try await sheets(scratch, "backup", "--folder", "\(scratch.path)/b").contains("21 characters"))
    }

    /// Runs `sheets`, and tells the most kilobytes of memory that it had at once.
    private func peak(_ scratch: Scratch, _ arguments: [String]) async throws -> Int {
        let script =
            "import resource, subprocess, sys\n" + """
                status = subprocess.call(sys.argv[1:])
                print("peak", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
                sys.exit(status)
                """
        let run = try await CommandLineRun.start(
            arguments, in: scratch, server: Self.nowhere, through: ["/usr/bin/python3", "-c", script]
        ).end()
        #expect(run.status == 0, "\(arguments): \(run.errors)")
        let line = try #require(run.errors.split(separator: "\n").last { $0.hasPrefix("peak ") })
        return try #require(Int(line.dropFirst(5)))
    }

    @Test("many large characters take no more memory than a few: checked, taken in, merged, packed and restored")
    func memory() async throws {
        var peaks: [String: [Int]] = [:]
        for count in [2, 18] {
            let scratch = try Scratch()
            let (archive, packed, folder) = (
                "\(scratch.path)/in.ttrpg", "\(scratch.path)/out.ttrpg", "\(scratch.path)/backups"
            )
            let characters = try (0..<count).map { number in
                let picture = Data(repeating: UInt8(number), count: 1 << 20)
                let hash = ContentHash(hashing: picture)
                let content = SheetContent(
                    character: PlayerCharacter(
                        id: .make(), name: "Hero \(number)", portrait: hash, createdAt: Date()))
                var character = ArchivedCharacter(content, images: [hash: picture])
                try character.tellEdits(of: CharacterSheet(content))
                return character
            }
            try CharacterArchive.write(characters, at: Date()).write(to: URL(fileURLWithPath: archive))
            for (name, arguments) in [
                ("verify", ["archive", "verify", archive]), ("import", ["archive", "import", archive]),
                ("replace", ["archive", "import", archive, "--duplicates", "replace"]),
                ("merge", ["archive", "import", archive, "--merge"]),
                ("export", ["archive", "export", "--output", packed]), ("backup", ["backup", "--folder", folder]),
            ] {
                peaks[name, default: []].append(try await peak(scratch, arguments))
            }
            try FileManager.default.removeItem(atPath: scratch.library.root)
            peaks["restore", default: []].append(try await peak(scratch, ["backup", "restore", "--folder", folder]))
            let list = try await sheets(scratch, "character", "list")
            #expect(list.components(separatedBy: "Hero ").count - 1 == count)
        }
        // All of them have 16 MiB more.
        for (name, peaks) in peaks { #expect(peaks[1] - peaks[0] < 7 << 10, "\(name): from \(peaks) kB") }
    }

    @Test("of an archive or backup that is damaged at its end nothing at all is written")
    func nothingWritten() async throws {
        let scratch = try Scratch()
        let (archive, folder) = ("\(scratch.path)/both.ttrpg", "\(scratch.path)/backups")
        for name in ["Brom", "Mira"] { try await sheets(scratch, "character", "new", name) }
        try await sheets(scratch, "archive", "export", "--output", archive)
        try await sheets(scratch, "backup", "--folder", folder)
        try FileManager.default.removeItem(atPath: scratch.library.root)
        var data = try Data(contentsOf: URL(fileURLWithPath: archive))
        // The last character's, in front of the directory.
        let last = try #require(data.range(of: Data("TINK".utf8), options: .backwards)).lowerBound
        data[last + 20] ^= 1
        try data.write(to: URL(fileURLWithPath: archive))
        #expect(try await sheets(scratch, "archive", "import", archive, status: 3).contains("damaged"))
        let manifest = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasSuffix(".backup.json") })
        let listed = try JSONDecoder().decode(
            Parts.self, from: Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(manifest)")))
        let state = try #require(listed.parts.last { $0.path.hasPrefix("library/characters/") }).sha256
        try FileManager.default.removeItem(atPath: "\(folder)/objects/\(state.hex.prefix(2))/\(state)")
        #expect(try await sheets(scratch, "backup", "restore", "--folder", folder, status: 3).contains("is missing"))
        let found = (try? FileManager.default.subpathsOfDirectory(atPath: scratch.library.root)) ?? []
        #expect(found.isEmpty, "\(found)")
    }

    private struct Parts: Decodable { let parts: [ArchivePart] }

    private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../Fixtures/characters").standardizedFileURL

    @Test("a library of the first versions, whose states say no version, is read: characters and what is played")
    func oldLibrary() async throws {
        let scratch = try Scratch()
        try? FileManager.default.removeItem(atPath: scratch.library.root)
        try FileManager.default.copyItem(
            atPath: Self.fixtures.appending(path: "library-1").path, toPath: scratch.library.root)
        #expect(try await sheets(scratch, "character", "show", "Brom").contains("1 thing drawn or written: 1 stroke"))
        #expect(try await sheets(scratch, "character", "history", "Brom").split(separator: "\n").count == 5)
        #expect(try await sheets(scratch, "campaign", "show", "The_Long_Road").contains("They met Zoë."))
        #expect(try await sheets(scratch, "roll", "hit", "--for", "Mira", "--seed", "7").hasPrefix("18 "))
        #expect(try await sheets(scratch, "roll", "history").contains("6d6"))
        #expect(try await sheets(scratch, "initiative").contains("prone"))
        #expect(try await sheets(scratch, "initiative", "undo").contains("Mira"))
        // It can be undone, done again, and is written in today's form.
        #expect(try await sheets(scratch, "character", "redo", "Brom").contains("Redid: Text."))
        #expect(try await sheets(scratch, "character", "restore", "Brom", "3").isEmpty == false)
        // A newer one is refused by name, and left alone.
        let index = URL(fileURLWithPath: "\(scratch.library.root)/characters/index.json")
        let newer = try String(contentsOf: index, encoding: .utf8).replacing("\"format\":1", with: "\"format\":9")
        try Data(newer.utf8).write(to: index)
        let refused = try await sheets(scratch, "character", "text", "Brom", "x", "--at", "1,1", status: 1)
        #expect(refused.contains("format 9"))
        #expect(try String(contentsOf: index, encoding: .utf8) == newer)
    }

    @Test("backups of earlier versions are restored", arguments: ["backup-0", "backup-1"])
    func oldBackups(name: String) async throws {
        let scratch = try Scratch()
        let folder = Self.fixtures.appending(path: name).path
        #expect(try await sheets(scratch, "backup", "restore", "--folder", folder).contains("Imported 1 new character"))
        #expect(try await sheets(scratch, "character", "show", "Brom").contains("1 stroke"))
        guard name != "backup-0" else { return }
        #expect(try await sheets(scratch, "character", "redo", "Brom").contains("Redid: Text."))
        #expect(try await sheets(scratch, "character", "history", "Brom").split(separator: "\n").count > 4)
        #expect(try await sheets(scratch, "campaign", "show", "The_Long_Road").contains("They met Zoë."))
    }
}
