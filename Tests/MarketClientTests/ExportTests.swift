// SPDX-License-Identifier: Apache-2.0
import CharacterCore
import Foundation
import MarketClient
import SheetCore
import Testing

@Suite("Characters as PDF")
struct ExportTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../..").standardizedFileURL
    private static let sheet = root.appending(path: "examples/sheets/lantern-and-blade.pdf").path

    /// A player with a character on a sheet, or on blank pages.
    private struct Player {
        let scratch: Scratch
        /// As displayed.
        var sizes = [PageSize(width: 612, height: 792)]

        func callAsFunction(_ arguments: String..., status: Int32 = 0) async throws -> String {
            let run = try await CommandLineRun.start(arguments, in: scratch, server: "http://127.0.0.1:1").end()
            #expect(run.status == status, "\(arguments): \(run.output)\(run.errors)")
            return run.output + run.errors
        }
    }

    /// Runs the other reader.
    private static func python(_ arguments: String...) async throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = root.appending(path: ".venv/bin/python")
        process.arguments = [root.appending(path: "Tests/Readers/exported_pdf.py").path] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        let ended = AsyncStream<Int32> { stream in
            process.terminationHandler = {
                stream.yield($0.terminationStatus)
                stream.finish()
            }
        }
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        var status: Int32 = -1
        for await code in ended { status = code }
        return (status, text)
    }

    private static func expect(_ original: String, _ exported: String, _ wanted: String) async throws {
        let (status, output) = try await python("check", original, exported, wanted)
        #expect(status == 0, "\(output)")
    }

    /// Somebody who has Brom on a variant of an example sheet, with elements on its first page.
    private static func player(
        _ kind: String, layers: [DrawingLayer] = DrawingLayer.standard, _ elements: [PageElement] = []
    ) async throws -> (Player, original: String) {
        let scratch = try Scratch()
        let original = "\(scratch.path)/original.pdf"
        let (status, output) = try await python("vary", kind, sheet, original)
        try #require(status == 0, "\(output)")
        let sizes = try JSONDecoder().decode([[Double]].self, from: Data(output.utf8))
            .map { PageSize(width: $0[0], height: $0[1]) }
        let data = try Data(contentsOf: URL(fileURLWithPath: original))
        let drawings = sizes.enumerated().map { place, size in
            (place, PageDrawing(size: size, layers: layers, elements: place == 0 ? elements : []))
        }
        let template = CharacterTemplate(sha256: ContentHash(hashing: data), name: "Lantern", license: "CC-BY-4.0")
        let character = PlayerCharacter(id: .make(), name: "Brom", template: template, createdAt: Date())
        var archived = ArchivedCharacter(
            SheetContent(character: character, drawings: Dictionary(drawings) { first, _ in first }))
        archived.template = data
        let archive = "\(scratch.path)/brom.ttrpg"
        try CharacterArchive.write([archived], at: Date()).write(to: URL(fileURLWithPath: archive))
        let sheets = Player(scratch: scratch, sizes: sizes)
        _ = try await sheets("archive", "import", archive)
        return (sheets, original)
    }

    private static func element(_ number: Int, on layer: DrawingLayer = .base, _ content: PageElement.Content)
        -> PageElement
    {
        PageElement(id: EditID(device: DeviceID(bits: 7), number: number), layer: layer.id, order: number, content)
    }

    @Test(
        "ink is where it was drawn, on pages of every kind, and nothing else changes; text is found, fields stay",
        arguments: ["plain", "turned90", "turned180", "turned270", "cropped", "cropped-turned", "shifted", "large"])
    func places(kind: String) async throws {
        let (sheets, original) = try await Self.player(kind)
        _ = try await sheets("character", "draw", "Brom", "72,60", "180,90", "200,72", "--color", "#1f5fbf")
        _ = try await sheets(
            "character", "text", "Brom", "Größe Ωmega torchlight", "--at", "100,400", "--width", "300", "--size", "20")
        _ = try await sheets("character", "draw", "Brom", "200,200", "260,210", "--page", "2", "--width", "9")
        let ink = """
            "1": [[71, 59, 130, 32], [100, 400, 300, 25]], "2": [[195, 195, 70, 20]]
            """
        for (placement, isAnnotation) in [("content", false), ("annotations", true)] {
            // One of each turn is enough for both.
            if isAnnotation && ["turned180", "turned270", "cropped", "shifted"].contains(kind) { continue }
            let file = "\(sheets.scratch.path)/\(placement).pdf"
            _ = try await sheets("export", "Brom", "--pdf", file, "--as", placement)
            // Text in annotations is no text of the page.
            let words = isAnnotation ? "" : #""Größe", "Ωmega", "torchlight""#
            try await Self.expect(
                original, file,
                #"{"ink": {\#(ink)}, "words": [\#(words)], "annotations": \#(isAnnotation), "fillable": \#(kind == "plain")}"#
            )
        }
    }

    @Test("a pen that swells, figures and layers are drawn as they are kept; what is no vectors is said")
    func contents() async throws {
        let swelling = (0..<20).map { InkPoint(x: 100 + 8 * Double($0), y: 300, width: 1 + Double($0 % 10)) }
        let picture = PageImage(
            sha256: ContentHash(hashing: Data()), mediaType: "image/png",
            frame: PageRect(x: 0, y: 0, width: 9, height: 9))
        var notes = DrawingLayer.notes
        (notes.opacity, notes.blendMode) = (0.5, .multiply)
        let (sheets, original) = try await Self.player(
            "plain", layers: [.base, notes, .temporary],
            [
                Self.element(1, .stroke(Stroke(points: swelling))),
                Self.element(2, .stroke(Stroke(points: [InkPoint(x: 400, y: 100, width: 8)]))),
                Self.element(
                    3, on: notes,
                    .shape(Shape(.ellipse, from: PagePoint(300, 400), to: PagePoint(360, 440), fill: .black))),
                Self.element(4, on: notes, .shape(Shape(.arrow, from: PagePoint(300, 500), to: PagePoint(360, 540)))),
                Self.element(
                    5, on: .temporary,
                    .shape(Shape(.rectangle, from: PagePoint(400, 600), to: PagePoint(500, 640), rotation: .pi / 2))),
                Self.element(6, .image(picture)),
            ])
        let file = "\(sheets.scratch.path)/all.pdf"
        let said = try await sheets("export", "Brom", "--pdf", file)
        #expect(said.contains("1 picture or drawing of other apps left out"))
        let base = "[95, 294, 162, 12], [396, 96, 8, 8]"
        let others = "[299, 399, 62, 42], [299, 494, 62, 47], [429, 569, 42, 102]"
        try await Self.expect(original, file, #"{"ink": {"1": [\#(base), \#(others)]}, "fillable": true}"#)
        #expect(try await sheets("export", "Brom", "--pdf", file, status: 1).contains("--force"))
        _ = try await sheets("export", "Brom", "--pdf", file, "--force", "--layers", "Base", "--pages", "1", "--json")
        try await Self.expect(original, file, #"{"pages": [1], "ink": {"1": [\#(base)]}, "fillable": true}"#)
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
        let (sheets, _) = try await Self.player("plain")
        let file = "\(sheets.scratch.path)/filled.pdf"
        let said = try await sheets("export", "Brom", "--pdf", file, "--fill", "Nobody=1", status: 1)
        #expect(said.contains("there are: "))
        #expect(!FileManager.default.fileExists(atPath: file))
        let name = "identity-heros-name"
        let box = "saving-throws-strength-proficient"
        _ = try await sheets("export", "Brom", "--pdf", file, "--fill", "\(name)=Größe = 2", "--fill", "\(box)=yes")
        let (status, output) = try await Self.python("values", file)
        let values = try JSONDecoder().decode([String: String].self, from: Data(output.utf8))
        #expect(status == 0 && values[name] == "Größe = 2" && values[box].map { $0 != "/Off" } == true, "\(output)")
    }

    @Test(
        "blank pages become a PDF as well, letters that no font has are told, and without its program it says what to do"
    )
    func programs() async throws {
        let scratch = try Scratch()
        let sheets = Player(scratch: scratch)
        let file = "\(scratch.path)/blank.pdf"
        _ = try await sheets("character", "new", "Brom", "--pages", "3")
        _ = try await sheets("character", "text", "Brom", "Hello\nthere שלום", "--at", "72,72", "--page", "2")
        _ = try await sheets("character", "text", "Brom", "Torch", "--at", "72,72", "--page", "3")
        #expect(
            try await sheets("export", "Brom", "--pdf", file, "--pages", "2-3").contains("Page 2: nothing is written"))
        let (status, output) = try await Self.python("check", file, file, #"{"ink": {}, "words": ["Torch"]}"#)
        #expect(status == 0, "\(output)")
        // A copy that stands alone; the system may have the program.
        let alone = "\(scratch.path)/sheets"
        try FileManager.default.copyItem(atPath: CommandLineRun.executable.path, toPath: alone)
        guard !FileManager.default.isExecutableFile(atPath: "/usr/bin/sheet-export") else { return }
        let process = Process()
        let errors = Pipe()
        process.executableURL = URL(fileURLWithPath: alone)
        process.arguments = ["export", "Brom", "--pdf", "\(scratch.path)/none.pdf", "--library", scratch.library.root]
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
        let sheets = Player(scratch: scratch)
        for (name, data, width) in [("Broken", Data("%PDF-1.4 nothing".utf8), 612.0), ("Wide", nil, 300)] {
            let pdf = try data ?? Data(contentsOf: URL(fileURLWithPath: Self.sheet))
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
