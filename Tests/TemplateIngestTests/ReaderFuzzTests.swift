// SPDX-License-Identifier: Apache-2.0
import Foundation
import SystemPackage
import Testing

/// `Fuzz/reader.py`, which mutates PDFs for as long as somebody lets it; here for a few.
@Suite("Fuzzing of the reader")
struct ReaderFuzzTests {
    private static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private let bench: Workbench
    private var findings: URL { bench.folder.appendingPathComponent("findings") }

    init() throws {
        bench = try Workbench()
    }

    private func fuzz(_ reader: String, runs: Int) throws -> (status: Int32, text: String) {
        let sheet = try bench.file("sheet.pdf", PDFBuilder.sheet().data())
        let result = try Tool.run(
            "/usr/bin/python3",
            [
                Self.project.appendingPathComponent("Fuzz/reader.py").path, reader, "--runs", "\(runs)", "--seed", "7",
                "--findings", findings.path, sheet.string,
            ])
        return (result.status, String(decoding: result.output, as: UTF8.self))
    }

    @Test("finds nothing in a few mutations")
    func quiet() throws {
        let (status, text) = try fuzz(Workbench.executable.string, runs: 20)
        #expect(status == 0, "\(text)")
        #expect(text.contains("1 files and 20 mutations of 2 in") && text.contains("found: 0"))
    }

    @Test(
        "keeps a file of which a report contradicts itself, and says why",
        arguments: [
            (#""verdict":"accepted","pageCount":1"#, "accepted without all its pages"),
            (#""verdict":"refused","pageCount":0"#, "accepted with a blocker, or refused without one"),
        ])
    func contradiction(entries: String, reason: String) throws {
        let report = #"{"sha256":"","bytes":0,"findings":[],"pages":[],\#(entries)}"#
        let reader = try bench.file("reader", Data("#!/bin/sh\necho '\(report)'\n".utf8))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: reader.string)
        #expect(try fuzz(reader.string, runs: 0).status == 1)
        let kept = try FileManager.default.contentsOfDirectory(at: findings, includingPropertiesForKeys: nil)
        let file = try #require(kept.first { $0.pathExtension == "pdf" })
        #expect(try Data(contentsOf: file) == PDFBuilder.sheet().data())
        let told = try String(contentsOf: file.deletingPathExtension().appendingPathExtension("txt"), encoding: .utf8)
        #expect(told.contains(reason) && told.contains("another hash than the file's"))
    }
}
