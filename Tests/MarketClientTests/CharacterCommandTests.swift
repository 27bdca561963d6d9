// SPDX-License-Identifier: Apache-2.0
import CharacterCore
import Foundation
import MarketClient
import SheetCore
import Testing

@Suite("Characters from the command line")
struct CharacterCommandTests {
    private static let nowhere = "http://127.0.0.1:1"
    /// Two characters with pictures, a sheet and files of a newer program, changed last in 2023.
    private static let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../Fixtures/characters/version-1.ttrpg").standardizedFileURL.path
    private static let carried = ["00ffe2f7-92f3-75ba-bea2-87bb24d18442", "01aca5a7-70d4-750a-b289-209d70a0f6d1"]

    private struct Player {
        let scratch: Scratch

        func callAsFunction(_ arguments: String..., status: Int32 = 0) async throws -> String {
            let run = try await CommandLineRun.start(arguments, in: scratch, server: CharacterCommandTests.nowhere)
                .end()
            #expect(run.status == status, "\(arguments): \(run.errors)")
            return run.output + run.errors
        }
    }

    @Test("a character is made, drawn and written on, undone and restored, all without a network")
    func editing() async throws {
        let scratch = try Scratch()
        let sheets = Player(scratch: scratch)
        _ = try await sheets("character", "new", "Brom", "--pages", "2")
        #expect(
            try await sheets("character", "draw", "Brom", "72,72", "144,90", "200,72", "--color", "#b3261e").contains(
                "line"))
        #expect(
            try await sheets(
                "character", "draw", "brom", "100,100", "200,100", "200,180", "100,180", "100,100", "--recognize"
            )
            .contains("rectangle"))
        _ = try await sheets("character", "text", "Brom", "Torch ×3", "--at", "72,300", "--page", "2")
        let shown = try await sheets("character", "show", "Brom", "--json")
        #expect(shown.contains("\"elements\" : 2") && shown.contains("\"undo\" : \"Text\""))
        #expect(try await sheets("character", "history", "Brom").contains("page 2: 1 added"))
        #expect(try await sheets("character", "undo", "Brom").contains("Undid: Text."))
        #expect(try await sheets("character", "undo", "Brom", "--page", "2", status: 1).contains("nothing to undo"))
        #expect(try await sheets("character", "redo", "Brom").contains("Redid: Text."))
        // 1 is what there is now, 6 the blank pages.
        _ = try await sheets("character", "restore", "Brom", "6")
        #expect(try await sheets("character", "show", "Brom").contains("0 things"))
        #expect(try await sheets("character", "undo", "Brom").contains("Undid: Restore."))
        #expect(try await sheets("character", "show", "Brom").contains("2 things"))
        #expect(
            try await sheets("character", "draw", "Brom", "1,1", "2,2", "--page", "9", status: 2).contains("no page 9"))
        #expect(try await sheets("character", "draw", "Brom", "1,1", "x,2", status: 2).contains("x,2"))
        for page in ["0", "-1", "\(Int.min)"] {
            let option = "--page=\(page)"
            #expect(try await sheets("character", "draw", "Brom", "1,1", "2,2", option, status: 2).contains("from 1"))
            #expect(
                try await sheets("character", "text", "Brom", "x", "--at", "1,1", option, status: 2).contains("from 1"))
            #expect(try await sheets("character", "undo", "Brom", option, status: 2).contains("from 1"))
            #expect(try await sheets("character", "redo", "Brom", option, status: 2).contains("from 1"))
        }
        #expect(try await sheets("character", "show", "Nobody", status: 1).contains("No character"))
        #expect(try await sheets("character", "list").contains("Brom"))
    }

    @Test("characters are exported, verified and imported, duplicates as is said; a damaged archive changes nothing")
    func archives() async throws {
        let (here, there) = (try Scratch(), try Scratch())
        let (sheets, other) = (Player(scratch: here), Player(scratch: there))
        let file = "\(here.path)/all.ttrpg"
        _ = try await sheets("character", "new", "Brom")
        _ = try await sheets("character", "new", "Ysolde")
        _ = try await sheets("character", "text", "Brom", "Hello", "--at", "10,10")
        _ = try await sheets("archive", "export", "-o", file)
        #expect(try await sheets("archive", "export", "-o", file, status: 1).contains("--force"))
        #expect(try await other("archive", "verify", file).contains("2 characters (Brom, Ysolde)"))
        #expect(try await other("archive", "import", file).contains("Imported 2 new characters"))
        #expect(try await other("character", "show", "Brom").contains("1 thing"))
        _ = try await other("character", "text", "Brom", "Mine", "--at", "10,40")
        #expect(try await other("archive", "import", file).contains("skipped 2"))
        #expect(try await other("archive", "import", file, "--duplicates", "new").contains("Imported 2 new"))
        #expect(try await other("archive", "import", file, "--duplicates", "replace").contains("replaced 2"))
        #expect(try await other("character", "show", "Brom").contains("1 thing"))
        // What was there before the import is among the saves.
        #expect(try await other("character", "history", "Brom").contains("1 removed"))
        var data = try Data(contentsOf: URL(fileURLWithPath: file))
        data[try #require(data.range(of: Data(#""lastPage""#.utf8))).lowerBound] ^= 1
        try data.write(to: URL(fileURLWithPath: file))
        let before = try await other("character", "list", "--json")
        #expect(try await other("archive", "import", file, "--duplicates", "replace", status: 3).contains("damaged"))
        #expect(try await other("character", "list", "--json") == before)
    }

    private func objects(of scratch: Scratch) throws -> Set<String> {
        let folder = "\(scratch.library.root)/characters/objects"
        return Set(try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.count > 64 })
    }

    @Test("a character can be deleted; of files those stay that another character, or a kept save, needs")
    func removing() async throws {
        let scratch = try Scratch()
        let sheets = Player(scratch: scratch)
        _ = try await sheets("character", "new", "Brom")
        let alone = try objects(of: scratch)
        // Its blank page is that of the first.
        _ = try await sheets("character", "new", "Ysolde")
        _ = try await sheets("character", "text", "Ysolde", "Hello", "--at", "10,10")
        let archive = Self.fixture
        _ = try await sheets("archive", "import", archive)
        #expect(try await sheets("character", "remove", "Ysolde", status: 2).contains("--yes"))
        #expect(try await sheets("character", "list").contains("Ysolde"))
        #expect(try await sheets("character", "remove", "Ysolde", "--yes").contains("Removed Ysolde."))
        let both = "\(scratch.path)/both.ttrpg"
        // With their pictures, sheets and files of newer programs.
        _ = try await sheets("archive", "export", "-o", both)
        #expect(try await sheets("archive", "verify", both).contains("3 characters"))
        for id in Self.carried {
            _ = try await sheets("archive", "export", id, "-o", "\(scratch.path)/\(id).ttrpg")
            _ = try await sheets("character", "remove", id, "--yes")
        }
        #expect(try objects(of: scratch) == alone)
        #expect(try await sheets("character", "undo", "Brom", status: 1).contains("nothing to undo"))
        // Of many saves the last ten can be had again, and what only earlier ones had is gone.
        for step in 1...14 { _ = try await sheets("character", "text", "Brom", "\(step)", "--at", "9,9") }
        _ = try await sheets("character", "restore", "Brom", "10")
        #expect(try objects(of: scratch).count <= 21)
        _ = try await sheets("character", "remove", "Brom", "--yes")
        #expect(try objects(of: scratch).isEmpty)
    }

    @Test("whoever is asked what to do keeps no other command waiting")
    func asking() async throws {
        let scratch = try Scratch()
        let sheets = Player(scratch: scratch)
        _ = try await sheets("archive", "import", Self.fixture)
        let terminal = try TestTerminal()
        func ask(_ arguments: String...) throws -> CommandLineRun.Started {
            try CommandLineRun.start(arguments, in: scratch, server: Self.nowhere, terminal: terminal)
        }
        let importing = try ask("archive", "import", Self.fixture)
        try await terminal.wait(for: "or [s]kip?")
        _ = try await sheets("character", "new", "Ysolde")
        try terminal.type("r")
        try await terminal.wait(for: "or [s]kip?")
        try terminal.type("")
        #expect(try await importing.end().output.contains("Imported 0 new characters, replaced 1, skipped 1."))
        let removing = try ask("character", "remove", "Ysolde")
        try await terminal.wait(for: "[y/N]")
        _ = try await sheets("character", "text", "Ysolde", "Still here", "--at", "10,10")
        try terminal.type("n")
        #expect(try await removing.end().status == 1)
        #expect(try await sheets("character", "list").contains("Ysolde"))
    }

    @Test("no name makes lines of its own, and what another device says stands in JSON")
    func showing() async throws {
        let scratch = try Scratch()
        let sheets = Player(scratch: scratch)
        let conflicts = [JSONValue.string("b"), .integer(3)].map {
            FieldConflict(field: "spirit", value: .object(["name": $0]))
        }
        let character = PlayerCharacter(
            id: .make(), name: "Brom\nchanged  never", createdAt: Date(), conflicts: conflicts,
            unknown: ["spirit": .null])
        let file = "\(scratch.path)/brom.ttrpg"
        try CharacterArchive.write([ArchivedCharacter(SheetContent(character: character))], at: Date())
            .write(to: URL(fileURLWithPath: file))
        _ = try await sheets("archive", "import", file)
        let lines = try await sheets("character", "show", character.id.description).split(separator: "\n")
        #expect(lines.first == "Brom changed  never" && lines.count == 6, "\(lines)")
        #expect(
            lines.suffix(3) == [
                "conflict spirit, 1: null", #"conflict spirit, 2: {"name":"b"}"#, #"conflict spirit, 3: {"name":3}"#,
            ], "\(lines)")
    }

    @Test("what stood before a replacement keeps its pictures, and a character named twice is exported once")
    func replaced() async throws {
        let scratch = try Scratch()
        let sheets = Player(scratch: scratch)
        let archive = Self.fixture
        _ = try await sheets("archive", "import", archive)
        let before = try objects(of: scratch)
        _ = try await sheets("archive", "import", archive, "--duplicates", "replace")
        let states = try objects(of: scratch).symmetricDifference(before)
        #expect(states.count == 4)
        _ = try await sheets("character", "new", "Brom")
        let twice = "\(scratch.path)/twice.ttrpg"
        #expect(try await sheets("archive", "export", "Brom", "brom", "-o", twice).contains("Exported 1 character "))
        #expect(try await sheets("archive", "verify", twice).contains("1 character (Brom)"))
    }

    @Test("a backup holds only what is new, and brings everything back when the disk is lost; a damaged one is refused")
    func backups() async throws {
        let scratch = try Scratch()
        let sheets = Player(scratch: scratch)
        let folder = "\(scratch.path)/backups"
        _ = try await sheets("archive", "import", Self.fixture)
        #expect(try await sheets("backup", "--folder", folder).contains("2 characters"))
        _ = try await sheets("character", "text", Self.carried[1], "Sword", "--at", "10,100")
        // Of the changed character its drawing, its edits, and the file that says when it was changed: not in 2023 any
        // more.
        #expect(try await sheets("backup", "--folder", folder).contains("3 of 10 parts were new"))
        let before = try await sheets("character", "show", Self.carried[1], "--json")
        try FileManager.default.removeItem(atPath: scratch.library.root)
        #expect(try await sheets("character", "list").contains("no characters"))
        #expect(try await sheets("backup", "restore", "--folder", folder).contains("Imported 2 new characters"))
        let after = try await sheets("character", "show", Self.carried[1], "--json")
        // The steps that could be undone are gone, the rest is as it was.
        #expect(before.contains(#""undo" : "Text""#) && after == before.replacing(",\n  \"undo\" : \"Text\"", with: ""))
        let names = try await sheets("backup", "list", "--folder", folder).split(separator: "\n")
        #expect(names.count == 1 || names.count == 2)
        let objects = try FileManager.default.subpathsOfDirectory(atPath: "\(folder)/objects").filter { $0.count > 64 }
        for object in objects {
            try Data("damaged".utf8).write(to: URL(fileURLWithPath: "\(folder)/objects/\(object)"))
        }
        #expect(
            try await sheets("backup", "restore", "--folder", folder, "--duplicates", "replace", status: 3).contains(
                "not the file"))
    }

    @Test("docs/characters.md works as written, and the character is back after the disk was lost")
    func walkthrough() async throws {
        let document = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../docs/characters.md").standardizedFileURL
        let lines = try String(contentsOf: document, encoding: .utf8).split(separator: "\n")
        let script = lines.filter { $0.hasPrefix("    ") }.joined(separator: "\n")
        let scratch = try Scratch()
        try await withStub(SampleSheet().market()) { server in
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-e", "-c", script]
            process.currentDirectoryURL = URL(fileURLWithPath: scratch.path)
            let programs = CommandLineRun.executable.deletingLastPathComponent().path
            process.environment = [
                "HOME": scratch.path, "SHEETS_SERVER": server.url, "PATH": "\(programs):/usr/bin:/bin",
            ]
            process.standardOutput = output
            process.standardError = output
            let ended = AsyncStream<Int32> { stream in
                process.terminationHandler = {
                    stream.yield($0.terminationStatus)
                    stream.finish()
                }
            }
            try process.run()
            var status: Int32 = -1
            for await code in ended { status = code }
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            #expect(status == 0, "\(text)")
            #expect(text.contains("Intact: 1 character (Brom)") && text.contains("Imported 1 new character"))
            #expect(text.contains("page 1   2 things drawn or written"))
        }
    }
}
