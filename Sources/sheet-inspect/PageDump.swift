// SPDX-License-Identifier: Apache-2.0
import CSandbox
import FoundationEssentials
import Glibc
import IngestWire
import PDFObjects
import SheetCore
import SheetLayout

/// A line of JSON for each page, for `Training/`: `sheet-inspect --candidates FILE` prints the parts that may be regions with
/// what is measured of them, which scores are learned from; `--chosen-by FOLDER FILE` the regions that the scores in a folder
/// choose, which they are judged by. It runs in the sandbox too.
struct PageDump {
    let path: String
    /// Where `region-score.bin` and `region-choice.bin` are; `nil` for candidates.
    var scoresFolder: String?

    /// Many pages in one file save process starts.
    private static let wallSeconds: UInt32 = 600

    func run() -> Int32 {
        let input = open(path, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else {
            Output.write("sheet-inspect: cannot open \(path)\n", to: STDERR_FILENO)
            return 66
        }
        var scores: RegionScores?
        if let scoresFolder {
            guard let found = Self.scores(in: scoresFolder) else {
                Output.write("sheet-inspect: no scores of regions in \(scoresFolder)\n", to: STDERR_FILENO)
                return 66
            }
            scores = found
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
            guard let read = readPage(page, of: document) else { continue }
            Output.write(
                scores.map { Self.regions(on: read, page: page, $0) } ?? Self.candidates(on: read, page: page),
                to: STDOUT_FILENO)
        }
        return 0
    }

    private static func scores(in folder: String) -> RegionScores? {
        guard let first = FileManager.default.contents(atPath: "\(folder)/region-score.bin"),
            let second = FileManager.default.contents(atPath: "\(folder)/region-choice.bin")
        else { return nil }
        return RegionScores(first: Array(first), second: Array(second))
    }

    private func readPage(_ index: Int, of document: PDFDocument) -> PageContent? {
        // A page that cannot be read has no candidates.
        guard let size = try? document.size(ofPage: index),
            let read = try? document.read(page: index, size, wantsRegions: true), let grey = read.ink
        else { return nil }
        var content = read.0
        content.ink = InkMap(grey: grey.bytes, width: grey.width, height: grey.height)
        return content
    }

    private static func regions(on content: PageContent, page index: Int, _ scores: RegionScores) -> String {
        let found = RegionFinder(scores: scores).regions(on: content).map { region in
            let rect = region.rect
            return "{\"x\":\(rect.x),\"y\":\(rect.y),\"width\":\(rect.width),\"height\":\(rect.height),"
                + "\"name\":\(quoted(region.name))}"
        }
        return "{\"page\":\(index),\"regions\":[\(found.joined(separator: ","))]}\n"
    }

    private static func candidates(on content: PageContent, page index: Int) -> String {
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
