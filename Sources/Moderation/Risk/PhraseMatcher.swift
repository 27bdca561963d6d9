// SPDX-License-Identifier: Apache-2.0

/// Finds phrases in text, each word whole: "ass" is not in "assassin", and no town is prohibited.
struct PhraseMatcher: Sendable {
    /// A phrase that was found.
    struct Match: Sendable, Equatable {
        /// Which phrase, by its place in the list.
        var phrase: Int
        /// The words of the text.
        var words: Range<Int>
    }

    private struct Phrase: Sendable {
        var place: Int
        var words: [String]
        /// Whether the last word may go on: written with `*` at its end.
        var isOpen: Bool
    }

    private var byFirstWord: [String: [Phrase]] = [:]
    private var openByStart: [String: [Phrase]] = [:]
    private var openLengths: Set<Int> = []
    private let allowed: Set<String>

    /// Looks for `phrases`, folded like the text; words in `allowed` never end an open phrase.
    init(_ phrases: [String], allowed: Set<String> = []) {
        self.allowed = allowed
        for (place, written) in phrases.enumerated() {
            let words = FoldedText(written).words.map(\.text)
            guard let first = words.first else { continue }
            let isOpen = written.hasSuffix("*")
            let phrase = Phrase(place: place, words: words, isOpen: isOpen)
            if isOpen, words.count == 1 {
                openByStart[first, default: []].append(phrase)
                openLengths.insert(first.count)
            } else {
                byFirstWord[first, default: []].append(phrase)
            }
        }
    }

    var isEmpty: Bool { byFirstWord.isEmpty && openByStart.isEmpty }

    /// All matches in the words of a text.
    func matches(in words: [String]) -> [Match] {
        var found: [Match] = []
        for start in words.indices {
            let word = words[start]
            for phrase in byFirstWord[word] ?? [] where matches(phrase, at: start, in: words) {
                found.append(Match(phrase: phrase.place, words: start..<start + phrase.words.count))
            }
            guard !openLengths.isEmpty, !allowed.contains(word) else { continue }
            for length in openLengths where word.count >= length {
                for phrase in openByStart[String(word.prefix(length))] ?? [] {
                    found.append(Match(phrase: phrase.place, words: start..<start + 1))
                }
            }
        }
        return found
    }

    private func matches(_ phrase: Phrase, at start: Int, in words: [String]) -> Bool {
        guard start + phrase.words.count <= words.count else { return false }
        for (offset, wanted) in phrase.words.enumerated().dropFirst() {
            let word = words[start + offset]
            let isLast = offset == phrase.words.count - 1
            guard word == wanted || isLast && phrase.isOpen && word.hasPrefix(wanted) && !allowed.contains(word) else {
                return false
            }
        }
        return true
    }
}

/// Words that somebody tried to hide: `sh1t`, `s h i t`, `s.h.i.t`, `shiiit`. Each interpretation keeps the places of its words.
enum HiddenWords {
    /// A word as it may be meant.
    struct Interpretation: Equatable {
        var word: String
        var words: Range<Int>
    }

    /// Fewest letters that are joined, or read out of digits: shorter ones are too often meant as they stand.
    static let leastLetters = 4

    static func interpretations(of words: [String]) -> [Interpretation] {
        var interpretations = spaced(words)
        for (place, word) in words.enumerated() where word.count >= leastLetters {
            var seen: Set<String> = [word]
            for interpretation in [withoutDigits(word, one: "i"), withoutDigits(word, one: "l")] + squeezed(word) {
                guard let interpretation, seen.insert(interpretation).inserted else { continue }
                interpretations.append(Interpretation(word: interpretation, words: place..<place + 1))
            }
        }
        return interpretations
    }

    /// Runs of single letters as words.
    private static func spaced(_ words: [String]) -> [Interpretation] {
        var interpretations: [Interpretation] = []
        var start = 0
        for place in 0...words.count where place == words.count || words[place].count != 1 {
            if place - start >= leastLetters {
                interpretations.append(Interpretation(word: words[start..<place].joined(), words: start..<place))
            }
            start = place + 1
        }
        return interpretations
    }

    private static let digits: [Character: Character] = ["0": "o", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b"]

    /// Digits in a word read as the letters that they look like; `nil` without any, or without letters.
    private static func withoutDigits(_ word: String, one: Character) -> String? {
        guard word.contains(where: \.isNumber), word.contains(where: \.isLetter) else { return nil }
        return String(word.map { $0 == "1" ? one : digits[$0] ?? $0 })
    }

    /// Letters that come three times or more, once and twice.
    private static func squeezed(_ word: String) -> [String?] {
        var once = ""
        var twice = ""
        var run = 0
        var isLong = false
        var last: Character?
        for character in word + "\0" {
            if character == last {
                run += 1
                continue
            }
            if let last {
                isLong = isLong || run > 2
                once += String(repeating: last, count: run > 2 ? 1 : run)
                twice += String(repeating: last, count: min(run, 2))
            }
            last = character
            run = 1
        }
        return isLong ? [once, twice] : []
    }
}
