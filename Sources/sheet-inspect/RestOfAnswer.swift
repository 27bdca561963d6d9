// SPDX-License-Identifier: Apache-2.0
import CSandbox
import IngestWire
import PDFObjects
import SheetCore

/// What follows the report and the pictures when the request asks for it: looks, a clean copy, an overlay.
struct RestOfAnswer {
    let request: ReaderRequest
    let overlayPage: Int?
    let file: InputFile
    let report: ReaderReport

    /// Each step gets time of its own; the supervisor's bound on the whole stays.
    func send(document: PDFDocument?, to writer: FrameWriter) throws {
        if request.wantsProof, let document { try timed { try sendLooks(of: document, to: writer) } }
        if request.clean, isWorthCleaning { try timed { try sendCleanCopy(to: writer) } }
        if let overlayPage, let document { try timed { try sendOverlay(of: document, overlayPage, to: writer) } }
    }

    private func timed(_ step: () throws -> Void) throws {
        sandbox_set_cpu_seconds(UInt32(clamping: request.limits.cpuSeconds))
        sandbox_set_alarm(UInt32(clamping: request.limits.wallSeconds))
        try step()
        sandbox_set_alarm(0)
    }

    private func sendLooks(of document: PDFDocument, to writer: FrameWriter) throws {
        for page in report.pages.prefix(CopyProof.maximumPages) {
            let size = PageLook.size(pageWidth: page.width, pageHeight: page.height)
            guard
                let drawn = try document.draw(
                    page: page.index, width: size.width, height: size.height, as: pdf_grey_colors)
            else { continue }
            writer.send(
                ReaderFrame(kind: .look, page: page.index, width: size.width, height: size.height),
                Array(drawn.bytes)
            )
        }
    }

    private var isWorthCleaning: Bool {
        let blockers = report.findings.filter { $0.severity == .blocker }
        return blockers.allSatisfy(\.removable) && (request.cleansAccepted || !blockers.isEmpty)
    }

    private func sendCleanCopy(to writer: FrameWriter) throws {
        guard let content = file.content else { return }
        guard self.report.pageCount <= CopyProof.maximumPages else {
            let most = CopyProof.maximumPages
            writer.send(CleaningReport(removed: [], failure: "Files of more than \(most) pages are not cleaned."))
            return
        }
        let (report, copy) = try FileCleaning.copy(of: content, maximumBytes: request.limits.fileBytes)
        writer.send(report)
        if let copy { writer.send(ReaderFrame(kind: .cleaned), copy) }
    }

    private func sendOverlay(of document: PDFDocument, _ index: Int, to writer: FrameWriter) throws {
        guard let page = report.pages.first(where: { $0.index == index }),
            let picture = try OverlayDrawing()?.draw(page, of: document)
        else { return }
        writer.send(
            ReaderFrame(kind: .overlay, page: index, width: picture.width, height: picture.height),
            picture.pixels
        )
    }
}
