// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The texts of a template that people read, and the template with others in their places.
///
/// A text is the content of a block element without the tags around it: `<1>` and `</1>` stand for the elements within, `<2/>`
/// for pictures and the like, and Mustache's own tags stay as they are. So a text knows no classes and no addresses, and
/// goes on being known when these change. Attributes that are read or heard are texts, too.
struct TemplateTexts {
    static let attributes: Set<String> = [
        "alt", "aria-description", "aria-label", "data-copy", "data-label", "data-unit", "placeholder", "title",
    ]

    /// The text for an English one; `nil` leaves it.
    let translate: (String) -> String?

    /// The template with all texts replaced that `translate` knows.
    func replaced(in template: String) -> String {
        let source = Array(replacedAttributes(in: Array(template.utf8)))
        var tokenizer = TemplateTokenizer(source)
        var result: [UInt8] = []
        var end = 0
        for part in TemplateNode.parts(of: tokenizer.tokens()) {
            replace(in: part, of: source) { range, text in
                result += source[end..<range.lowerBound]
                result += Array(text.utf8)
                end = range.upperBound
            }
        }
        return String(decoding: result + source[end...], as: UTF8.self)
    }

    // MARK: Texts

    private func replace(in nodes: [TemplateNode], of source: [UInt8], _ write: (Range<Int>, String) -> Void) {
        guard nodes.contains(where: { $0.kind == .text && Self.hasLetters(source[$0.range]) }) else {
            for node in nodes where !node.children.isEmpty { replace(in: node.children, of: source, write) }
            return
        }
        var nodes = nodes[...]
        while let first = nodes.first, isEmpty(first, source) { nodes.removeFirst() }
        while let last = nodes.last, isEmpty(last, source) { nodes.removeLast() }
        var places = TextPlaces()
        let text = key(Array(nodes), source, &places)
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        guard let first = nodes.first, let last = nodes.last, let other = translate(trimmed) else { return }
        let before = text.hasPrefix(" ") ? " " : ""
        let after = text.hasSuffix(" ") ? " " : ""
        write(first.range.lowerBound..<last.range.upperBound, before + places.filled(other) + after)
    }

    private func isEmpty(_ node: TemplateNode, _ source: [UInt8]) -> Bool {
        switch node.kind {
        case .text: source[node.range].allSatisfy { $0 == 32 || (9...13).contains($0) }
        case .variable: false
        case .solo: true
        default: node.children.allSatisfy { isEmpty($0, source) }
        }
    }

    private func key(_ nodes: [TemplateNode], _ source: [UInt8], _ places: inout TextPlaces) -> String {
        var text = ""
        for node in nodes {
            switch node.kind {
            case .text: text += Self.oneLine(source[node.range])
            case .solo: text += places.add(source[node.range])
            case .open:
                text += Self.string(source[node.range.lowerBound..<node.inner.lowerBound])
                text += key(node.children, source, &places)
                text += Self.string(source[node.inner.upperBound..<node.range.upperBound])
            case .start:
                let (start, end) = places.add(
                    source[node.range.lowerBound..<node.inner.lowerBound],
                    source[node.inner.upperBound..<node.range.upperBound])
                text += start + key(node.children, source, &places) + end
            default: text += Self.string(source[node.range])
            }
        }
        return text
    }

    private static func string(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    /// White space counts as one blank.
    private static func oneLine(_ bytes: ArraySlice<UInt8>) -> String {
        var line: [UInt8] = []
        for byte in bytes {
            let isBlank = byte == 32 || (9...13).contains(byte)
            if !isBlank { line.append(byte) } else if line.last != 32 { line.append(32) }
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// Whether there is a letter outside entities such as `&nbsp;`.
    private static func hasLetters(_ bytes: ArraySlice<UInt8>) -> Bool {
        var isEntity = false
        var isMustache = 0
        var needsScalars = false
        for byte in bytes {
            if byte == UInt8(ascii: "&") { isEntity = true }
            if byte == UInt8(ascii: "{") { isMustache += 1 }
            if byte == UInt8(ascii: "}") { isMustache -= 1 }
            if byte == UInt8(ascii: ";") || byte == 32 { isEntity = false }
            if isEntity || isMustache > 0 { continue }
            if (65...90).contains(byte) || (97...122).contains(byte) { return true }
            if byte >= 0x80 { needsScalars = true }
        }
        return needsScalars && string(bytes).unicodeScalars.contains { $0.value >= 0x80 && $0.properties.isAlphabetic }
    }

    // MARK: Attributes

    private func replacedAttributes(in source: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var end = 0
        for (name, value) in AttributeReader(source).all {
            guard Self.attributes.contains(name), Self.hasLetters(source[value]),
                let text = translate(Self.oneLine(source[value]).trimmingCharacters(in: .whitespaces))
            else { continue }
            result += source[end..<value.lowerBound]
            result += Array(text.utf8)
            end = value.upperBound
        }
        return result + source[end...]
    }
}

/// What the numbered tags of a text stand for.
private struct TextPlaces {
    private var raw: [(start: ArraySlice<UInt8>, end: ArraySlice<UInt8>?)] = []

    mutating func add(_ bytes: ArraySlice<UInt8>) -> String {
        raw.append((bytes, nil))
        return "<\(raw.count)/>"
    }

    mutating func add(_ start: ArraySlice<UInt8>, _ end: ArraySlice<UInt8>) -> (String, String) {
        raw.append((start, end))
        return ("<\(raw.count)>", "</\(raw.count)>")
    }

    /// The text with what stood there.
    func filled(_ text: String) -> String {
        var filled = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
            filled += rest[..<open]
            let name = rest[rest.index(after: open)..<close]
            let digits = name.filter(\.isNumber)
            if let number = Int(digits), raw.indices.contains(number - 1) {
                let bytes = name.hasPrefix("/") ? raw[number - 1].end : raw[number - 1].start
                filled += String(decoding: bytes ?? [], as: UTF8.self)
            }
            rest = rest[rest.index(after: close)...]
        }
        return filled + rest
    }
}

/// Finds attributes with their values, in whatever tags.
private struct AttributeReader {
    private(set) var all: [(name: String, value: Range<Int>)] = []

    init(_ source: [UInt8]) {
        var tokenizer = TemplateTokenizer(source)
        for token in tokenizer.tokens() where source[token.range.lowerBound] == UInt8(ascii: "<") {
            var place = token.range.lowerBound
            var nameStart = place
            while place < token.range.upperBound {
                let byte = source[place]
                if byte == UInt8(ascii: "="), place + 1 < token.range.upperBound,
                    source[place + 1] == UInt8(ascii: "\"")
                {
                    let start = place + 2
                    let end = source[start..<token.range.upperBound].firstIndex(of: UInt8(ascii: "\"")) ?? start
                    all.append((String(decoding: source[nameStart..<place], as: UTF8.self), start..<end))
                    place = end
                    nameStart = end + 1
                } else if !((97...122).contains(byte) || byte == UInt8(ascii: "-")) {
                    nameStart = place + 1
                }
                place += 1
            }
        }
    }
}
