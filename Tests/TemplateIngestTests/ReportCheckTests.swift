// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import SheetCore
import Testing

@testable import TemplateIngest

@Suite("What the supervisor believes of a reader's report")
struct ReportCheckTests {
    private let identity = FileIdentity(sha256: ContentHash(hashing: Data("x".utf8)), bytes: 10)

    private func honest() -> ReaderReport {
        let region = ZoomRegion(
            id: "skills",
            name: "Skills",
            rect: NormalizedRect(x: 0.1, y: 0.1, width: 0.5, height: 0.2),
            pageIndex: 0,
            confidence: 0.7
        )
        let page = ReaderReport.Page(
            index: 0,
            width: 612,
            height: 792,
            rotation: 0,
            textCharacters: 3,
            formFields: 0,
            regions: [region],
            text: "a\nb"
        )
        return ReaderReport(
            verdict: .accepted,
            sha256: identity.sha256,
            bytes: 10,
            pageCount: 1,
            findings: [],
            pages: [page]
        )
    }

    private func passes(_ change: (inout ReaderReport) -> Void) -> Bool {
        var report = honest()
        change(&report)
        return (try? ReportCheck(limits: ReaderLimits(), identity: identity).check(report)) != nil
    }

    private func region(
        id: String = "a",
        name: String = "A",
        rect: NormalizedRect = NormalizedRect(x: 0, y: 0, width: 1, height: 1),
        scale: Double = 1,
        confidence: Double = 1,
        source: ZoomRegion.Source = .detected
    ) -> ZoomRegion {
        ZoomRegion(
            id: id,
            name: name,
            rect: rect,
            scale: scale,
            pageIndex: 0,
            confidence: confidence,
            source: source
        )
    }

    @Test("an honest report passes")
    func honestReport() {
        #expect(passes { _ in })
    }

    @Test("another file's hash or size does not")
    func identityMismatch() {
        #expect(!passes { $0.bytes = 11 })
        #expect(!passes { $0.sha256 = ContentHash(hashing: Data()) })
    }

    @Test("verdict and findings must agree, and an accepted file shows all its pages")
    func verdict() {
        #expect(!passes { $0.verdict = .refused })
        #expect(!passes { $0.findings = [Finding(.xfa, .blocker, message: "x")] })
        #expect(!passes { $0.pageCount = 2 })
        #expect(!passes { $0.pages = [] })
        #expect(!passes { $0.pageCount = -1 })
    }

    @Test("findings with odd codes, messages or pages do not pass")
    func findings() {
        #expect(!passes { $0.findings = [Finding(FindingCode(rawValue: "A B"), .info, message: "x")] })
        #expect(!passes { $0.findings = [Finding(.noText, .info, message: "x\u{1B}[2J")] })
        #expect(!passes { $0.findings = [Finding(.noText, .info, message: "\u{202E}x")] })
        #expect(!passes { $0.findings = [Finding(.noText, .info, page: 7, message: "x")] })
        #expect(!passes { $0.findings = Array(repeating: Finding(.noText, .info, message: "x"), count: 1000) })
    }

    @Test("pages with impossible numbers or text do not pass")
    func pages() {
        #expect(!passes { $0.pages[0].width = .nan })
        #expect(!passes { $0.pages[0].height = .infinity })
        #expect(!passes { $0.pages[0].width = 1e9 })
        #expect(!passes { $0.pages[0].rotation = 45 })
        #expect(!passes { $0.pages[0].index = 3 })
        #expect(!passes { $0.pages[0].textCharacters = -1 })
        #expect(!passes { $0.pages[0].text = "\u{0}" })
        #expect(!passes { $0.pages[0].text = String(repeating: "x", count: 1 << 17) })
    }

