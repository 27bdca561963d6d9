// SPDX-License-Identifier: Apache-2.0

/// A candidate with its score.
struct RegionCandidate: Equatable {
    var box: PixelBox
    /// In ten-thousandths.
    var score: Int

    /// 0…1, to three decimals.
    var confidence: Double { Double(min(max(score, 0), ScoreForest.one) / 10) / 1000 }
}

/// The order in which boxes are chosen: by score and area.
struct RegionWeights {
    let boxes: [PixelBox]
    /// In ten-thousandths.
    let scores: [Int]

    /// Of the area; square roots give these exactly.
    enum Power {
        case quarter
        case threeEighths
    }

    /// Places of the boxes with a score above a floor: by the score above it times a power of the area; of equals the larger,
    /// the higher up, the further left.
    func order(above floor: Int, power: Power) -> [Int] {
        let weighed = boxes.indices.filter { scores[$0] > floor }.map { place in
            let root = Double(boxes[place].area).squareRoot().squareRoot()
            let part = power == .quarter ? root : root * root.squareRoot()
            return (place: place, weight: Double(scores[place] - floor) * part)
        }
        return weighed.sorted { left, right in
            if left.weight != right.weight { return left.weight > right.weight }
            let (a, b) = (boxes[left.place], boxes[right.place])
            if a.area != b.area { return a.area > b.area }
            return (a.top, a.left, left.place) < (b.top, b.left, right.place)
        }.map(\.place)
    }
}

extension PixelBox {
    /// Both share more than 12 hundredths of the smaller one.
    func conflicts(with other: PixelBox) -> Bool { overlap(other) * 100 > 12 * min(area, other.area) }
}

/// Chooses candidates that hardly overlap: from the heaviest down.
struct RegionChoice {
    let candidates: [RegionCandidate]

    /// Score below which a candidate is not worth choosing, in ten-thousandths.
    static let floor = 3_000

    func best() -> [RegionCandidate] {
        let weights = RegionWeights(boxes: candidates.map(\.box), scores: candidates.map(\.score))
        var chosen: [RegionCandidate] = []
        for place in weights.order(above: Self.floor, power: .quarter) {
            let box = candidates[place].box
            if !chosen.contains(where: { $0.box.conflicts(with: box) }) { chosen.append(candidates[place]) }
        }
        return chosen
    }
}

/// Gives regions the outlines that they fill: what is framed is seen with its frame.
struct FrameSnap {
    let frames: [PixelBox]

    /// The regions, some of them as large as the smallest outline that is hardly larger and runs around them.
    func applied(to regions: [RegionCandidate]) -> [RegionCandidate] {
        // One by one, so that no two take outlines that reach into one another.
        var snapped = regions
        for index in regions.indices {
            let region = regions[index]
            let around = frames.filter { frame in
                frame.area > region.box.area && region.box.area * 10 >= frame.area * 9
                    && frame.union(region.box).area <= frame.area + 2 * (frame.width + frame.height)
            }
            guard let frame = around.min(by: { ($0.area, $0.top, $0.left) < ($1.area, $1.top, $1.left) })
            else { continue }
            let isTaken = snapped.indices.contains { $0 != index && snapped[$0].box.conflicts(with: frame) }
            if !isTaken { snapped[index] = RegionCandidate(box: frame, score: region.score) }
        }
        return snapped
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

/// Keeps lines of text whole: a region whose edge runs through one that is mostly its own grows around it.
struct WholeLines {
    let lines: [PlacedLine]

    /// The regions, some of them larger by less than the height of a line, none reaching further into another one.
    func applied(to regions: [RegionCandidate]) -> [RegionCandidate] {
        var regions = regions
        for index in regions.indices {
            let before = regions[index].box
            for line in lines where cuts(before, line) {
                let larger = regions[index].box.union(line.box)
                let isFree = regions.indices.allSatisfy { other in
                    other == index || regions[other].box.overlap(larger) <= regions[other].box.overlap(before)
                }
                if isFree { regions[index].box = larger }
            }
        }
        return regions
    }

    /// Whether the box's edge runs through a line whose middle it holds. One that reaches far beyond, as a title over
    /// several columns does, is not the region's.
    private func cuts(_ box: PixelBox, _ line: PlacedLine) -> Bool {
        guard line.isUpright, line.isCentered(in: box), !box.contains(line.box) else { return false }
        let beside = max(box.left - line.box.left, line.box.right - box.right)
        return beside <= 2 * line.size
    }
}
