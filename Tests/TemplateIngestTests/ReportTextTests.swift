// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import SheetCore
import Testing

@Suite("A report as text")
struct ReportTextTests {
    /// Every member is there, and the words hold every character that needs care.
    private var full: ReaderReport {
        let latin = String(String.UnicodeScalarView((0..<0x100).map { Unicode.Scalar(UInt8($0)) }))
        let words = latin + "漢\u{1F600}/\\\"{[,"
        let region = ZoomRegion(
            id: "skills", name: words, rect: NormalizedRect(x: 0.1, y: 1e-7, width: 0.25, height: 1), scale: 2.5,
            pageIndex: 1, confidence: 0.7, source: .corrected, kind: "skills")
        var page = ReaderReport.Page(
            index: 0, width: 595.276, height: 842, rotation: 90, textCharacters: 3, formFields: 2,
            regions: [region, region], text: words)
        page.links = 2
        page.linkTargets = ["https://example.org/a?b", "mailto:a@example.org"]
        page.lookHash = "0123456789abcdef"
        page.textHash = "fedcba9876543210"
        page.fields = [ReaderReport.Field(name: words, type: "text", box: [-1, 0, 10.5, 1e16])]
        page.anchors = [ReaderReport.Anchor(word: "Wort", x: 0, y: -0.1)]
        var report = ReaderReport(
            verdict: .refused, sha256: ContentHash(hashing: Data("x".utf8)), bytes: 1 << 40, pageCount: 2,
            findings: [
                Finding(.javascript, .blocker, page: 1, message: words, removable: true),
                Finding(FindingCode(rawValue: "new"), .info, message: ""),
            ],
            pages: [page, page])
        report.pdfVersion = "1.7"
        report.producer = words
        report.creator = "Maker"
        report.isTagged = true
        report.isLinearized = false
        report.isEncrypted = false
        report.fonts = [ReaderReport.Font(name: "Font", type: "type1", isEmbedded: true)]
        return report
    }

    private var fullFrame: ReaderFrame {
        ReaderFrame(kind: .look, bytes: 9, page: 1, pageCount: 2, width: 3, height: 4, missing: ["a", "b"])
    }

    private func encoded(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func isFull(_ value: Any) -> Bool {
        Mirror(reflecting: value).children.allSatisfy { child in
            let mirror = Mirror(reflecting: child.value)
            return mirror.displayStyle != .optional || !mirror.children.isEmpty
        }
    }

    @Test("is what JSONEncoder makes of it, member for member")
    func likeEncoder() throws {
        // A new member must be written as well.
        #expect(isFull(full) && isFull(full.pages[0]) && isFull(full.findings[0]) && isFull(fullFrame))
        #expect(String(decoding: full.json, as: UTF8.self) == (try encoded(full)))
        #expect(String(decoding: fullFrame.json, as: UTF8.self) == (try encoded(fullFrame)))
        let bare = ReaderReport.refused(
            sha256: full.sha256, bytes: 0, finding: Finding(.empty, .blocker, message: ""))
        #expect(String(decoding: bare.json, as: UTF8.self) == (try encoded(bare)))
    }

    @Test("reads back as the same report")
    func readBack() {
        #expect(ReaderReport(written: full.json[...]) == full)
        #expect(ReaderFrame(written: fullFrame.json[...]) == fullFrame)
        #expect(ReaderFrame(written: ReaderFrame(kind: .end).json[...]) == ReaderFrame(kind: .end))
    }

    @Test("is refused when a byte is missing, another or too many")
    func garbled() {
        let json = fullFrame.json
        for end in json.indices { #expect(ReaderFrame(written: json[..<end]) == nil) }
        #expect(ReaderFrame(written: (json + [0x20])[...]) == nil)
        for text in [
            "", "{}", "null", "{\"bytes\":1}", "{\"kind\":\"end\",\"bytes\":1}", "{\"bytes\":1,\"kind\":\"wrong\"}",
            "{\"bytes\":1.5,\"kind\":\"end\"}", "{\"bytes\":99999999999999999999,\"kind\":\"end\"}",
            "{ \"bytes\":1,\"kind\":\"end\"}", "{\"bytes\":1,\"kind\":\"end\",\"other\":1}",
            "{\"bytes\":1,\"kind\":\"end\",\"missing\":[\"a\",]}",
            "{\"bytes\":1,\"kind\":\"end\",\"missing\":[\"\\u0041\"]}",
        ] {
            #expect(ReaderFrame(written: Array(text.utf8)[...]) == nil, "\(text)")
        }
        let report = full.json
        for place in report.indices {
            var changed = report
            changed[place] ^= 0x80
            let read = ReaderReport(written: changed[...])
            #expect(read == nil || read != full)
        }
    }

    @Test("takes no number that is none")
    func numbers() {
        let text = String(decoding: full.json, as: UTF8.self)
        for number in ["1e999", "nan", "-", "", "1.2.3", "0x10"] {
            let changed = text.replacing("\"width\":595.276", with: "\"width\":\(number)")
            #expect(ReaderReport(written: Array(changed.utf8)[...]) == nil, "\(number)")
        }
    }
}
