// SPDX-License-Identifier: Apache-2.0
import CSandbox
import Glibc
import IngestWire
import PDFObjects
import SheetCore
import SheetLayout

/// Judges one file, step by step, and collects what is found.
struct FileInspection {
    let request: ReaderRequest
    let file: InputFile
    let onPage: (_ page: Int, _ count: Int) -> Void
    /// Takes what is to be answered if the next step takes too long.
    let keep: (ReaderReport) -> Void
    /// The open document, for drawing after the report; `nil` when it is not to be drawn.
    private(set) var document: PDFDocument?

    private var findings: [Finding] = []
    private var pages: [ReaderReport.Page] = []
    private var pageCount = 0
    private var names = RegionNames()
    /// What is left of the time for the whole file, in milliseconds of the processor: with a second's try without fonts no file
    /// holds a reader for more than five seconds.
    private var patience = wholePatience
    private static let wholePatience: UInt32 = 3_200

    /// With less no further page is looked at.
    private static let leastPatience: UInt32 = 300
    /// With less no further regions are looked for: the text of many pages shall still be read.
    private static let patienceForRegions: UInt32 = 1_300
    /// The most that showing a page may take, in milliseconds, and what is left for the rest of it then.
    private static let mostForPage: UInt32 = 2_000
    private static let restOfPage: UInt32 = 200
    /// What was left when the report so far was kept last.
    private var keptAt = wholePatience
    /// After so many milliseconds it is kept anew, of most files never.
    private static let keepEvery: UInt32 = 200
    /// Where there is a finding to lose it is kept anew with each of so many pages.
    private static let keptEach = 20
    private var advice = SheetAdvice()

    /// Pages that regions are looked for on: a character sheet has a handful, a rule book is no sheet.
    private static let pagesWithRegions = 60
    /// Pages that are read of a file that has too many of them.
    private static let pagesOfTooMany = 24
    /// Findings that are told of one file; the gravest come first.
    private static let maximumFindings = 100
    private static let surveyBounds = pdf_survey_bounds(
        objects: 2_000_000,
        nodes: 8_000_000,
        stream_bytes: 60 << 20,
        total_stream_bytes: 256 << 20,
        image_pixels: 128 << 20,
        annotations: 10_000,
        forms: 25_000
    )

    init(
        request: ReaderRequest, file: InputFile, onPage: @escaping (_ page: Int, _ count: Int) -> Void,
        keep: @escaping (ReaderReport) -> Void
    ) {
        self.request = request
        self.file = file
        self.onPage = onPage
        self.keep = keep
    }

    /// The whole judgement.
    mutating func report() throws -> ReaderReport {
        var facts = empty
        if let content = judgeOutside(), let opened = try open(content) {
            try judgeObjects(of: opened)
            if try countPages(of: opened) {
                try readPages(of: opened)
                document = opened
            }
            try opened.addFacts(to: &facts)
            findings += advice.findings(pages: pages, fonts: facts.fonts ?? [])
        }
        return told(findings, in: facts)
    }

    private var empty: ReaderReport {
        ReaderReport(
            verdict: .accepted, sha256: file.sha256, bytes: file.bytes, pageCount: 0, findings: [], pages: [])
    }

    private func told(_ findings: [Finding], in facts: ReaderReport) -> ReaderReport {
        var report = facts
        report.findings = Array(findings.sorted { $0.severity > $1.severity }.prefix(Self.maximumFindings))
        report.verdict = findings.contains { $0.severity == .blocker } ? .refused : .accepted
        report.pageCount = pageCount
        report.pages = pages
        return report
    }

    private static let tooLong = "The file takes far longer to read than a sheet can need."

    /// Keeps what is found so far, where it took some time or is more than pages.
    private mutating func keepReport() {
        let hasMuchToLose = pages.count < Self.keptEach && findings.contains { $0.severity == .blocker }
        guard hasMuchToLose || keptAt >= patience + Self.keepEvery else { return }
        keptAt = patience
        keep(told(findings + [Finding(.tooComplex, .blocker, message: Self.tooLong)], in: empty))
    }

