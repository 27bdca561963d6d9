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

    /// The reader that was built with the tests.
    static let executable = built("sheet-inspect")

    /// A program that was built with the tests.
    static func built(_ name: String) -> FilePath {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            let candidate = folder.appendingPathComponent(name)
            if FileManager.default.isExecutableFile(atPath: candidate.path) { return FilePath(candidate.path) }
        }
        return SheetReaderConfiguration.besideThisProgram().executable
    }

    /// A reader by a name of its own, so that `children` knows its processes.
    func reader(_ name: String, _ configure: (inout SheetReaderConfiguration) -> Void = { _ in }) throws -> SheetReader
    {
        let link = folder.appendingPathComponent("\(name)-\(UUID().uuidString)")
        try FileManager.default.createSymbolicLink(
            atPath: link.path, withDestinationPath: Self.built(name).string)
        var configuration = SheetReaderConfiguration(executable: FilePath(link.path))
        configure(&configuration)
        return SheetReader(configuration: configuration)
    }

    /// Processes that were started from this folder, zombies too.
    var children: [pid_t] { processes { $0.isEmpty || $0.hasPrefix(folder.path) } }

    /// Those of them that live.
    var living: [pid_t] { processes { $0.hasPrefix(folder.path) } }

    /// Children of this process whose command line is as wanted. A zombie has lost its command line; it counts as ours,
    /// whosever it is, for as long as it stays.
    private func processes(_ isWanted: (String) -> Bool) -> [pid_t] {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        let numbers = tasks.flatMap { task in
            let text = try? String(contentsOfFile: "/proc/self/task/\(task)/children", encoding: .utf8)
            return (text ?? "").split(separator: " ").compactMap { pid_t($0) }
        }
        return numbers.filter { number in
            let command = try? String(contentsOfFile: "/proc/\(number)/cmdline", encoding: .utf8)
            return command.map(isWanted) ?? false
        }
    }

    /// Whether there are soon just so many of them.
    func hasChildren(_ count: Int) async throws -> Bool {
        try await soon { children.count == count }
    }

    /// Whether the condition comes to hold within minutes: a busy machine may stop a test for more than one. The
    /// wait is over before a reader that nobody ends would end by itself, idle for long or out of time.
    func soon(_ condition: () -> Bool) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(200)
        while ContinuousClock.now < deadline {
            if condition() { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    static var reader: SheetReader {
        SheetReader(configuration: SheetReaderConfiguration(executable: executable))
    }

    /// A shell script that stands in for the reader: it says that it is ready, takes a file, and then does `body`.
    func fakeReader(_ body: String, start: String = FakeReader.start) throws -> SheetReader {
        try fakeReader(script: "#!/bin/sh\n\(start)\n\(body)\n")
    }

    /// Any script that stands in for the reader.
    func fakeReader(
        script: String, configure: (inout SheetReaderConfiguration) -> Void = { _ in }
    ) throws -> SheetReader {
        let url = folder.appendingPathComponent("reader-\(UUID().uuidString)")
        try Data(script.utf8).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: url.path)
        var configuration = SheetReaderConfiguration(executable: FilePath(url.path))
        configure(&configuration)
        return SheetReader(configuration: configuration)
    }

    /// Reads without pictures.
    func read(_ builder: PDFBuilder, name: String = "sheet.pdf") async throws -> ReaderReport {
        try await read(builder.data(), name: name)
    }

    func read(_ content: Data, name: String = "sheet.pdf") async throws -> ReaderReport {
        let request = ReaderRequest(limits: .calm, previewWidths: [])
        return try await Self.reader.read(try file(name, content), request: request).value
    }
}

extension ReaderLimits {
    /// Time enough for a reader that was built for debugging, on a machine that has much else to do.
    static var calm: ReaderLimits {
        var limits = ReaderLimits()
        limits.cpuSeconds = 120
        limits.wallSeconds = 300
        return limits
    }
}

extension ImportLimits {
    /// The same for importers.
    static var calm: ImportLimits {
        var limits = ImportLimits()
        limits.cpuSeconds = 120
        limits.wallSeconds = 300
        return limits
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

/// Pieces of shell that stand-ins for the reader are made of.
enum FakeReader {
    static let ready = #"printf '{"kind":"ready","bytes":0}\n'"#
    static let takeFile = "dd bs=65536 count=1 of=/dev/null 2>/dev/null"
    static let start = "\(ready)\n\(takeFile)"
}