    @Test("regions off the page, with odd names or twice the same id do not pass")
    func regions() {
        #expect(passes { $0.pages[0].regions = [region()] })
        #expect(!passes { $0.pages[0].regions = [region(), region()] })
        #expect(!passes { $0.pages[0].regions = [region(id: "../x")] })
        #expect(!passes { $0.pages[0].regions = [region(name: "a\u{7}")] })
        #expect(!passes { $0.pages[0].regions = [region(name: "")] })
        #expect(!passes { $0.pages[0].regions = [region(scale: .nan)] })
        #expect(!passes { $0.pages[0].regions = [region(confidence: 2)] })
        #expect(!passes { $0.pages[0].regions = [region(source: .corrected)] })
        #expect(
            !passes { $0.pages[0].regions = [region(rect: NormalizedRect(x: 0.9, y: 0, width: 0.9, height: 1))] }
        )
        #expect(!passes { $0.pages[0].regions = (0..<65).map { region(id: "r\($0)") } })
    }

    @Test("facts of impossible kinds, lengths or characters do not pass")
    func facts() {
        #expect(passes { $0.pdfVersion = "1.7" })
        #expect(passes { $0.producer = "Press 9" })
        #expect(passes { $0.fonts = [ReaderReport.Font(name: "Uncial", type: "type1", isEmbedded: true)] })
        #expect(!passes { $0.pdfVersion = "1.7\n" })
        #expect(!passes { $0.pdfVersion = "" })
        #expect(!passes { $0.producer = "" })
        #expect(!passes { $0.producer = "\u{202E}x" })
        #expect(!passes { $0.creator = String(repeating: "x", count: 301) })
        let font = ReaderReport.Font(name: "Uncial", type: "type1", isEmbedded: true)
        #expect(!passes { $0.fonts = Array(repeating: font, count: 201) })
        #expect(!passes { $0.fonts = [ReaderReport.Font(name: "a\u{0}", type: "type1", isEmbedded: true)] })
        #expect(!passes { $0.fonts = [ReaderReport.Font(name: "a", type: "Type 1", isEmbedded: true)] })
    }

    @Test("links, fingerprints and fields of impossible kinds do not pass")
    func pageFacts() {
        let field = ReaderReport.Field(name: "a", type: "text", box: [0, 0, 1, 1])
        #expect(passes { $0.pages[0].fields = [field] })
        #expect(passes { $0.pages[0].linkTargets = ["https://example.org/", "mailto:a@example.org"] })
        #expect(passes { $0.pages[0].lookHash = "0123456789abcdef" })
        #expect(!passes { $0.pages[0].links = -1 })
        #expect(!passes { $0.pages[0].linkTargets = ["javascript:x"] })
        #expect(!passes { $0.pages[0].linkTargets = ["https://example.org/ x"] })
        #expect(!passes { $0.pages[0].linkTargets = Array(repeating: "https://example.org/", count: 33) })
        #expect(!passes { $0.pages[0].lookHash = "0123" })
        #expect(!passes { $0.pages[0].textHash = "0123456789ABCDEF" })
        #expect(!passes { $0.pages[0].fields = Array(repeating: field, count: 4097) })
        #expect(!passes { $0.pages[0].fields = [ReaderReport.Field(name: "a", type: "text", box: [0, 0, 1])] })
        #expect(!passes { $0.pages[0].fields = [ReaderReport.Field(name: "a", type: "text", box: [0, 0, 1, .nan])] })
        let anchor = ReaderReport.Anchor(word: "Skills", x: 1, y: 2)
        #expect(passes { $0.pages[0].anchors = [anchor] })
        #expect(!passes { $0.pages[0].anchors = Array(repeating: anchor, count: 301) })
        for word in ["", "a\u{7}", "a\u{202E}", String(repeating: "a", count: 41)] {
            #expect(!passes { $0.pages[0].anchors = [ReaderReport.Anchor(word: word, x: 1, y: 2)] })
        }
        for (x, y) in [(Double.nan, 0.0), (0, .infinity), (2e6, 0)] {
            #expect(!passes { $0.pages[0].anchors = [ReaderReport.Anchor(word: "a", x: x, y: y)] })
        }
        #expect(!passes { $0.pages[0].fields = [ReaderReport.Field(name: "a\u{7}", type: "text", box: [0, 0, 1, 1])] })
    }
}
