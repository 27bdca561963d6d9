// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import SheetCore
import Testing

@testable import TemplateIngest

@Suite("What the supervisor believes of a reader's answer, frame by frame")
struct HostileAnswerTests {
    private let identity = FileIdentity(sha256: ContentHash(hashing: Data("x".utf8)), bytes: 10)

    private func request() -> ReaderRequest {
        var request = ReaderRequest(previewWidths: [10, 20], clean: true, wantsProof: true)
        request.limits.pages = 2
        return request
    }

    private func report(_ change: (inout ReaderReport) -> Void = { _ in }) -> ReaderReport {
        let page = ReaderReport.Page(
            index: 0, width: 100, height: 100, rotation: 0, textCharacters: 0, formFields: 0, regions: [])
        var report = ReaderReport(
            verdict: .accepted, sha256: identity.sha256, bytes: 10, pageCount: 1, findings: [], pages: [page])
        change(&report)
        return report
    }

    private typealias Sent = (ReaderFrame, [UInt8])

    private func reported(_ change: (inout ReaderReport) -> Void = { _ in }) throws -> Sent {
        (ReaderFrame(kind: .report), [UInt8](try JSONEncoder().encode(report(change))))
    }

    private static let webp = Array("RIFF".utf8) + [12, 0, 0, 0] + Array("WEBP".utf8) + [UInt8](repeating: 0, count: 8)
    private static let progress: Sent = (ReaderFrame(kind: .progress, page: 0, pageCount: 1), [])
    private static let end: Sent = (ReaderFrame(kind: .end), [])
    private static let look: Sent = (ReaderFrame(kind: .look, page: 0, width: 2, height: 2), [0, 1, 2, 3])
    private static let copy: Sent = (ReaderFrame(kind: .cleaned), Array("%PDF-1.7".utf8))

    private static func picture(_ width: Int, _ height: Int, page: Int = 0, _ bytes: [UInt8] = webp) -> Sent {
        (ReaderFrame(kind: .preview, page: page, width: width, height: height), bytes)
    }

    private static func cleaning(_ report: CleaningReport) throws -> Sent {
        (ReaderFrame(kind: .cleaning), [UInt8](try JSONEncoder().encode(report)))
    }

    private static let scripts = CleaningReport(removed: [.init(code: .javascript, what: "scripts", count: 1)])

    private func passes(_ frames: [Sent], request: ReaderRequest? = nil) -> Bool {
        var answer = ReaderAnswer(request: request ?? self.request(), identity: identity)
        for (frame, payload) in frames {
            do throws(ReaderAnswer.Violation) { _ = try answer.take(frame, payload) } catch { return false }
        }
        return true
    }

    @Test("a whole answer in its order passes")
    func honest() throws {
        let whole = [
            Self.progress, try reported(), Self.picture(10, 10), Self.picture(20, 20), Self.look,
            try Self.cleaning(Self.scripts), Self.copy, Self.end,
        ]
        #expect(passes(whole))
        #expect(passes([try reported(), Self.end]))
    }

    @Test("frames out of order, twice, or after the end do not")
    func order() throws {
        #expect(!passes([(ReaderFrame(kind: .ready), [])]))
        #expect(!passes([(ReaderFrame(kind: .overlay, page: 0, width: 1, height: 1), [0, 0, 0, 0])]))
        #expect(!passes([try reported(), try reported()]))
        #expect(!passes([try reported(), Self.progress]))
        #expect(!passes([try reported(), Self.end, Self.end]))
        #expect(!passes([Self.picture(10, 10), try reported()]))
        #expect(!passes([Self.look, try reported()]))
        #expect(!passes([try Self.cleaning(Self.scripts), try reported()]))
        #expect(!passes([try reported(), Self.copy]))
    }

