// SPDX-License-Identifier: Apache-2.0
import Foundation
import PDFObjects
import Testing

/// The reader fills plain areas of ink by itself. A clip that is no rectangle leaves everything to poppler, and one that goes
/// around the whole page changes nothing else.
extension InProcessReading.InkDrawingTests {
    private static let clip = "-2000 400 m 300 -2000 l 2600 400 l 300 2800 l h W n\n"

    private static func box(_ x: Double, _ y: Double, _ width: Double, _ height: Double, round: Double) -> String {
        let (right, top, hold) = (x + width, y + height, 0.45 * round)
        return """
            \(x + round) \(y) m \(right - round) \(y) l \(right - hold) \(y) \(right) \(y + hold) \(right) \(y + round) c
            \(right) \(top - round) l \(right) \(top - hold) \(right - hold) \(top) \(right - round) \(top) c
            \(x + round) \(top) l \(x + hold) \(top) \(x) \(top - hold) \(x) \(top - round) c
            \(x) \(y + round) l \(x) \(y + hold) \(x + hold) \(y) \(x + round) \(y) c h

            """
    }

    private static func pixels(_ content: String, _ coloring: pdf_coloring) throws -> [UInt8] {
        var builder = PDFBuilder()
        builder.addPage(content)
        let bytes = [UInt8](builder.data())
        return try bytes.withUnsafeBytes { bytes in
            var status = pdf_ok
            let document = try #require(
                pdf_open(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int64(bytes.count), &status))
            defer { pdf_close(document) }
            var pixels: UnsafeMutablePointer<UInt8>?
            #expect(pdf_draw_page(document, 0, 618, 800, coloring, &pixels) == pdf_ok)
            let drawn = try #require(pixels)
            defer { free(drawn) }
            return Array(UnsafeBufferPointer(start: drawn, count: 618 * 800))
        }
    }

    @Test(
        "filled areas have the same pixels",
        arguments: [
            "0.3 g 50.3 60.7 400.2 300.9 re f", "0.3 g 50.3 60.7 -40 300.9 re f*",
            "0.5 g \(box(50.4, 60.2, 400.7, 300.1, round: 12.5)) f",
            "0.5 g \(box(50.4, 60.2, 400.7, 300.1, round: 12.5)) \(box(90, 90, 200, 150, round: 5)) f*",
            "0.5 g \(box(50.4, 60.2, 400.7, 300.1, round: 12.5)) \(box(90, 90, 200, 150, round: 5)) f",
            "0.2 g 0.9 G 3 w \(box(-100, 300, 900, 900, round: 40)) B",
            "q -1 0 0 1 600 0 cm 0.6 g \(box(80, 80, 300, 500, round: 30)) f Q",
            "q 1 0 0 -1.3 10 780 cm 0.6 g \(box(80, 80, 300, 400, round: 30)) f* Q",
            "q 100 100 200 250 re W n 0.4 g \(box(50, 60, 400, 300, round: 20)) f Q",
            "0.7 g 40 40 m 560 90 l 500 700 l 60 640 l h f", "0.7 g 40 40 m 560 40 l 300 700 l 60 40 l 500 600 l f*",
            "1 0 0 rg \(box(50, 60, 400, 300, round: 20)) f 0 0 1 rg 100 100 200 200 re f",
        ])
    func areas(content: String) throws {
        pdf_forget()
        for coloring in [pdf_ink, pdf_ink_of_pictures] {
            let own = try Self.pixels("0.9 g 0 0 612 792 re f \(content)", coloring)
            let popplers = try Self.pixels("\(Self.clip) 0.9 g 0 0 612 792 re f \(content)", coloring)
            // Not the arrays themselves: half a million pixels would be told one by one.
            let different = zip(own, popplers).count { $0 != $1 }
            #expect(different == 0)
            #expect(Set(own).count > 1)
        }
    }
}
