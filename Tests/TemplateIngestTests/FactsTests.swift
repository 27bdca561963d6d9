// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import SheetCore
import TemplateIngest
import Testing

@Suite("What the reader tells of a file")
struct FactsTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
    }

    @Test("version, programs and structure, without what is not meant to be seen")
    func metadata() async throws {
        var builder = PDFBuilder.sheet()
        let info = builder.add("<< /Producer <FEFF00500072001B202E0065> /Creator (Sheet Maker) >>")
        builder.trailer = "/Info \(info) 0 R"
        builder.catalog = "/MarkInfo << /Marked true >>"
        let report = try await bench.read(builder)
        #expect(report.pdfVersion == "1.7")
        #expect(report.producer == "Pre")
        #expect(report.creator == "Sheet Maker")
        #expect(report.isTagged == true)
        #expect(report.isLinearized == false)
        #expect(report.isEncrypted == false)
    }

    @Test("fonts that text is drawn with, and which of them the file does not carry")
    func fonts() async throws {
        var builder = PDFBuilder.sheet()
        let font = builder.add("<< /Type /Font /Subtype /TrueType /BaseFont /ABCDEF+Uncial >>")
        let content = builder.addStream("BT /F3 12 Tf 80 500 Td (Lore) Tj ET")
        builder.addPage(entries: "/Contents \(content) 0 R /Resources << /Font << /F3 \(font) 0 R >> >>")
        let report = try await bench.read(builder)
        let expected = [
            ReaderReport.Font(name: "Helvetica", type: "type1", isEmbedded: false),
            ReaderReport.Font(name: "Helvetica-Bold", type: "type1", isEmbedded: false),
        ]
        #expect(report.fonts?.filter { $0.name.hasPrefix("Helvetica") } == expected)
        let advice = try #require(report.findings.first { $0.code == .fontsNotEmbedded })
        #expect(advice.severity == (report.fonts?.contains { $0.name == "Uncial" } == true ? .warning : .info))
    }

    @Test("links are counted, and web and mail addresses named once")
    func links() async throws {
        var builder = PDFBuilder()
        let links = ["(https://example.org/a)", "(https://example.org/a)", "(mailto:gm@example.org)", "(plain)"].map {
            builder.add("<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI \($0) >> >>")
        }
        builder.addPage(entries: "/Annots [\(links.map { "\($0) 0 R" }.joined(separator: " "))]")
        let page = try #require(try await bench.read(builder).pages.first)
        #expect(page.links == 4)
        #expect(page.linkTargets == ["https://example.org/a", "mailto:gm@example.org"])
    }

    @Test("advice names tiny type, odd paper and several game systems, and refuses nothing")
    func advice() async throws {
        var builder = PDFBuilder()
        let small = (0..<12).map { PDFBuilder.text("Strength \($0)", x: 20, y: Double(20 + 6 * $0), size: 3) }.joined()
        builder.addPage(
            small + PDFBuilder.text("Call of Cthulhu: Cthulhu Mythos, Credit Rating", x: 20, y: 300, size: 8)
                + PDFBuilder.text("Death Saves, Hit Dice, Proficiency Bonus, Sleight of Hand", x: 20, y: 320, size: 8),
            box: "0 0 333 444"
        )
        let report = try await bench.read(builder)
        #expect(report.verdict == .accepted)
        let codes = Set(report.findings.map(\.code))
        #expect(codes.isSuperset(of: [.tinyType, .unusualPageSize, .severalGameSystems, .noFormFields]))
        #expect(report.findings.allSatisfy { $0.severity < .blocker })
        let plain = try await bench.read(PDFBuilder.sheet())
        #expect(Set(plain.findings.map(\.code)) == [.noFormFields, .fontsNotEmbedded])
    }

    @Test("metadata that names folders is a warning that can be taken out")
    func privateMetadata() async throws {
        for (text, isPrivate) in [
            ("C:\\\\\\\\Users\\\\\\\\gm\\\\\\\\sheet.doc", true), ("/home/gm/sheet.odt", true),
            ("see https://example.org/home/", false),
        ] {
            var builder = PDFBuilder.sheet()
            let info = builder.add("<< /Title (\(text)) >>")
            builder.trailer = "/Info \(info) 0 R"
            let report = try await bench.read(builder)
            #expect(report.verdict == .accepted)
            #expect(report.findings.contains { $0.code == .privateMetadata && $0.removable } == isPrivate, "\(text)")
        }
    }

    @Test("a file of too many pages is refused, and its first pages are told all the same")
    func tooManyPages() async throws {
        var builder = PDFBuilder()
        for number in 0..<30 { builder.addPage(PDFBuilder.text("Page \(number)", x: 50, y: 50)) }
        var request = ReaderRequest(limits: .calm, previewWidths: [])
        request.limits.pages = 4
        let file = try bench.file("many.pdf", builder.data())
        let report = try await Workbench.reader.read(file, request: request).value
        #expect(report.blockers == [.tooManyPages])
        #expect(report.pageCount == 30)
        #expect(report.pages.count == 4)
    }

    @Test("a report from before there were facts can still be read")
    func oldReport() throws {
        let hash = ContentHash(hashing: Data())
        let json = """
            {"verdict":"accepted","sha256":"\(hash)","bytes":1,"pageCount":1,"findings":[],"pages":[{"index":0,
            "width":1,"height":1,"rotation":0,"textCharacters":0,"formFields":0,"regions":[]}]}
            """
        let report = try JSONDecoder().decode(ReaderReport.self, from: Data(json.utf8))
        #expect(report.fonts == nil && report.pages[0].lookHash == nil)
    }
}
