// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import IngestWire
import Logging
import SystemPackage
import TemplateIngest

/// What it costs to have a file read by a reader that stands ready, and by one that is started for it.
struct Readers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Read one small file many times; prints JSON with median milliseconds per file.")

    @Option(help: "The sheet-inspect program.")
    var reader: String

    @Option(help: "How many times the file is read in each way.")
    var files = 200

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("readers-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("no.pdf")
        // Judged at once, so that what is left is the cost of having it judged; it would end a reader if it were
        // refused, so it is a sheet.
        try Data(Self.smallestSheet.utf8).write(to: file)
        let standing = try await measure(file, filesPerReader: 1_000_000, standing: true)
        let fresh = try await measure(file, filesPerReader: 1, standing: false)
        let report = ["ready": standing, "fresh": fresh, "startup": fresh - standing]
        print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    }

    private func measure(_ file: URL, filesPerReader: Int, standing: Bool) async throws -> Double {
        var configuration = SheetReaderConfiguration(executable: FilePath(reader))
        configuration.readers = 1
        configuration.filesPerReader = filesPerReader
        let reader = SheetReader(configuration: configuration)
        if standing { reader.stand() }
        var times: [Double] = []
        for round in 0..<(files + 5) {
            let start = ContinuousClock.now
            let report = try await reader.read(FilePath(file.path), request: ReaderRequest(previewWidths: []))
            guard report.value.verdict == .accepted else { throw CleanExit.message("\(report.value.findings)") }
            let time = start.duration(to: .now).components
            if round >= 5 { times.append(Double(time.seconds) * 1e3 + Double(time.attoseconds) * 1e-15) }
        }
        return times.sorted()[times.count / 2]
    }

    /// One empty page the size of a stamp.
    private static let smallestSheet = """
        %PDF-1.4
        1 0 obj
        << /Type /Catalog /Pages 2 0 R >>
        endobj
        2 0 obj
        << /Type /Pages /Count 1 /Kids [3 0 R] >>
        endobj
        3 0 obj
        << /Type /Page /Parent 2 0 R /MediaBox [0 0 36 36] >>
        endobj
        trailer
        << /Size 4 /Root 1 0 R >>
        %%EOF

        """
}
