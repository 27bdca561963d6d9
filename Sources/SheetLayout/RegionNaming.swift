// SPDX-License-Identifier: Apache-2.0
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a region is called: its heading, as it is printed.
struct RegionNaming {
    let headings: Headings
    let lines: [TextLine]
    let text: PlacedText
    /// Most frames of the page have their captions at the bottom.
    let isCaptionedBelow: Bool

    /// What a block that says who a character is and has no heading is called, and a row of abilities.
    private static let identity = "Character Info"
    private static let abilities = "Attributes"

    /// A name and, where the words tell, a kind.
    func name(of box: PixelBox, isAtTop: Bool) -> (name: String, kind: String?) {
        let inside = text.lines.indices.filter { text.lines[$0].isCentered(in: box) }
        var best: (index: Int, rank: Int)?
        for index in inside {
            guard let rank = rank(text.lines[index], in: box) else { continue }
            if best.map({ rank > $0.rank }) ?? true { best = (index, rank) }
        }
        let words = inside.reduce(0) { $0 + text.lines[$1].words }
        let identityWords = inside.reduce(0) { $0 + text.lines[$1].identityWords }
        let abilityWords = inside.reduce(0) { $0 + text.lines[$1].abilityWords }
        let title = best.map { text.lines[$0.index] }
        let hasTitle = title.map { $0.isMain || $0.isSectionTerm && $0.isHeading } ?? false
        // Where the most prominent line is itself such a field's label, values may be written in beside the labels.
        let share = (title.map { $0.identityWords > 0 && !$0.isMain } ?? false) ? 9 : 5
        if isAtTop, !hasTitle, identityWords >= 2, identityWords * share >= words { return (Self.identity, "identity") }
        if !(title?.isSectionTerm ?? false), abilityWords >= 3, abilityWords * 5 >= words,
            title.map({ $0.abilityWords > 0 || !$0.isHeading }) ?? true
        {
            return (Self.abilities, "abilities")
        }
        guard let best else { return ("", nil) }
        let name = Self.readable(wrapped(best.index, in: inside))
        return (name, RegionTerms.standard.kind(ofHeading: name))
    }

    /// Prominent, known, and near the upper left; `nil` for what is no name.
    private func rank(_ line: PlacedLine, in box: PixelBox) -> Int? {
        guard line.letters >= 2, line.words <= 8, line.digits <= line.letters else { return nil }
        var rank = min(line.prominence, 300)
        rank += line.isMain ? 60 : 0
        rank += line.isHeading ? 30 : 0
        rank += line.isSectionTerm ? 60 : 0
        rank -= line.endsWithColon ? 50 : 0
        rank -= line.digits > 0 ? 60 : 0
        rank -= line.isMarked ? 80 : 0
        rank -= max(0, line.words - 3) * 12
        rank -= line.abilityWords == line.words ? 50 : 0
        let room = max(box.height, 4 * line.size)
        let down = max(0, line.box.top - box.top) * 150 / room
        let up = (isCaptionedBelow ? 0 : 45) + max(0, box.bottom - line.box.bottom) * 150 / room
        rank -=
            line.isUpright
            ? min(down + (isCaptionedBelow ? 45 : 0), up) : max(0, line.box.left - box.left) * 100 / max(1, box.width)
        rank -= max(0, line.box.left - box.left) * 25 / max(1, box.width)
        return rank
    }

    /// Pieces of one heading in a row, from left to right: alike, and hardly further apart than words are.
    private func row(of index: Int, in inside: [Int]) -> [Int] {
        let line = text.lines[index]
        guard line.isHeading else { return [index] }
        let level = inside.filter { place in
            let other = text.lines[place]
            return other.isUpright && other.style == line.style && abs(other.centerY - line.centerY) * 4 <= line.size
        }.sorted { text.lines[$0].box.left < text.lines[$1].box.left }
        guard let at = level.firstIndex(of: index), level.count > 1 else { return [index] }
        func touch(_ left: Int, _ right: Int) -> Bool {
            let gap = text.lines[right].box.left - text.lines[left].box.right
            return gap >= -2 && gap * 10 <= 6 * line.size
        }
        var (first, last) = (at, at)
        while first > 0, touch(level[first - 1], level[first]) { first -= 1 }
        while last + 1 < level.count, touch(level[last], level[last + 1]) { last += 1 }
        let words = level[first...last].reduce(0) { $0 + text.lines[$1].words }
        return words <= 6 ? Array(level[first...last]) : [index]
    }

