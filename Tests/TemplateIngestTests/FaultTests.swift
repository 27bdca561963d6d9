// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import SheetCore
import SystemPackage
import TemplateIngest
import Testing

@Suite("What becomes of a reader that fails, and of the next file")
struct FaultTests {
    private let bench: Workbench
    private let file: FilePath
    private let content = PDFBuilder.sheet().data()

    init() throws {
        bench = try Workbench()
        file = try bench.file("sheet.pdf", content)
    }

    /// Little output; and time enough, but for who is to run out of it.
    private func short(seconds: Int = 300) -> ReaderRequest {
        var request = ReaderRequest(limits: .calm, previewWidths: [])
        request.limits.wallSeconds = seconds
        request.limits.outputBytes = 1 << 20
        return request
    }

    private func expectRefusal(
        _ script: String,
        _ code: FindingCode,
        seconds: Int = 300,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let report = try await bench.fakeReader(script).read(file, request: short(seconds: seconds)).value
        #expect(report.verdict == .refused, sourceLocation: sourceLocation)
        #expect(report.blockers == [code], sourceLocation: sourceLocation)
        #expect(report.sha256 == ContentHash(hashing: content), sourceLocation: sourceLocation)
        #expect(report.bytes == content.count, sourceLocation: sourceLocation)
        let next = try await Workbench.reader.read(file, request: ReaderRequest(limits: .calm, previewWidths: [])).value
        #expect(next.verdict == .accepted, sourceLocation: sourceLocation)
    }

    @Test("one that crashes")
    func crash() async throws {
        try await expectRefusal("kill -SEGV $$", .malformed)
        try await expectRefusal("exit 3", .malformed)
        try await expectRefusal("exit 0", .malformed)
        try await expectRefusal("exit 71", .memoryLimit)
        try await expectRefusal("kill -XCPU $$", .timeLimit)
    }

    @Test("one that hangs, with its children")
    func hang() async throws {
        let note = bench.folder.appendingPathComponent("child")
        try await expectRefusal("sleep 3600 & echo $! > \(note.path); sleep 3600", .timeLimit, seconds: 10)
        let child = try String(contentsOf: note, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(Int(child) != nil)
        let isOver = try await bench.soon {
            // A zombie has no command line.
            let command = try? String(contentsOfFile: "/proc/\(child)/cmdline", encoding: .utf8)
            return command?.contains("3600") != true
        }
        #expect(isOver)
    }

    @Test("one that leaves a child behind, which holds its output open")
    func orphan() async throws {
        try await expectRefusal("sleep 3600 & exit 0", .malformed)
    }

    @Test("one that floods its output, and one that claims a huge frame")
    func flood() async throws {
        try await expectRefusal(
            #"printf '{"kind":"report","bytes":900000}\n'; cat /dev/zero"#,
            .malformed
        )
        try await expectRefusal(#"printf '{"kind":"report","bytes":99999999999}\n'; sleep 3600"#, .tooComplex)
        try await expectRefusal(
            #"while :; do printf '{"kind":"progress","bytes":100000,"page":0,"pageCount":1}\n%0100000d' 1; done"#,
            .tooComplex
        )
    }

    @Test("one that prints garbage")
    func garbage() async throws {
        try await expectRefusal("echo hello; sleep 3600", .malformed)
        try await expectRefusal("head -c 5000 /dev/urandom", .malformed)
        try await expectRefusal(
            #"printf '{"kind":"report","bytes":2}\n{}'; printf '{"kind":"end","bytes":0}\n'"#,
            .malformed
        )
        try await expectRefusal(#"printf '{"kind":"report","bytes":5'"#, .malformed)
    }

    @Test("one that reports another file")
    func otherFile() async throws {
        let json =
            #"{"bytes":1,"findings":[],"pageCount":0,"pages":[],"sha256":"\#(String(repeating: "0", count: 64))","verdict":"refused"}"#
        try await expectRefusal(
            "printf '{\"kind\":\"report\",\"bytes\":\(json.utf8.count)}\\n%s' '\(json)'; printf '{\"kind\":\"end\",\"bytes\":0}\\n'",
            .malformed
        )
    }

    @Test("a missing reader, or one without its sandbox, is not the file's fault")
    func machineFaults() async throws {
        let missing = SheetReader(configuration: SheetReaderConfiguration(executable: "/nonexistent/sheet-inspect"))
        await #expect(throws: SheetReaderError.self) { try await missing.read(file) }
        await #expect(throws: SheetReaderError.noSandbox) { try await bench.fakeReader("exit 69").read(file) }
        await #expect(throws: SheetReaderError.noSandbox) {
            try await bench.fakeReader("", start: "exit 69").read(file)
        }
        await #expect(throws: SheetReaderError.self) { try await bench.fakeReader("", start: "kill $$").read(file) }
        await #expect(throws: SheetReaderError.incompatibleReader) {
            try await bench.fakeReader("", start: "echo hello; sleep 9").read(file)
        }
        await #expect(throws: SheetReaderError.incompatibleReader) { try await bench.fakeReader("exit 64").read(file) }
        await #expect(throws: SheetReaderError.self) { try await Workbench.reader.read("/nonexistent/file.pdf") }
    }

    @Test("a cancelled reading ends its reader")
    func cancellation() async throws {
        let reader = try bench.fakeReader("sleep 3600")
        let file = file
        let request = short()
        let task = Task { try await reader.read(file, request: request) }
        try await Task.sleep(for: .milliseconds(100))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("a callback that throws ends the reading with its error")
    func throwingCallback() async throws {
        struct Full: Error {}
        await #expect(throws: Full.self) {
            try await Workbench.reader.read(file, onPreview: { _ in throw Full() })
        }
    }

    @Test("no descriptor of the server reaches the reader, and no environment")
    func emptyHanded() async throws {
        let list = bench.folder.appendingPathComponent("seen")
        let secret = try FileDescriptor.open(file, .readOnly)
        defer { try? secret.close() }
        _ = try await bench.fakeReader(
            "ls -l /proc/$$/fd > \(list.path); tr '\\0' '\\n' < /proc/$$/environ >> \(list.path)"
        )
        .read(file, request: short())
        let seen = try String(contentsOf: list, encoding: .utf8)
        let pointers = seen.split(separator: "\n").filter { $0.contains(" -> ") }
        #expect(!pointers.isEmpty)
        #expect(!seen.contains("PATH=/") && !seen.contains("HOME="))
        // The file itself comes over the socket, and this stand-in does not take it.
        #expect(!pointers.contains { $0.contains("sheet.pdf") })
    }

    @Test("nothing gets out of the sandbox")
    func sandbox() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Workbench.executable.string)
        process.arguments = ["--check-sandbox"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(!text.contains("allowed"))
        #expect(text.split(separator: "\n").count >= 9)
    }

    @Test("many at once")
    func manyAtOnce() async throws {
        let file = file
        let request = ReaderRequest(limits: .calm, previewWidths: [100])
        let verdicts = try await withThrowingTaskGroup(of: ReaderReport.Verdict.self) { group in
            for _ in 0..<12 {
                group.addTask {
                    try await Workbench.reader.read(file, request: request).value.verdict
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(verdicts.count == 12 && verdicts.allSatisfy { $0 == .accepted })
    }
}
