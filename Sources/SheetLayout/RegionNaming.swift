// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// What a region is called: its heading, as it is printed.
struct RegionNaming {
    let headings: Headings
    let lines: [TextLine]

    /// What a region at the top of the page without a heading is called.
    private static let identity = "Character Info"

    func name(of box: Box, isAtTop: Bool) -> String {
        let inside = headings.all.filter { box.holdsCenter(of: $0.line.box) }
        let first = inside.max { left, right in rank(left, in: box) < rank(right, in: box) }
        if let first, first.isMain || !isAtTop { return Self.readable(wrapped(first, in: box)) }
        if isAtTop { return Self.identity }
        let line = lines.filter { box.holdsCenter(of: $0.box) && $0.letters >= 3 }
            .min { ($0.box.top, $0.box.left) < ($1.box.top, $1.box.left) }
        return line.map { Self.readable($0.text) } ?? ""
    }

    /// Prominent, and near the upper left.
    private func rank(_ heading: Headings.Heading, in box: Box) -> Double {
        let down = (heading.line.box.top - box.top) / max(box.height, 1)
        let right = (heading.line.box.left - box.left) / max(box.width, 1)
        return heading.prominence - 1.2 * max(0, down) - 0.3 * max(0, right)
    }

    /// With the second line of a heading that was broken.
    private func wrapped(_ heading: Headings.Heading, in box: Box) -> String {
        let next = headings.all.first { other in
            let gap = other.line.box.top - heading.line.box.bottom
            let apart = abs(
                (other.line.box.left + other.line.box.right) - (heading.line.box.left + heading.line.box.right)
            )
            return other.prominence == heading.prominence && box.holdsCenter(of: other.line.box)
                && gap > -0.4 * heading.line.size && gap < 0.35 * heading.line.size
                && (apart < heading.line.size || abs(other.line.box.left - heading.line.box.left) < 2)
        }
        return next.map { heading.line.text + " " + $0.line.text } ?? heading.line.text
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
