// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketClient
import SheetCore
import Testing

@Suite("Characters at the table and between devices")
struct CharacterAtTableTests {
    private struct Player {
        let scratch: Scratch

        func callAsFunction(_ arguments: String..., status: Int32 = 0) async throws -> CommandLineRun {
            let run = try await CommandLineRun.start(arguments, in: scratch, server: "http://127.0.0.1:1").end()
            #expect(run.status == status, "\(arguments): \(run.output)\(run.errors)")
            return run
        }
    }

    @Test("rolls take numbers of the character's sheet, and go with it when it is renamed, carried and removed")
    func rolls() async throws {
        let sheets = Player(scratch: try Scratch())
        let archive = "\(sheets.scratch.path)/brom.ttrpg"
        // Of before: kept by the name alone.
        _ = try await sheets("roll", "set", "--for", "Brom", "luck=7")
        _ = try await sheets("character", "new", "Brom")
        _ = try await sheets("character", "set", "Brom", "strength=16", "dexterity_modifier=-1", "note=x")
        #expect(try await sheets("roll", "1 + @str", "--for", "brom").output.hasPrefix("17 "))
        #expect(try await sheets("roll", "@luck + @{dex mod}", "--for", "Brom").output.hasPrefix("6 "))
        #expect(try await sheets("roll", "@note", "--for", "Brom", status: 2).errors.contains("note"))
        _ = try await sheets("roll", "save", "--for", "Brom", "hit", "1d1 + @strength")
        #expect(try await sheets("character", "show", "Brom", "--json").json()["undo"] as? String == "Rolls")
        _ = try await sheets("character", "set", "Brom", "name=Bram")
        #expect(try await sheets("roll", "hit", "--for", "Bram").output.hasPrefix("17 "))
        #expect(try await sheets("roll", "hit", "--for", "Brom", status: 1).errors.contains("Nobody here"))
        #expect(try await sheets("roll", "book", "--for", "Bram").output.contains("@luck"))
        _ = try await sheets("archive", "export", "Bram", "--output", archive)
        _ = try await sheets("character", "remove", "Bram", "--yes")
        #expect(try await sheets("roll", "hit", "--for", "Bram", status: 1).errors.contains("Nobody here"))
        _ = try await sheets("archive", "import", archive)
        #expect(try await sheets("roll", "hit", "--for", "Bram").output.hasPrefix("17 "))
    }

