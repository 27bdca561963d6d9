// SPDX-License-Identifier: Apache-2.0

/// A candidate with its score.
struct RegionCandidate: Equatable {
    var box: PixelBox
    /// In ten-thousandths.
    var score: Int

    /// 0…1, to three decimals.
    var confidence: Double { Double(min(max(score, 0), ScoreForest.one) / 10) / 1000 }
}

/// Chooses candidates that hardly overlap: from the heaviest down.
struct RegionChoice {
    let candidates: [RegionCandidate]

    /// Score below which a candidate is not worth choosing, in ten-thousandths.
    static let floor = 4_000
    /// Part of the smaller box that two regions may share, in hundredths.
    private static let tolerance = 12

    func best() -> [RegionCandidate] {
        var chosen: [RegionCandidate] = []
        for candidate in ordered() where fits(candidate, chosen) { chosen.append(candidate) }
        return chosen
    }

    /// By weight: the score above the floor times the three eighths power of the area, which square roots give exactly;
    /// then the larger, the higher up, the further left.
    private func ordered() -> [RegionCandidate] {
        let weighed = candidates.filter { $0.score > Self.floor }.map { candidate in
            let half = Double(candidate.box.area).squareRoot().squareRoot()
            return (candidate, Double(candidate.score - Self.floor) * half * half.squareRoot())
        }
        return weighed.sorted { left, right in
            if left.1 != right.1 { return left.1 > right.1 }
            let (a, b) = (left.0.box, right.0.box)
            if a.area != b.area { return a.area > b.area }
            return (a.top, a.left, a.bottom) < (b.top, b.left, b.bottom)
        }.map(\.0)
    }

    private func fits(_ candidate: RegionCandidate, _ chosen: [RegionCandidate]) -> Bool {
        chosen.allSatisfy { other in
            candidate.box.overlap(other.box) * 100 <= Self.tolerance * min(candidate.box.area, other.box.area)
        }
    }
}

/// Gives regions the headings that stand just above them and belong to no region.
struct HeadingAbsorption {
    let lines: [PlacedLine]

    /// The regions, some of them higher than before.
    func applied(to regions: [RegionCandidate]) -> [RegionCandidate] {
        var regions = regions
        for line in lines where line.isHeading && line.isUpright && !line.endsWithColon && line.letters >= 3 {
            guard !regions.contains(where: { line.isCentered(in: $0.box) }) else { continue }
            let below = regions.indices.filter { stands(line, on: regions[$0].box) }
            guard let index = below.min(by: { (regions[$0].box.top, $0) < (regions[$1].box.top, $1) }) else { continue }
            let higher = regions[index].box.union(line.box)
            let isFree = regions.indices.allSatisfy { other in
                other == index || regions[other].box.overlap(higher) <= regions[other].box.overlap(regions[index].box)
            }
            if isFree { regions[index].box = higher }
        }
        return regions
    }

    private func stands(_ line: PlacedLine, on box: PixelBox) -> Bool {
        let gap = box.top - line.box.bottom
        let shared = min(line.box.right, box.right) - max(line.box.left, box.left)
        // A title far wider or larger than what is below it is the sheet's, not the region's.
        return gap >= -line.size && gap <= line.size && shared * 10 >= 8 * line.box.width
            && line.size * 4 <= box.height && line.prominence <= 350
    }
}
