// SPDX-License-Identifier: Apache-2.0

/// The links of Markdown that have a label: `[label](target "title")`. Read by hand, in time that grows with the text: a
/// regular expression tries every length again where what it waits for never comes, and takes minutes for 20 KB.
struct LabelledLinks {
    private static let longestLabel = 300
    private static let longestTarget = 2000
    /// Of what stands behind a target, such as a title.
    private static let longestTail = 300

    /// In their order.
    private(set) var links: [(label: String, target: String)] = []
    /// The text with a blank for each.
    private(set) var rest = ""

    init(_ text: String) {
        let letters = Array(text)
        let brackets = Self.next("]", in: letters)
        let parentheses = Self.next(")", in: letters)
        var at = 0
        while at < letters.count {
            if let link = Self.link(at: at, in: letters, brackets, parentheses) {
                links.append((String(letters[at + 1..<link.labelEnd]), String(letters[link.target])))
                rest.append(" ")
                at = link.end
            } else {
                rest.append(letters[at])
                at += 1
            }
        }
    }

    private static func link(
        at start: Int, in letters: [Character], _ brackets: [Int], _ parentheses: [Int]
    ) -> (labelEnd: Int, target: Range<Int>, end: Int)? {
        guard letters[start] == "[" else { return nil }
        let labelEnd = brackets[start + 1]
        guard labelEnd - start - 1 <= longestLabel, labelEnd + 1 < letters.count, letters[labelEnd + 1] == "(",
            !letters[start..<labelEnd].contains(where: \.isNewline)
        else { return nil }
        let end = parentheses[labelEnd + 2]
        guard end < letters.count else { return nil }
        var at = labelEnd + 2
        while at < end, letters[at].isWhitespace { at += 1 }
        if at < end, letters[at] == "<" { at += 1 }
        guard end - at <= longestTarget + longestTail + 1 else { return nil }
        let target = at
        while at < end, at - target < longestTarget, letters[at] != ">", !letters[at].isWhitespace { at += 1 }
        let targetEnd = at
        if at < end, letters[at] == ">" { at += 1 }
        guard targetEnd > target, end - at <= longestTail, !letters[at..<end].contains(where: \.isNewline) else {
            return nil
        }
        return (labelEnd, target..<targetEnd, end + 1)
    }

    /// For each place, and the end, where a letter comes next; the end where it does not.
    private static func next(_ letter: Character, in letters: [Character]) -> [Int] {
        var places = [Int](repeating: letters.count, count: letters.count + 3)
        for at in letters.indices.reversed() { places[at] = letters[at] == letter ? at : places[at + 1] }
        return places
    }
}
