// SPDX-License-Identifier: Apache-2.0
import CharacterCore
import Foundation
import MarketClient
import SheetCore
import Testing

@Suite("Characters as PDF")
struct ExportTests {
    @Test(
        "ink is where it was drawn, on pages of every kind, and nothing else changes; text is found, fields stay",
        arguments: [
            "plain", "turned90", "turned180", "turned270", "cropped", "cropped-turned", "cropped-upside-down",
            "shifted",
            "shifted-cropped-turned", "large",
        ])
    func places(kind: String) async throws {
        let box = TextBox(
            "Größe Ωmega torchlight", in: PageRect(x: 100, y: 400, width: 300, height: 25), font: "DejaVu Sans",
            size: 20)
        let (sheets, original) = try await ExportWorkbench.player(kind, [ExportWorkbench.element(1, .text(box))])
        _ = try await sheets("character", "draw", "Brom", "72,60", "180,90", "200,72", "--color", "#1f5fbf")
        _ = try await sheets("character", "draw", "Brom", "200,200", "260,210", "--page", "2", "--width", "9")
        let ink = """
            "1": [[71, 59, 130, 32], [100, 400, 300, 25]], "2": [[195, 195, 70, 20]]
            """
        var exports: [(file: String, wanted: String)] = []
        for (placement, isAnnotation) in [("content", false), ("annotations", true)] {
            let file = "\(sheets.scratch.path)/\(placement).pdf"
            _ = try await sheets("export", "Brom", "--pdf", file, "--as", placement)
            // Text in annotations is no text of the page.
            let words = isAnnotation ? "" : #""Größe", "Ωmega", "torchlight""#
            let wanted =
                #"{"ink": {\#(ink)}, "words": [\#(words)], "annotations": \#(isAnnotation), "fillable": \#(kind == "plain")}"#
            exports.append((file, wanted))
        }
        try await ExportWorkbench.expect(original, exports)
        try await ExportWorkbench.expectLooks(of: exports.map(\.file), on: original, by: sheets)
    }

