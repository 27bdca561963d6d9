// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import SheetLayout

@Suite("The text of headings")
struct HeadingTextTests {
    /// Words from left to right: text, size, gap before in parts of the size, bold.
    private func text(_ words: [(String, Double, Double, Bool)]) -> String? {
        var left = 10.0
        var placed: [Word] = []
        for (text, size, gap, isBold) in words {
            left += gap * size
            let right = left + Double(text.count) * size * 0.5
            placed.append(
                Word(
                    text: text, box: Box(left: left, top: 10, right: right, bottom: 10 + size), fontSize: size,
                    isBold: isBold))
            left = right
        }
        return TextLine(placed).map { HeadingText($0).text }
    }

    @Test("words that the text layer broke are whole")
    func broken() {
        #expect(text([("S", 14, 0, false), ("KILLS", 11, 0.02, false)]) == "SKILLS")
        #expect(text([("C", 12, 0, false), ("argo", 12, 0.3, false), ("Hold", 12, 0.3, false)]) == "Cargo Hold")
        #expect(text([("A", 12, 0, false), ("sword", 12, 0.3, false)]) == "A sword")
        let spread = "NOTES".map { (String($0), 12.0, 0.3, false) }
        #expect(text(spread) == "NOTES")
    }

    @Test("a value behind a bold label is left out")
    func value() {
        #expect(text([("Crew", 10, 0, true), ("Captain", 10, 0.3, false)]) == "Crew")
        #expect(text([("Hit", 10, 0, true), ("Points", 10, 0.3, true)]) == "Hit Points")
    }
}
