// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// Finds the regions of a page: candidates from cutting the drawn page along gaps and rules, a learned score for
/// each, and the best set that does not overlap. The same page gives the same regions.
package struct RegionFinder: Sendable {
    private let scores: RegionScores?

    /// With other scores than those that ship, or none, which find nothing.
    package init(scores: RegionScores? = .standard) { self.scores = scores }

    /// Regions in reading order.
    package func regions(on page: PageContent) -> [FoundRegion] {
        let turns = Orientation.turns(of: page)
        return regions(onUpright: Orientation.upright(page, turns: turns)).map { region in
            FoundRegion(
                name: region.name,
                rect: Orientation.displayed(region.rect, turns: turns).rounded,
                confidence: region.confidence,
                kind: region.kind
            )
        }
    }

    /// All parts of a page that are weighed, with their measures: what the scores are learned from.
    package func candidates(on page: PageContent) -> (names: [String], found: [MeasuredCandidate]) {
        let turns = Orientation.turns(of: page)
        let upright = Orientation.upright(page, turns: turns)
        guard let search = RegionSearch(upright) else { return ([], []) }
        let names = search.boxes.all.first.map { search.measures.names(of: $0) } ?? []
        let naming = RegionNaming(search)
        let found = search.boxes.all.map { candidate in
            MeasuredCandidate(
                rect: Orientation.displayed(search.context.normalized(candidate.box), turns: turns),
                box: [candidate.box.left, candidate.box.top, candidate.box.right, candidate.box.bottom],
                measures: search.measures.values(of: [candidate], each: names.count) ?? [],
                name: naming.name(of: candidate.box, isAtTop: candidate.box.top * 3 < search.context.height).name)
        }
        return (names, found)
    }

    private func regions(onUpright page: PageContent) -> [FoundRegion] {
        guard let scores, let search = RegionSearch(page) else { return [] }
        let context = search.context
        let choice = RegionChoice(candidates: search.scored(search.sifted(by: scores), by: scores))
        let names = RegionNaming(search)
        let absorption = HeadingAbsorption(lines: search.measures.text.lines)
        let snap = FrameSnap(frames: search.frames)
        let whole = WholeLines(lines: search.measures.text.lines)
        let found = whole.applied(to: absorption.applied(to: snap.applied(to: choice.best())))
        return ReadingOrder.sorted(found).map { candidate in
            let name = names.name(of: candidate.box, isAtTop: candidate.box.top * 3 < context.height)
            return FoundRegion(
                name: name.name,
                rect: context.normalized(candidate.box),
                confidence: candidate.confidence,
                kind: name.kind
            )
        }
    }
}

/// A part of a page that may be a region, with what is measured of it.
package struct MeasuredCandidate: Sendable {
    /// Where it is on the displayed page.
    package var rect: NormalizedRect
    /// Left, top, right and bottom in pixels of the upright page.
    package var box: [Int]
    /// Its measures in the order of their names.
    package var measures: [Int16]
    /// What it would be called.
    package var name: String
}

extension RegionNaming {
    fileprivate init(_ search: RegionSearch) {
        self.init(
            headings: search.context.headings, lines: search.context.lines, text: search.measures.text,
            isCaptionedBelow: search.measures.frames.isCaptionedBelow)
    }
}

/// From the top, and from the left where regions stand side by side.
enum ReadingOrder {
    static func sorted(_ candidates: [RegionCandidate]) -> [RegionCandidate] {
        var rest = candidates.sorted { ($0.box.top, $0.box.left) < ($1.box.top, $1.box.left) }
        var ordered: [RegionCandidate] = []
        while let first = rest.first {
            // A row: what begins before the middle of its first region.
            let middle = (first.box.top + first.box.bottom) / 2
            let row = rest.filter { $0.box.top < middle && $0.box.top - first.box.top < first.box.height / 2 }
            let leftmost = row.min { ($0.box.left, $0.box.top) < ($1.box.left, $1.box.top) } ?? first
            ordered.append(leftmost)
            rest.removeAll { $0.box == leftmost.box }
        }
        return ordered
    }
}

extension NormalizedRect {
    /// To five decimals, so that no machine's arithmetic shows.
    fileprivate var rounded: NormalizedRect {
        func rounded(_ part: Double) -> Double { (part * 1e5).rounded() / 1e5 }
        let (left, top) = (max(0, rounded(x)), max(0, rounded(y)))
        return NormalizedRect(
            x: left,
            y: top,
            width: rounded(min(1, x + width) - left),
            height: rounded(min(1, y + height) - top)
        )
    }
}
