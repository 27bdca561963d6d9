// SPDX-License-Identifier: Apache-2.0
import CharacterCore
import Foundation
import MarketClient
import SheetCore
import Testing

@Suite("Forms filled in from characters")
struct FillTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../..").standardizedFileURL
    private static let everything =
        [
            "str=16", "Backstory=Born\nin Ö", "Code=AB12", "strength_save_proficient=yes", "alignment=neutral",
            "class=Fighter", "race=Gnome", "languages=Common\nOrcish",
        ]

    /// The other program.
    private struct Values: Decodable {
        enum Value: Decodable, Equatable {
            case one(String)
            case several([String])

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let text = try? container.decode(String.self) {
                    self = .one(text)
                } else {
                    self = .several(try container.decode([String].self))
                }
            }
        }

        let values: [String: Value]
        let pushed: [String: [String]]
    }

    private static func pypdf(_ arguments: String...) async throws -> String {
        let process = Process()
        process.executableURL = root.appending(path: ".venv/bin/python")
        process.arguments = [root.appending(path: "Tests/Readers/form_pdf.py").path] + arguments
        let output = Pipe()
        process.standardOutput = output
        let ended = AsyncStream<Int32> { stream in
            process.terminationHandler = {
                stream.yield($0.terminationStatus)
                stream.finish()
            }
        }
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        for await status in ended { try #require(status == 0, "\(arguments)") }
        return text
    }

    private struct Player {
        let scratch: Scratch

        func callAsFunction(_ arguments: [String], status: Int32 = 0) async throws -> CommandLineRun {
            let run = try await CommandLineRun.start(arguments, in: scratch, server: "http://127.0.0.1:1").end()
            #expect(run.status == status, "\(arguments): \(run.output)\(run.errors)")
            return run
        }

        func callAsFunction(_ arguments: String..., status: Int32 = 0) async throws -> CommandLineRun {
            try await self(arguments, status: status)
        }
    }

    /// Somebody who has Brom on a form with one field of each kind.
    private static func player(_ kind: String? = nil) async throws -> (Player, form: String) {
        let scratch = try Scratch()
        var form = "\(scratch.path)/form.pdf"
        _ = try await pypdf("make", form)
        if let kind {
            _ = try await pypdf("vary", kind, form, "\(scratch.path)/\(kind).pdf")
            form = "\(scratch.path)/\(kind).pdf"
        }
        let pdf = try Data(contentsOf: URL(fileURLWithPath: form))
        let template = CharacterTemplate(
            sha256: ContentHash(hashing: pdf), name: "Form", license: "CC0-1.0", gameSystem: "dnd5e")
        let character = PlayerCharacter(id: .make(), name: "Brom", template: template, createdAt: Date())
        let drawing = PageDrawing(size: PageSize(width: 612, height: 792))
        var archived = ArchivedCharacter(SheetContent(character: character, drawings: [0: drawing]))
        archived.template = pdf
        let archive = "\(scratch.path)/brom.ttrpg"
        try CharacterArchive.write([archived], at: Date()).write(to: URL(fileURLWithPath: archive))
        let sheets = Player(scratch: scratch)
        _ = try await sheets("archive", "import", archive)
        return (sheets, form)
    }

    @Test("every kind of field is filled in from the character, as another program reads it")
    func filling() async throws {
        let (sheets, _) = try await Self.player()
        let file = "\(sheets.scratch.path)/filled.pdf"
        _ = try await sheets(["character", "set", "Brom"] + Self.everything + ["gold=7", "Serial=B"])
        let run = try await sheets("fill", "Brom", "--pdf", file, "--json")
        let report = try run.json()
        #expect(report["gameSystem"] as? String == "dnd5e" && report["unmatchedNames"] as? [String] == ["gold"])
        let refused = try #require(report["refused"] as? [[String: String]])
        #expect(refused.map { $0["field"] } == ["Serial"] && refused.first?["reason"]?.contains("read") == true)
        let read = try JSONDecoder().decode(Values.self, from: Data(try await Self.pypdf("values", file).utf8))
        #expect(
            read.values == [
                "CharacterName": .one("Brom"), "STR": .one("16"), "Backstory": .one("Born\nin Ö"), "Code": .one("AB12"),
                "Serial": .one("A-1"), "STR prof": .one("/On"), "Alignment": .one("/Neutral"), "Class": .one("f"),
                "Race": .one("Gnome"), "Languages": .several(["Common", "Orcish"]),
            ])
        #expect(read.pushed == ["STR prof": ["/On"], "Alignment": ["/Off", "/Neutral", "/Off"]])
        #expect(try await sheets("fill", "Brom", "--pdf", file, status: 1).errors.contains("--force"))

        // And read back into another character it is the same.
        let brom = try #require(
            try await sheets("character", "show", "Brom", "--json").json()["character"] as? [String: Any])
        let id = try #require(brom["id"] as? String)
        _ = try await sheets("character", "new", "Mira")
        let taken = try await sheets("fill", "Mira", "--from", file, "-g", "dnd5e")
        #expect(taken.output.contains("Took over 10 fields"), "\(taken.output)\(taken.errors)")
        #expect(taken.errors.contains("Serial"))
        let values = try #require(brom["values"] as? [String: String])
        let again = try await sheets("fill", id, "--from", file).output
        #expect(again.contains("Took over 1 field"), "only what is read-only there differs: \(again)")
        #expect(values["strength"] == "16" && values["species"] == "Gnome")
    }

    @Test("what another program filled in is read, as one step that can be undone; empty fields keep what was")
    func reading() async throws {
        let (sheets, form) = try await Self.player()
        let file = "\(sheets.scratch.path)/theirs.pdf"
        _ = try await Self.pypdf(
            "fill", form, file,
            #"{"CharacterName":"Mira Größe","STR":"14","Backstory":"One\nTwo","Code":"XY","STR prof":"/On","#
                + #""Alignment":"/Chaotic","Class":"w","Race":"Orc","Languages":["Elvish","Orcish"]}"#)
        _ = try await sheets("character", "set", "Brom", "gold=7", "level=3")
        _ = try await sheets("fill", "Brom", "--from", file)
        let shown = try await sheets("character", "show", "Mira Größe", "--json").json()
        let character = try #require(shown["character"] as? [String: Any])
        #expect(
            character["values"] as? [String: String] == [
                "strength": "14", "backstory": "One\nTwo", "Code": "XY", "strength_save_proficient": "yes",
                "alignment": "Chaotic", "class": "Wizard", "species": "Orc", "languages": "Elvish\nOrcish", "gold": "7",
                "level": "3", "Serial": "A-1",
            ])
        #expect(shown["undo"] as? String == "Read form")
        _ = try await sheets("fill", "Mira Größe", "--from", form)
        #expect(try await sheets("character", "show", "Mira Größe").output.contains("strength = 14"))
        _ = try await sheets("fill", "Mira Größe", "--from", form, "--clear")
        #expect(try await !sheets("character", "show", "Mira Größe").output.contains("strength = "))
        _ = try await sheets("character", "undo", "Mira Größe")
        #expect(try await sheets("character", "show", "Mira Größe").output.contains("strength = 14"))
        // The box that is not ticked there, and all that was read first.
        for _ in 0..<2 { _ = try await sheets("character", "undo", "Mira Größe") }
        #expect(try await sheets("character", "list").output.contains("Brom"))
    }

    @Test("names of one's own map what no preset knows; what cannot be filled in is told, also by --fill")
    func mapping() async throws {
        let (sheets, _) = try await Self.player()
        let file = "\(sheets.scratch.path)/mapped.pdf"
        _ = try await sheets("character", "set", "Brom", "access code=AB12", "class=Bard")
        let plain = try await sheets("fill", "Brom", "--pdf", file)
        #expect(plain.errors.contains("no choice 'Bard', only Wizard, Fighter"))
        #expect(plain.errors.contains("has no place for: access code"))
        let names = "\(sheets.scratch.path)/names.json"
        try Data(#"{"format":"fieldnames","formatVersion":1,"fields":{"access code":["code"]}}"#.utf8)
            .write(to: URL(fileURLWithPath: names))
        _ = try await sheets("fill", "Brom", "--pdf", file, "--force", "--names", names)
        #expect(try await Self.pypdf("values", file).contains(#""Code": "AB12""#))
        #expect(try await sheets("fill", "Brom", "--names", file, status: 2).errors.contains("names a") == false)
        #expect(try await sheets("fill", "Brom", "-g", "nothing", status: 2).errors.contains("dnd5e"))
        let listed = try await sheets("fill", "Brom").output
        #expect(
            listed.contains("Languages") && listed.contains("choice") && listed.contains("strength_save_proficient"))

        for (value, said) in [
            ("Alignment=Evil", "Lawful, Neutral, Chaotic"), ("Serial=1", "only be read"), ("Code=12345", "at most 4"),
            ("Class=Bard", "Wizard, Fighter"),
        ] {
            let refused = try await sheets("export", "Brom", "--pdf", file, "--force", "--fill", value, status: 1)
            #expect(refused.errors.contains(said), "\(refused.errors)")
        }
        _ = try await sheets(
            "export", "Brom", "--pdf", file, "--force", "--fill", "Alignment=lawful", "--fill", "Class=f")
        let read = try await Self.pypdf("values", file)
        #expect(read.contains(#""Alignment": "/Lawful""#) && read.contains(#""Class": "f""#))
    }

    @Test("a form with XFA besides, or locked for changes, is filled in; one with a password, or of XFA alone, is not")
    func lockedForms() async throws {
        for kind in ["xfa", "locked"] {
            let (sheets, form) = try await Self.player(kind)
            #expect(try await Self.pypdf("values", form).contains(#""xfa": true"#) == (kind == "xfa"))
            let file = "\(sheets.scratch.path)/filled.pdf"
            _ = try await sheets("character", "set", "Brom", "strength=16")
            let run = try await sheets("fill", "Brom", "--pdf", file)
            #expect((run.output + run.errors).contains("XFA part was left out") == (kind == "xfa"))
            let read = try await Self.pypdf("values", file)
            #expect(read.contains(#""STR": "16""#) && read.contains(#""xfa": false"#))
        }
        for (kind, reason) in [("xfa-alone", "XFA alone"), ("secret", "needs a password")] {
            let (sheets, form) = try await Self.player(kind)
            let file = "\(sheets.scratch.path)/filled.pdf"
            #expect(try await sheets("fill", "Brom", "--pdf", file, status: 1).errors.contains(reason))
            #expect(try await sheets("fill", "Brom", "--from", form, status: 1).errors.contains(reason))
            #expect(!FileManager.default.fileExists(atPath: file))
        }
    }

    private struct Listing: Decodable {
        struct One: Decodable { let field: FormField }
        let fields: [One]
    }

    private struct Filled: Decodable {
        let fields: [FormFilling.Entry]
        let refused: [FormFilling.Refusal]
    }

    /// Something that a field takes; `nil` if it takes nothing.
    private static func sample(_ field: FormField) -> String? {
        guard field.isReadOnly != true else { return nil }
        switch field.kind {
        case .text: return "7"
        case .checkBox: return "yes"
        case .radio, .choice: return field.options?.map(\.label).first { !$0.isEmpty }
        case .other: return nil
        }
    }

    @Test(
        "every field of real sheets is filled in from a character, seen on its page, and read back as the same",
        arguments: ExportWorkbench.realSheets)
    func real(path: String) async throws {
        let scratch = try Scratch()
        let sizes = try #require(ExportWorkbench.sizesOfForms[path])
        _ = try await ExportWorkbench.player(in: scratch, on: path, sizes: sizes)
        let sheets = Player(scratch: scratch)
        func fill(_ arguments: String...) async throws -> Data {
            Data(try await sheets(["fill"] + arguments + ["--json"]).output.utf8)
        }
        // The form may give another name.
        let shown = try await sheets("character", "show", "Brom", "--json").json()["character"] as? [String: Any]
        let brom = try #require(shown?["id"] as? String)
        let form = try JSONDecoder().decode(Listing.self, from: await fill("Brom")).fields.map(\.field)
        // What stands in a field of this name is the character's own.
        let fields = form.filter { Self.sample($0) != nil && $0.name != PlayerCharacter.nameField }
        let values = fields.compactMap { field in Self.sample(field).map { (field.name, $0) } }
        try #require(!values.isEmpty)
        _ = try await ExportWorkbench.player(
            in: scratch, on: path, sizes: sizes, named: "Mira", values: Dictionary(uniqueKeysWithValues: values))
        let (once, again, wanted) = (
            "\(scratch.path)/once.pdf", "\(scratch.path)/again.pdf", "\(scratch.path)/wanted.json"
        )
        let filled = try JSONDecoder().decode(Filled.self, from: await fill("Mira", "--pdf", once))
        #expect(filled.refused.isEmpty, "\(filled.refused)")
        #expect(Set(filled.fields.map(\.field)).isSuperset(of: values.map(\.0)))
        _ = try await fill(brom, "--from", once)
        let copied = try JSONDecoder().decode(Filled.self, from: await fill(brom, "--pdf", again))
        #expect(copied.refused.isEmpty, "\(copied.refused)")
        try JSONEncoder().encode(fields).write(to: URL(fileURLWithPath: wanted))
        let checked = try await ExportWorkbench.python(
            "filled", path, once, again, wanted, script: "form_pdf.py")
        #expect(checked.status == 0, "\(checked.output)")
    }

    @Test("the example sheet's form is known by its names; files that are no forms are refused in words")
    func example() async throws {
        let (sheets, _) = try await Self.player()
        let lantern = Self.root.appending(path: "examples/sheets/lantern-and-blade.pdf").path
        let run = try await sheets("fill", "Brom", "--from", lantern, "--json")
        let report = try run.json()
        #expect(report["gameSystem"] as? String == "dnd5e")
        #expect((report["unmatchedFields"] as? [String])?.contains("companions-name") == true)
        let other = Self.root.appending(path: "examples/sheets/rust-season.pdf").path
        #expect(try await sheets("fill", "Brom", "--from", other, status: 1).errors.contains("no form fields"))
        let broken = "\(sheets.scratch.path)/broken.pdf"
        try Data("%PDF-1.4 nothing".utf8).write(to: URL(fileURLWithPath: broken))
        #expect(try await sheets("fill", "Brom", "--from", broken, status: 1).errors.contains("no PDF"))
        _ = try await sheets("character", "new", "Blank")
        #expect(try await sheets("fill", "Blank", status: 1).errors.contains("blank pages"))
        #expect(try await sheets("fill", "Brom", "--clear", status: 2).errors.contains("--from"))
    }
}
