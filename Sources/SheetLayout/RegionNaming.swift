// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// What a region is called: its heading, as it is printed.
struct RegionNaming {
    let headings: Headings
    let lines: [TextLine]
    let text: PlacedText

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
        if isAtTop, !hasTitle, identityWords >= 2, identityWords * 5 >= words { return (Self.identity, "identity") }
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
        rank -= max(0, line.words - 3) * 12
        rank -= line.abilityWords == line.words ? 50 : 0
        let room = max(box.height, 4 * line.size)
        let down = max(0, line.box.top - box.top) * 150 / room
        let up = 45 + max(0, box.bottom - line.box.bottom) * 150 / room
        rank -= line.isUpright ? min(down, up) : max(0, line.box.left - box.left) * 100 / max(1, box.width)
        rank -= max(0, line.box.left - box.left) * 25 / max(1, box.width)
        return rank
    }

    /// With the second line of a heading that was broken.
    private func wrapped(_ index: Int, in inside: [Int]) -> String {
        let line = text.lines[index]
        guard line.isUpright else { return Self.joined(lines[index]) }
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

    /// The words of a line; a large first letter and the small capitals behind it are one word.
    private static func joined(_ line: TextLine) -> String {
        var text = ""
        for (index, word) in line.words.enumerated() {
            text += word.text
            guard index + 1 < line.words.count else { break }
            let next = line.words[index + 1]
            let isInitial =
                word.text.count == 1 && word.fontSize > 1.1 * next.fontSize
                && next.box.left - word.box.right < 0.25 * next.fontSize
            if !isInitial { text += " " }
        }
        return text
    }

    /// Without colons, rules of dots and what is not meant to be seen; capitals become a title.
    static func readable(_ text: String) -> String {
        let kept = text.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
        let edges = CharacterSet(charactersIn: ":._-–—*•/|…").union(.whitespacesAndNewlines)
        let trimmed = String(String.UnicodeScalarView(kept)).trimmingCharacters(in: edges)
            .precomposedStringWithCanonicalMapping
        guard trimmed == trimmed.uppercased(), trimmed.count > 4 else { return trimmed }
        return trimmed.capitalized
    }
}

/// Gives regions their names and ids, unique over all pages of a document.
public struct RegionNames: Sendable {
    private var used: Set<String> = []

    /// No name is taken.
    public init() {}

    /// The region with a name and an id.
    public mutating func region(_ found: FoundRegion, page: Int) -> ZoomRegion {
        let name = found.name.isEmpty ? "Region" : String(found.name.prefix(ZoomRegion.maximumNameLength))
        let base = Slug(slugging: name)?.text ?? "region"
        var id = base
        var number = 2
        while !used.insert(id).inserted {
            let suffix = "-\(number)"
            id = String(base.prefix(Slug.maximumLength - suffix.count)) + suffix
            number += 1
        }
        return ZoomRegion(
            id: id,
            name: name,
            rect: found.rect,
            pageIndex: page,
            confidence: found.confidence,
            source: .detected,
            kind: found.kind
        )
    }
}
