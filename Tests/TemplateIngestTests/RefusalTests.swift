// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import SheetCore
import SystemPackage
import TemplateIngest
import Testing

@Suite("What the reader refuses")
struct RefusalTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
    }

    @Test("files that are no PDF, or nothing at all")
    func noPDF() async throws {
        #expect(try await bench.read(Data()).blockers == [.empty])
        #expect(try await bench.read(Data("a plain text".utf8)).blockers == [.notAPDF])
        #expect(try await bench.read(Data("%PDF-1.7\nand nothing more".utf8)).blockers == [.malformed])
        #expect(try await bench.read(PDFBuilder()).blockers == [.empty])
    }

    @Test(
        "scripts and actions, wherever they hide, and that they can be taken out",
        arguments: [
            ("<< /S /JavaScript /JS (app.alert(1)) >>", FindingCode.javascript),
            ("<< /Type /Annot /A << /S /GoTo /Next << /S /JavaScript /JS (x) >> >> >>", .javascript),
            ("<< /K << /S /Rendition /JS (x) >> >>", .javascript),
            ("<< /S /URI /URI (jAva\\012Script:alert) >>", .javascript),
            ("<< /S /Launch /F (calc.exe) >>", .launchAction),
            ("<< /S /GoToR /F (\\\\\\\\host\\\\share) /D [0 /Fit] >>", .externalAction),
            ("<< /S /SubmitForm /F (http://example.org) >>", .externalAction),
            ("<< /S /ImportData /F (data.fdf) >>", .externalAction),
            ("<< /S /URI /URI (file:///etc/passwd) >>", .externalAction),
            ("<< /Type /Filespec /F (a.bin) /EF << /F 3 0 R >> >>", .embeddedFiles),
            ("<< /Type /Annot /Subtype /FileAttachment >>", .embeddedFiles),
            ("<< /Fields [] /XFA [] >>", .xfa),
        ]
    )
    func actions(body: String, code: FindingCode) async throws {
        var builder = PDFBuilder.sheet()
        builder.add(body)
        let report = try await bench.read(builder)
        #expect(report.verdict == .refused)
        #expect(report.blockers == [code])
        #expect(report.findings.first?.removable == true)
        // What can be read is reported all the same.
        #expect(report.pages.count == 1)
    }

    @Test("the names of scripts and actions as text on a page are no scripts")
    func wordsOnly() async throws {
        #expect(try await bench.read(PDFBuilder.sheet("/JavaScript /JS /Launch /EmbeddedFiles")).verdict == .accepted)
    }

    @Test("pages without end, without area, and too many of them")
    func pages() async throws {
        var wide = PDFBuilder()
        wide.addPage(box: "0 0 200000 100")
        #expect(try await bench.read(wide).blockers == [.pageTooLarge])
        var unit = PDFBuilder()
        unit.addPage(entries: "/UserUnit 100000")
        #expect(try await bench.read(unit).blockers == [.pageTooLarge])
        var many = PDFBuilder()
        for _ in 0..<501 { many.addPage() }
        let report = try await bench.read(many)
        #expect(report.blockers == [.tooManyPages])
        #expect(report.pageCount == 501)
    }

    @Test("a file beyond the limit is refused unread, and still hashed")
    func tooLarge() async throws {
        var request = ReaderRequest(limits: .calm, previewWidths: [])
        request.limits.fileBytes = 1000
        let content = PDFBuilder.sheet().data() + Data(repeating: 32, count: 1000)
        let report = try await Workbench.reader.read(try bench.file("big.pdf", content), request: request).value
        #expect(report.blockers == [.tooLarge])
        #expect(report.sha256 == ContentHash(hashing: content))
    }

    @Test("a PDF that is something else too")
    func polyglots() async throws {
        let sheet = PDFBuilder.sheet().data()
        #expect(try await bench.read(Data("<html>".utf8) + sheet).blockers.first == .polyglot)
        #expect(try await bench.read(sheet + Data("PK\u{3}\u{4}".utf8)).blockers == [.polyglot])
        #expect(try await bench.read(sheet + sheet).blockers == [.polyglot])
        let header = try #require(sheet.firstIndex(of: 10))
        let markup = Data("% \u{E2}\u{E3} <SCRIPT>alert(1)</SCRIPT>\n".utf8)
        #expect(try await bench.read(sheet[...header] + markup + sheet[header...]).blockers == [.polyglot])
        let tail = try await bench.read(sheet + Data("\r\n\r\nbye".utf8))
        #expect(tail.verdict == .accepted)
        #expect(tail.findings.contains { $0.code == .surroundingJunk })
    }

    @Test("a stream that unpacks to far more than it is")
    func bomb() async throws {
        var builder = PDFBuilder()
        builder.addPage()
        // Each pair of bytes stands for 128: 4 MB make 90 MB.
        let run = String(repeating: "81 20 ", count: 700_000)
        _ = builder.addStream(run + ">", entries: "/Filter [/ASCIIHexDecode /RunLengthDecode]")
        #expect(try await bench.read(builder).blockers == [.decompressionBomb])
    }

    @Test("streams none of which is too long, and all together are", arguments: [(8, false), (10, true)])
    func bombInPieces(count: Int, isBomb: Bool) async throws {
        // Each unpacks to 30 MiB, and could to no more than 31.
        let file = try bench.file("pieces.pdf", Data())
        let script = #"""
            from sys import argv
            from zlib import compress
            packed = compress(bytes(30 << 20), 9)
            bodies = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
                      b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>"]
            bodies += [b"<< /Filter /FlateDecode /Length %d >>\nstream\n" % len(packed) + packed + b"\nendstream"] * int(argv[2])
            out, places = b"%PDF-1.7\n", []
            for number, body in enumerate(bodies):
                places.append(len(out))
                out += b"%d 0 obj\n" % (number + 1) + body + b"\nendobj\n"
            table = b"".join(b"%010d 00000 n \n" % place for place in places)
            out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(bodies) + 1) + table
            out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(bodies) + 1, out.index(b"xref"))
            open(argv[1], "wb").write(out)
            """#
        _ = try Tool.run("/usr/bin/env", ["python3", "-c", script, file.string, "\(count)"])
        let report = try await bench.read(try Data(contentsOf: URL(fileURLWithPath: file.string)))
        #expect(report.blockers == (isBomb ? [.decompressionBomb] : []))
    }

    @Test("a page that takes for ever ends by the clock")
    func endless() async throws {
        var builder = PDFBuilder()
        let calls = String(repeating: "/X Do ", count: 2_000)
        var inner = builder.addStream("0 0 m 1 1 l S", entries: "/Type /XObject /Subtype /Form /BBox [0 0 9 9]")
        for _ in 0..<4 {
            inner = builder.addStream(
                calls,
                entries: "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X \(inner) 0 R >> >>"
            )
        }
        builder.addPage("/X Do", entries: "/Resources << /XObject << /X \(inner) 0 R >> >>")
        var request = ReaderRequest(limits: .calm, previewWidths: [])
        request.limits.cpuSeconds = 1
        let file = try bench.file("endless.pdf", builder.data())
        let report = try await Workbench.reader.read(file, request: request).value
        #expect(report.blockers == [.timeLimit])
        #expect(report.sha256 == ContentHash(hashing: builder.data()))
    }

    @Test("a reader with too little memory ends in a verdict")
    func memory() async throws {
        var builder = PDFBuilder()
        let image = builder.addStream(
            "0",
            entries: "/Type /XObject /Subtype /Image /Width 11000 /Height 11000 /BitsPerComponent 8"
                + " /ColorSpace /DeviceRGB /SMask 4 0 R"
        )
        builder.addPage("600 0 0 700 0 0 cm /I Do", entries: "/Resources << /XObject << /I \(image) 0 R >> >>")
        var request = ReaderRequest(limits: .calm, previewWidths: [3_000])
        request.limits.memoryBytes = 128 << 20
        let report = try await Workbench.reader.read(
            try bench.file("memory.pdf", builder.data()),
            request: request
        ).value
        #expect(report.verdict == .refused)
        #expect(report.blockers.contains { [.memoryLimit, .malformed].contains($0) })
    }
}
