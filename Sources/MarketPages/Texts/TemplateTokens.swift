// SPDX-License-Identifier: Apache-2.0

/// A piece of a template's text.
struct TemplateToken {
    enum Kind {
        case text, variable
        /// The beginning and the end of a Mustache section.
        case open, close
        /// The tags of an element within a line of text.
        case start, end
        /// What stands in a line without text of its own: a picture, an input, code, a partial.
        case solo
        /// What ends a text: a paragraph, a cell, another template.
        case block
    }

    var kind: Kind
    /// What opens and closes are matched by.
    var name: Substring = ""
    var range: Range<Int>

    var isPaired: Bool { kind == .open || kind == .close || kind == .start || kind == .end }
}

/// Cuts a template into tokens. `scripts/check-texts` does the same.
struct TemplateTokenizer {
    private static let inline: Set<String> = [
        "a", "abbr", "b", "bdi", "bdo", "br", "cite", "code", "data", "em", "i", "img", "input", "kbd", "mark", "meter",
        "output", "q", "s", "samp", "small", "span", "strong", "sub", "sup", "svg", "time", "u", "var", "wbr",
    ]
    private static let opaque: Set<String> = ["code", "kbd", "meter", "pre", "samp", "script", "style", "svg"]
    private static let void: Set<String> = ["br", "img", "input", "link", "meta", "wbr", "hr"]

    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func tokens() -> [TemplateToken] {
        var tokens: [TemplateToken] = []
        while place < bytes.count {
            let start = place
            if begins("{{") {
                tokens.append(mustache())
            } else if bytes[place] == UInt8(ascii: "<") {
                tokens.append(tag())
            } else {
                while place < bytes.count, bytes[place] != UInt8(ascii: "<"), !begins("{{") { place += 1 }
                tokens.append(TemplateToken(kind: .text, range: start..<place))
            }
        }
        return tokens
    }

    private func begins(_ word: StaticString) -> Bool {
        guard place + word.utf8CodeUnitCount <= bytes.count else { return false }
        for offset in 0..<word.utf8CodeUnitCount where bytes[place + offset] != word.utf8Start[offset] { return false }
        return true
    }

    private mutating func mustache() -> TemplateToken {
        let start = place
        place += 2
        while place < bytes.count, !begins("}}") { place += 1 }
        let inner = String(decoding: bytes[(start + 2)..<min(place, bytes.count)], as: UTF8.self)
            .filter { !$0.isWhitespace }
        place = min(place + 2, bytes.count)
        let kind: TemplateToken.Kind =
            switch inner.first {
            case "#", "^": .open
            case "/": .close
            case ">", "!": .solo
            case "<", "$": .block
            default: .variable
            }
        return TemplateToken(kind: kind, name: inner[...].drop { "#^/".contains($0) }, range: start..<place)
    }

    private mutating func tag() -> TemplateToken {
        let start = place
        place += 1
        let isEnd = place < bytes.count && bytes[place] == UInt8(ascii: "/")
        if isEnd { place += 1 }
        let nameStart = place
        while place < bytes.count, Self.isNameByte(bytes[place]) { place += 1 }
        let name = String(decoding: bytes[nameStart..<place], as: UTF8.self).lowercased()
        skipAttributes()
        let isClosed = place >= 2 && bytes[place - 2] == UInt8(ascii: "/")
        var kind = TemplateToken.Kind.block
        if Self.opaque.contains(name), !isEnd, !isClosed {
            while place < bytes.count, !ends(name) { place += 1 }
            place = min(place + name.utf8.count + 3, bytes.count)
            kind = Self.inline.contains(name) ? .solo : .block
        } else if Self.inline.contains(name) {
            kind = Self.void.contains(name) || isClosed ? .solo : isEnd ? .end : .start
        }
        return TemplateToken(kind: kind, name: name[...], range: start..<place)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
    }

    /// To behind the `>` of a tag.
    private mutating func skipAttributes() {
        var isQuoted = false
        while place < bytes.count {
            if begins("{{") {
                while place < bytes.count, !begins("}}") { place += 1 }
                place += 2
                continue
            }
            let byte = bytes[place]
            place += 1
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == UInt8(ascii: ">"), !isQuoted { break }
        }
        place = min(place, bytes.count)
    }

    private func ends(_ name: String) -> Bool {
        let wanted = Array("</\(name)>".utf8)
        return place + wanted.count <= bytes.count && bytes[place..<(place + wanted.count)].elementsEqual(wanted)
    }
}
