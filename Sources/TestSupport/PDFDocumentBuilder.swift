// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Writes small, well-formed PDFs (ISO 32000-1, section 7.5) with text in a standard font; the same calls, the same bytes.
package struct PDFDocumentBuilder {
    private var pages: [(content: String, extra: String)] = []
    private var ballast: [UInt8] = []
    /// Further entries of the document catalog, such as `/OpenAction …`.
    package var catalogEntries = ""

    package init() {}

    /// Adds an A4 page of framed blocks with headings, everything scaled towards the top left and moved by so many points to
    /// the right and down. `words` stand on the page once each.
    package mutating func addPage(
        headings: [String], words: [String] = [], right: Int = 0, down: Int = 0, scale: Double = 1
    ) {
        var content = "0.8 w\n"
        if right != 0 || down != 0 || scale != 1 {
            content += "\(scale) 0 0 \(scale) \(right) \(842 * (1 - scale) - Double(down)) cm\n"
        }
        let height = 760.0 / Double(max(headings.count, 1))
        for (index, heading) in headings.enumerated() {
            let top = 800.0 - Double(index) * height
            content += "40 \(top - height + 12) 515 \(height - 14) re S\n"
            content += "BT /F1 14 Tf 50 \(top - 22) Td (\(Self.escaped(heading))) Tj ET\n"
            for line in 1...3 {
                content +=
                    "BT /F2 9 Tf 50 \(top - 22 - Double(line) * 14) Td (line \(line) of \(Self.escaped(heading))) Tj ET\n"
            }
        }
        for (place, word) in words.enumerated() {
            let (column, row) = (place % 3, place / 3)
            content += "BT /F2 9 Tf \(220 + column * 110) \(770 - row * 90) Td (\(Self.escaped(word))) Tj ET\n"
        }
        pages.append((content, ""))
    }

    /// Adds bytes that do not compress and mean nothing, to make the file large.
    package mutating func addBallast(bytes count: Int) {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        ballast.reserveCapacity(ballast.count + count)
        for _ in 0..<count {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            ballast.append(UInt8(truncatingIfNeeded: state))
        }
    }

    package func build() -> Data {
        var file = Data("%PDF-1.7\n%\u{E2}\u{E3}\n".utf8)
        var offsets: [Int] = []
        func object(_ body: String, stream: (some Collection<UInt8>)?) {
            offsets.append(file.count)
            file.append(Data("\(offsets.count) 0 obj\n\(body)\n".utf8))
            if let stream {
                file.append(Data("stream\n".utf8))
                file.append(contentsOf: stream)
                file.append(Data("\nendstream\n".utf8))
            }
            file.append(Data("endobj\n".utf8))
        }
        let none: [UInt8]? = nil
        let first = 6
        let kids = pages.indices.map { "\(first + $0 * 2) 0 R" }.joined(separator: " ")
        object("<< /Type /Catalog /Pages 2 0 R \(catalogEntries) >>", stream: none)
        object("<< /Type /Pages /Count \(pages.count) /Kids [\(kids)] >>", stream: none)
        object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>", stream: none)
        object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>", stream: none)
        object("<< /Length \(ballast.count) >>", stream: ballast)
        for (index, page) in pages.enumerated() {
            object(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> "
                    + "/Contents \(first + index * 2 + 1) 0 R \(page.extra) >>", stream: none)
            object("<< /Length \(page.content.utf8.count) >>", stream: Array(page.content.utf8))
        }
        let start = file.count
        var table = "xref\n0 \(offsets.count + 1)\n0000000000 65535 f \n"
        for offset in offsets { table += String(format: "%010d 00000 n \n", offset) }
        table += "trailer\n<< /Size \(offsets.count + 1) /Root 1 0 R >>\nstartxref\n\(start)\n%%EOF\n"
        file.append(Data(table.utf8))
        return file
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("(", with: "\\(").replacing(")", with: "\\)")
    }
}
