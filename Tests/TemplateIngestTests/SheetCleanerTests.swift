// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import SheetCore
import TemplateIngest
import Testing

@Suite("Clean copies, made and proved by sandboxed readers")
struct SheetCleanerTests {
    private let bench: Workbench
    private let cleaner = SheetCleaner(
        reader: Workbench.reader, request: ReaderRequest(limits: .calm, previewWidths: [120]))

    init() throws {
        bench = try Workbench()
    }

    private func scripted() -> Data {
        var builder = PDFBuilder.sheet()
        let field = builder.add(
            "<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /Rect [100 100 300 120] /F 4"
                + " /AA << /K << /S /JavaScript /JS (event.rc = true) >> >> >>")
        builder.addPage(entries: "/Annots [\(field) 0 R]")
        builder.catalog =
            "/AcroForm << /Fields [\(field) 0 R] >> /OpenAction << /S /JavaScript /JS (app.alert(1)) >>"
        return builder.data()
    }

    private func copy(of content: Data) async throws -> SheetCleaner.Copy {
        let attempt = try await cleaner.copy(
            of: try bench.file("original.pdf", content), sha256: ContentHash(hashing: content))
        switch attempt {
        case .copy(let copy): return copy
        case .failure(let reason): throw Failed(reason: reason)
        }
    }

    private struct Failed: Error {
        let reason: String
    }

    @Test("a copy is the same sheet without what was in the way, and is accepted as a stranger's")
    func copies() async throws {
        let content = scripted()
        let request = ReaderRequest(limits: .calm)
        let first = try await Workbench.reader.read(try bench.file("first.pdf", content), request: request).value
        #expect(first.blockers == [.javascript] && SheetCleaner.canHelp(first))
        let copy = try await copy(of: content)
        #expect(copy.removed.contains { $0.code == .javascript && $0.count == 2 })
        let pictures = Collected<PagePreview>()
        let file = try bench.file("copy.pdf", Data(copy.bytes))
        let judgement = try await cleaner.inspect(
            file, sha256: ContentHash(hashing: copy.bytes), against: copy.original,
            observer: ImportObserver(onPreview: { await pictures.add($0) }))
        #expect(judgement.objections == [])
        #expect(judgement.report.verdict == .accepted)
        #expect(judgement.report.pages.map(\.formFields) == [0, 1])
        #expect(judgement.report.pages.first?.text?.contains("Skills") == true)
        #expect(await pictures.values.map(\.page) == [0, 1])
        // The same file gives the same copy.
        #expect(try await self.copy(of: content).bytes == copy.bytes)
    }

    @Test("a copy that is another sheet is found out")
    func otherSheet() async throws {
        let copy = try await copy(of: scripted())
        for other in [PDFBuilder.sheet("Another sheet").data(), PDFBuilder.sheet().data()] {
            let judgement = try await cleaner.inspect(
                try bench.file("other.pdf", other), sha256: ContentHash(hashing: other), against: copy.original,
                observer: ImportObserver())
            #expect(!judgement.objections.isEmpty)
        }
    }

    @Test("nothing is cleaned that is accepted, that cannot be read, or that holds more than can be taken out")
    func hopeless() async throws {
        func report(_ content: Data) async throws -> ReaderReport {
            try await Workbench.reader.read(try bench.file("x.pdf", content)).value
        }
        #expect(!SheetCleaner.canHelp(try await report(PDFBuilder.sheet().data())))
        #expect(!SheetCleaner.canHelp(try await report(Data("no".utf8))))
        #expect(!SheetCleaner.canHelp(try await report(Data("<html>".utf8) + scripted())))
    }
}