    @Test("progress of pages that cannot be, or without end, does not pass")
    func progress() {
        #expect(!passes([(ReaderFrame(kind: .progress, page: 1, pageCount: 1), [])]))
        #expect(!passes([(ReaderFrame(kind: .progress, page: -1, pageCount: 1), [])]))
        #expect(!passes([(ReaderFrame(kind: .progress, page: 0, pageCount: -1), [])]))
        #expect(!passes([(ReaderFrame(kind: .progress, page: 0, pageCount: 3), [])]))
        #expect(!passes([(ReaderFrame(kind: .progress), [])]))
        #expect(!passes([Self.progress, Self.progress, Self.progress]))
    }

    @Test("pictures of no page, of a wrong size or kind, or more than were asked for do not pass")
    func pictures() throws {
        func after(_ frames: Sent...) throws -> Bool { passes([try reported()] + frames) }
        #expect(try after(Self.picture(10, 10), Self.picture(20, 20)))
        #expect(try !after(Self.picture(10, 10, page: 1)))
        #expect(try !after(Self.picture(11, 11)))
        #expect(try !after(Self.picture(0, 10)))
        #expect(try !after(Self.picture(10, 0)))
        #expect(try !after(Self.picture(10, 90)))
        #expect(try !after(Self.picture(10, 10, Array("GIF89a".utf8))))
        #expect(try !after(Self.picture(10, 10, Self.webp + [UInt8](repeating: 0, count: 9 << 20))))
        #expect(try !after(Self.picture(10, 10), Self.picture(20, 20), Self.picture(20, 20)))
    }

    @Test("looks that do not fit their pages or were not asked for do not pass")
    func looks() throws {
        func after(_ frames: Sent...) throws -> Bool { passes([try reported()] + frames) }
        #expect(try after(Self.look))
        #expect(try !after(Self.look, Self.look))
        #expect(try !after((ReaderFrame(kind: .look, page: 1, width: 2, height: 2), [0, 1, 2, 3])))
        #expect(try !after((ReaderFrame(kind: .look, page: 0, width: 2, height: 2), [0, 1, 2])))
        #expect(try !after((ReaderFrame(kind: .look, page: 0, width: -1, height: -1), [0])))
        #expect(try !after((ReaderFrame(kind: .look, page: 0, width: .max, height: 2), [0])))
        #expect(!passes([try reported(), Self.look], request: ReaderRequest(clean: true)))
    }

    @Test("an account of cleaning with odd words or counts, and a copy that is none, do not pass")
    func copies() throws {
        func after(_ report: CleaningReport, _ frames: Sent...) throws -> Bool {
            passes([try reported(), try Self.cleaning(report)] + frames)
        }
        #expect(try after(Self.scripts, Self.copy))
        #expect(try !after(Self.scripts, Self.copy, Self.copy))
        #expect(try !after(Self.scripts, (ReaderFrame(kind: .cleaned), Array("<html>".utf8))))
        #expect(try !after(CleaningReport(removed: [], failure: "It cannot be."), Self.copy))
        #expect(try !after(.init(removed: [.init(code: .javascript, what: "a\u{202E}b", count: 1)])))
        #expect(try !after(.init(removed: [.init(code: .javascript, what: "scripts", count: -1)])))
        #expect(try !after(.init(removed: [.init(code: FindingCode(rawValue: "A b"), what: "x", count: 1)])))
        #expect(try !after(.init(removed: Array(repeating: Self.scripts.removed[0], count: 40))))
        #expect(!passes([try reported(), (ReaderFrame(kind: .cleaning), Array("{}".utf8))]))
        #expect(!passes([try reported(), try Self.cleaning(Self.scripts)], request: ReaderRequest(wantsProof: true)))
        var small = request()
        small.limits.fileBytes = 7
        #expect(!passes([try reported(), try Self.cleaning(Self.scripts), Self.copy], request: small))
    }