    @Test("campaigns are joined by characters that are here, and follow their names; others are guests")
    func campaigns() async throws {
        let sheets = Player(scratch: try Scratch())
        _ = try await sheets("character", "new", "Brom")
        _ = try await sheets("campaign", "new", "Road")
        #expect(try await sheets("campaign", "join", "Road", "Mira", status: 1).errors.contains("--guest"))
        #expect(try await sheets("campaign", "join", "Road", status: 2).errors.contains("--guest"))
        #expect(
            try await sheets("campaign", "join", "Road", "--guest", "Mira", "--id", "no", status: 2).errors.contains(
                "id"))
        _ = try await sheets("campaign", "join", "Road", "brom", "--player", "Ada")
        _ = try await sheets("campaign", "join", "Road", "--guest", "Mira")
        _ = try await sheets("character", "set", "Brom", "name=Bram")
        let shown = try await sheets("campaign", "show", "Road")
        #expect(shown.output.contains("  Bram, played by Ada\n  Mira\n"))
        let members = try await sheets("campaign", "show", "Road", "--json").json()["members"] as? [[String: String]]
        #expect(members?.first?["id"].map { UUID(uuidString: $0) != nil } == true)
        _ = try await sheets("campaign", "leave", "Road", "Bram")
        #expect(try await !sheets("campaign", "show", "Road").output.contains("Br"))
    }

    @Test("what two devices did is merged by archives, and what they differ in is settled by a command")
    func merging() async throws {
        let sheets = Player(scratch: try Scratch())
        let (other, first, second) = (
            "\(sheets.scratch.path)/other", "\(sheets.scratch.path)/1.ttrpg", "\(sheets.scratch.path)/2.ttrpg"
        )
        _ = try await sheets("character", "new", "Brom")
        _ = try await sheets("character", "draw", "Brom", "72,72", "144,90")
        _ = try await sheets("archive", "export", "Brom", "--output", first)
        _ = try await sheets("archive", "import", "--merge", first, "--library", other)
        _ = try await sheets("character", "set", "Brom", "strength=18", "level=2")
        _ = try await sheets("character", "text", "Brom", "Here", "--at", "72,200")
        _ = try await sheets("character", "set", "Brom", "strength=10", "gold=5", "--library", other)
        _ = try await sheets("character", "text", "Brom", "There", "--at", "72,300", "--library", other)
        _ = try await sheets("archive", "export", "Brom", "--output", second, "--library", other)
        let merged = try await sheets("archive", "import", "--merge", second)
        #expect(merged.output.contains("Merged 1 character, 0 new") && merged.errors.contains("values/strength"))
        let shown = try await sheets("character", "show", "Brom").output
        #expect(shown.contains("3 things") && shown.contains("level = 2") && shown.contains("gold = 5"))
        #expect(shown.contains("conflict values/strength, 1: ") && shown.contains(", 2: "))
        #expect(
            try await sheets("character", "settle", "Brom", "notes", "--take", "1", status: 2).errors.contains(
                "strength"))
        #expect(
            try await sheets("character", "settle", "Brom", "values/strength", "--take", "3", status: 2).errors
                .contains("2"))
        let conflicts = try await sheets("character", "show", "Brom", "--json").json()["conflicts"] as? [[String: Any]]
        let values = try #require(conflicts?.first?["values"] as? [String])
        let place = try #require(values.firstIndex(of: "18")) + 1
        _ = try await sheets("character", "settle", "Brom", "values/strength", "--take", "\(place)")
        let settled = try await sheets("character", "show", "Brom").output
        #expect(settled.contains("strength = 18") && !settled.contains("conflict"))
        #expect(try await sheets("archive", "import", "--merge", second).output.contains("1 unchanged"))
        #expect(
            try await sheets("archive", "import", "--merge", second, "--duplicates", "skip", status: 2).errors.contains(
                "Either"))
        let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../Fixtures/characters/version-1.ttrpg").standardizedFileURL.path
        #expect(try await sheets("archive", "import", "--merge", fixture, status: 3).errors.contains("by which edits"))
    }

    @Test("archives are signed by a key of one's own, and verified by it")
    func signing() async throws {
        let sheets = Player(scratch: try Scratch())
        let (key, archive) = ("\(sheets.scratch.path)/key.pem", "\(sheets.scratch.path)/brom.ttrpg")
        let made = try await sheets("archive", "new-key", key, "--json").json()
        let publicKey = try #require(made["publicKey"] as? String)
        let rights = try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? NSNumber
        #expect(rights?.intValue == 0o600)
        #expect(try await sheets("archive", "new-key", key, status: 1).errors.contains("there already"))
        _ = try await sheets("character", "new", "Brom")
        _ = try await sheets("archive", "export", "--output", archive)
        #expect(
            try await sheets("archive", "verify", archive, "--signer", publicKey, status: 3).errors.contains(
                "not signed"))
        _ = try await sheets("archive", "export", "--output", archive, "--force", "--sign", key)
        #expect(try await sheets("archive", "verify", archive).output.contains("Signed by \(publicKey)."))
        _ = try await sheets("archive", "verify", archive, "--signer", publicKey.uppercased())
        let wrong = String(repeating: "0", count: 64)
        #expect(try await sheets("archive", "verify", archive, "--signer", wrong, status: 3).errors.contains(publicKey))
        #expect(
            try await sheets("archive", "export", "--output", archive, "--force", "--sign", archive, status: 2).errors
                .contains("PEM"))
    }

    @Test(
        "shells are offered names of characters, layers, backups, combatants and conflicts",
        arguments: [
            (["character", "show"], "positional@0", "Brom"), (["character", "settle"], "positional@0", "Brom"),
            (["export"], "positional@0", "Brom"), (["fill"], "positional@0", "Brom"),
            (["roll", "dice"], "--for", "Brom"),
            (["initiative", "add"], "positional@0", "Brom"), (["initiative", "score"], "positional@0", "Goblin"),
            (["campaign", "join"], "positional@1", "Brom"), (["character", "draw"], "--layer", "notes"),
            (["backup", "restore"], "positional@0", "-"), (["archive", "export"], "positional@0", "Brom"),
        ] as [([String], String, String)])
    func completions(_ command: [String], _ argument: String, _ offered: String) async throws {
        let sheets = Player(scratch: try Scratch())
        _ = try await sheets("character", "new", "Brom")
        _ = try await sheets("initiative", "add", "Goblin", "3")
        if command == ["backup", "restore"] { _ = try await sheets("backup") }
        let words =
            ["---completion"] + command + ["--", argument, "\(command.count + 1)", "0", "", "sheets"] + command + [""]
        let run = try await CommandLineRun.start(words, in: sheets.scratch, server: "http://127.0.0.1:1").end()
        #expect(run.status == 0 && run.output.contains(offered), "\(run.output)\(run.errors)")
    }

    @Test("every command prints JSON for programs")
    func json() async throws {
        let sheets = Player(scratch: try Scratch())
        let (archive, key) = ("\(sheets.scratch.path)/brom.ttrpg", "\(sheets.scratch.path)/key.pem")
        let folder = "\(sheets.scratch.path)/backups"
        var note = ""
        func walk(_ commands: [[String]]) async throws {
            for command in commands {
                let words = command.map { $0 == "NOTE" ? note : $0 } + ["--json"]
                let run = try await CommandLineRun.start(words, in: sheets.scratch, server: "http://127.0.0.1:1").end()
                #expect(run.status == 0, "\(words): \(run.errors)")
                let answer = try? run.json()
                #expect(answer != nil, "\(words): \(run.output)")
                if let notes = answer?["notes"] as? [[String: Any]] { note = notes.first?["id"] as? String ?? note }
            }
        }
        try await walk([
            ["character", "new", "Brom"], ["character", "list"], ["character", "show", "Brom"],
            ["character", "draw", "Brom", "1,1", "9,9"], ["character", "text", "Brom", "x", "--at", "1,1"],
            ["character", "set", "Brom", "str=3"], ["character", "undo", "Brom"], ["character", "redo", "Brom"],
            ["character", "history", "Brom"], ["character", "restore", "Brom", "2"],
            ["export", "Brom", "--pdf", "\(sheets.scratch.path)/brom.pdf"],
            ["archive", "new-key", key], ["archive", "export", "--output", archive, "--sign", key],
            ["archive", "verify", archive], ["archive", "import", archive], ["archive", "import", archive, "--merge"],
            ["backup", "--folder", folder], ["backup", "list", "--folder", folder],
            ["backup", "restore", "--folder", folder],
            ["roll", "2d6"], ["roll", "odds", "2d6"], ["roll", "set", "--for", "Brom", "str=3"],
            ["roll", "save", "--for", "Brom", "hit", "1d20"], ["roll", "book", "--for", "Brom"],
            ["roll", "hit", "--for", "Brom"], ["roll", "history"], ["roll", "table"],
            ["campaign", "new", "Road"], ["campaign", "list"], ["campaign", "join", "Road", "Brom"],
            ["campaign", "note", "Road", "Met."], ["campaign", "show", "Road"],
            ["campaign", "note", "Road", "Parted.", "--edit", "NOTE"], ["campaign", "search", "parted"],
            ["campaign", "note", "Road", "--delete", "NOTE"], ["campaign", "leave", "Road", "Brom"],
            ["campaign", "archive", "Road"],
            ["initiative", "add", "Brom", "3"], ["initiative", "add", "Goblin", "3"],
            ["initiative", "before", "Goblin", "Brom"], ["initiative", "next"],
            ["initiative", "condition", "Brom", "prone"], ["initiative", "ready", "a door opens"],
            ["initiative", "trigger", "Goblin"], ["initiative", "delay"], ["initiative", "act", "Brom"],
            ["initiative", "score", "Brom", "5"], ["initiative", "show"], ["initiative", "remove", "Goblin"],
            ["initiative", "undo"], ["initiative", "clear"],
            ["character", "remove", "Brom", "--yes"],
        ])
    }
}
