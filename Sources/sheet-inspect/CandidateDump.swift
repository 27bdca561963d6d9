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
        let bounds = pdf_page_bounds(words: 100_000, shapes: 60_000, text_bytes: 4 << 20, wants_shapes: true)
        guard let size = try? document.size(ofPage: index),
            var content = try? document.read(page: index, bounds: bounds)
        else { return nil }
        content.width = size.width / size.user_unit
        content.height = size.height / size.user_unit
        let drawing = PageDrawing(document: document)
        guard let grey = try? drawing.inkPicture(page: index, of: content) else {
            return nil
        }
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
        return "{\"page\":\(index),\"names\":[\(quoted)],\"candidates\":[\(rows.joined(separator: ","))]}\n"
    }
}