    @Test("facts with odd versions, names, fonts, links, fingerprints or fields do not pass")
    func facts() throws {
        func passes(_ change: (inout ReaderReport) -> Void) throws -> Bool { self.passes([try reported(change)]) }
        #expect(
            try passes {
                $0.pdfVersion = "1.7"
                $0.producer = "Someone's"
                $0.fonts = [.init(name: "Sans", type: "cid_type0", isEmbedded: true)]
                $0.pages[0].links = 2
                $0.pages[0].linkTargets = ["https://example.org/?a=b", "mailto:a@example.org"]
                $0.pages[0].lookHash = "00ff00ff00ff00ff"
                $0.pages[0].fields = [.init(name: "a", type: "text", box: [0, 0, 1, 1])]
            })
        #expect(try !passes { $0.pdfVersion = "1.7\n" })
        #expect(try !passes { $0.pdfVersion = "" })
        #expect(try !passes { $0.producer = "a\u{1B}[2J" })
        #expect(try !passes { $0.creator = String(repeating: "x", count: 301) })
        #expect(try !passes { $0.fonts = [.init(name: "a\u{0}", type: "type1", isEmbedded: true)] })
        #expect(try !passes { $0.fonts = [.init(name: "a", type: "Type 1", isEmbedded: true)] })
        #expect(
            try !passes { $0.fonts = Array(repeating: .init(name: "a", type: "type1", isEmbedded: true), count: 201) })
        #expect(try !passes { $0.pages[0].links = -1 })
        #expect(try !passes { $0.pages[0].linkTargets = ["javascript:alert(1)"] })
        #expect(try !passes { $0.pages[0].linkTargets = ["https://example.org/ x"] })
        #expect(try !passes { $0.pages[0].linkTargets = Array(repeating: "https://example.org/", count: 33) })
        #expect(try !passes { $0.pages[0].lookHash = "00FF00FF00FF00FF" })
        #expect(try !passes { $0.pages[0].textHash = "0" })
        #expect(try !passes { $0.pages[0].fields = [.init(name: "a", type: "text", box: [0, 0, 1])] })
        #expect(try !passes { $0.pages[0].fields = [.init(name: "a", type: "text", box: [0, 0, 1, 1e9])] })
        #expect(try !passes { $0.pages[0].fields = [.init(name: "a\u{2028}", type: "text", box: [0, 0, 1, 1])] })
    }

    @Test("counts and sizes just beyond each bound do not pass")
    func bounds() throws {
        func passes(_ change: (inout ReaderReport) -> Void) throws -> Bool { self.passes([try reported(change)]) }
        func finding(_ code: String, _ message: String, page: Int? = nil) -> Finding {
            Finding(FindingCode(rawValue: code), .info, page: page, message: message)
        }
        #expect(try passes { $0.findings = [finding("a_b", "x", page: 0)] })
        #expect(try !passes { $0.findings = [finding("", "x")] })
        #expect(try !passes { $0.findings = [finding(String(repeating: "a", count: 41), "x")] })
        #expect(try !passes { $0.findings = [finding("a", String(repeating: "x", count: 601))] })
        #expect(try !passes { $0.findings = [finding("a", "x", page: -1)] })
        #expect(try !passes { $0.findings = Array(repeating: finding("a", "x"), count: 201) })
        #expect(try !passes { $0.pageCount = .max })
        #expect(
            try !passes { report in
                let page = report.pages[0]
                report.pageCount = 3
                report.pages = (0..<3).map { index in
                    var next = page
                    next.index = index
                    return next
                }
            })
        #expect(try !passes { $0.pages[0].width = 0.5 })
        #expect(try !passes { $0.pages[0].height = -1 })
        #expect(try !passes { $0.pages[0].height = 14_401 })
        #expect(try !passes { $0.pages[0].rotation = -90 })
        #expect(try !passes { $0.pages[0].formFields = -1 })
        #expect(try !passes { $0.pages[0].textCharacters = .max })
        #expect(try !passes { $0.pages[0].text = "a\u{202E}b" })
        #expect(try !passes { $0.pages[0].text = "a\u{E000}b" })
        #expect(try !passes { $0.pages[0].text = "a\rb" })
        #expect(try passes { $0.pages[0].text = "안녕 🎲\nÄ" })
    }
}
