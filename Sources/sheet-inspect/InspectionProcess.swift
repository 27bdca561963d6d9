// SPDX-License-Identifier: Apache-2.0
import CSandbox
import Glibc
import IngestWire
import PDFObjects
import SheetCore

/// The process that parses: it puts up the sandbox, reads one file from `input` and answers in frames.
struct InspectionProcess {
    let request: ReaderRequest
    let input: Int32
    let output: Int32
    /// The page that is to be drawn with its regions, for `--overlay`.
    var overlayPage: Int?
    /// Whether this is the only file of the process, whose reading nobody follows and after which nothing is taken
    /// down.
    var isAlone = false
    /// Whether it begins without the fonts of the machine, and ends where the file needs one.
    var lacksFonts = false

    /// Exit code of the process.
    func run() -> Int32 {
        let limits = request.limits
        let cpuSeconds = ReaderStartOptions.cpuSecondsAtMost(limits)
        let failed = Self.enterSandbox(limits, cpuSecondsAtMost: cpuSeconds, lacksFonts: lacksFonts)
        if let failed {
            Output.write("sheet-inspect: no sandbox: \(failed)\n", to: STDERR_FILENO)
            return ReaderEnd.unavailableExitCode
        }
        return answer() ? 0 : ReaderEnd.unavailableExitCode
    }

    /// Opens what the sandbox will keep open, then puts it up; the step that failed, if one did.
    static func enterSandbox(
        _ limits: ReaderLimits, cpuSecondsAtMost: Int, takesFiles: Bool = false, lacksFonts: Bool = false
    ) -> String? {
        sandbox_prepare_heap(UInt64(clamping: limits.memoryBytes))
        if lacksFonts {
            pdf_prepare_without_fonts { _exit(ReaderEnd.fontsExitCode) }
        } else {
            pdf_prepare(sandbox_keep_file)
        }
        var walls = sandbox_limits(
            memory_bytes: UInt64(clamping: limits.memoryBytes),
            cpu_seconds: UInt32(clamping: limits.cpuSeconds),
            cpu_seconds_at_most: UInt32(clamping: cpuSecondsAtMost),
            wall_seconds: UInt32(clamping: limits.wallSeconds),
            dies_with_parent: true,
            takes_files: takesFiles
        )
        return sandbox_enter(&walls).map { String(cString: $0) }
    }

    /// Reads the file and answers; nothing of it is left afterwards. False when the file cannot be read at all.
    func answer() -> Bool {
        pdf_forget()
        guard let file = InputFile(descriptor: input, maximumBytes: request.limits.fileBytes) else { return false }
        let writer = FrameWriter(descriptor: output)
        do {
            if let difference = request.difference {
                // Pictures that cannot be laid over each other leave only the end.
                try DifferenceDrawing(difference, file)?.send(to: writer)
            } else if let wish = request.portrait {
                try PortraitDrawing(wish).send(file, to: writer)
            } else {
                try report(on: file, to: writer)
            }
        } catch {
            exit(ReaderEnd.memoryExitCode)
        }
        file.unmap()
        // Last of all, so that what taking the document down may do is still this file's doing.
        writer.send(ReaderFrame(kind: .end))
        return true
    }

    private func report(on file: InputFile, to writer: FrameWriter) throws {
        var inspection = FileInspection(request: request, file: file) { page, count in
            guard !isAlone else { return }
            writer.send(ReaderFrame(kind: .progress, page: page, pageCount: count))
        } keep: {
            writer.setLastWords($0)
        }
        let report = try inspection.report()
        writer.setLastWords(nil)
        if isAlone, let document = inspection.document { _ = Unmanaged.passRetained(document) }
        writer.send(report)
        if let document = inspection.document, !request.previewWidths.isEmpty {
            sandbox_set_alarm(0)
            sandbox_set_cpu_seconds(UInt32(clamping: request.limits.cpuSeconds * ReaderStartOptions.drawingCPUFactor))
            try drawPictures(of: document, pages: report.pages, to: writer)
        }
        sandbox_set_alarm(UInt32(clamping: request.limits.wallSeconds))
        let rest = RestOfAnswer(request: request, overlayPage: overlayPage, file: file, report: report)
        try rest.send(document: inspection.document, to: writer)
        sandbox_set_alarm(UInt32(clamping: request.limits.wallSeconds))
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
