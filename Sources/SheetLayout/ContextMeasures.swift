// SPDX-License-Identifier: Apache-2.0

/// A candidate on its way to the second score.
struct RatedCandidate {
    var box: PixelBox
    /// Its first score, in ten-thousandths.
    var score: Int
    var measures: [Int16]
    var title: Int
    var isFramed: Bool
    var heading: Int
}

/// What a candidate's first score says beside those of its neighbours: what it would take the place of, what would take
/// its place, and how it goes with what seems to be the page's regions. `Training/context.py` takes the same measures.
struct ContextMeasures {
    private let candidates: [RatedCandidate]
    private let areas: [Int]
    private let order: [Int]
    private let chosen: [Int]
    private let page: PageSummary

    /// First score below which a candidate is out.
    static let floor = 1_500
    /// First score of what seems to be a region, and of a part that may be one.
    private static let regionScore = 3_500
    private static let partScore = 2_500
    private static let mostParts = 12

    /// What the seeming regions have in common.
    private struct PageSummary {
        var count = 0
        var score = 0
        var title = -1
        var framed = 0
        var headed = 0
        var area = -1
        var width = -1
    }

    init(_ candidates: [RatedCandidate]) {
        self.candidates = candidates
        let areas = candidates.map(\.box.area)
        self.areas = areas
        let weights = candidates.indices.map { index in
            let quarter = Double(areas[index]).squareRoot().squareRoot()
            return Double(candidates[index].score - Self.partScore) * quarter * quarter.squareRoot()
        }
        order = candidates.indices.sorted { left, right in
            if weights[left] != weights[right] { return weights[left] > weights[right] }
            return areas[left] != areas[right] ? areas[left] > areas[right] : left < right
        }
        var chosen: [Int] = []
        for index in order where candidates[index].score > Self.regionScore {
            let fits = chosen.allSatisfy { other in
                candidates[index].box.overlap(candidates[other].box) * 100 <= 12 * min(areas[index], areas[other])
            }
            if fits { chosen.append(index) }
        }
        self.chosen = chosen
        page = Self.summary(of: chosen.map { candidates[$0] })
    }

    private static func summary(of chosen: [RatedCandidate]) -> PageSummary {
        func median(_ values: [Int]) -> Int { values.isEmpty ? -1 : values.sorted()[values.count / 2] }
        let count = max(1, chosen.count)
        return PageSummary(
            count: chosen.count,
            score: chosen.reduce(0) { $0 + $1.score } / count,
            title: median(chosen.map(\.title)),
            framed: chosen.count(where: \.isFramed) * 100 / count,
            headed: chosen.count { $0.heading > 0 } * 100 / count,
            area: median(chosen.map(\.box.area)),
            width: median(chosen.map(\.box.width))
        )
    }

    /// The measures of one candidate, its own at the end.
    func measures(of index: Int) -> [Int16] {
        let own = candidates[index]
        let area = areas[index]
        var inside: [Int] = []
        var isInside = [Bool](repeating: false, count: candidates.count)
        var outer: Int?
        var rival: Int?
        for other in candidates.indices {
            let shared = own.box.overlap(candidates[other].box)
            guard shared > 0 else { continue }
            let isPart = shared * 10 >= 9 * areas[other] && areas[other] * 100 <= 87 * area
            let isWhole = shared * 10 >= 9 * area && area * 100 <= 87 * areas[other]
            if isPart {
                isInside[other] = true
                inside.append(other)
            }
            if isWhole { if outer.map({ candidates[other].score > candidates[$0].score }) ?? true { outer = other } }
            if !isPart, !isWhole, other != index, shared * 100 > 12 * min(areas[other], area),
                rival.map({ candidates[other].score > candidates[$0].score }) ?? true
            {
                rival = other
            }
        }
        let parts = disjointParts(isInside)
        var values = [own.score]
        values += outer.map { [candidates[$0].score, area * 1000 / areas[$0]] } ?? [0, 0]
        values.append(inside.map { candidates[$0].score }.max() ?? 0)
        values.append(parts.count)
        values +=
            parts.isEmpty
            ? [0, 0, 0]
            : [
                parts.reduce(0) { $0 + candidates[$1].score } / parts.count,
                parts.reduce(0) { $0 + areas[$1] } * 1000 / area,
                parts.map { candidates[$0].score }.min() ?? 0,
            ]
        values +=
            rival.map { other in
                let shared = own.box.overlap(candidates[other].box)
                return [candidates[other].score, shared * 1000 / min(area, areas[other])]
            } ?? [0, 0]
        values += comparison(index, isInside)
        return values.map { Int16(clamping: $0) } + own.measures
    }

    /// The best parts that do not overlap.
    private func disjointParts(_ isInside: [Bool]) -> [Int] {
        var parts: [Int] = []
        for other in order where isInside[other] && candidates[other].score > Self.partScore {
            let fits = parts.allSatisfy { part in
                candidates[other].box.overlap(candidates[part].box) * 100 <= 12 * min(areas[other], areas[part])
            }
            if fits { parts.append(other) }
            if parts.count >= Self.mostParts { break }
        }
        return parts
    }

    /// How it goes with the seeming regions of the page.
    private func comparison(_ index: Int, _ isInside: [Bool]) -> [Int] {
        let own = candidates[index]
        let others = chosen.filter { $0 != index }
        let shared = others.reduce(0) { $0 + own.box.overlap(candidates[$1].box) }
        func alike(_ edge: (PixelBox) -> Int, _ slack: Int) -> Int {
            others.count { abs(edge(candidates[$0].box) - edge(own.box)) <= slack }
        }
        return [
            chosen.contains(index) ? 1 : 0, shared * 1000 / max(1, areas[index]),
            page.count, page.score, page.title, own.title - page.title, page.framed, page.headed,
            areas[index] * 100 / max(1, page.area),
            alike(\.left, 4), alike(\.right, 4), alike(\.top, 4), alike(\.bottom, 4), alike(\.width, 6),
            alike(\.height, 6),
            chosen.count { isInside[$0] }, own.box.width * 100 / max(1, page.width),
        ]
    }
}
