// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres

/// What a person typed into the search field, as the database is asked for it.
///
/// Words, `"phrases"`, `or` and `-without` work as on the web; the last word may be unfinished.
/// Case and accents do not matter.
package struct SearchWords: Hashable, Sendable {
    /// Longest text, in characters.
    package static let maximumLength = 200

    /// Everything that was typed.
    package let text: String
    /// What stands before the last word; empty when that is all.
    package let head: String
    /// The last word when it may go on.
    let beginning: String?
    /// Whether `or` joins the two.
    let isAlternative: Bool

    /// Most words that are corrected.
    static let maximumWords = 8

    /// The words that are long enough for being corrected; none when phrases or `-without` ask for exactness.
    package var words: [String] {
        if text.contains("\"") || text.hasPrefix("-") || text.contains(" -") { return [] }
        return text.split { !$0.isLetter && !$0.isNumber }.filter { $0.count >= 3 }.prefix(Self.maximumWords).map(
            String.init)
    }

    /// The parts of the last word, as of `call-of-cth`: all whole but the last, which may go on.
    var beginningParts: (whole: String, last: String)? {
        guard let beginning else { return nil }
        let parts = beginning.split { !$0.isLetter && !$0.isNumber && !$0.unicodeScalars.allSatisfy(\.isMark) }
        guard let last = parts.last else { return nil }
        return (parts.dropLast().joined(separator: " "), String(last))
    }

    package init(_ text: String) {
        self.text = text
        let words = text.split(whereSeparator: \.isWhitespace)
        // Inside an open phrase, after a minus, or without anything to look up, the last word is taken as it is.
        guard let last = words.last, text.count(where: { $0 == "\"" }).isMultiple(of: 2), !last.hasPrefix("-"),
            !last.contains("\""), last.contains(where: { $0.isLetter || $0.isNumber })
        else {
            head = text
            beginning = nil
            isAlternative = false
            return
        }
        let before = words.dropLast()
        isAlternative = before.last?.lowercased() == "or" && before.count > 1
        head = (isAlternative ? before.dropLast() : before).joined(separator: " ")
        beginning = String(last)
    }

    /// The same with `corrections` in the place of the words they are for.
    package func corrected(_ corrections: [String: String]) -> String {
        var result = ""
        var word = ""
        func end() {
            result += corrections[word] ?? word
            word = ""
        }
        for character in text {
            if character.isLetter || character.isNumber {
                word.append(character)
            } else {
                end()
                result.append(character)
            }
        }
        end()
        return result
    }
}

extension Unicode.Scalar {
    /// Belongs to the character before it.
    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }
}
