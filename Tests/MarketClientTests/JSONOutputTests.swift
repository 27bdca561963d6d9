// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore
import TestSupport
import Testing

/// That each output fits its schema is checked wherever a test runs `sheets … --json`.
@Suite("JSON for programs")
struct JSONOutputTests {
    private struct Help: Decodable {
        let command: Command
    }

    /// What the parser tells of a command.
    private struct Command: Decodable {
        struct Argument: Decodable {
            struct Name: Decodable { let name: String }

            let names: [Name]?
        }

        let commandName: String
        let arguments: [Argument]?
        let subcommands: [Command]?

        /// Commands without any below them, by their words.
        func leaves(_ path: [String] = []) -> [(path: [String], hasJSON: Bool)] {
            let below = (subcommands ?? []).filter { $0.commandName != "help" }
            guard below.isEmpty else { return below.flatMap { $0.leaves(path + [$0.commandName]) } }
            let names = (arguments ?? []).flatMap { $0.names ?? [] }.map(\.name)
            return [(path, names.contains("json"))]
        }
    }

    @Test("every command has --json and a schema")
    func all() async throws {
        let scratch = try Scratch()
        let nowhere = "http://127.0.0.1:1"
        let dump = try await CommandLineRun.sheets("--experimental-dump-help", in: scratch, server: nowhere)
        let help = try JSONDecoder().decode(Help.self, from: Data(dump.output.utf8))
        let leaves = help.command.leaves()
        #expect(leaves.count > 50)
        let document = try JSONOutputs.document()
        guard case .object(let members) = document, case .object(let schemas)? = members["$defs"] else {
            Issue.record("no $defs")
            return
        }
        for (path, hasJSON) in leaves {
            #expect(hasJSON, "\(path) has no --json")
            #expect(schemas[path.joined(separator: "-")] != nil, "\(path) has no schema")
        }
    }

    @Test("the schema says of itself, of each command and of each property what it is")
    func described() throws {
        let document = try JSONOutputs.document()
        #expect(JSONOutputs.undescribed(in: document) == [])
        let bare: JSONValue = [
            "$defs": [
                "list": ["properties": ["sheets": ["items": ["properties": ["name": ["description": " "]]]]]],
                "open": ["description": "A file.", "anyOf": [["properties": ["path": ["description": "Where."]]]]],
            ]
        ]
        #expect(JSONOutputs.undescribed(in: bare) == ["list", "list/sheets", "list/sheets/name", "the schema"])
    }

    @Test("commands about the program itself answer in JSON, too")
    func ofTheProgram() async throws {
        let scratch = try Scratch()
        let nowhere = "http://127.0.0.1:1"
        let script = try await CommandLineRun.sheets("completions", "bash", "--json", in: scratch, server: nowhere)
            .json()
        #expect(script["shell"] as? String == "bash" && (script["script"] as? String)?.contains("sheets") == true)
        let manual = try await CommandLineRun.sheets(
            "manual", "--to", "\(scratch.path)/man", "--json", in: scratch, server: nowhere
        ).json()
        #expect((manual["pages"] as? [String])?.contains("sheets-install") == true)
        let out = try await CommandLineRun.sheets("logout", "--json", in: scratch, server: nowhere).json()
        #expect(out["revoked"] as? Bool == false && out["handle"] == nil)
    }

    /// Each is checked by its schema as it runs.
    @Test("commands about what is installed answer in JSON, too")
    func installed() async throws {
        let scratch = try Scratch()
        let lines = [
            "install quest-sheet@1.0.0", "install quest-sheet@1.1.0", "open quest-sheet", "pin quest-sheet",
            "unpin quest-sheet", "rollback quest-sheet", "archive template quest-sheet --output @/a.sheetbundle",
            "show quest-sheet", "remove quest-sheet", "install quest-sheet@1.0.0 --offline",
            "remove quest-sheet --purge",
        ]
        try await withStub(SampleSheet().market()) { server in
            for line in lines {
                let words = line.replacing("@/", with: "\(scratch.path)/").split(separator: " ").map { String($0) }
                let run = try await CommandLineRun.start(words + ["--json"], in: scratch, server: server.url).end()
                #expect(run.status == 0 && !run.output.isEmpty, "\(line): \(run.errors)")
                // What was removed is told as it is then.
                guard words[0] == "remove" else { continue }
                let removed = try #require((try run.json()["templates"] as? [[String: Any]])?.first)
                #expect(removed["installed"] as? Bool == false && removed["previousVersion"] as? String == "1.0.0")
                let kept = line.contains("--purge") ? 0 : 2
                #expect((removed["savedVersions"] as? [String])?.count == kept, "\(line): \(run.output)")
            }
        }
    }

    /// Each is checked by its schema as it runs.
    @Test(
        "commands of the table answer in JSON, too",
        arguments: [
            [
                "roll dice 2d6+1 --seed 1", "roll odds 3d6 --at-least 10", "roll set str=3 --for Ada",
                "roll save attack 1d20+@str --for Ada", "roll book --for Ada", "roll dice attack --for Ada",
                "roll history",
                "roll table", "roll 2d6",
            ],
            [
                "initiative add Orc 12", "initiative add Elf 12", "initiative add Imp --roll 1d20",
                "initiative condition Orc stunned --turns 2", "initiative before Elf Orc", "initiative show",
                "initiative next", "initiative delay", "initiative score Orc 10", "initiative remove Imp",
                "initiative undo", "initiative clear", "initiative",
            ],
            [
                "campaign new Road --game-system dnd5e", "campaign note Road Met --title First",
                "campaign join Road --guest Ada --player Bob", "campaign list", "campaign show Road",
                "campaign search met",
                "campaign leave Road Ada", "campaign archive Road", "campaign",
            ],
            [
                "character new Ada", "character list", "character text Ada hello --at 0.1,0.2",
                "character draw Ada 0.1,0.1 0.2,0.2", "character history Ada", "character undo Ada",
                "character redo Ada",
                "character show Ada", "archive export Ada --output @/ada.zip", "archive verify @/ada.zip",
                "archive import @/ada.zip", "backup now --folder @/backups", "backup list --folder @/backups",
                "backup restore --folder @/backups", "character remove Ada --yes",
            ],
            ["list", "list --all", "verify", "clean"],
        ])
    func table(_ lines: [String]) async throws {
        let scratch = try Scratch()
        for line in lines {
            let words: [String] = line.split(separator: " ").map {
                String($0).replacing("@/", with: "\(scratch.path)/")
            }
            let run = try await CommandLineRun.start(words + ["--json"], in: scratch, server: "http://127.0.0.1:1")
                .end()
            #expect(run.status == 0 && !run.output.isEmpty, "\(line): \(run.errors)")
        }
    }
}
