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
        var spans: [Span] = []
        var plain = ""
        var rest = Substring(text)
        func flush() {
            if !plain.isEmpty { spans.append(Span(text: plain, isPlain: true)) }
            plain = ""
        }
        while let first = rest.first {
            if let (span, end) = marked(rest) {
                flush()
                spans.append(span)
                rest = rest[end...]
            } else {
                plain.append(first)
                rest.removeFirst()
            }
        }
        flush()
        return spans
    }

    /// The marked stretch at the beginning of `text`, and where it ends.
    private static func marked(_ text: Substring) -> (Span, String.Index)? {
        if let (inner, end) = enclosed(text, "`", "`") { return (Span(text: inner, isCode: true), end) }
        if let (inner, end) = enclosed(text, "**", "**") { return (Span(text: inner, isStrong: true), end) }
        if let (inner, end) = enclosed(text, "*", "*") { return (Span(text: inner, isEmphasis: true), end) }
        if let (label, middle) = enclosed(text, "[", "]"), let (address, end) = enclosed(text[middle...], "(", ")"),
            isLink(address)
        {
            return (Span(text: label, isLink: true, address: address), end)
        }
        return nil
    }

    private static func enclosed(_ text: Substring, _ open: String, _ close: String) -> (String, String.Index)? {
        guard text.hasPrefix(open) else { return nil }
        let inner = text.dropFirst(open.count)
        guard let range = inner.firstRange(of: close), range.lowerBound > inner.startIndex,
            inner.first?.isWhitespace == false, inner[..<range.lowerBound].last?.isWhitespace == false
        else { return nil }
        return (String(inner[..<range.lowerBound]), range.upperBound)
    }

    /// Only links to the web: a `javascript:` address would run in the reader's name.
    private static func isLink(_ address: String) -> Bool {
        (address.hasPrefix("https://") || address.hasPrefix("http://"))
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
