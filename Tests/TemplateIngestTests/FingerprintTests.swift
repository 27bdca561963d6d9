// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import SheetCore
import TemplateIngest
import Testing

@Suite("Fingerprints of pages")
struct FingerprintTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
    }

    private func prints(_ builder: PDFBuilder) async throws -> (look: Fingerprint, text: Fingerprint?) {
        let page = try #require(try await bench.read(builder).pages.first)
        return (try #require(page.lookHash.flatMap(Fingerprint.init)), page.textHash.flatMap(Fingerprint.init))
    }

    /// Columns of boxes with a heading each, turned upside down or not.
    private func sheet(_ headings: [String], flipped: Bool = false, shift: Double = 0) -> PDFBuilder {
        var builder = PDFBuilder()
        var content = ""
        for (place, heading) in headings.enumerated() {
            let row = flipped ? headings.count - 1 - place : place
            let y = 680 - Double(row) * 90 + shift
            content += PDFBuilder.text(heading, x: 60, y: y, size: 20, font: "F2")
            content += PDFBuilder.frame(x: 50, y: y - 60, width: Double(120 + 60 * place), height: 80)
        }
        builder.addPage(content)
        return builder
    }

    private let headings = ["Skills and Feats", "Combat", "Equipment carried", "Spells known", "Notes", "Allies met"]

    @Test("stay nearly the same when the page is moved a little or a word is added, and differ from another page's")
    func similarity() async throws {
        let one = try await prints(sheet(headings))
        let moved = try await prints(sheet(headings, shift: 1.5))
        let other = try await prints(sheet(headings.map { String($0.reversed()) }, flipped: true))
        #expect(one.look.distance(to: moved.look) <= 6)
        #expect(one.look.distance(to: other.look) >= 12)
        let text = try #require(one.text)
        #expect(text == moved.text)
        let longer = try #require(try await prints(sheet(headings + ["Gold"])).text)
        #expect(text.distance(to: longer) <= 20)
        let strange = try #require(other.text)
        #expect(text.distance(to: strange) >= 20)
    }

    @Test("filled rectangles look as poppler draws them, which it does within a clip of five corners")
    func rectangles() async throws {
        let content = """
            0.9 g 0 0 612 792 re f 0.2 g 60.3 500.7 200.5 180.2 re f 300.6 690.4 250 -190.55 re f*
            q 0.5 0 0 -0.5 10 400.3 cm 100 100 900.7 300.9 re f 0 g 100 500.3 900 0.7 re f Q
            q 300 20 200 90.6 re W n 250.2 10 260 80 re f Q

            """
        var alone = PDFBuilder()
        alone.addPage(content)
        var clipped = PDFBuilder()
        clipped.addPage("-900 -900 m 3000 -900 l 3000 3000 l 300 4000 l -900 3000 l h W n\n" + content)
        let (one, other) = (try await bench.read(alone).pages[0], try await bench.read(clipped).pages[0])
        #expect(one.regions.count > 1 && one.regions == other.regions)
        #expect(one.lookHash == other.lookHash)
    }

    @Test("a page that says nothing has none of its text")
    func silence() async throws {
        var builder = PDFBuilder()
        builder.addPage(PDFBuilder.frame(x: 50, y: 50, width: 200, height: 300))
        #expect(try await prints(builder).text == nil)
    }

    @Test("are written as sixteen digits and read back")
    func digits() {
        #expect(Fingerprint(bits: 0xff).description == "00000000000000ff")
        #expect(Fingerprint("00000000000000ff")?.bits == 0xff)
        for text in ["", "ff", "00000000000000FF", "00000000000000fg", "+0000000000000ff"] {
            #expect(Fingerprint(text) == nil)
        }
    }
}
