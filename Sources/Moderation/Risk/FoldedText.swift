// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Text as the rules compare it: words in lower case without accents, letters of other shapes as the plain ones.
///
/// `©` and `(c)` are words of their own, and so are `™` and `®`; everything else that is no letter or digit parts words.
struct FoldedText: Sendable {
    /// A word and how it was written.
    struct Word: Sendable, Equatable {
        var text: String
        /// Its place in the original, in characters of it.
        var range: Range<String.Index>
    }

    let original: String
    let words: [Word]

    /// The sign of copyright as a word.
    static let copyright = "©"
    /// The signs of marks as a word.
    static let trademark = "™"

    init(_ text: String) {
        original = text
        var words: [Word] = []
        var start: String.Index?
        var current = ""
        var place = text.startIndex
        func end(at place: String.Index) {
            if let begin = start, !current.isEmpty { words.append(Word(text: current, range: begin..<place)) }
            start = nil
            current = ""
        }
        while place < text.endIndex {
            let next = text.index(after: place)
            let character = text[place]
            if let sign = Self.sign(character) {
                end(at: place)
                words.append(Word(text: sign, range: place..<next))
            } else if character == "(", text[place...].prefix(3).lowercased() == "(c)" {
                end(at: place)
                let after = text.index(place, offsetBy: 3)
                words.append(Word(text: Self.copyright, range: place..<after))
                place = after
                continue
            } else {
                let folded = Self.folded(character)
                if folded.isEmpty {
                    // Signs without width hide words from a reader of bytes, not from one of the page.
                    if !Self.isInvisible(character) { end(at: place) }
                } else {
                    if start == nil { start = place }
                    current += folded
                }
            }
            place = next
        }
        end(at: text.endIndex)
        self.words = words
    }

    /// What of the original stands around some words.
    func excerpt(of words: Range<Int>) -> String {
        let first = self.words[max(0, words.lowerBound - 3)].range.lowerBound
        let last = self.words[min(self.words.count, words.upperBound + 3) - 1].range.upperBound
        let line = original[first..<last].split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.count > 120 ? String(line.prefix(119)) + "…" : line
    }

    private static func sign(_ character: Character) -> String? {
        switch character {
        case "©", "\u{24B8}", "\u{1F12F}": copyright
        case "™", "®": trademark
        default: nil
        }
    }

    private static func isInvisible(_ character: Character) -> Bool {
        character.unicodeScalars.allSatisfy { $0.properties.isDefaultIgnorableCodePoint }
    }

    /// The letters and digits of a character; empty for others.
    static func folded(_ character: Character) -> String {
        if let ascii = character.asciiValue {
            switch ascii {
            case 48...57, 97...122: return String(character)
            case 65...90: return String(UnicodeScalar(ascii + 32))
            default: return ""
            }
        }
        if let letters = letters[character] { return letters }
        let parts = String(character).decomposedStringWithCompatibilityMapping.lowercased().unicodeScalars
        var kept = ""
        for scalar in parts where scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
            if let plain = letters[Character(scalar)] {
                kept += plain
            } else if scalar.properties.generalCategory != .nonspacingMark {
                kept.unicodeScalars.append(scalar)
            }
        }
        return kept
    }

    /// Letters that are no base letter with an accent.
    private static let letters: [Character: String] = [
        "ß": "ss", "ẞ": "ss", "æ": "ae", "Æ": "ae", "œ": "oe", "Œ": "oe", "ø": "o", "Ø": "o", "ł": "l", "Ł": "l",
        "đ": "d", "Đ": "d", "ð": "d", "Ð": "d", "þ": "th", "Þ": "th", "ı": "i",
    ]
}
