// SPDX-License-Identifier: Apache-2.0
import SheetCore
import SheetLayout

/// The text of a page as people read it: composed (NFC), without control and direction characters, bounded.
struct PageText {
    /// The text, a line feed after each line and an empty line between blocks.
    let text: String
    /// Characters other than white space.
    let characterCount: Int
    /// Its words in lower case, in reading order.
    let words: [Substring]

    init(_ words: [Word], maximumBytes: Int) {
        var raw = ""
        var last: Word?
        for word in words {
            if let last {
                if word.block != last.block {
                    raw += "\n\n"
                } else if word.line != last.line {
                    raw += "\n"
                } else if last.hasSpaceAfter {
                    raw += " "
                }
            }
            raw += Self.clean(word.text)
            last = word
        }
        let composed = UnicodeText.composed(raw)
        characterCount = composed.visibleCount
        text = Self.prefix(composed, bytes: maximumBytes)
        self.words = SheetWords.words(of: text)
    }

    /// Without characters that are not meant to be seen.
    static func clean(_ text: String) -> String {
        if text.utf8.allSatisfy({ (32..<127).contains($0) }) { return text }
        var kept = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
                if scalar.properties.isWhitespace { kept.append(" ") }
            default:
                kept.append(scalar)
            }
        }
        return String(kept)
    }

    /// As many whole characters as fit.
    static func prefix(_ text: String, bytes: Int) -> String {
        guard text.utf8.count > bytes else { return text }
        var kept = ""
        var count = 0
        for character in text {
            count += character.utf8.count
            if count > bytes { break }
            kept.append(character)
        }
        return kept
    }
}
