// SPDX-License-Identifier: Apache-2.0
import CSandbox
import Foundation
import IngestWire
import PDFObjects
import SheetCore

/// The process that parses: it puts up the sandbox, reads one file from `input` and answers in frames.
struct ReadingProcess {
    let request: ReaderRequest
    let input: Int32
    let output: Int32
    var diesWithParent = true
    /// The page that is to be drawn with its regions, for `--overlay`.
    var overlayPage: Int?

    /// CPU seconds that drawing pictures may take on top, in sum over all pages.
    private static let drawingCPUFactor = 12

    /// Exit code of the process.
    func run() -> Int32 {
        pdf_prepare(sandbox_keep_file)
        let limits = request.limits
        var walls = sandbox_limits(
            memory_bytes: UInt64(clamping: limits.memoryBytes),
            cpu_seconds: UInt32(clamping: limits.cpuSeconds),
            cpu_seconds_at_most: UInt32(clamping: limits.cpuSeconds * (1 + Self.drawingCPUFactor)),
            wall_seconds: UInt32(clamping: limits.wallSeconds),
            dies_with_parent: diesWithParent
        )
        if let failed = sandbox_enter(&walls) {
            Output.write("sheet-inspect: no sandbox: \(String(cString: failed))\n", to: STDERR_FILENO)
            return ReaderEnd.unavailableExitCode
        }
        guard let file = InputFile(descriptor: input, maximumBytes: limits.fileBytes) else {
            return ReaderEnd.unavailableExitCode
        }
        answer(for: file)
        return 0
    }

    private func answer(for file: InputFile) {
        let writer = FrameWriter(descriptor: output)
        var reading = FileReading(request: request, file: file) { page, count in
            writer.send(ReaderFrame(kind: .progress, page: page, pageCount: count))
        }
        do {
            let report = try reading.report()
            writer.send(report)
            sandbox_set_alarm(0)
            if let document = reading.document, !request.previewWidths.isEmpty {
                sandbox_set_cpu_seconds(UInt32(clamping: request.limits.cpuSeconds * Self.drawingCPUFactor))
                try drawPictures(of: document, pages: report.pages, to: writer)
            }
            let rest = RestOfAnswer(request: request, overlayPage: overlayPage, file: file, report: report)
            try rest.send(document: reading.document, to: writer)
            writer.send(ReaderFrame(kind: .end))
        } catch {
            exit(ReaderEnd.memoryExitCode)
        }
        // The document is not taken down: the process ends here.
    }

    private func drawPictures(of document: PDFDocument, pages: [ReaderReport.Page], to writer: FrameWriter) throws {
        let drawing = PageDrawing(document: document)
        for page in pages {
            // The alarm runs while a page is drawn, not while the supervisor takes its time to store it.
            sandbox_set_alarm(UInt32(clamping: request.limits.wallSeconds))
            let pictures = try drawing.pictures(of: page, widths: request.previewWidths)
            sandbox_set_alarm(0)
            for picture in pictures {
                writer.send(
                    ReaderFrame(kind: .preview, page: page.index, width: picture.width, height: picture.height),
                    picture.webp
                )
            }
        }
    }
}
