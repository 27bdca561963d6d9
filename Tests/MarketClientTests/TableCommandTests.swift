// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketClient
import SheetCore
import TestSupport
import Testing

@Suite("Playing from the command line")
struct TableCommandTests {
    /// Runs commands with no market to be reached.
    private struct Table {
        let scratch: Scratch

        init() throws {
            scratch = try Scratch()
        }

        func sheets(_ words: String..., input: String = "") async throws -> CommandLineRun {
            try await CommandLineRun.start(words, in: scratch, server: "http://127.0.0.1:1", input: input).end()
        }
    }

    @Test("dice are rolled, again with a seed, and remembered; mistakes show their place")
    func rolls() async throws {
        let table = try Table()
        let first = try await table.sheets("roll", "4d6kh3+2", "--seed", "7", "--json")
        let again = try await table.sheets("roll", "dice", "4d6kh3 + 2", "--seed", "7", "--json")
        #expect(first.status == 0 && first.output == again.output)
        let roll = try #require((try first.json()["rolls"] as? [[String: Any]])?.first)
        #expect(roll["expression"] as? String == "4d6kh3 + 2")
        let plain = try await table.sheets("roll", "hit: 5; 2x 7 * 2")
        #expect(plain.output == "hit: 5   5\n#1: 14   7 * 2\n#2: 14   7 * 2\n")
        let wrong = try await table.sheets("roll", "2d6", "+ 4d6kx")
        #expect(wrong.status == 2)
        #expect(wrong.errors.hasSuffix("4d6kh3+2.\n  2d6 + 4d6kx\n            ^\n"))
        let history = try await table.sheets("roll", "history")
        #expect(history.output.split(separator: "\n").count == 5)
        #expect(history.output.contains("(seed 7)") && history.output.contains("hit: 5"))
        _ = try await table.sheets("roll", "1", "--no-history")
        _ = try await table.sheets("roll", "history", "--clear")
        #expect(try await table.sheets("roll", "history", "--json").json()["entries"] as? [String] == [])
    }

    @Test("a character's numbers and named rolls are used, and odds are exact")
    func books() async throws {
        let table = try Table()
        _ = try await table.sheets("roll", "set", "--for", "Mira", "str=3", "dex=-1")
        _ = try await table.sheets("roll", "save", "--for", "mira", "attack", "hit: 1d1 + @str; @dex")
        let roll = try await table.sheets("roll", "attack", "--for", "MIRA", "--no-history")
        #expect(roll.output == "hit: 4   1d1 + @str   1d1 [1]\n-1   @dex\n")
        #expect(try await table.sheets("roll", "@str", "--set", "str=9").output == "9   @str\n")
        #expect(try await table.sheets("roll", "@str").status == 2)
        #expect(try await table.sheets("roll", "@str", "--for", "Nobody").status == 1)
        #expect(try await table.sheets("roll", "book", "--for", "Mira").output.contains("attack  hit: 1d1"))
        #expect(try await table.sheets("roll", "save", "--for", "Mira", "bad", "4d").status == 2)
        let odds = try await table.sheets("roll", "odds", "2d6", "--at-least", "10")
        #expect(odds.output == "2d6: 10 or more with 16.67 %\n")
        let all = try await table.sheets("roll", "odds", "2d6")
        #expect(all.output.hasPrefix("2d6: 2 to 12, on average 7.00 ± 2.42\n"))
        #expect(all.output.contains("7  16.67 %   58.33 %  ##############################"))
    }

