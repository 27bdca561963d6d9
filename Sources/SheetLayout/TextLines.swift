// SPDX-License-Identifier: Apache-2.0

/// Words that stand beside each other in one style.
struct TextLine {
    var words: [Word]
    var box: Box
    var size: Double
    var isBold: Bool
    var isLight: Bool
    /// Its words with spaces between them.
    let text: String
    /// How many letters it has. Counted once: headings are told from lines by comparing them again and again.
    let letters: Int
    /// All letters are capitals, and there are some.
    let isCapitals: Bool
    /// Its words, bare and in lower case.
    let terms: [String]

    init?(_ words: [Word]) {
        guard let first = words.first else { return nil }
        self.words = words
        box = words.dropFirst().reduce(first.box) { $0.union($1.box) }
        size = words.map(\.fontSize).max() ?? first.fontSize
        isBold = words.contains(where: \.isBold)
        isLight = words.allSatisfy { $0.luminance > 0.7 }
        text = words.map(\.text).joined(separator: " ")
        letters = text.letterCount
        isCapitals = letters >= 2 && text.isWithoutSmallLetters
        terms = RegionTerms.words(of: text)
    }

    /// The first lines of a page, in reading order. A wide gap ends a line: two headings side by side are two.
    static func lines(of page: PageContent, atMost most: Int) -> [TextLine] {
        var lines: [TextLine] = []
        var current: [Word] = []
        func close() {
            if let line = TextLine(current) { lines.append(line) }
            current = []
        }
        for word in page.words where word.text.visibleCount > 0 {
            if let last = current.last {
                let isSame = last.line == word.line && last.turns == word.turns
                let gap = word.turns.isMultiple(of: 2) ? word.box.left - last.box.right : word.box.top - last.box.bottom
                if !isSame || abs(gap) > 1.3 * max(word.fontSize, last.fontSize) { close() }
                guard lines.count < most else { return lines }
            }
            current.append(word)
        }
        close()
        return lines
    }
}

/// Which lines of a page are headings, and on which level.
struct Headings {
    /// A line that names what it stands by.
    struct Heading {
        var line: TextLine
        var prominence: Double
        /// The page's main headings, not those within them.
        var isMain: Bool
    }

    private(set) var all: [Heading] = []
    private var body = 0.0

    /// Prominence of any line, heading or not.
    func plainProminence(_ line: TextLine) -> Double {
        body > 0 ? Self.prominence(line, body: body) : 0
    }

    /// `isStrip` tells whether a line stands in a strip of its own between two rules.
    init(_ lines: [TextLine], isStrip: (TextLine) -> Bool) {
        let body = Self.bodySize(lines)
        guard body > 0 else { return }
        self.body = body
        let plain = Self.prominenceOfBody(lines, body: body)
        let candidates = lines.compactMap { line -> Heading? in
            guard Self.canBeHeading(line) else { return nil }
            let prominence = Self.prominence(line, body: body) + (isStrip(line) ? 0.5 : 0)
            guard line.isLight || prominence >= plain + 0.2 else { return nil }
            return Heading(line: line, prominence: prominence, isMain: false)
        }
        let main = Self.mainLevel(candidates)
        all = candidates.map { candidate in
            var heading = candidate
            heading.isMain = main.map { abs(candidate.prominence - $0) <= 0.2 } ?? false
            return heading
        }
    }

    private static func prominence(_ line: TextLine, body: Double) -> Double {
        line.size / body + (line.isBold ? 0.35 : 0) + (line.isCapitals ? 0.25 : 0) + (line.isLight ? 0.4 : 0)
            - (line.text.hasSuffix(":") ? 0.6 : 0)
    }

    private static func canBeHeading(_ line: TextLine) -> Bool {
        let text = line.text
        guard line.words.count <= 6, text.characterCount <= 42, line.letters >= 3 else { return false }
        guard !line.terms.allSatisfy(RegionTerms.standard.abilities.contains) else { return false }
        return Double(line.letters) >= 0.6 * Double(text.visibleCount)
    }

    /// Size that most letters have.
    private static func bodySize(_ lines: [TextLine]) -> Double {
        let sizes = lines.filter { $0.letters > 0 }.sorted { $0.size < $1.size }
        let all = sizes.reduce(0) { $0 + $1.letters }
        var passed = 0
        for line in sizes {
            passed += line.letters
            if 2 * passed >= all { return line.size }
        }
        return 0
    }

    /// Prominence of the plainest style that a fair part of the letters has.
    private static func prominenceOfBody(_ lines: [TextLine], body: Double) -> Double {
        // Light letters stand on bars, and bars are for headings.
        let dark = lines.filter { $0.letters > 0 && !$0.isLight }
        guard !dark.isEmpty else { return 1.2 }
        let ranked = dark.map { (prominence($0, body: body), $0.letters) }.sorted { $0.0 < $1.0 }
        let all = ranked.reduce(0) { $0 + $1.1 }
        var passed = 0
        for (prominence, letters) in ranked {
            passed += letters
            if 6 * passed >= all { return prominence }
        }
        return 1
    }

    /// Prominence of the highest level that has several headings; a title stands alone above it.
    private static func mainLevel(_ headings: [Heading]) -> Double? {
        let levels = headings.map(\.prominence).sorted(by: >)
        for count in [4, 3, 2] {
            if let level = levels.first(where: { level in
                levels.count { abs($0 - level) <= 0.2 } >= count
            }) {
                return level - 0.1
            }
        }
        return nil
    }
}