    private mutating func refuse(_ code: FindingCode, page: Int? = nil, removable: Bool = false, _ message: String) {
        findings.append(Finding(code, .blocker, page: page, message: message, removable: removable))
    }

    private mutating func judgeOutside() -> UnsafeRawBufferPointer? {
        guard file.bytes > 0 else {
            refuse(.empty, "The file is empty.")
            return nil
        }
        guard let content = file.content else {
            refuse(
                .tooLarge,
                "The file has \(file.bytes) bytes; at most \(request.limits.fileBytes) are allowed."
            )
            return nil
        }
        let sniff = FileSniff(content)
        findings += sniff.findings
        return sniff.isPDF ? content : nil
    }

    private mutating func open(_ content: UnsafeRawBufferPointer) throws -> PDFDocument? {
        switch try limited({ _ in try PDFDocument.open(content) }) {
        case .success(let document):
            return document
        case .failure(let failure):
            switch failure.reason {
            case .encrypted: refuse(.encrypted, "The file needs a password. Save it without one.")
            case .damaged: refuse(.malformed, "The file is damaged beyond repair. Export it again.")
            }
            return nil
        }
    }

    /// Does a step, and takes its time from what is left; the process ends when it takes more: poppler unpacks streams and works
    /// out colours without end, and does not ask meanwhile.
    private mutating func limited<R>(_ step: (inout FileInspection) throws -> R) rethrows -> R {
        sandbox_limit_step(patience)
        defer { patience = max(sandbox_limit_step(0), 1) }
        return try step(&self)
    }

    private mutating func judgeObjects(of document: PDFDocument) throws {
        guard let survey = try limited({ _ in try document.survey(Self.surveyBounds) }) else {
            refuse(.malformed, "The objects of the file could not be read.")
            return
        }
        func has(_ trait: pdf_trait) -> Bool { survey.traits & trait.rawValue != 0 }
        if has(pdf_trait_javascript) {
            refuse(.javascript, removable: true, "The file contains scripts (JavaScript).")
        }
        if has(pdf_trait_launch) {
            refuse(.launchAction, removable: true, "The file can start programs on the reader's machine.")
        }
        if has(pdf_trait_embedded_file) {
            refuse(.embeddedFiles, removable: true, "The file carries other files or media inside it.")
        }
        if has(pdf_trait_embedded_media) {
            refuse(.embeddedMedia, removable: true, "The file has films on its pages.")
        }
        if has(pdf_trait_xfa) {
            let isAlone = has(pdf_trait_xfa_alone)
            let what = isAlone ? "nothing but an XFA form" : "an XFA form beside its ordinary one"
            refuse(.xfa, removable: !isAlone, "The file carries \(what), which most readers cannot show.")
        }
        if has(pdf_trait_external) {
            refuse(.externalAction, removable: true, "The file reaches for other files or addresses by itself.")
        }
        if has(pdf_trait_private_metadata) {
            findings.append(
                Finding(
                    .privateMetadata,
                    .warning,
                    message: "The file's metadata names folders of the machine it was made on.",
                    removable: true
                )
            )
        }
        if has(pdf_trait_bomb) {
            refuse(.decompressionBomb, "A part of the file unpacks to far more data than a sheet can need.")
        }
        if has(pdf_trait_too_complex) {
            refuse(.tooComplex, "The file is built of far more objects than a sheet can need.")
        }
    }

    /// Whether the pages are worth reading.
    private mutating func countPages(of document: PDFDocument) throws -> Bool {
        pageCount = document.pageCount
        guard pageCount > 0 else {
            switch document.declaredPageCount {
            case 0: refuse(.empty, "The file has no pages.")
            case .some(let claim) where claim > request.limits.pages:
                refuse(.tooManyPages, "The file claims to have \(claim) pages.")
            default: refuse(.malformed, "The file is damaged: no page can be found in it.")
            }
            return false
        }
        guard pageCount <= request.limits.pages else {
            refuse(
                .tooManyPages,
                "The file has \(pageCount) pages; at most \(request.limits.pages) are allowed."
            )
            return isSafeToRead
        }
        return isSafeToRead
    }

    private var isSafeToRead: Bool {
        !findings.contains { $0.code == .decompressionBomb || $0.code == .tooComplex }
    }