    @Test("tables are drawn from vocabulary packs and skill libraries of one's own")
    func oracles() async throws {
        let table = try Table()
        let words = "\(table.scratch.path)/words.json"
        try Data(#"{"korean_words":[{"word":"검","romanization":"geom","meaning":"sword","category":"noun"}]}"#.utf8)
            .write(to: URL(fileURLWithPath: words))
        let skills = "\(table.scratch.path)/mine.fstemplate"
        try Data(
            #"{"formatVersion":"1.0","name":"Mine","templates":[{"id":"a","name":"Arc","scope":"local","category":"Tech"}]}"#
                .utf8
        ).write(to: URL(fileURLWithPath: skills))
        let drawn = try await table.sheets("roll", "table", "NOUN", "--local", words, "--count", "2")
        #expect(drawn.output == "검   (geom; sword)\n검   (geom; sword)\n")
        let listed = try await table.sheets("roll", "table", "--local", words, "--local", skills)
        #expect(listed.output == "NAME  ENTRIES\nnoun        1\nTech        1\n")
        #expect(try await table.sheets("roll", "table", "verbs", "--local", words).status == 1)
    }

    @Test("a tracker goes through rounds, and every step can be undone")
    func initiative() async throws {
        let table = try Table()
        _ = try await table.sheets("initiative", "add", "Mira", "18")
        _ = try await table.sheets("initiative", "add", "Goblin", "--roll", "10")
        let next = try await table.sheets("initiative", "next")
        #expect(next.output.hasPrefix("Round 1.\nMira is up.\n"))
        #expect(next.output.contains(">     18  Mira"))
        _ = try await table.sheets("initiative", "condition", "Goblin", "prone", "--turns", "1")
        _ = try await table.sheets("initiative", "next")
        let third = try await table.sheets("initiative", "next", "--json").json()
        #expect(third["events"] as? [String] == ["Goblin is no longer prone.", "Round 2.", "Mira is up."])
        let back = try await table.sheets("initiative", "undo")
        #expect(back.output.contains("prone (1 turn)") && back.output.contains(">     10  Goblin"))
        #expect(try await table.sheets("initiative", "--of", "other").output.isEmpty)
        #expect(try await table.sheets("initiative", "act", "Mira").errors == "sheets: Mira is not delaying.\n")
    }

    @Test("when nobody is up because all others wait, whoever waits can act")
    func waiting() async throws {
        let table = try Table()
        _ = try await table.sheets("initiative", "add", "Mira", "18")
        _ = try await table.sheets("initiative", "add", "Goblin", "10")
        _ = try await table.sheets("initiative", "next")
        _ = try await table.sheets("initiative", "delay")
        _ = try await table.sheets("initiative", "remove", "Goblin")
        #expect(try await table.sheets("initiative", "next").errors == "sheets: Everybody is delaying.\n")
        #expect(try await table.sheets("initiative", "act", "Mira").output.hasPrefix("Mira is up.\n"))
        #expect(try await table.sheets("initiative", "next").output.hasPrefix("Round 2.\nMira is up.\n"))
    }

    @Test("numbers below 0 are taken, and one roll is one score")
    func belowZero() async throws {
        let table = try Table()
        #expect(try await table.sheets("initiative", "add", "Ooze", "--tie", "-2", "--", "-3").status == 0)
        #expect(try await table.sheets("initiative", "add", "Slime", "--roll", "0-3", "--tie", "-1").status == 0)
        let order = try await table.sheets("initiative").output.split(separator: "\n").dropFirst()
        #expect(order.map { $0.split(separator: " ") } == [["-3", "Slime"], ["-3", "Ooze"]], "\(order)")
        #expect(try await table.sheets("initiative", "score", "Ooze", "--tie", "-5", "--", "-1").status == 0)
        #expect(try await table.sheets("initiative", "show", "--json").output.contains("\"tiebreaker\" : -5"))
        for several in ["d20; d20", "2x d20"] {
            let refused = try await table.sheets("initiative", "add", "Bat", "--roll", several)
            #expect(refused.status == 2 && refused.errors.contains("one roll"), "\(refused.errors)")
        }
        #expect(try await table.sheets("initiative", "add", "--help").output.contains("-- -3"))
        let odds = try await table.sheets("roll", "odds", "d4-4", "--at-least", "-1")
        #expect(odds.output == "1d4 - 4: -1 or more with 50.00 %\n", "\(odds.output) \(odds.errors)")
    }

    @Test("campaigns keep characters and notes, which are found again; archived ones are out of sight")
    func campaigns() async throws {
        let table = try Table()
        #expect(try await table.sheets("campaign", "new", "The Long Road", "-g", "dnd5e").status == 0)
        #expect(try await table.sheets("campaign", "new", "the long road").status == 1)
        _ = try await table.sheets("campaign", "join", "the long road", "--guest", "Mira", "--player", "Ada")
        _ = try await table.sheets(
            "campaign", "note", "The Long Road", "--title", "The inn", "--day", "2026-03-01", input: "They met Zoë.\n")
        let found = try await table.sheets("campaign", "search", "zoe")
        #expect(found.output == "2026-03-01  The Long Road: The inn\n  They met Zoë.\n")
        let shown = try await table.sheets("campaign", "show", "The Long Road")
        #expect(shown.output.contains("  Mira, played by Ada\n") && shown.output.contains("2026-03-01  The inn  ["))
        _ = try await table.sheets("campaign", "archive", "The Long Road")
        #expect(try await table.sheets("campaign").errors.hasPrefix("There is no campaign yet"))
        #expect(try await table.sheets("campaign", "join", "The Long Road", "--guest", "Tam").status == 1)
        #expect(try await table.sheets("campaign", "list", "--all").output.contains("2026-03-01 archived"))
        #expect(try await table.sheets("campaign", "note", "The Long Road", "x", "--day", "2026-02-30").status == 2)
    }

    @Test("many processes that change one file at once lose nothing, and a damaged file is left alone")
    func together() async throws {
        let table = try Table()
        try await withThrowingTaskGroup(of: Int32.self) { group in
            for number in 0..<8 {
                group.addTask { try await table.sheets("initiative", "add", "c\(number)", "\(number)").status }
            }
            for try await status in group { #expect(status == 0) }
        }
        let order = try await table.sheets("initiative", "--json").json()
        #expect((order["combatants"] as? [Any])?.count == 8)
        let file = "\(table.scratch.library.root)/table/initiative/table.json"
        for text in ["{", #"{"format":2}"#] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            #expect(try await table.sheets("initiative", "next").status != 0)
            #expect(FileManager.default.contents(atPath: file) == Data(text.utf8))
        }
    }

    @Test("shells get completions that know installed names, man gets pages made from the help")
    func completions() async throws {
        let table = try Table()
        for shell in ["bash", "zsh", "fish"] {
            let script = try await table.sheets("completions", shell)
            #expect(script.status == 0 && script.output.contains("rollback"), "\(shell)")
        }
        #expect(try await table.sheets("completions", "csh").status == 2)
        _ = try await table.sheets("campaign", "new", "Road")
        let sheet = SampleSheet()
        try await withStub(sheet.market()) { server in
            _ = try await server.installer(table.scratch).install(.quest)
        }
        let script = try await table.sheets("completions", "fish").output
        #expect(script.contains("---completion"))
        let names = try await table.sheets(
            "---completion", "open", "--", "positional@0", "2", "0", "", "sheets", "open", "")
        #expect(names.output.contains("quest-sheet"), "\(names.output) \(names.errors)")
        // As somebody who presses Tab in bash, of whom the name's beginning stands there.
        let tab = """
            shopt -s extglob
            source "$1"
            COMP_LINE='sheets open que' COMP_POINT=15 COMP_WORDS=(sheets open que) COMP_CWORD=2
            _sheets sheets que open
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let file = "\(table.scratch.path)/completions.bash"
        try await table.sheets("completions", "bash").output.write(toFile: file, atomically: true, encoding: .utf8)
        let programs = CommandLineRun.executable.deletingLastPathComponent().path
        let offered = try await Command.run(
            URL(fileURLWithPath: "/bin/bash"), ["-c", tab, "bash", file],
            environment: [
                "PATH": "\(programs):/usr/bin:/bin", "SHEETS_LIBRARY": table.scratch.library.root,
                "HOME": table.scratch.path,
            ])
        #expect(
            offered.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) } == ["quest-sheet"],
            "\(offered.output)\(offered.errors)")
        let sheets = try await table.sheets(
            "---completion", "character", "new", "--", "--template", "3", "0", "", "sheets", "character", "new",
            "--template", "")
        #expect(sheets.output.contains("quest-sheet"), "\(sheets.output) \(sheets.errors)")
        for command in ["import", "verify"] {
            let part = try await table.sheets("completions", "bash").output.components(
                separatedBy: "_sheets_archive_\(command)()")
            #expect(part.last?.components(separatedBy: "\n}").first?.contains("ttrpg") == true)
        }

        let pages = try await table.sheets("manual", "--to", "\(table.scratch.path)/man")
        #expect(pages.status == 0, "\(pages.errors)")
        let folder = "\(table.scratch.path)/man/man1"
        let install = try #require(FileManager.default.contents(atPath: "\(folder)/sheets-install.1"))
        let text = String(decoding: install, as: UTF8.self)
        #expect(text.hasPrefix(".TH \"SHEETS\\-INSTALL\" 1") && text.contains("\\-\\-offline"))
        #expect(FileManager.default.fileExists(atPath: "\(folder)/sheets-roll-odds.1"))
        let manuals = ["sheets", "sheets-review", "sheets-install"].map { "\(folder)/\($0).1" }
        let shown = try await CommandLineRun.start(
            [], in: table.scratch, server: "http://127.0.0.1:1", environment: ["LC_ALL": "C.UTF-8", "MANWIDTH": "120"],
            through: ["/bin/sh", "-c", "exec man --warnings -P cat -l \(manuals.joined(separator: " "))"]
        ).end()
        #expect(shown.status == 0 && shown.errors.isEmpty, "\(shown.errors)")
        #expect(shown.output.contains("SHEETS-REVIEW(1)") && shown.output.contains("--offline"), "\(shown.output)")
    }
}
