// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import IngestWire
import SystemPackage
import TemplateIngest

/// How many pages a ready reader reads in a second of CPU time, as the ingest workers have files read.
struct Sheets: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Read sheets by one reader after the other; prints JSON with pages and CPU seconds.")

    @Option(help: "The sheet-inspect program.")
    var reader: String

    @Option(help: "How many times each file is read.")
    var rounds = 3

    @Argument(help: "The sheets.")
    var files: [String]

    func run() async throws {
        var pages = 0
        do {
            var configuration = SheetReaderConfiguration(executable: FilePath(reader))
            configuration.readers = 1
            let reader = SheetReader(configuration: configuration)
            reader.stand()
            for _ in 0..<rounds {
                for file in files {
                    pages += try await reader.read(FilePath(file), request: ReaderRequest(previewWidths: [])).value
                        .pages
                        .count
                }
            }
        }
        // Readers end with their pool; what they used counts once they are gone.
        try await Task.sleep(for: .seconds(1))
        let report = ["pages": Double(pages), "cpuSeconds": Self.used(RUSAGE_CHILDREN) + Self.used(RUSAGE_SELF)]
        print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    }

    private static func used(_ by: __rusage_who) -> Double {
        var usage = rusage()
        getrusage(by.rawValue, &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
