// SPDX-License-Identifier: Apache-2.0

/// What a line says when it names something: words that the text layer broke are whole again, and a value written behind
/// a label is left out.
struct HeadingText {
    private let words: [Word]

    init(_ line: TextLine) {
        words = Self.label(of: line.words)
    }

    /// The words with spaces where spaces are meant.
    var text: String {
        let spread = spreadGap
        var text = ""
        for (index, word) in words.enumerated() {
            text += word.text
            guard index + 1 < words.count else { break }
            let next = words[index + 1]
            let isBroken = spread.map { Self.gap(word, next) < $0 } ?? Self.isBroken(word, next)
            if !isBroken { text += " " }
        }
        return text
    }

    /// The bold words that a line begins with, when plain ones follow: a label and what is written behind it.
    private static func label(of words: [Word]) -> [Word] {
        guard let first = words.first, first.isBold else { return words }
        let bold = words.prefix(while: \.isBold)
        let letters = bold.reduce(0) { $0 + $1.text.letterCount }
        return letters >= 3 ? Array(bold) : words
    }

    /// Gap below which the letters of a spread line are one word; `nil` for a line that is not spread.
    private var spreadGap: Double? {
        guard words.count >= 4, words.allSatisfy({ $0.text.count == 1 }) else { return nil }
        let gaps = zip(words, words.dropFirst()).map(Self.gap)
        return gaps.min().map { 1.6 * max($0, 0.1 * words[0].fontSize) }
    }

    /// Whether two words are parts of one: a large first letter and the letters behind it, or no room for a space.
    private static func isBroken(_ word: Word, _ next: Word) -> Bool {
        let gap = gap(word, next)
        let size = min(word.fontSize, next.fontSize)
        // Far back begins another row.
        if gap < -size / 2 { return false }
        if gap < 0.06 * size { return true }
        guard word.text.count == 1, let letter = word.text.first, letter.isUppercase,
            next.text.first?.isLetter ?? false
        else { return false }
        if word.fontSize > 1.1 * next.fontSize, gap < 0.25 * next.fontSize { return true }
        return !Self.wordsOfOneLetter.contains(letter) && (next.text.first?.isLowercase ?? false)
            && gap < 0.5 * next.fontSize
    }

    /// Capitals that are words of their own in some language.
    private static let wordsOfOneLetter = "AÀÁEÈÉIKOÓSUÚVWYZ"

    private static func gap(_ word: Word, _ next: Word) -> Double {
        word.turns.isMultiple(of: 2) ? next.box.left - word.box.right : abs(next.box.top - word.box.bottom)
    }
}
