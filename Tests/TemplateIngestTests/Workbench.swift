// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import Logging
import SheetCore
import SystemPackage
import TemplateIngest
import Testing

/// A folder for one test's files, and readers to read them with.
final class Workbench {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("ingest-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    func file(_ name: String = "sheet.pdf", _ content: Data) throws -> FilePath {
        let url = folder.appendingPathComponent(name)
        try content.write(to: url)
        return FilePath(url.path)
    }

    /// The program that was built with the tests.
    static var executable: FilePath {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            let candidate = folder.appendingPathComponent("sheet-inspect")
            if FileManager.default.isExecutableFile(atPath: candidate.path) { return FilePath(candidate.path) }
        }
        return SheetReaderConfiguration.besideThisProgram().executable
    }

    static var reader: SheetReader {
        SheetReader(configuration: SheetReaderConfiguration(executable: executable))
    }

    /// A shell script that stands in for the reader.
    func fakeReader(_ body: String) throws -> SheetReader {
        let url = folder.appendingPathComponent("reader-\(UUID().uuidString)")
        try Data("#!/bin/sh\n\(body)\n".utf8).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: url.path)
        return SheetReader(configuration: SheetReaderConfiguration(executable: FilePath(url.path)))
    }

    /// Reads without pictures.
    func read(_ builder: PDFBuilder, name: String = "sheet.pdf") async throws -> ReaderReport {
        try await read(builder.data(), name: name)
    }

    func read(_ content: Data, name: String = "sheet.pdf") async throws -> ReaderReport {
        try await Self.reader.read(try file(name, content), request: ReaderRequest(previewWidths: [])).value
    }
}

extension ReaderReport {
    var blockers: [FindingCode] { findings.filter { $0.severity == .blocker }.map(\.code) }
}

/// Collects what callbacks bring.
actor Collected<Value: Sendable> {
    private(set) var values: [Value] = []

    func add(_ value: Value) {
        values.append(value)
    }
}
