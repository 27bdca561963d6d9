// SPDX-License-Identifier: Apache-2.0
import Foundation
import PDFObjects
import Testing

/// A page's words, outlines and ink come of one interpretation of its contents; each alone is what they are compared with.
extension InProcessReading.OnePassTests {
    /// What is kept of a page, told in words, and its ink.
    private struct Seen {
        var parts: [String] = []
        var ink: [UInt8]?

        static func pixels(_ start: UnsafeMutablePointer<UInt8>?, _ count: Int) -> [UInt8]? {
            defer { free(start) }
            return start.map { Array(UnsafeBufferPointer(start: $0, count: count)) }
        }
    }

    private static let (width, height) = (618, 800)

    private static func read(_ document: OpaquePointer, _ page: Int32, withInk: Bool) throws -> Seen {
        var bounds = pdf_page_bounds()
        (bounds.words, bounds.shapes, bounds.text_bytes, bounds.wants_shapes) = (10_000, 10_000, 1 << 20, true)
        if withInk { (bounds.ink_width, bounds.ink_height) = (Int32(width), Int32(height)) }
        var kept: OpaquePointer?
        try #require(pdf_read_page(document, page, &bounds, &kept) == pdf_ok)
        let read = try #require(kept)
        defer { pdf_page_free(read) }
        var seen = Seen()
        var count = 0
        let text = pdf_page_text(read, &count)
        seen.parts.append(String(decoding: UnsafeRawBufferPointer(start: text, count: count), as: UTF8.self))
        let words = pdf_page_words(read, &count)
        seen.parts += UnsafeBufferPointer(start: words, count: count).map { "\($0)" }
        let shapes = pdf_page_shapes(read, &count)
        seen.parts += UnsafeBufferPointer(start: shapes, count: count).map { "\($0)" }
        let images = pdf_page_images(read, &count)
        let hasPictures = count > 0
        seen.parts += UnsafeBufferPointer(start: images, count: count).map { "image \($0)" }
        let fields = pdf_page_fields(read, &count)
        seen.parts += UnsafeBufferPointer(start: fields, count: count).map { "field \($0)" }
        seen.parts.append("\(pdf_page_cut_short(read))")
        if withInk {
            seen.ink = Seen.pixels(pdf_page_take_ink(read), width * height)
        } else {
            var pixels: UnsafeMutablePointer<UInt8>?
            let coloring = hasPictures ? pdf_ink_of_pictures : pdf_ink
            #expect(pdf_draw_page(document, page, Int32(width), Int32(height), coloring, &pixels) == pdf_ok)
            seen.ink = Seen.pixels(pixels, width * height)
        }
        return seen
    }

    /// What one pass keeps of each page; the same as two, of which each begins with a document of its own.
    private static func compared(_ file: Data) throws -> [Seen] {
        pdf_forget()
        let bytes = [UInt8](file)
        return try bytes.withUnsafeBytes { bytes in
            func pages(withInk: Bool) throws -> [Seen] {
                var status = pdf_ok
                let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                let document = try #require(pdf_open(start, Int64(bytes.count), &status))
                defer { pdf_close(document) }
                return try (0..<pdf_page_count(document)).map { try read(document, $0, withInk: withInk) }
            }
            let (one, two) = (try pages(withInk: true), try pages(withInk: false))
            #expect(one.map(\.parts) == two.map(\.parts))
            // Not the arrays themselves: half a million pixels would be told one by one.
            #expect(one.count == two.count && zip(one, two).allSatisfy { $0.ink == $1.ink })
            return one
        }
    }