    @Test("a pen that swells, figures and layers are drawn as they are kept; what is no vectors is said")
    func contents() async throws {
        let swelling = (0..<20).map { InkPoint(x: 100 + 8 * Double($0), y: 300, width: 1 + Double($0 % 10)) }
        let picture = PageImage(
            sha256: ContentHash(hashing: Data()), mediaType: "image/png",
            frame: PageRect(x: 0, y: 0, width: 9, height: 9))
        let ink = ForeignInk(format: "com.apple.pencilkit", data: Data("wrd".utf8))
        var notes = DrawingLayer.notes
        (notes.opacity, notes.blendMode) = (0.5, .multiply)
        let (sheets, original) = try await ExportWorkbench.player(
            "plain", layers: [.base, notes, .temporary],
            [
                ExportWorkbench.element(1, .stroke(Stroke(points: swelling))),
                ExportWorkbench.element(2, .stroke(Stroke(points: [InkPoint(x: 400, y: 100, width: 8)]))),
                ExportWorkbench.element(
                    3, on: notes,
                    .shape(Shape(.ellipse, from: PagePoint(300, 400), to: PagePoint(360, 440), fill: .black))),
                ExportWorkbench.element(
                    4, on: notes, .shape(Shape(.arrow, from: PagePoint(300, 500), to: PagePoint(360, 540)))),
                ExportWorkbench.element(
                    5, on: .temporary,
                    .shape(Shape(.rectangle, from: PagePoint(400, 600), to: PagePoint(500, 640), rotation: .pi / 2))),
                ExportWorkbench.element(6, .image(picture)),
                ExportWorkbench.element(7, .foreign(ink)), ExportWorkbench.element(8, on: notes, .foreign(ink)),
            ])
        let file = "\(sheets.scratch.path)/all.pdf"
        let said = try await sheets("export", "Brom", "--pdf", file)
        #expect(said.contains("Page 1: left out 1 picture whose file is missing"))
        #expect(said.contains("Page 1: left out 2 pieces of foreign ink"))
        let base = "[95, 294, 162, 12], [396, 96, 8, 8]"
        let others = "[299, 399, 62, 42], [299, 494, 62, 47], [429, 569, 42, 102]"
        try await ExportWorkbench.expect(original, file, #"{"ink": {"1": [\#(base), \#(others)]}, "fillable": true}"#)
        #expect(try await sheets("export", "Brom", "--pdf", file, status: 1).contains("--force"))
        let json = try await sheets(
            "export", "Brom", "--pdf", file, "--force", "--layers", "Base", "--pages", "1", "--json")
        #expect(json.contains("left out 1 piece of foreign ink"))
        try await ExportWorkbench.expect(original, file, #"{"pages": [1], "ink": {"1": [\#(base)]}, "fillable": true}"#)
        #expect(
            try await sheets("export", "Brom", "--pdf", file, "--force", "--layers", "Sky", status: 2).contains("Sky"))
        #expect(
            try await sheets("export", "Brom", "--pdf", file, "--force", "--pages", "1-9", status: 2).contains("page 9")
        )
        #expect(
            try await sheets("export", "Brom", "--pdf", file, "--force", "--pages", "3-1", status: 2).contains("3-1"))
    }

    @Test("form fields are filled in by name; of a name that there is not, the names are told")
    func fields() async throws {
        let (sheets, _) = try await ExportWorkbench.player("plain")
        let file = "\(sheets.scratch.path)/filled.pdf"
        let said = try await sheets("export", "Brom", "--pdf", file, "--fill", "Nobody=1", status: 1)
        #expect(said.contains("there are: "))
        #expect(!FileManager.default.fileExists(atPath: file))
        let name = "identity-heros-name"
        let box = "saving-throws-strength-proficient"
        _ = try await sheets("export", "Brom", "--pdf", file, "--fill", "\(name)=Größe = 2", "--fill", "\(box)=yes")
        let (status, output) = try await ExportWorkbench.python("values", file)
        let values = try JSONDecoder().decode([String: String].self, from: Data(output.utf8))
        #expect(status == 0 && values[name] == "Größe = 2" && values[box].map { $0 != "/Off" } == true, "\(output)")
    }

    @Test(
        "blank pages become a PDF as well, letters that no font has are told, and without its program it says what to do"
    )
    func programs() async throws {
        let scratch = try Scratch()
        let sheets = ExportPlayer(scratch: scratch)
        let file = "\(scratch.path)/blank.pdf"
        _ = try await sheets("character", "new", "Brom", "--pages", "3")
        _ = try await sheets("character", "text", "Brom", "Hello\nthere 漢字", "--at", "72,72", "--page", "2")
        _ = try await sheets("character", "text", "Brom", "Torch", "--at", "72,72", "--page", "3")
        #expect(
            try await sheets("export", "Brom", "--pdf", file, "--pages", "2-3").contains(
                "Page 2: 2 letters are in no font"))
        let (status, output) = try await ExportWorkbench.python(
            "check", file, file, #"{"ink": {}, "words": ["Torch"]}"#)
        #expect(status == 0, "\(output)")
        // A copy that stands alone; the system may have the program.
        let alone = "\(scratch.path)/sheets"
        guard !FileManager.default.isExecutableFile(atPath: "/usr/bin/sheet-export") else { return }
        let process = Process()
        let errors = Pipe()
        // Another program copies it: what a test beside this one starts would inherit the file while this one wrote it, and no
        // file is run that is open for writing.
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [
            "-c", #"cp "$0" "$1" && exec "$@""#, CommandLineRun.executable.path, alone, "export", "Brom", "--pdf",
            "\(scratch.path)/none.pdf", "--library", scratch.library.root,
        ]
        process.environment = ["HOME": scratch.path, "PATH": "/bin"]
        process.standardError = errors
        try process.run()
        let text = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 1 && text.contains("Debian package sheet-export"), "\(text)")
    }

    @Test("a sheet that is no PDF, or of another shape, is refused in words, and no file is left")
    func refusals() async throws {
        let scratch = try Scratch()
        let sheets = ExportPlayer(scratch: scratch)
        for (name, data, width) in [("Broken", Data("%PDF-1.4 nothing".utf8), 612.0), ("Wide", nil, 300)] {
            let pdf = try data ?? Data(contentsOf: URL(fileURLWithPath: ExportWorkbench.sheet))
            let character = PlayerCharacter(
                id: .make(), name: name,
                template: CharacterTemplate(sha256: ContentHash(hashing: pdf), name: name, license: "CC-BY-4.0"),
                createdAt: Date())
            var archived = ArchivedCharacter(
                SheetContent(
                    character: character, drawings: [0: PageDrawing(size: PageSize(width: width, height: 792))]))
            archived.template = pdf
            let archive = "\(scratch.path)/\(name).ttrpg"
            try CharacterArchive.write([archived], at: Date()).write(to: URL(fileURLWithPath: archive))
            _ = try await sheets("archive", "import", archive)
            _ = try await sheets("character", "draw", name, "72,60", "180,90")
            let file = "\(scratch.path)/\(name).pdf"
            let said = try await sheets("export", name, "--pdf", file, status: 1)
            #expect(said.contains(data == nil ? "another shape" : "too damaged"))
            #expect(!FileManager.default.fileExists(atPath: file))
        }
    }
}
