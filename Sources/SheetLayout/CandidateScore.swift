// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A part of the page that may be a region.
struct RegionCandidate: Equatable {
    var box: PixelBox
    var confidence: Double
    /// What choosing it adds.
    var weight: Double
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
        var score = -0.3 - 0.22 * size * size
        score += headingScore(points)
        score += context.isFramed ? 0.8 : 0
        let separation = log(Double(context.outerGap + 2) / Double(context.innerGap + 2))
        score += 0.55 * min(max(separation, -1.6), 1.6)
        score += contentScore(points)
        let confidence = 1 / (1 + exp(-score))
        return RegionCandidate(
            box: box, confidence: (confidence * 1000).rounded() / 1000,
            weight: (confidence - Self.indifference) * pow(share / 0.03, 0.4))
    }

    /// One main heading at the top is what makes a region; several make a group of regions.
    private func headingScore(_ box: Box) -> Double {
        let inside = surroundings.headings.all.filter { box.holdsCenter(of: $0.line.box) }
        let main = inside.filter(\.isMain)
        guard surroundings.headings.hasMain else { return 0 }
        // Headings in one row are columns of a table as often as regions side by side.
        let rows = Set(main.map { Int(($0.line.box.top / max($0.line.size, 1)).rounded()) }).count
        switch main.count {
        case 0: return inside.isEmpty ? -0.7 : -0.2
        case 1: return isAtEdge(main[0].line, of: box) ? 1.9 : 0.1
        default:
            let atEdge = main.contains { isAtEdge($0.line, of: box) }
            return (atEdge ? 0.2 : -0.4) - 0.45 * Double(min(main.count - 1, 4)) - (rows > 1 ? 0.4 : 0)
        }
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
        if hasText, lines == 1, fields == 0 { score -= 0.5 }
        if box.height < 14 { score -= 0.8 }
        return score
    }
}