    /// A page whose contents may use what poppler draws in many ways.
    private static func page(_ content: String, box: String = "0 0 612 792", entries: String = "") -> PDFBuilder {
        var builder = PDFBuilder()
        let page = builder.addPage()
        let (plain, bold) = (page - 3, page - 2)
        let fonts = "/Font << /F1 \(plain) 0 R /F2 \(bold) 0 R >>"
        let line = PDFBuilder.text("Within a form", x: 20, y: 30)
        let form = builder.addStream(
            "q 0.5 0 0 0.5 3 3 cm \(line) 0.4 g 5 60 80 20 re f Q",
            entries: "/Type /XObject /Subtype /Form /BBox [0 0 150 100] /Matrix [1.1 0.1 0 1 7 3] "
                + "/Resources << \(fonts) >>")
        let group = builder.addStream(
            "\(line) 0.2 g 5 60 80 20 re W n 0 55 300 40 re f",
            entries: "/Type /XObject /Subtype /Form /BBox [0 0 150 100] "
                + "/Group << /S /Transparency /I true /CS /DeviceGray >> "
                + "/Resources << \(fonts) >>")
        let mask = builder.add("<< /Type /Mask /S /Luminosity /G \(group) 0 R >>")
        let drawn = builder.addDrawnFont()
        let tile = builder.addStream(
            "0.5 g 2 2 6 6 re f \(PDFBuilder.text("t", x: 1, y: 1, size: 4))",
            entries: "/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 10 10] /XStep 12 /YStep 12 "
                + "/Resources << \(fonts) >>")
        let shade = "/ColorSpace /DeviceGray /Function << /FunctionType 2 /Domain [0 1] /C0 [0.1] /C1 [0.9] /N 1 >>"
        let axial = builder.add(
            "<< /Type /Pattern /PatternType 2 /Matrix [1 0.2 0 1 3 3] "
                + "/Shading << /ShadingType 2 /Background [0.4] /BBox [0 0 300 500] /Coords [0 0 612 0] \(shade) >> >>")
        let mesh = builder.addStream(
            String(repeating: "0", count: 33),
            entries: "/ShadingType 6 /ColorSpace /DeviceGray /BitsPerCoordinate 8 /BitsPerComponent 8 /BitsPerFlag 8 "
                + "/Decode [0 100 0 100 0 1]")
        // The mean of where a place lies between the sides, from 0 to 1 each.
        let program = builder.addStream(
            "{ 1 add 4 div exch 2 sub 3 div add 2 div }",
            entries: "/FunctionType 4 /Domain [2 5 -1 3] /Range [0 1]")
        let worked =
            "/ShadingType 1 /ColorSpace /DeviceGray /Domain [2 5 -1 3] /Matrix [0 100 -80 0 400 50] "
            + "/Function \(program) 0 R"
        let image = builder.addStream(
            String(repeating: "\u{1}~", count: 50),
            entries: "/Type /XObject /Subtype /Image /Width 10 /Height 10 /ColorSpace /DeviceGray /BitsPerComponent 8")
        let stencil = builder.addStream(
            String(repeating: "U", count: 20),
            entries: "/Type /XObject /Subtype /Image /Width 10 /Height 10 /ImageMask true /BitsPerComponent 1")
        let finer = builder.addStream(
            String(repeating: "U", count: 60),
            entries: "/Type /XObject /Subtype /Image /Width 20 /Height 20 /ImageMask true /BitsPerComponent 1")
        let masked = builder.addStream(
            String(repeating: "\u{1}~", count: 50),
            entries: "/Type /XObject /Subtype /Image /Width 10 /Height 10 /ColorSpace /DeviceGray /BitsPerComponent 8 "
                + "/Mask \(finer) 0 R")
        let holder = builder.addStream(
            "q 80 0 0 60 10 10 cm /I Do Q \(line)",
            entries: "/Type /XObject /Subtype /Form /BBox [0 0 150 100] "
                + "/Resources << \(fonts) /XObject << /I \(image) 0 R >> >>")
        let words = builder.addStream(
            PDFBuilder.text("A note", x: 20, y: 30),
            entries: "/Type /XObject /Subtype /Form /BBox [0 0 150 100] /Matrix [0.9 0 0 1.1 7 3] "
                + "/Resources << \(fonts) >>")
        let note = builder.add(
            "<< /Type /Annot /Subtype /Stamp /F 4 /Rect [100 50 300 150] /AP << /N \(words) 0 R >> >>")
        let contents = builder.addStream(content)
        // Of pictures the page itself lists only those that it uses, as most do.
        let pictures = [("I", image), ("S", stencil), ("M", masked)].filter { content.contains("/\($0.0) Do") }
            .map { "/\($0.0) \($0.1) 0 R" }.joined(separator: " ")
        builder.set(
            page,
            """
            << /Type /Page /Parent 2 0 R /MediaBox [\(box)] /Contents \(contents) 0 R /Annots [\(note) 0 R] \(entries)
            /Resources << /Font << /F1 \(plain) 0 R /F2 \(bold) 0 R /F3 \(drawn) 0 R >>
            /XObject << /X \(form) 0 R /G \(group) 0 R /H \(holder) 0 R \(pictures) >>
            /ExtGState << /Half << /ca 0.5 /CA 0.01 >> /Mask << /SMask \(mask) 0 R >> /None << /SMask /None >> >>
            /Pattern << /T \(tile) 0 R /A \(axial) 0 R >>
            /Shading << /M \(mesh) 0 R /F << \(worked) >> >> >> >>
            """)
        return builder
    }

