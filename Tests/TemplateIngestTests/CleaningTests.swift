// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import SheetCore
import SystemPackage
import TemplateIngest
import Testing

@Suite("Clean copies")
struct CleaningTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
    }

    private func clean(_ builder: PDFBuilder) throws -> (status: Int32, outcome: Tool.Cleaning, copy: Data?) {
        let file = try bench.file("dirty.pdf", builder.data())
        let copy = bench.folder.appendingPathComponent("clean.pdf")
        try? FileManager.default.removeItem(at: copy)
        let (status, outcome) = try Tool.clean(file.string, to: copy.path)
        return (status, outcome, try? Data(contentsOf: copy))
    }

    /// A fillable sheet that calculates, prints, phones home and carries a file.
    private func fillable() -> PDFBuilder {
        var builder = PDFBuilder()
        let script = builder.add("<< /S /JavaScript /JS (AFSimple_Calculate\\(\"SUM\"\\)) >>")
        let field = builder.add(
            """
            << /Type /Annot /Subtype /Widget /FT /Tx /T (strength) /V (12) /Rect [100 600 200 620] /F 4 \
            /DA (/F1 10 Tf 0 g) /AA << /C \(script) 0 R /K << /S /JavaScript /JS (x) >> >> >>
            """
        )
        let button = builder.add(
            """
            << /Type /Annot /Subtype /Widget /FT /Btn /Ff 65536 /T (send) /Rect [100 500 200 520] /F 4 \
            /A << /S /Named /N /Print /Next << /S /SubmitForm /F (http://example.org) >> >> >>
            """
        )
        let link = builder.add(
            """
            << /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /JavaScript /JS (x) \
            /Next << /S /URI /URI (https://example.org/rules) >> >> >>
            """
        )
        let font = builder.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
        let attached = builder.addStream("secret", entries: "/Type /EmbeddedFile")
        builder.addPage(
            PDFBuilder.text("Strength", x: 50, y: 605),
            entries: "/Annots [\(field) 0 R \(button) 0 R \(link) 0 R] /PieceInfo << /Drawer << /Private (x) >> >>"
        )
        builder.catalog = """
            /AcroForm << /Fields [\(field) 0 R \(button) 0 R] /DA (/F1 10 Tf 0 g) \
            /DR << /Font << /F1 \(font) 0 R >> >> /XFA [(a) \(attached) 0 R] >>
            /OpenAction << /S /Launch /F (calc.exe) >>
            /Names << /JavaScript << /Names [(a) \(script) 0 R] >> \
            /EmbeddedFiles << /Names [(a) << /Type /Filespec /F (a) /EF << /F \(attached) 0 R >> >>] >> >>
            """
        let info = builder.add("<< /Title (C:\\\\gm\\\\sheet.doc) /Author (A. Player) /CreationDate (D:20260101) >>")
        builder.trailer = "/Info \(info) 0 R"
        return builder
    }

    @Test("lose what does not belong in a sheet and keep pages, fields and links")
    func fillableSheet() async throws {
        let before = try await bench.read(fillable())
        #expect(Set(before.blockers) == [.javascript, .launchAction, .externalAction, .embeddedFiles, .xfa])
        let cleaned = try clean(fillable())
        #expect(cleaned.status == 0)
        #expect(cleaned.outcome.isClean && cleaned.outcome.differences.isEmpty)
        let codes = Set(cleaned.outcome.removed.map(\.code))
        #expect(codes.isSuperset(of: [.javascript, .launchAction, .externalAction, .embeddedFiles, .xfa]))
        let after = try await bench.read(try #require(cleaned.copy))
        #expect(after == cleaned.outcome.report.map { report in after.text(on: report) })
        #expect(after.verdict == .accepted)
        #expect(after.pages.map(\.formFields) == [2])
        #expect(after.pages.map(\.lookHash) == before.pages.map(\.lookHash))
        #expect(after.pages.map(\.links) == [1])
        #expect(after.pages[0].linkTargets == ["https://example.org/rules"])
        #expect(!after.findings.contains { $0.code == .privateMetadata })
        let text = String(decoding: try #require(cleaned.copy), as: UTF8.self)
        for gone in ["JavaScript", "SubmitForm", "Launch", "EmbeddedFile", "XFA", "PieceInfo", "sheet.doc", "/AA"] {
            #expect(!text.contains(gone), "\(gone)")
        }
        for kept in ["strength", "(12)", "/Print", "A. Player"] { #expect(text.contains(kept), "\(kept)") }
    }

    @Test("are the same bytes on every run, and cleaning a clean copy changes nothing any more")
    func determinism() throws {
        let first = try #require(try clean(fillable()).copy)
        #expect(try clean(fillable()).copy == first)
        let file = try bench.file("again.pdf", first)
        let copy = bench.folder.appendingPathComponent("again-clean.pdf")
        let again = try Tool.clean(file.string, to: copy.path)
        #expect(again.status == 0 && again.outcome.removed.isEmpty)
        #expect(try Data(contentsOf: copy) == first)
    }

    @Test("are not made of what cannot be taken out, and nothing is left behind")
    func impossible() throws {
        var alone = PDFBuilder.sheet()
        let form = alone.addStream("<xdp/>")
        alone.catalog = "/NeedsRendering true /AcroForm << /Fields [] /XFA \(form) 0 R >>"
        for (content, code) in [(Data("no PDF".utf8), "not_a_pdf"), (alone.data(), "xfa"), (Data(), "empty")] {
            let file = try bench.file("hopeless.pdf", content)
            let copy = bench.folder.appendingPathComponent("none.pdf")
            let (status, outcome) = try Tool.clean(file.string, to: copy.path)
            #expect(status == 1 && !outcome.isClean)
            #expect(outcome.differences.joined().contains(code))
            #expect(!FileManager.default.fileExists(atPath: copy.path))
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: bench.folder.path)
        #expect(left == ["hopeless.pdf"])
    }

    @Test("a chain of actions that bites its tail, and one attached by a key that nobody knows")
    func oddActions() throws {
        var builder = PDFBuilder.sheet()
        let loop = builder.add("")
        builder.set(loop, "<< /S /GoTo /D [1 0 R] /Next << /S /JavaScript /JS (x) /Next \(loop) 0 R >> >>")
        builder.catalog = "/OpenAction \(loop) 0 R /Unheard << /Of << /S /Launch /F (x) >> >>"
        let cleaned = try clean(builder)
        #expect(cleaned.status == 0, "\(cleaned.outcome.differences)")
        #expect(Set(cleaned.outcome.removed.map(\.code)) == [.javascript, .launchAction])
    }
}

extension ReaderReport {
    /// Another report with the text and layout of this one's pages, which `--clean` does not print.
    fileprivate func text(on other: ReaderReport) -> ReaderReport {
        var other = other
        for index in other.pages.indices where pages.indices.contains(index) {
            other.pages[index].text = pages[index].text
            other.pages[index].fields = pages[index].fields
            other.pages[index].anchors = pages[index].anchors
        }
        return other
    }
}

@Suite("The proof that a copy is true")
struct CopyProofTests {
    private func look(_ change: (inout [UInt8]) -> Void = { _ in }) throws -> PageLook {
        var grey = [UInt8](repeating: 255, count: 100 * 100)
        change(&grey)
        return try #require(PageLook(page: 0, width: 100, height: 100, grey: grey))
    }

    private func side(_ look: PageLook, fields: [ReaderReport.Field] = [], characters: Int = 3) -> CopyProof.Side {
        var page = ReaderReport.Page(
            index: 0, width: 100, height: 100, rotation: 0, textCharacters: characters, formFields: fields.count,
            regions: [])
        page.fields = fields
        let report = ReaderReport(
            verdict: .accepted, sha256: ContentHash(hashing: Data()), bytes: 1, pageCount: 1, findings: [],
            pages: [page])
        return CopyProof.Side(report: report, looks: [look])
    }

    @Test("holds for the same pages, a pixel or a shade apart")
    func same() throws {
        let one = try look()
        let other = try look {
            $0[17] = 0
            for index in 500..<900 { $0[index] = 250 }
        }
        #expect(CopyProof.differences(side(one), side(one)).isEmpty)
        #expect(CopyProof.differences(side(one), side(other)).isEmpty)
    }

    @Test("fails for another look, text, field or number of pages, and for a page that was not drawn")
    func different() throws {
        let one = try look()
        let word = try look { for index in 500..<520 { $0[index] = 0 } }
        #expect(CopyProof.differences(side(one), side(word)).count == 1)
        #expect(CopyProof.differences(side(one), side(word), removedIcons: 1).isEmpty)
        #expect(CopyProof.differences(side(one), side(one, characters: 4)).count == 1)
        let field = ReaderReport.Field(name: "a", type: "text", box: [0, 0, 1, 1])
        let moved = ReaderReport.Field(name: "a", type: "text", box: [0, 0, 1, 2])
        #expect(CopyProof.differences(side(one, fields: [field]), side(one, fields: [moved])).count == 1)
        #expect(CopyProof.differences(side(one, fields: [field]), side(one)).count == 1)
        var undrawn = side(one)
        undrawn.looks = []
        #expect(!CopyProof.differences(side(one), undrawn).isEmpty)
        #expect(!CopyProof.differences(undrawn, undrawn).isEmpty)
        var longer = side(one)
        longer.report.pageCount = 2
        #expect(!CopyProof.differences(side(one), longer).isEmpty)
    }

    @Test("looks have as many bytes as pixels, and not too many")
    func bounds() {
        #expect(PageLook(page: 0, width: 2, height: 2, grey: [0, 0, 0]) == nil)
        #expect(PageLook(page: 0, width: .max, height: 2, grey: []) == nil)
        for (width, height) in [(612.0, 792.0), (14_400, 1), (1, 14_400), (10, 14_400), (72, 72)] {
            let size = PageLook.size(pageWidth: width, pageHeight: height)
            #expect(size.width >= 1 && size.height >= 1)
            #expect(size.width <= PageLook.width && size.width * size.height <= PageLook.maximumPixels)
        }
    }
}
