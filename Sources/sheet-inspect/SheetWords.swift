// SPDX-License-Identifier: Apache-2.0

/// Cuts text into words, the same way for fingerprints and for the words of game systems.
enum SheetWords {
    /// Runs of letters and digits, in lower case.
    static func words(of text: String) -> [Substring] {
        let text = text.lowercased()
        var words: [Substring] = []
        var start: String.Index?
        for place in text.unicodeScalars.indices {
            if isPartOfWord(text.unicodeScalars[place]) {
                start = start ?? place
            } else if let begin = start {
                words.append(text[begin..<place])
                start = nil
            }
        }
        if let begin = start { words.append(text[begin...]) }
        return words
    }

    /// Most letters are ASCII, for which the properties of Unicode need not be looked up.
    private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 48...57, 97...122: true
        case ..<128: false
        default: scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        }
    }
}