    private static let letters =
        PDFBuilder.text("Skills and Combat", x: 80, y: 700, size: 18, font: "F2")
        + PDFBuilder.text("Athletics", x: 80, y: 670) + PDFBuilder.frame(x: 70.3, y: 600.7, width: 300, height: 130)

    @Test(
        "whatever is drawn",
        arguments: [
            "",
            "q 0.7 0.2 -0.2 0.7 100 50 cm 3 w 100 100 200.5 80 re S \(letters) Q 0.3 g 90 300 m 400 500 l 90 500 l f",
            "q 99 99 300 580 re W n 0.5 g 0 50 700 90 re f q 150 0 20.2 900 re W* n \(letters) 9 9 600 600 re f Q Q",
            "/X Do q 2 0 0 1.5 100 300 cm /X Do Q", "q 1 0 0 1 200 200 cm /Half gs /G Do /X Do 0 0 90 90 re B Q /G Do",
            "/Mask gs \(letters) 0 g 0 0 400 400 re f /None gs /G Do \(letters)",
            "/Pattern cs /T scn 50 50 400 300 re f \(letters)", "/Pattern cs /A scn 50 50 400 300 re f* \(letters)",
            "/Pattern CS /T SCN 20 w 50 50 400 300 re S /Pattern cs /T scn \(letters)",
            "/M sh \(letters) 0.2 g 30 30 40 40 re f", "q 20 30 400 300 re W n /F sh Q \(letters)",
            "BT /F3 20 Tf 100 400 Td (aa a) Tj ET \(letters)",
            "BT /F1 14 Tf 3 Tr 100 400 Td (Unseen) Tj 7 Tr 0 -50 Td (Clip) Tj ET 0.5 g 0 0 600 600 re f",
            "q 200 0 0 100 50 60 cm /I Do Q \(letters)", "/H Do \(letters) 0.3 g 300 20 100 100 re f /H Do",
            "q 90 0 0 90 300 60 cm /S Do /Pattern cs /T scn /S Do Q \(letters)",
            "\(letters) q 40 0 0 40 9 9 cm BI /W 2 /H 2 /CS /G /BPC 8 ID abcd EI Q \(letters)",
            "/Span << /ActualText (Other) >> BDC \(letters) EMC q q \(letters)",
            "BT /F1 9 Tf 1 0 0.3 1 50 500 Tm 12 TL (One) Tj T* 0 1 -1 0 300 300 Tm [(Tw) -200 (o)] TJ ET",
        ])
    func contents(content: String) throws {
        let pages = try Self.compared(Self.page(content + " \(Self.letters)").data())
        #expect(pages.first?.parts.first?.contains("Combat") == true)
        #expect(pages.first?.ink.map(Set.init)?.count ?? 0 > 1)
        #expect(pages.first?.parts.first?.contains("note") == true)
    }

