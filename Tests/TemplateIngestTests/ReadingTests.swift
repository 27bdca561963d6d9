// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import SheetCore
import TemplateIngest
import Testing

@Suite("What the reader says of honest files")
struct ReadingTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
    }

    @Test("a plain sheet is accepted with its size, text and hash")
    func plainSheet() async throws {
        let content = PDFBuilder.sheet().data()
        let report = try await bench.read(content)
        #expect(report.verdict == .accepted)
        #expect(report.bytes == content.count)
        #expect(report.sha256 == ContentHash(hashing: content))
        #expect(report.pageCount == 1)
        let page = try #require(report.pages.first)
        #expect([page.width, page.height, Double(page.rotation)] == [612, 792, 0])
        #expect(page.text?.contains("Skills and Combat") == true)
        #expect(page.textCharacters == 24)
        #expect(report.findings.map(\.code) == [.noFormFields, .fontsNotEmbedded])
    }

    @Test("the size is that of the displayed page: crop box, rotation and user unit")
    func displayedSize() async throws {
        var builder = PDFBuilder()
        builder.addPage(entries: "/CropBox [10 20 210 420] /Rotate 90")
        builder.addPage(entries: "/Rotate -90")
        builder.addPage(entries: "/UserUnit 2")
        // No multiple of 90: such a page is drawn upright.
        builder.addPage(entries: "/Rotate 45")
        let pages = try await bench.read(builder).pages
        #expect(pages.map(\.width) == [400, 792, 1224, 612])
        #expect(pages.map(\.height) == [200, 612, 1584, 792])
        #expect(pages.map(\.rotation) == [90, 270, 0, 0])
    }

    @Test("form fields are counted on their pages")
    func formFields() async throws {
        var builder = PDFBuilder()
        let field = builder.add(
            "<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /Rect [100 100 300 120] /F 4 >>"
        )
        builder.addPage(entries: "/Annots [\(field) 0 R]")
        builder.addPage()
        builder.catalog = "/AcroForm << /Fields [\(field) 0 R] >>"
        let report = try await bench.read(builder)
        #expect(report.pages.map(\.formFields) == [1, 0])
        #expect(report.findings.map(\.code) == [.noText])
    }

    @Test("text comes without characters that hide or control, and composed")
    func cleanText() async throws {
        var builder = PDFBuilder()
        builder.addPage("BT /F1 12 Tf 80 700 Td (Be\\001\\033[31mware <b>of</b>) Tj ET")
        let text = try #require(try await bench.read(builder).pages.first?.text)
        #expect(text.contains("<b>of</b>"))
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
    }

    @Test("a file that opens with the empty password is read; a web link is no blocker")
    func harmlessLinks() async throws {
        var builder = PDFBuilder.sheet()
        builder.add("<< /S /URI /URI (https://example.org/a?b=c:d) >>")
        builder.add("<< /S /URI /URI (mailto:gm@example.org) >>")
        builder.add("<< /S /URI /URI (www.example.org) >>")
        #expect(try await bench.read(builder).verdict == .accepted)
    }

    @Test("pictures come at the widths that were asked for, page by page, with progress")
    func previews() async throws {
        var builder = PDFBuilder.sheet()
        builder.addPage(PDFBuilder.text("second", x: 50, y: 50), box: "0 0 800 400")
        let pictures = Collected<PagePreview>()
        let progress = Collected<ReadingProgress>()
        let report = try await Workbench.reader.read(
            try bench.file("two.pdf", builder.data()),
            request: ReaderRequest(limits: .calm, previewWidths: [200, 600]),
            onProgress: { await progress.add($0) },
            onPreview: { await pictures.add($0) }
        )
        #expect(report.value.verdict == .accepted)
        let got = await pictures.values
        #expect(got.map(\.page) == [0, 0, 1, 1])
        #expect(got.map(\.width) == [200, 600, 200, 600])
        #expect(got.map(\.height) == [259, 776, 100, 300])
        #expect(Set(got.map(\.webp)).count == 4)
        #expect(await progress.values.map(\.pagesDone) == [1, 2])
    }

    @Test("the same bytes give the same report and the same pictures")
    func determinism() async throws {
        let file = try bench.file("same.pdf", PDFBuilder.sheet().data())
        var answers: [(ReaderReport, [PagePreview])] = []
        for _ in 0..<2 {
            let pictures = Collected<PagePreview>()
            let report = try await Workbench.reader.read(
                file, request: ReaderRequest(limits: .calm), onPreview: { await pictures.add($0) })
            answers.append((report.value, await pictures.values))
        }
        #expect(answers[0].0 == answers[1].0)
        #expect(answers[0].1 == answers[1].1)
    }

    @Test("the pipeline recognizes a PDF and names its importer")
    func pipeline() async throws {
        let content = PDFBuilder.sheet().data()
        let path = try bench.file("My_Sheet.pdf", content)
        let file = try QuarantinedFile(path: path, sha256: ContentHash(hashing: content), name: "My_Sheet.pdf")
        let request = ReaderRequest(limits: .calm, previewWidths: [])
        let pipeline = IngestPipeline(reader: Workbench.reader, request: request)
        let outcome = try await pipeline.ingest(file)
        #expect(outcome.verdict == .accepted)
        #expect(outcome.draft.importer == "pdf")
        #expect(outcome.draft.suggestedName == "My Sheet")
    }
}
