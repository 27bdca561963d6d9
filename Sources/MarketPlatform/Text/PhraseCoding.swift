// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A phrase on its way through the template engine, which hands nothing but text to what escapes it. There the language is
/// known, and the text becomes words. A mark made by chance keeps people from writing such a text themselves.
extension Phrase {
    private static let mark: [UInt8] = [2] + Array(String(UInt64.random(in: .min ... .max), radix: 36).utf8) + [2]

    /// The phrase as a text that `init(coded:)` reads.
    package var coded: String {
        var bytes = Self.mark
        write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads what `coded` wrote; `nil` for any other text.
    package init?(coded text: String) {
        guard text.utf8.first == 2, text.utf8.starts(with: Self.mark) else { return nil }
        var reader = PhraseReader(bytes: Array(text.utf8.dropFirst(Self.mark.count)))
        guard let phrase = reader.phrase() else { return nil }
        self = phrase
    }

    private func write(to bytes: inout [UInt8]) {
        func add(_ kind: Character, _ texts: String..., to bytes: inout [UInt8]) {
            bytes += Array(String(kind).utf8)
            for text in texts { bytes += Array("\(text.utf8.count):\(text)".utf8) }
        }
        switch content {
        case .words(let key, let values):
            add("w", key, String(values.count), to: &bytes)
            for value in values { value.write(to: &bytes) }
        case .plural(let number, let one, let many): add("p", String(number), one, many, to: &bytes)
        case .verbatim(let text): add("v", text, to: &bytes)
        case .told(let text): add("t", text, to: &bytes)
        case .sequence(let parts):
            add("s", String(parts.count), to: &bytes)
            for part in parts { part.write(to: &bytes) }
        case .number(let number): add("n", String(number), to: &bytes)
        case .decimal(let value, let digits):
            add("f", String(value), String(digits.lowerBound), String(digits.upperBound), to: &bytes)
        case .time(let seconds, let style): add("d", String(seconds), style.rawValue, to: &bytes)
        case .language(let tag): add("l", tag, to: &bytes)
        }
    }
}

private struct PhraseReader {
    let bytes: [UInt8]
    private var place = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func phrase() -> Phrase? {
        guard place < bytes.count else { return nil }
        place += 1
        switch bytes[place - 1] {
        case UInt8(ascii: "w"):
            guard let key = text(), let values = phrases() else { return nil }
            return Phrase(content: .words(key, values))
        case UInt8(ascii: "p"):
            guard let number = number(), let one = text(), let many = text() else { return nil }
            return Phrase(content: .plural(number, one: one, many: many))
        case UInt8(ascii: "v"): return text().map { Phrase(content: .verbatim($0)) }
        case UInt8(ascii: "t"): return text().map { Phrase(content: .told($0)) }
        case UInt8(ascii: "s"): return phrases().map { Phrase(content: .sequence($0)) }
        case UInt8(ascii: "n"): return number().map { Phrase(content: .number($0)) }
        case UInt8(ascii: "f"):
            guard let value = text().flatMap(Double.init), let least = number(), let most = number(), least <= most
            else { return nil }
            return Phrase(content: .decimal(value, digits: least...most))
        case UInt8(ascii: "d"):
            guard let seconds = text().flatMap(Double.init), let style = text().flatMap(Phrase.TimeStyle.init)
            else { return nil }
            return Phrase(content: .time(seconds, style))
        case UInt8(ascii: "l"): return text().map { Phrase(content: .language($0)) }
        default: return nil
        }
    }

    private mutating func phrases() -> [Phrase]? {
        guard let count = number() else { return nil }
        var phrases: [Phrase] = []
        for _ in 0..<max(count, 0) {
            guard let phrase = phrase() else { return nil }
            phrases.append(phrase)
        }
        return phrases
    }

    private mutating func number() -> Int? { text().flatMap { Int($0) } }

    private mutating func text() -> String? {
        var length = 0
        while place < bytes.count, bytes[place] != UInt8(ascii: ":") {
            length = length * 10 + Int(bytes[place]) - Int(UInt8(ascii: "0"))
            place += 1
        }
        place += 1
        guard length >= 0, place + length <= bytes.count else { return nil }
        defer { place += length }
        return String(decoding: bytes[place..<(place + length)], as: UTF8.self)
    }
}