    @Test(
        "what a function shades is as dark as it says, from place to place",
        arguments: [(170.0, 260.0), (470, 260), (170, 540), (470, 540), (320, 400), (250, 330)])
    func shading(x: Double, y: Double) throws {
        let ink = try #require(try Self.compared(Self.page("/F sh").data()).first?.ink)
        let (column, row) = (Int(x * Double(Self.width) / 612), Int((792 - y) * Double(Self.height) / 792))
        let grey = (((y - 50) / 100 - 2) / 3 + ((400 - x) / 80 + 1) / 4) / 2
        #expect(abs(Double(ink[row * Self.width + column]) - 255 * grey) < 6)
        // Nothing is shaded beside it.
        #expect(ink[row * Self.width + 100] == 255)
    }

    @Test(
        "however the page lies",
        arguments: [
            ("-100.5 -30 511.5 762", ""), ("0 0 612 792", "/Rotate 90"), ("0 0 612 900", "/Rotate 270 /UserUnit 1.5"),
            ("0 0 612 792", "/CropBox [50 60.25 500.5 700] /Rotate 180"),
        ])
    func boxes(box: String, entries: String) throws {
        let content = "q 100 100 300 680 re W n \(Self.letters) 0.5 g 0 90 700 200 re f Q /X Do"
        let pages = try Self.compared(Self.page(content, box: box, entries: entries).data())
        #expect(pages.first?.parts.first?.contains("Combat") == true)
    }

    private static let drawnLetters = "BT /F3 20 Tf 100 400 Td (aa a) Tj ET "
    private static let inlinePicture = "q 40 0 0 40 9 9 cm BI /W 2 /H 2 /CS /G /BPC 8 ID abcd EI Q "

    @Test("a picture nobody expected leaves nothing behind for later pages", arguments: [inlinePicture, "/H Do "])
    func unexpected(picture: String) throws {
        var builder = Self.page(picture + Self.drawnLetters + Self.letters)
        builder.repeatPage(with: Self.drawnLetters + Self.letters)
        #expect(try Self.compared(builder.data()).count == 2)
    }

    @Test("bytes of a stencil within contents are read as contents by neither")
    func stencil() throws {
        let hidden = "ABCD EI 0 g BT /F1 20 Tf 200 200 Td (Smuggled) Tj ET"
        let bytes = hidden + String(repeating: "Z", count: 64 - hidden.utf8.count)
        let content = "q /Pattern cs /T scn 0 0 0 0 0 0 cm BI /W 64 /H 8 /IM true /BPC 1 ID \(bytes) EI Q "
        let pages = try Self.compared(Self.page(content + Self.letters).data())
        #expect(pages.first?.parts.first?.contains("Smuggled") == false)
    }

    @Test(
        "text and lines of a pattern, where drawing was given up",
        arguments: ["/Pattern cs /A scn", "/Pattern CS /A SCN 9 w 50 50 400 300 re S", "/Pattern cs /T scn"])
    func patterns(content: String) throws {
        _ = try Self.compared(Self.page("\(Self.inlinePicture) \(content) \(Self.letters)").data())
    }

    @Test("a picture with a finer mask is one picture")
    func finerMask() throws {
        let content = "q 200 0 0 100 50 60 cm /M Do Q \(Self.letters)"
        let pages = try Self.compared(Self.page(content).data())
        #expect(pages.first?.parts.filter { $0.hasPrefix("image") }.count == 1)
    }

    @Test("pages listed with pictures that they do not draw, and many pages on end")
    func mixed() throws {
        var builder = Self.page("q 200 0 0 100 50 60 cm /I Do Q % /S Do")
        for content in [Self.letters, "", "0.5 g 10 10 500 500 re f"] { builder.addPage(content) }
        #expect(try Self.compared(builder.data()).count == 4)
        #expect(try Self.compared(Self.page("\(Self.letters) % /I Do").data()).count == 1)
    }

    @Test("the project's own sheets")
    func examples() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("examples/sheets")
        let sheets = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "pdf" }
        #expect(!sheets.isEmpty)
        for sheet in sheets {
            #expect(try Self.compared(Data(contentsOf: sheet)).contains { $0.parts.count > 20 })
        }
    }
}
