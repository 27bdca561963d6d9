// SPDX-License-Identifier: Apache-2.0
import CharacterCore
import Foundation
import SheetCore
import Testing

/// What `sheets export` draws and writes, as other programs see it.
@Suite("Looks of characters as PDF")
struct ExportLooksTests {
    /// Elements in the order they are added in.
    private struct Drawing {
        var elements: [PageElement] = []

        mutating func add(_ content: PageElement.Content, on layer: DrawingLayer = .base) {
            elements.append(ExportWorkbench.element(elements.count + 1, on: layer, content))
        }

        mutating func write(
            _ text: String, _ x: Double, _ y: Double, width: Double = 200, height: Double = 22,
            font: String = "DejaVu Sans", rotation: Double = 0, color: InkColor = .black,
            _ alignment: TextBox.Alignment = .leading, _ direction: TextBox.Direction = .natural
        ) {
            add(
                .text(
                    TextBox(
                        text, in: PageRect(x: x, y: y, width: width, height: height), rotation: rotation, font: font,
                        size: 16, color: color, alignment: alignment, direction: direction)))
        }
    }

    private static func picture(_ kind: String) async throws -> Data {
        let scratch = try Scratch()
        let file = "\(scratch.path)/\(kind)"
        let (status, output) = try await ExportWorkbench.python("picture", kind, file)
        try #require(status == 0, "\(output)")
        return try Data(contentsOf: URL(fileURLWithPath: file))
    }

    private static func image(_ data: Data, _ x: Double, _ y: Double, rotation: Double = 0) -> PageElement.Content {
        .image(
            PageImage(
                sha256: ContentHash(hashing: data), mediaType: "image/png",
                frame: PageRect(x: x, y: y, width: 90, height: 60), rotation: rotation))
    }

