// SPDX-License-Identifier: Apache-2.0
import CSandbox
import Glibc
import IngestWire
import PDFObjects
import SheetCore
import SheetLayout

/// `sheet-inspect --candidates FILE`: the parts of each page that may be regions, with what is measured of them, one
/// line of JSON for each page. What the scores of regions are learned from (`Training/`); it runs in the sandbox too.
struct CandidateDump {
    let path: String

    /// Many pages in one file save process starts.
    private static let wallSeconds: UInt32 = 600

    func run() -> Int32 {
        let input = open(path, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else {
            Output.write("sheet-inspect: cannot open \(path)\n", to: STDERR_FILENO)
            return 66
        }
        pdf_prepare(sandbox_keep_file)
        let limits = ReaderLimits()
        var walls = sandbox_limits(
            memory_bytes: 1 << 30,
            cpu_seconds: Self.wallSeconds,
            cpu_seconds_at_most: Self.wallSeconds,
            wall_seconds: Self.wallSeconds,
            dies_with_parent: true,
            takes_files: false
        )
        if let failed = sandbox_enter(&walls) {
            Output.write("sheet-inspect: no sandbox: \(String(cString: failed))\n", to: STDERR_FILENO)
            return ReaderEnd.unavailableExitCode
        }
        pdf_forget()
        guard let file = InputFile(descriptor: input, maximumBytes: limits.fileBytes), let content = file.content,
            let document = try? PDFDocument.open(content).get()
        else { return 65 }
        for page in 0..<document.pageCount {
            guard let line = line(page: page, of: document) else { continue }
            Output.write(line, to: STDOUT_FILENO)
        }
        return 0
    }

    private func line(page index: Int, of document: PDFDocument) -> String? {
        // A page that cannot be read has no candidates.
        guard let size = try? document.size(ofPage: index),
            let read = try? document.read(page: index, size, wantsRegions: true), let grey = read.ink
        else { return nil }
        var content = read.0
        content.ink = InkMap(grey: grey.bytes, width: grey.width, height: grey.height)
        let (names, found) = RegionFinder().candidates(on: content)
        let rows = found.map { candidate in
            let rect = candidate.rect
            let edges = [rect.x, rect.y, rect.width, rect.height].map { Int(($0 * 100_000).rounded()) }
            return "["
                + (edges + candidate.box + candidate.measures.map(Int.init)).map(String.init)
                .joined(separator: ",") + "]"
        }
        let quoted = names.map { "\"\($0)\"" }.joined(separator: ",")
        let labels = found.map { Self.quoted($0.name) }.joined(separator: ",")
        return "{\"page\":\(index),\"names\":[\(quoted)],\"candidates\":[\(rows.joined(separator: ","))],"
            + "\"labels\":[\(labels)]}\n"
    }

    /// A string of JSON.
    private static func quoted(_ text: String) -> String {
        "\""
            + text.unicodeScalars.map { scalar -> String in
                switch scalar {
                case "\"", "\\": "\\\(scalar)"
                default: scalar.value < 32 ? " " : String(scalar)
                }
            }.joined() + "\""
    }
}
