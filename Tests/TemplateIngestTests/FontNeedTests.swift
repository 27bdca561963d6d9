// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import PDFObjects
import SheetCore
import SystemPackage
import Testing

@Suite("Fonts of the machine are looked up where a sheet needs them")
struct FontNeedTests {
    /// A sheet whose text is in Helvetica, which it does not carry, by a way to write that name.
    private static func sheet(name: String, catalog: String = "") -> Data {
        var builder = PDFBuilder()
        builder.catalog = catalog
        let page = builder.addPage(
            PDFBuilder.text("Skills and Combat", x: 80, y: 700, size: 18) + PDFBuilder.text("Athletics", x: 80, y: 670)
                + PDFBuilder.frame(x: 70, y: 600, width: 300, height: 130))
        for font in [page - 3, page - 2] {
            builder.set(font, "<< /Type /Font /Subtype /Type1 /BaseFont \(name) >>")
        }
        return builder.data()
    }

    private let bench: Workbench

    init() throws {
        bench = try Workbench()
    }

    private func report(of bytes: Data) throws -> ReaderReport {
        try Tool.report(of: try bench.file("sheet.pdf", bytes).string)
    }

    private func mayName(_ text: String) -> Bool {
        Array(text.utf8).withUnsafeBytes {
            pdf_may_name_standard_font($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count)
        }
    }

    @Test("a name that cannot be seen gives the same report as one that can")
    func hidden() throws {
        let seen = try report(of: Self.sheet(name: "/Helvetica"))
        let hidden = try report(of: Self.sheet(name: "/#48elvetica"))
        #expect(seen.verdict == .accepted)
        #expect(seen.fonts?.map(\.name) == ["Helvetica"])
        #expect(hidden.verdict == .accepted)
        #expect(hidden.fonts == seen.fonts)
        #expect(hidden.pages == seen.pages)
        #expect(hidden.findings == seen.findings)
    }

    @Test(
        "what takes longer than the attempt without fonts is read all the same",
        arguments: ["Verdana", "ABCDEF+V"])
    func long(font: String) throws {
        var builder = PDFBuilder()
        // On many pages: one that takes seconds is given up, and how long it takes depends on what else runs.
        let loops = String(
            repeating: "10 10 m 600 10 l 600 700 l 10 700 l h 20 20 m 500 20 l 500 600 l h f*\n", count: 60)
        let slow = Array(repeating: "0.5 g /G gs \(loops)", count: 12)
        for content in slow + [PDFBuilder.text("Skills", x: 80, y: 700)] {
            let page = builder.addPage(content)
            for place in [page - 3, page - 2] {
                builder.set(place, "<< /Type /Font /Subtype /TrueType /BaseFont /\(font) >>")
            }
            builder.set(
                page,
                """
                << /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents \(page - 1) 0 R /Resources
                << /ExtGState << /G << /ca 0.5 >> >> /Font << /F1 \(page - 3) 0 R >> >> >>
                """)
        }
        let report = try report(of: builder.data())
        #expect(report.verdict == .accepted)
        #expect(report.pages.count == slow.count + 1)
    }

    /// A sheet whose letters are drawings.
    private static func drawn() -> Data {
        var builder = PDFBuilder()
        let font = builder.addDrawnFont()
        let contents = builder.addStream(PDFBuilder.text("aaa", x: 80, y: 700, size: 20))
        let page = builder.addPage()
        builder.set(
            page,
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents \(contents) 0 R "
                + "/Resources << /Font << /F1 \(font) 0 R >> >> >>")
        // What a page comes with otherwise names a font of the machine.
        for other in [page - 3, page - 2] { builder.set(other, "null") }
        return builder.data()
    }

    @Test("a sheet that needs none is read where fontconfig would wait for ever")
    func without() throws {
        // Who opens a pipe waits for somebody to write.
        let settings = bench.folder.appendingPathComponent("fonts.conf").path
        try #require(mkfifo(settings, 0o600) == 0)
        func report(_ name: String, _ bytes: Data, seconds: Int) throws -> ReaderReport {
            let file = try bench.file(name, bytes).string
            let result = try Tool.inspect(
                ["--seconds", "\(seconds)", file], environment: ["FONTCONFIG_FILE": settings])
            return try JSONDecoder().decode(ReaderReport.self, from: result.output)
        }
        let waiting = try report("named.pdf", Self.sheet(name: "/Helvetica"), seconds: 1)
        #expect(waiting.blockers == [.timeLimit])
        let drawn = try report("drawn.pdf", Self.drawn(), seconds: 120)
        #expect(drawn.verdict == .accepted)
        #expect(drawn.pages.first?.textCharacters == 3)
    }

    @Test("a reader that has fonts and says it lacks them is not asked again", arguments: [true, false])
    func lying(isAttempted: Bool) throws {
        // In the place of putting up its filter each reader leaves a mark, and ends as one that lacks fonts.
        let source = try bench.file("mark.c", Data(Self.liar.utf8)).string
        let library = source + ".so"
        #expect(try Tool.run("/usr/bin/env", ["clang", "-shared", "-fPIC", "-o", library, source]).status == 0)
        let sheet = isAttempted ? Self.drawn() : Self.sheet(name: "/Helvetica")
        let file = try bench.file("sheet.pdf", sheet).string
        let output = try Tool.inspect(["--seconds", "120", file], environment: ["LD_PRELOAD": library]).output
        let marks = output.prefix { $0 == UInt8(ascii: "x") }
        #expect(marks.count == (isAttempted ? 2 : 1))
        let report = try JSONDecoder().decode(ReaderReport.self, from: output.dropFirst(marks.count))
        #expect(report.blockers == [.malformed])
    }

    private static let liar = """
        long write(int file, const void *bytes, unsigned long count);
        void _exit(int code);
        int seccomp_load(void *filter) { write(1, "x", 1); _exit(\(ReaderEnd.fontsExitCode)); }
        """

    @Test("a clean copy is made of a sheet with such a name too")
    func cleaned() throws {
        let script = "/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>"
        let file = try bench.file("sheet.pdf", Self.sheet(name: "/#48elvetica", catalog: script))
        let result = try Tool.clean(file.string, to: file.string + ".clean")
        #expect(result.status == 0)
        #expect(result.outcome.isClean)
        #expect(result.outcome.report?.fonts?.map(\.name) == ["Helvetica"])
    }

    @Test(
        "bytes tell of fonts that need not be embedded",
        arguments: [
            "/BaseFont/Helvetica", "<< /BaseFont /Times-Bold >>", "/BaseFont\n/ZapfDingbats/", "/Type /ObjStm",
            "/BaseFont /ABCDEF+Foo /BaseFont /Courier,Bold",
        ])
    func named(_ text: String) {
        #expect(mayName(text))
    }

    @Test(
        "and of others",
        arguments: [
            "", "/BaseFont", "/BaseFont /", "/BaseFont /ABCDEF+Helvetica", "/BaseFont /HelveticaNeue", "Helvetica",
        ])
    func unnamed(_ text: String) {
        #expect(!mayName(text))
    }
}