    private static func color(_ text: String) throws -> InkColor { try #require(InkColor(text)) }

    @Test(
        "pens, figures, opacity and blending look as another program draws them from the archive; it notices any change"
    )
    func figures() async throws {
        var (notes, sky) = (DrawingLayer.notes, DrawingLayer(id: "sky", name: "Sky", order: 3))
        (notes.opacity, notes.blendMode) = (0.6, .multiply)
        (sky.opacity, sky.blendMode) = (0.8, .screen)
        var drawing = Drawing()
        let swelling = (0..<20).map { InkPoint(x: 100 + 8 * Double($0), y: 150, width: 1 + Double($0 % 10)) }
        drawing.add(.stroke(Stroke(color: try Self.color("#c02060ff"), points: swelling)))
        let even = (0..<30).map { InkPoint(x: 300 + 6 * Double($0), y: 150 + 20 * sin(Double($0) / 3), width: 5) }
        drawing.add(.stroke(Stroke(tool: .marker, color: try Self.color("#20a04080"), points: even)))
        drawing.add(
            .shape(
                Shape(
                    .ellipse, from: PagePoint(80, 200), to: PagePoint(240, 300), color: try Self.color("#203080ff"),
                    width: 4, fill: try Self.color("#f0c030ff"))), on: notes)
        drawing.add(
            .shape(
                Shape(
                    .rectangle, from: PagePoint(180, 230), to: PagePoint(330, 330), rotation: 0.3,
                    color: try Self.color("#c03020ff"), width: 3, fill: try Self.color("#40b0e0a0"))), on: notes)
        drawing.add(
            .shape(Shape(.arrow, from: PagePoint(350, 320), to: PagePoint(450, 250), color: .black, width: 4)))
        // For the sky to lighten.
        drawing.add(
            .shape(
                Shape(
                    .rectangle, from: PagePoint(100, 340), to: PagePoint(330, 440), width: 2,
                    fill: try Self.color("#304060ff"))))
        drawing.add(
            .shape(
                Shape(
                    .ellipse, from: PagePoint(120, 350), to: PagePoint(310, 430), color: try Self.color("#806010ff"),
                    width: 12, fill: try Self.color("#205040ff"))), on: sky)
        let layers = [.base, notes, .temporary, sky]
        let (sheets, original) = try await ExportWorkbench.player("plain", layers: layers, drawing.elements)
        var files: [String] = []
        for placement in ["content", "annotations"] {
            let file = "\(sheets.scratch.path)/figures-\(placement).pdf"
            _ = try await sheets("export", "Brom", "--pdf", file, "--as", placement)
            files.append(file)
        }
        try await ExportWorkbench.expectLooks(of: files, on: original, by: sheets, "--blind")
    }

    @Test("text of every direction and alignment is set as another program sets it, and its fonts are in the file")
    func texts() async throws {
        var drawing = Drawing()
        drawing.write("שלום עולם", 300, 60)
        drawing.write("مرحبا بالعالم", 60, 100, color: try Self.color("#a01030ff"))
        drawing.write("שלום באמצע", 300, 100, .trailing)
        drawing.write("مرحبا", 60, 140, .center)
        drawing.write("Right to left", 300, 140, .leading, .rightToLeft)
        drawing.write("x̂ ạ̈ é Ångström", 60, 180)
        drawing.write("क्षत्रिय नमस्ते कि", 300, 180, font: "Lohit Devanagari")
        drawing.write("Words that need three lines in their narrow box", 60, 240, width: 160, height: 70)
        drawing.write("מילים שצריכות כמה שורות בתיבה צרה", 300, 240, width: 130, height: 70)
        drawing.write("Turned around", 60, 360, rotation: 0.5)
        drawing.write("Right", 300, 360, .trailing, .leftToRight)
        // One glyph for two letters, in a font that has it.
        drawing.write("Find the office flag", 60, 440)
        let (sheets, original) = try await ExportWorkbench.player("small", drawing.elements)
        let (noted, file) = ("\(sheets.scratch.path)/noted.pdf", "\(sheets.scratch.path)/texts.pdf")
        for (file, placement) in [(noted, "annotations"), (file, "content")] {
            let said = try await sheets("export", "Brom", "--pdf", file, "--as", placement)
            #expect(!said.contains("font"), "\(said)")
        }
        try await ExportWorkbench.expectLooks(of: [noted, file], on: original, by: sheets)
        let (status, output) = try await ExportWorkbench.python("fonts", noted, file)
        #expect(status == 0, "\(output)")
        // No text of the page: programs search and copy what the annotation says.
        let comments = try await ExportWorkbench.python("comments", noted).output
        let texts = try JSONDecoder().decode([String].self, from: Data(comments.utf8))
        #expect(texts.first?.hasPrefix("שלום עולם\nمرحبا بالعالم\n") == true)
        // Whole words, in the order in which they are read.
        let words = ["Ångström", "בתיבה", "नमस्ते", "Find", "office", "flag"]
        let list = words.map { "\"\($0)\"" }.joined(separator: ", ")
        let ink = drawing.elements.compactMap(\.bounds).map {
            "[\($0.x), \($0.y), \($0.width), \($0.height)]"
        }
        try await ExportWorkbench.expect(
            original, file, #"{"ink": {"1": [\#(ink.joined(separator: ", "))]}, "words": [\#(list)]}"#)
    }

    @Test("pictures are drawn upright without what else is in their files; those that cannot be are told")
    func pictures() async throws {
        var drawing = Drawing()
        let good = [
            try await Self.picture("turned.jpg"), try await Self.picture("clear.png"),
            try await Self.picture("inks.jpg"),
        ]
        drawing.add(Self.image(good[0], 100, 150))
        drawing.add(Self.image(good[1], 250, 150, rotation: 0.4))
        drawing.add(Self.image(good[2], 400, 150))
        drawing.add(Self.image(good[0], 100, 300))
        let (sheets, original) = try await ExportWorkbench.player("small", drawing.elements, images: good)
        var files: [String] = []
        for placement in ["content", "annotations"] {
            let file = "\(sheets.scratch.path)/pictures-\(placement).pdf"
            let said = try await sheets("export", "Brom", "--pdf", file, "--as", placement)
            #expect(!said.contains("left out"), "\(said)")
            files.append(file)
            let written = try Data(contentsOf: URL(fileURLWithPath: file))
            #expect(good[0].range(of: Data("PLACE-AND-CAMERA".utf8)) != nil)
            #expect(written.range(of: Data("PLACE-AND-CAMERA".utf8)) == nil)
        }
        try await ExportWorkbench.expectLooks(of: files, on: original, by: sheets, "--blind")

        let bad = [
            (try await Self.picture("bomb.png"), "has too many pixels"),
            (try await Self.picture("cut.jpg"), "is damaged"),
            (try await Self.picture("other.gif"), "is neither JPEG nor PNG"), (Data("x".utf8), "is neither"),
        ]
        for (data, _) in bad { drawing.add(Self.image(data, 300, 400)) }
        let (others, sheet) = try await ExportWorkbench.player("small", drawing.elements, images: good + bad.map(\.0))
        let rest = "\(others.scratch.path)/rest.pdf"
        let said = try await others("export", "Brom", "--pdf", rest)
        for (_, reason) in bad { #expect(said.contains("Page 1: left out a picture, which \(reason)"), "\(said)") }
        let ink = "[100, 150, 90, 60], [241, 134, 108, 92], [400, 150, 90, 60], [100, 300, 90, 60]"
        try await ExportWorkbench.expect(sheet, rest, #"{"ink": {"1": [\#(ink)]}, "fillable": true}"#)
    }

    @Test(
        "a flattened sheet has no form, and shows what was filled in, in any script",
        arguments: ["plain", "turned90", "cropped-upside-down"])
    func flattened(kind: String) async throws {
        let (sheets, original) = try await ExportWorkbench.player(kind)
        _ = try await sheets("character", "draw", "Brom", "72,60", "180,90")
        let file = "\(sheets.scratch.path)/flat.pdf"
        let long = "Boromir of the southern watch tower"
        _ = try await sheets(
            "export", "Brom", "--pdf", file, "--flatten", "--fill", "identity-heros-name=Größe שלום",
            "--fill", "identity-player=\(long)", "--fill", "saving-throws-strength-proficient=yes")
        let (status, output) = try await ExportWorkbench.python("flattened", original, file, "Größe", long)
        #expect(status == 0, "\(output)")
        // In annotations ink stays what it is.
        _ = try await sheets(
            "export", "Brom", "--pdf", file, "--force", "--flatten", "--as", "annotations", "--fill",
            "identity-heros-name=Torchlight")
        let again = try await ExportWorkbench.python("flattened", original, file, "Torchlight")
        #expect(again.status == 0, "\(again.output)")
        #expect(try await ExportWorkbench.python("comments", file).output.contains("Ink of the character"))
    }

    @Test(
        "ink on real sheets leaves pages, text and fields as they are; flattened they show what the fields did",
        arguments: ExportWorkbench.realSheets)
    func real(path: String) async throws {
        let scratch = try Scratch()
        let sizes = try #require(ExportWorkbench.sizesOfForms[path])
        let line = Stroke(
            color: try Self.color("#ff00ffff"),
            points: [InkPoint(x: 61, y: 61, width: 3), InkPoint(x: 139, y: 99, width: 3)])
        let sheets = try await ExportWorkbench.player(
            in: scratch, on: path, sizes: sizes, [ExportWorkbench.element(1, .stroke(line))])
        let (file, flat) = ("\(scratch.path)/ink.pdf", "\(scratch.path)/flat.pdf")
        _ = try await sheets("export", "Brom", "--pdf", file)
        _ = try await sheets("export", "Brom", "--pdf", flat, "--flatten")
        let checked = try await ExportWorkbench.python("sheet", path, file, flat)
        #expect(checked.status == 0, "\(checked.output)")
    }
}
