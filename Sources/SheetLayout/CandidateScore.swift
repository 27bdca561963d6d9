// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A part of the page that may be a region.
struct RegionCandidate: Equatable {
    var box: PixelBox
    var confidence: Double
    /// What choosing it adds.
    var weight: Double

    /// A total order: heavier, then larger, higher up, further left.
    func isBetter(than other: RegionCandidate) -> Bool {
        if weight != other.weight { return weight > other.weight }
        if box.area != other.box.area { return box.area > other.box.area }
        return (box.top, box.left, box.bottom) < (other.box.top, other.box.left, other.box.bottom)
    }
}

/// What is known of a candidate besides its box.
struct CandidateContext {
    /// Separator around it, in pixels.
    var outerGap: Int
    /// Strongest separator within it, in pixels.
    var innerGap: Int
    var isFramed: Bool
}

/// How much a part of the page looks like a region, by weights set by hand. To be replaced by learned ones.
struct CandidateScore {
    let surroundings: Surroundings

    /// Smallest and largest part of the page.
    private static let shares = 0.0025...0.72
    /// Confidence below which a candidate is not worth choosing.
    private static let indifference = 0.35

    /// `nil` for what is no region at any rate.
    func candidate(_ box: PixelBox, _ context: CandidateContext) -> RegionCandidate? {
        let share = surroundings.share(box)
        guard Self.shares.contains(share), box.width >= 24, box.height >= 10 else { return nil }
        let points = surroundings.points(box)
        let size = log(share / 0.05)
        var score = -0.5 - 0.22 * size * size
        score += headingScore(points)
        score += context.isFramed ? 0.9 : 0
        let separation = log(Double(context.outerGap + 3) / Double(context.innerGap + 3))
        score += 0.3 * min(max(separation, -1.6), 1.6)
        score += contentScore(points) + termScore(points) - edgeCost(points)
        let confidence = 1 / (1 + exp(-score))
        return RegionCandidate(
            box: box,
            confidence: (confidence * 1000).rounded() / 1000,
            weight: (confidence - Self.indifference) * pow(share / 0.03, 0.4)
        )
    }

    /// One heading at the top is what makes a region; several of its rank make a group of regions.
    private func headingScore(_ box: Box) -> Double {
        let inside = surroundings.headings.all.filter { box.holdsCenter(of: $0.line.box) }
        guard let strongest = inside.map(\.prominence).max() else {
            guard surroundings.headings.hasMain else { return hasTitleRow(box) ? 0.8 : -0.2 }
            return hasTitleRow(box) ? 0.1 : -0.6
        }
        let peers = inside.filter { $0.prominence >= strongest - 0.15 }
        let rows = Set(peers.map { Int(($0.line.box.top / max($0.line.size, 1)).rounded()) }).count
        let atEdge = peers.contains { isAtEdge($0.line, of: box) }
        let isMain = peers.contains(where: \.isMain)
        let bonus = atEdge ? (isMain ? 1.9 : 1.2) : 0
        return bonus - 0.55 * Double(min(peers.count - 1, 4)) - (rows > 1 ? 0.35 : 0)
    }

    /// Who a character is, and the row of abilities, are regions without a heading.
    private func termScore(_ box: Box) -> Double {
        let words = Set(
            surroundings.lines.filter { box.holdsCenter(of: $0.box) }.flatMap(RegionTerms.words(of:))
        )
        let isHigh = box.top < 0.3 * surroundings.pageHeight
        let identity = words.intersection(RegionTerms.standard.identity).count
        let abilities = words.intersection(RegionTerms.standard.abilities).count
        var score = 0.0
        if isHigh, identity >= 3, 4 * identity >= words.count { score += 0.25 * Double(min(identity, 6)) }
        if abilities >= 3, 4 * abilities >= words.count { score += 0.2 * Double(min(abilities, 6)) }
        return score
    }

    /// A region cuts through no line of text and leaves no heading of its own outside.
    private func edgeCost(_ box: Box) -> Double {
        var cut = 0
        var orphans = 0
        for line in surroundings.lines where line.letters > 0 {
            let share = line.box.overlap(box) / max(line.box.area, 0.01)
            if share > 0.15, share < 0.85 { cut += 1 }
            guard share < 0.15, line.box.bottom <= box.top + 0.3 * line.size,
                box.top - line.box.bottom < 1.1 * line.size,
                min(line.box.right, box.right) - max(line.box.left, box.left) > 0.6 * line.box.width
            else { continue }
            orphans += 1
        }
        return 0.7 * Double(min(cut, 4)) + (orphans == 1 ? 0.7 : orphans > 1 ? 0.4 : 0)
    }

    /// The first row of text is one short line.
    private func hasTitleRow(_ box: Box) -> Bool {
        let inside = surroundings.lines.filter { box.holdsCenter(of: $0.box) }
        guard let first = inside.min(by: { ($0.box.top, $0.box.left) < ($1.box.top, $1.box.left) }) else {
            return false
        }
        let row = inside.count { $0.box.top < first.box.bottom - 0.3 * first.size }
        return row == 1 && first.words.count <= 5 && first.letters >= 3 && !first.text.hasSuffix(":")
            && first.box.top - box.top < 2 * first.size
    }

    private func isAtEdge(_ line: TextLine, of box: Box) -> Bool {
        let reach = max(1.6 * line.size, 0.08 * box.height)
        return line.box.top - box.top <= reach || box.bottom - line.box.bottom <= 0.8 * line.size
            || (line.words.first?.turns.isMultiple(of: 2) == false && line.box.left - box.left <= 1.6 * line.size)
    }

    /// Blank frames and lone lines are rarely regions.
    private func contentScore(_ box: Box) -> Double {
        let lines = surroundings.lines.count { box.holdsCenter(of: $0.box) }
        let fields = surroundings.fields.count { box.holdsCenter(of: $0) }
        let hasText = !surroundings.lines.isEmpty
        var score = 0.0
        if hasText, lines == 0 { score -= 0.9 }
        if lines == 1, fields == 0, let line = surroundings.lines.first(where: { box.holdsCenter(of: $0.box) }),
            box.height < 2.6 * line.size
        {
            score -= 1.2
        }
        if box.height < 14 { score -= 0.8 }
        return score
    }
}