    private mutating func readPages(of document: PDFDocument) throws {
        let isTooLong = pageCount > request.limits.pages
        for index in 0..<(isTooLong ? min(Self.pagesOfTooMany, request.limits.pages) : pageCount) {
            guard let size = try document.size(ofPage: index) else {
                refuse(.malformed, page: index, "Page \(index + 1) cannot be found in the file.")
                return
            }
            guard isReasonable(size, page: index) else { continue }
            guard patience > Self.leastPatience else {
                refuse(.tooComplex, page: index, Self.tooLong)
                return
            }
            keepReport()
            try limited { try $0.readPage(index, size, of: document) }
            guard !document.isExhausted else {
                refuse(.tooComplex, page: index, "Page \(index + 1) takes far longer to draw than a sheet can need.")
                return
            }
            if !isTooLong { onPage(index, pageCount) }
        }
    }

    private mutating func isReasonable(_ size: pdf_page_size, page index: Int) -> Bool {
        let sides = [size.width, size.height]
        guard sides.allSatisfy({ $0.isFinite && $0 >= 1 }) else {
            refuse(.malformed, page: index, "Page \(index + 1) has no area.")
            return false
        }
        guard sides.allSatisfy({ $0 <= request.limits.pageSidePoints }) else {
            refuse(
                .pageTooLarge,
                page: index,
                "Page \(index + 1) is larger than \(Int(request.limits.pageSidePoints)) points (5 metres)."
            )
            return false
        }
        return true
    }

    private mutating func readPage(_ index: Int, _ size: pdf_page_size, of document: PDFDocument) throws {
        let wantsRegions = index < Self.pagesWithRegions && patience > Self.patienceForRegions
        let milliseconds = min(Self.mostForPage, patience - Self.restOfPage)
        let read = try document.read(
            page: index, size, wantsRegions: wantsRegions, seconds: Double(milliseconds) / 1_000)
        guard let (content, ink) = read else {
            refuse(.malformed, page: index, "Page \(index + 1) could not be read.")
            return
        }
        let text = PageText(content.words, maximumBytes: request.limits.textBytesPerPage)
        let seen = wantsRegions ? look(at: content, ink, page: index) : Seen()
        let links = try document.links(onPage: index)
        var page = ReaderReport.Page(
            index: index,
            width: Self.rounded(size.width),
            height: Self.rounded(size.height),
            rotation: Int(size.rotation),
            textCharacters: text.characterCount,
            formFields: content.fields.count,
            regions: Array(seen.regions.prefix(request.limits.regionsPerPage)),
            text: request.wantsText ? text.text : nil
        )
        page.links = links.count
        page.linkTargets = links.targets.isEmpty ? nil : links.targets
        page.lookHash = seen.fingerprint?.description
        page.textHash = PageFingerprints.text(text.words)?.description
        if request.wantsProof || request.wantsLayout { page.fields = try document.fields(onPage: index) }
        if request.wantsLayout { page.anchors = PageAnchors.of(content.words, unit: size.user_unit) }
        advice.look(at: page, content, text: text, unit: size.user_unit)
        pages.append(page)
    }

    /// What the picture of a page tells.
    private struct Seen {
        var regions: [ZoomRegion] = []
        var fingerprint: Fingerprint?
    }

    private mutating func look(at content: PageContent, _ ink: PagePixels?, page index: Int) -> Seen {
        var content = content
        var seen = Seen()
        if let grey = ink {
            if grey.isBlank, !content.words.isEmpty || !content.images.isEmpty {
                findings.append(
                    Finding(
                        .malformed,
                        .warning,
                        page: index,
                        message: "Page \(index + 1) has content, but its picture is empty."
                    )
                )
            }
            seen.fingerprint = PageFingerprints.look(grey: grey.bytes, width: grey.width, height: grey.height)
            content.ink = InkMap(grey: grey.bytes, width: grey.width, height: grey.height)
        }
        seen.regions = RegionFinder().regions(on: content).map { names.region($0, page: index) }
        return seen
    }

    private static func rounded(_ points: Double) -> Double {
        (points * 1000).rounded() / 1000
    }
}
