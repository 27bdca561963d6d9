// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Writes small PDF files, the same bytes each time.
struct PDFBuilder {
    /// Bodies of objects 1, 2, …; object 1 is the catalog, object 2 the page tree.
    private var objects: [String] = ["", ""]
    private var pages: [Int] = []
    /// More entries of the catalog, such as `/OpenAction 7 0 R`.
    var catalog = ""
    /// More entries of the trailer, such as `/Info 7 0 R`.
    var trailer = ""

    /// Adds an object and gives its number.
    @discardableResult
    mutating func add(_ body: String) -> Int {
        objects.append(body)
        return objects.count
    }

    /// Changes an object that was added.
    mutating func set(_ number: Int, _ body: String) {
        objects[number - 1] = body
    }

    /// Adds a stream object; the text is its content as it is.
    mutating func addStream(_ content: String, entries: String = "") -> Int {
        add("<< /Length \(content.utf8.count) \(entries) >>\nstream\n\(content)\nendstream")
    }

    /// Adds a page with Helvetica as `/F1` and Helvetica-Bold as `/F2`; `entries` go into its dictionary.
    @discardableResult
    mutating func addPage(
        _ content: String = "",
        box: String = "0 0 612 792",
        entries: String = ""
    ) -> Int {
        let plain = add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
        let bold = add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>")
        let stream = addStream(content)
        let page = add(
            """
            << /Type /Page /Parent 2 0 R /MediaBox [\(box)] /Contents \(stream) 0 R
            /Resources << /Font << /F1 \(plain) 0 R /F2 \(bold) 0 R >> >> \(entries) >>
            """
        )
        pages.append(page)
        return page
    }

    /// Adds a font whose letter `a` is a drawing (Type 3), which needs no font of the machine.
    mutating func addDrawnFont() -> Int {
        let glyph = addStream("500 0 0 0 500 700 d1 50 50 400 600 re f")
        return add(
            "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 500 700] /FontMatrix [0.001 0 0 0.001 0 0] "
                + "/CharProcs << /a \(glyph) 0 R >> /Encoding << /Differences [97 /a] >> /FirstChar 97 /LastChar 97 "
                + "/Widths [500] /Resources << >> >>")
    }

    /// Adds a page like the last one, with other contents.
    mutating func repeatPage(with content: String) {
        guard let last = pages.last, let old = objects[last - 1].firstMatch(of: /\/Contents \d+ 0 R/) else { return }
        let stream = addStream(content)
        pages.append(add(objects[last - 1].replacing(old.0, with: "/Contents \(stream) 0 R")))
    }

    /// A line of text for a page's content.
    static func text(_ text: String, x: Double, y: Double, size: Double = 12, font: String = "F1") -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("(", with: "\\(").replacing(")", with: "\\)")
        return "BT /\(font) \(size) Tf \(x) \(y) Td (\(escaped)) Tj ET\n"
    }

    /// A stroked frame for a page's content.
    static func frame(x: Double, y: Double, width: Double, height: Double) -> String {
        "1 w \(x) \(y) \(width) \(height) re S\n"
    }

    /// The file.
    func data() -> Data {
        var bodies = objects
        bodies[0] = "<< /Type /Catalog /Pages 2 0 R \(catalog) >>"
        let kids = pages.map { "\($0) 0 R" }.joined(separator: " ")
        bodies[1] = "<< /Type /Pages /Count \(pages.count) /Kids [\(kids)] >>"
        var file = Data("%PDF-1.7\n".utf8)
        var offsets: [Int] = []
        for (index, body) in bodies.enumerated() {
            offsets.append(file.count)
            file += Data("\(index + 1) 0 obj\n\(body)\nendobj\n".utf8)
        }
        let start = file.count
        var table = "xref\n0 \(bodies.count + 1)\n0000000000 65535 f \n"
        for offset in offsets { table += String(format: "%010d 00000 n \n", offset) }
        table += "trailer\n<< /Size \(bodies.count + 1) /Root 1 0 R \(trailer) >>\nstartxref\n\(start)\n%%EOF\n"
        return file + Data(table.utf8)
    }
}

extension PDFBuilder {
    /// A page that says something, with a framed box.
    static func sheet(_ words: String = "Skills and Combat") -> PDFBuilder {
        var builder = PDFBuilder()
        builder.addPage(
            text(words, x: 80, y: 700, size: 18, font: "F2") + text("Athletics", x: 80, y: 670)
                + frame(x: 70, y: 600, width: 300, height: 130)
        )
        return builder
    }
}
