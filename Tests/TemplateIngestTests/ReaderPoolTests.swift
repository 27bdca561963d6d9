// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import Logging
import SheetCore
import Synchronization
import SystemPackage
import TemplateIngest
import Testing

@Suite("Readers that stand ready and read file after file")
struct ReaderPoolTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
    }

    private func reader(_ configure: (inout SheetReaderConfiguration) -> Void = { _ in }) throws -> SheetReader {
        try bench.reader("sheet-inspect", configure)
    }

    private struct Answer: Equatable {
        var report: ReaderReport
        var pictures: [PagePreview]
    }

    private func ask(_ reader: SheetReader, _ file: FilePath) async throws -> Answer {
        let pictures = Collected<PagePreview>()
        let report = try await reader.read(
            file, request: ReaderRequest(limits: .calm, previewWidths: [300]), onPreview: { await pictures.add($0) })
        return Answer(report: report.value, pictures: await pictures.values)
    }

    /// Sheets whose font is not embedded and has the same name in each, but other traits.
    private func sheets() throws -> [FilePath] {
        try ["/Flags 34 /ItalicAngle 0", "/Flags 4 /ItalicAngle 0", "/Flags 98 /ItalicAngle -12", "/Flags 33"]
            .enumerated().map { index, traits in
                var builder = PDFBuilder()
                let descriptor = builder.add(
                    "<< /Type /FontDescriptor /FontName /Someones \(traits) /FontBBox [0 0 1000 1000] /Ascent 800"
                        + " /Descent -200 /CapHeight 700 /StemV 80 >>")
                let font = builder.add(
                    "<< /Type /Font /Subtype /TrueType /BaseFont /Someones /FirstChar 32 /LastChar 32 /Widths [300]"
                        + " /FontDescriptor \(descriptor) 0 R /Encoding /WinAnsiEncoding >>")
                builder.addPage(
                    "BT /X 40 Tf 60 600 Td (Skills number \(index)) Tj ET",
                    entries: "/Resources << /Font << /X \(font) 0 R >> >>")
                return try bench.file("sheet-\(index).pdf", builder.data())
            }
    }

    @Test("files through one reader are judged and drawn as by fresh ones")
    func nothingStays() async throws {
        let files = try sheets()
        let standing = try reader()
        let fresh = try reader { $0.filesPerReader = 1 }
        for file in files + files.reversed() {
            let answer = try await ask(standing, file)
            #expect(answer.report.verdict == .accepted)
            #expect(try await ask(fresh, file) == answer)
        }
        #expect(standing.statistics.started == 1)
        #expect(fresh.statistics.started == 2 * files.count)
    }

    @Test("a reader is replaced after so many files, and after each that is not accepted")
    func replaced() async throws {
        let good = try bench.file("good.pdf", PDFBuilder.sheet().data())
        var scripted = PDFBuilder.sheet()
        scripted.add("<< /S /JavaScript /JS (app.alert(1)) >>")
        let bad = try bench.file("bad.pdf", scripted.data())
        let three = try reader { $0.filesPerReader = 3 }
        for _ in 0..<7 { #expect(try await ask(three, good).report.verdict == .accepted) }
        #expect(three.statistics.started == 3)
        let wary = try reader()
        for _ in 0..<3 {
            #expect(try await ask(wary, bad).report.blockers == [.javascript])
            #expect(try await ask(wary, good).report.verdict == .accepted)
        }
        #expect(wary.statistics.started == 4)
        #expect(wary.statistics.replaced == 3)
    }

    @Test("a reader that has grown is replaced")
    func grown() async throws {
        let good = try bench.file("good.pdf", PDFBuilder.sheet().data())
        let strict = try reader { $0.growthBytes = -1 }
        for _ in 0..<2 { _ = try await ask(strict, good) }
        #expect(strict.statistics.started == 2)
    }

    @Test("readers stand ready before the first file, are made up for, and none stays when nobody reads any more")
    func standing() async throws {
        let good = try bench.file("good.pdf", PDFBuilder.sheet().data())
        do {
            let reader = try reader { $0.filesPerReader = 1 }
            reader.stand(ready: .calm)
            #expect(reader.statistics.started == 2)
            #expect(try await ask(reader, good).report.verdict == .accepted)
            #expect(reader.statistics.started == 3)
            #expect(reader.statistics.ready == 2)
            #expect(try await bench.hasChildren(2))
        }
        #expect(try await bench.hasChildren(0))
    }

    @Test("a reader that was idle for long is ended, and the next file gets another")
    func idle() async throws {
        let good = try bench.file("good.pdf", PDFBuilder.sheet().data())
        let reader = try reader { $0.idleSeconds = 0.2 }
        _ = try await ask(reader, good)
        #expect(try await bench.hasChildren(0))
        // The process is gone a moment before the pool has struck it off.
        #expect(try await bench.soon { reader.statistics.ready == 0 })
        #expect(try await ask(reader, good).report.verdict == .accepted)
    }

    @Test("a reader that dies while it stands ready is not missed")
    func killedIdle() async throws {
        let good = try bench.file("good.pdf", PDFBuilder.sheet().data())
        let reader = try reader()
        for _ in 0..<5 {
            _ = try await ask(reader, good)
            for child in bench.living { kill(child, SIGKILL) }
            #expect(try await ask(reader, good).report.verdict == .accepted)
        }
    }

    @Test("cancelled readings leave no process, no zombie and no descriptor")
    func cancelled() async throws {
        let good = try bench.file("good.pdf", PDFBuilder.sheet().data())
        let reader = try reader()
        let readings = (0..<12).map { number in
            Task {
                try await Task.sleep(for: .milliseconds(number))
                return try await reader.read(good, request: ReaderRequest(limits: .calm, previewWidths: [900]))
            }
        }
        try await Task.sleep(for: .milliseconds(20))
        for reading in readings { reading.cancel() }
        for reading in readings { _ = await reading.result }
        #expect(reader.statistics.busy == 0)
        #expect(bench.living.count <= 2)
        // Somebody else's zombie counts while it stays.
        #expect(try await bench.soon { bench.children.count <= 2 })
        #expect(try await ask(reader, good).report.verdict == .accepted)
    }

    @Test("what the sandbox goes without is said once")
    func missing() async throws {
        let lines = Mutex<[String]>([])
        let logger = Logger(label: "test") { _ in
            RecordingLog { line in lines.withLock { $0.append(line) } }
        }
        let good = try bench.file("good.pdf", PDFBuilder.sheet().data())
        let lacking = try bench.fakeReader(
            script: """
                #!/bin/sh
                printf '{"kind":"ready","bytes":0,"missing":["network namespace"]}\\n'
                \(FakeReader.takeFile)
                exit 3
                """
        ) { $0.logger = logger }
        for _ in 0..<2 { #expect(try await lacking.read(good).value.blockers == [.malformed]) }
        let told = lines.withLock { $0.filter { $0.contains("network namespace") } }
        #expect(told.count == 1)
    }
}

/// Passes each line on.
private struct RecordingLog: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info
    let take: @Sendable (String) -> Void

    init(_ take: @escaping @Sendable (String) -> Void) {
        self.take = take
    }

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        take("\(event.level) \(event.message) \(event.metadata ?? [:])")
    }
}
