// SPDX-License-Identifier: Apache-2.0
import Foundation

/// What people write in Markdown, cut into plain values that a template puts into words and escapes: headings,
/// paragraphs, lists, strong and emphasized text, code, and links to the web. Anything else stays as it was written;
/// no markup of the author's ever reaches a page.
package struct MarkdownBlocks: Sendable {
    /// A stretch of text of one kind.
    package struct Span: Sendable, Equatable {
        let text: String
        var isPlain = false
        var isStrong = false
        var isEmphasis = false
        var isCode = false
        /// Told apart by this, since a template finds the address of what is around where a span has none.
        var isLink = false
        /// Where a link leads.
        var address: String?
    }

    package struct Item: Sendable, Equatable {
        let spans: [Span]
    }

    package struct Block: Sendable, Equatable {
        var isHeading = false
        var isParagraph = false
        var isList = false
        var isNumbered = false
        /// Of a heading or paragraph.
        var spans: [Span] = []
        /// Of a list.
        var items: [Item] = []
    }

    /// The text in order.
    package let blocks: [Block]

    /// Reads `text`, which may be anything.
    package init(_ text: String) {
        var reader = MarkdownBlockParser()
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) { reader.take(line) }
        reader.endBlock()
        blocks = reader.blocks
    }

    /// Reads the marks within a line.
    package static func spans(_ text: String) -> [Span] {
        var parser = MarkdownSpanParser(text: text)
        return parser.spans()
    }
}

/// Reads the marks within a line, in time that grows with its length, whatever marks there are that nothing closes.
private struct MarkdownSpanParser {
    let text: String
    /// Where each closing mark that was looked for comes next; the text's end where it does not.
    private var closings: [String: String.Index] = [:]

    init(text: String) { self.text = text }

    mutating func spans() -> [MarkdownBlocks.Span] {
        var spans: [MarkdownBlocks.Span] = []
        var plain = text.startIndex
        var at = text.startIndex
        func flush() {
            if plain < at { spans.append(.init(text: String(text[plain..<at]), isPlain: true)) }
        }
        while at < text.endIndex {
            if let (span, end) = marked(at) {
                flush()
                spans.append(span)
                at = end
                plain = end
            } else {
                text.formIndex(after: &at)
            }
        }
        flush()
        return spans
    }

    /// The marked stretch that begins there, and where it ends.
    private mutating func marked(_ start: String.Index) -> (MarkdownBlocks.Span, String.Index)? {
        switch text[start] {
        case "`":
            return enclosed(start, "`", "`").map { (.init(text: String($0), isCode: true), $1) }
        case "*":
            if let (inner, end) = enclosed(start, "**", "**") {
                return (.init(text: String(inner), isStrong: true), end)
            }
            return enclosed(start, "*", "*").map { (.init(text: String($0), isEmphasis: true), $1) }
        case "[":
            guard let (label, middle) = enclosed(start, "[", "]"),
                let (address, end) = enclosed(middle, "(", ")"), Self.isLink(address)
            else { return nil }
            return (.init(text: String(label), isLink: true, address: String(address)), end)
        default: return nil
        }
    }

    private mutating func enclosed(
        _ start: String.Index, _ open: String, _ close: String
    ) -> (inner: Substring, end: String.Index)? {
        guard text.utf8[start...].starts(with: open.utf8) else { return nil }
        let begin = text.utf8.index(start, offsetBy: open.utf8.count)
        let end = closing(close, from: begin)
        guard end < text.endIndex, end > begin, !text[begin].isWhitespace, !text[text.index(before: end)].isWhitespace
        else { return nil }
        return (text[begin..<end], text.utf8.index(end, offsetBy: close.utf8.count))
    }

    private mutating func closing(_ mark: String, from start: String.Index) -> String.Index {
        if let known = closings[mark], known >= start { return known }
        // By bytes: all marks are ASCII, and finding where characters end takes longer than all of the rest.
        var at = start
        while at < text.endIndex, !text.utf8[at...].starts(with: mark.utf8) { text.utf8.formIndex(after: &at) }
        closings[mark] = at
        return at
    }

    private static let longestAddress = 2000

    /// Only links to the web: a `javascript:` address would run in the reader's name.
    private static func isLink(_ address: Substring) -> Bool {
        address.utf8.count <= longestAddress && (address.hasPrefix("https://") || address.hasPrefix("http://"))
            && address.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

/// Gathers lines into blocks.
private struct MarkdownBlockParser {
    var blocks: [MarkdownBlocks.Block] = []
    private var paragraph: [Substring] = []
    private var items: [String] = []
    private var isNumbered = false

    mutating func take(_ line: Substring) {
        let line = line.drop { $0 == " " || $0 == "\t" }
        if line.isEmpty {
            endBlock()
        } else if let title = Self.heading(line) {
            endBlock()
            blocks.append(.init(isHeading: true, spans: MarkdownBlocks.spans(title)))
        } else if let (text, numbered) = Self.item(line) {
            if !items.isEmpty && numbered != isNumbered || !paragraph.isEmpty { endBlock() }
            isNumbered = numbered
            items.append(text)
        } else if let last = items.popLast() {
            items.append("\(last) \(line)")
        } else {
            paragraph.append(line)
        }
    }

    mutating func endBlock() {
        if !paragraph.isEmpty {
            blocks.append(.init(isParagraph: true, spans: MarkdownBlocks.spans(paragraph.joined(separator: "\n"))))
        }
        if !items.isEmpty {
            let list = items.map { MarkdownBlocks.Item(spans: MarkdownBlocks.spans($0)) }
            blocks.append(.init(isList: !isNumbered, isNumbered: isNumbered, items: list))
        }
        paragraph = []
        items = []
    }

    private static func heading(_ line: Substring) -> String? {
        let text = line.drop { $0 == "#" }
        let depth = line.count - text.count
        guard (1...6).contains(depth), text.first == " " else { return nil }
        return text.trimmingCharacters(in: .whitespaces)
    }

    private static func item(_ line: Substring) -> (text: String, isNumbered: Bool)? {
        for mark in ["- ", "* ", "+ "] where line.hasPrefix(mark) { return (String(line.dropFirst(2)), false) }
        let digits = line.prefix { $0.isASCII && $0.isNumber }
        guard (1...3).contains(digits.count) else { return nil }
        let rest = line.dropFirst(digits.count)
        guard rest.hasPrefix(". ") || rest.hasPrefix(") ") else { return nil }
        return (String(rest.dropFirst(2)), true)
    }
}
