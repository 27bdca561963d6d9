// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore
import TestSupport
import Testing

@testable import MarketHTTP
@testable import MarketPages
@testable import MarketPlatform

@Suite("Parts of the web pages")
struct WebPartsTests {
    @Test(
        "A form leads back to paths of this site alone",
        arguments: [
            ("/upload", "/upload"), ("/?q=a%20b&sort=name", "/?q=a%20b&sort=name"), ("/", "/"),
            ("//evil.example/", "/"), ("/\\evil.example", "/"), ("https://evil.example/", "/"),
            ("/\t/evil.example", "/"),
            ("upload", "/"), ("", "/"), ("/a b", "/"), ("/%0d%0aSet-Cookie:x", "/%0d%0aSet-Cookie:x"), ("/a\r\nb", "/"),
            ("javascript:alert(1)", "/"),
        ])
    func returnPaths(given: String, expected: String) {
        #expect(ReturnPath(given).text == expected)
    }

    @Test("Whatever people write stays text, also when an accent stands on a mark")
    func escaping() {
        let escaped = EscapedHTML().escapeText("\"\u{301} onfocus=x <\u{338}b> & 'é' </script>")
        #expect(!escaped.utf8.contains(UInt8(ascii: "\"")) && !escaped.utf8.contains(UInt8(ascii: "<")))
        #expect(!escaped.utf8.contains(UInt8(ascii: "'")) && !escaped.utf8.contains(UInt8(ascii: ">")))
        #expect(escaped.utf8.starts(with: "&quot;".utf8) && escaped.contains("&amp;") && escaped.contains("é"))
    }

    @Test("The service does not start with a template that cannot be used, and says which and where")
    func brokenTemplates() throws {
        for (text, expected) in [
            ("<p>{{#open}}</p>\n", "web/templates/sheet.mustache:"), ("{{{raw}}}", "sheet.mustache puts something in"),
        ] {
            let folder = try ScratchFolder("web")
            let web = folder.url.appendingPathComponent("web")
            try FileManager.default.copyItem(at: BuildProducts.root.appendingPathComponent("web"), to: web)
            try Data(text.utf8).write(to: web.appendingPathComponent("templates/sheet.mustache"))
            let failure = #expect(throws: AssetError.self) { try WebPages(folder: web) }
            #expect(failure?.description.contains(expected) == true, "\(failure?.description ?? "")")
            try FileManager.default.removeItem(at: web.appendingPathComponent("templates/sheet.mustache"))
            #expect(throws: AssetError.self) { try WebPages(folder: web) }
        }
    }

    @Test("Markdown becomes blocks of plain values; links lead to the web only")
    func prose() {
        let blocks = MarkdownBlocks(
            "## Who *needs* it\nTwo lines\nof text, **strong** and `code`.\n\n"
                + "- one\n- two\n  goes on\n\n1. first\n2. second"
        ).blocks
        #expect(blocks.map(\.isHeading) == [true, false, false, false])
        #expect(blocks[0].spans.map(\.text) == ["Who ", "needs", " it"] && blocks[0].spans[1].isEmphasis)
        #expect(blocks[1].spans.first?.text == "Two lines\nof text, ")
        #expect(blocks[1].spans.contains { $0.isStrong && $0.text == "strong" })
        #expect(blocks[1].spans.contains { $0.isCode && $0.text == "code" })
        #expect(blocks[2].isList && blocks[2].items.map { $0.spans.map(\.text).joined() } == ["one", "two goes on"])
        #expect(blocks[3].isNumbered && blocks[3].items.count == 2)
        let links = MarkdownBlocks.spans(
            "[a](https://a.example/x) [b](javascript:alert(1)) [c](//c.example) 2 * 3 * 4 **")
        #expect(links.compactMap(\.address) == ["https://a.example/x"])
        #expect(links.allSatisfy { $0.isPlain || $0.address != nil })
    }

    @Test(
        "marks that nothing closes stay as they are, however many",
        arguments: ["[", "*", "**a ", "`", "[a](", "[a](http://b", "*a ", "[ ]"])
    func unclosed(mark: String) {
        let text = String(repeating: mark, count: 2_000 / mark.count)
        for text in [text, text + " ]", text + " )"] {
            let spans = MarkdownBlocks.spans(text)
            #expect(spans.map(\.text).joined().filter { !"*`".contains($0) } == text.filter { !"*`".contains($0) })
        }
        let marked = MarkdownBlocks.spans("**a** *b* `c *d*` ** e** *f *g* [h](https://i.example) [j] (k)")
        #expect(marked.filter { !$0.isPlain }.map(\.text) == ["a", "b", "c *d*", "g", "h"])
    }

    @Test("Papers, sizes and times are put as people say them")
    func wording() {
        #expect(DisplayText.paper(width: 595.3, height: 841.9) == "A4")
        #expect(DisplayText.paper(width: 792, height: 612) == "Letter, landscape")
        #expect(DisplayText.paper(width: 300, height: 300) == "106 × 106 mm")
        #expect(
            DisplayText.size(1) == "1 byte" && DisplayText.size(411_900) == "412 KB"
                && DisplayText.size(1_340_000) == "1.3 MB")
        #expect(DisplayText.size(50 << 20) == "52 MB")
        #expect(DisplayText.count(1204, "download") == "1,204 downloads")
        let now = Date(timeIntervalSince1970: 1_795_266_240)
        #expect(DisplayTime(now.addingTimeInterval(-200), now: now).ago == "3 minutes ago")
        #expect(DisplayTime(now, now: now).day == "21 November 2026")
        #expect(DisplayTime(now.addingTimeInterval(-90 * 86_400), now: now).ago == "23 August 2026")
    }

    @Test("Addresses keep what is put into them apart")
    func addresses() {
        let address = PageAddress("/").with("q", "a&b=c #é+").with("tag", nil).with("sort", "").with("next", "/x?y=1")
        #expect(address.text == "/?q=a%26b%3Dc%20%23%C3%A9%2B&next=/x%3Fy%3D1")
        #expect(QueryParameters(String(address.text.dropFirst(2)))["q"] == "a&b=c #é+")
    }
}
