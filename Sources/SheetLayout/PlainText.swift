// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// Counting letters without Unicode's tables where there are only ASCII characters, which is nearly everywhere.
extension String {
    /// Each byte is a character: ASCII, and no carriage return, which may be one character with a line feed.
    var isPlain: Bool { utf8.allSatisfy { $0 < 128 && $0 != 13 } }

    /// As `count`.
    var characterCount: Int { isPlain ? utf8.count : count }

    /// Characters that are letters.
    var letterCount: Int {
        isPlain ? utf8.count { (97...122).contains($0 | 32) } : count(where: \.isLetter)
    }

    /// Characters that are numbers.
    var digitCount: Int {
        isPlain ? utf8.count { (48...57).contains($0) } : count { $0.isNumber }
    }

    /// Characters other than white space.
    package var visibleCount: Int {
        if isPlain { return utf8.count { $0 != 32 && !(9...13).contains($0) } }
        if UnicodeText.isSimple(self) { return unicodeScalars.count { !$0.properties.isWhitespace } }
        return count { !$0.isWhitespace }
    }

    /// Whether there is no small letter, but a letter that could be one.
    var isWithoutSmallLetters: Bool {
        guard isPlain else { return self == uppercased() && self != lowercased() }
        var holdsCapital = false
        for byte in utf8 {
            if (97...122).contains(byte) { return false }
            holdsCapital = holdsCapital || (65...90).contains(byte)
        }
        return holdsCapital
    }
}