    /// Pieces of one turned heading, in the order of the text: alike and close to one another, along or across.
    private func turned(_ index: Int, in inside: [Int]) -> [Int] {
        let line = text.lines[index]
        guard line.isHeading else { return [index] }
        func touch(_ one: PixelBox, _ other: PixelBox) -> Bool {
            let across = max(one.left, other.left) - min(one.right, other.right)
            let along = max(one.top, other.top) - min(one.bottom, other.bottom)
            return along * 10 <= 6 * line.size && across * 2 <= -min(one.width, other.width)
                || across * 20 <= 7 * line.size && along < 0
        }
        let alike = inside.filter { !text.lines[$0].isUpright && text.lines[$0].style == line.style }
        var found = [index]
        var next = 0
        while next < found.count {
            let box = text.lines[found[next]].box
            found += alike.filter { !found.contains($0) && touch(box, text.lines[$0].box) }
            next += 1
        }
        return found.reduce(0) { $0 + text.lines[$1].words } <= 6 ? found.sorted() : [index]
    }

    /// With the pieces beside it that the text layer took apart, or the second line of a heading that was broken.
    private func wrapped(_ index: Int, in inside: [Int]) -> String {
        let line = text.lines[index]
        guard line.isUpright else {
            return turned(index, in: inside).map { Self.joined(lines[$0]) }.joined(separator: " ")
        }
        let row = row(of: index, in: inside)
        if row.count > 1 { return row.map { Self.joined(lines[$0]) }.joined(separator: " ") }
        let next = inside.first { place in
            let other = text.lines[place]
            let gap = other.box.top - line.box.bottom
            let apart = abs(other.centerX - line.centerX)
            return place != index && other.style == line.style && line.isHeading && line.prominence >= 130
                && line.words + other.words <= 6
                && gap * 10 > -4 * line.size && gap * 20 < 7 * line.size
                && (apart < line.size || abs(other.box.left - line.box.left) < 3)
        }
        return Self.joined(lines[index]) + (next.map { " " + Self.joined(lines[$0]) } ?? "")
    }

    private static func joined(_ line: TextLine) -> String { HeadingText(line).text }

    private static let edges: Set<Unicode.Scalar> = Set(":._-–—*•/|…".unicodeScalars)
    private static let plainEdges = ":._-*/| "

    /// Without colons, rules of dots and what is not meant to be seen; capitals become a title.
    static func readable(_ text: String) -> String {
        let trimmed = text.isPlain ? plainTrimmed(text) : trimmed(text)
        guard trimmed == trimmed.uppercased(), trimmed.count > 4 else { return trimmed }
        return trimmed.capitalized
    }

    private static func trimmed(_ text: String) -> String {
        func isEdge(_ scalar: Unicode.Scalar) -> Bool { edges.contains(scalar) || scalar.properties.isWhitespace }
        let kept = text.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }.drop(while: isEdge)
        let end = kept.lastIndex { !isEdge($0) }
        return end.map { UnicodeText.composed(String(kept[...$0])) } ?? ""
    }

    /// The same for ASCII, for which the tables of Unicode need not be looked up.
    private static func plainTrimmed(_ text: String) -> String {
        func isEdge(_ byte: UInt8) -> Bool { plainEdges.utf8.contains(byte) }
        let kept = text.utf8.filter { (32..<127).contains($0) }.drop(while: isEdge)
        let end = kept.lastIndex { !isEdge($0) }
        return String(decoding: end.map { kept[...$0] } ?? [], as: UTF8.self)
    }
}
