// SPDX-License-Identifier: Apache-2.0

/// All parts of a page that may be regions: the parts of the cut tree, runs of neighbours among the parts of one node,
/// and the areas of headings. Each box once, in a fixed order.
struct CandidatePool {
    private(set) var candidates: [RegionCandidate] = []
    private var seen: Set<PixelBox> = []

    /// Longest run of neighbours that may be one region.
    private static let longestRun = 10
    /// Most boxes that are looked at; a dense honest page has two thousand.
    private static let looks = 20_000
    /// Most candidates that are weighed against each other.
    private static let limit = 1_500

    init(tree: CutTree, areas: [PixelBox], score: CandidateScore) {
        for node in tree.nodes {
            let context = CandidateContext(
                outerGap: node.outerGap,
                innerGap: node.gaps.max() ?? 0,
                isFramed: node.isFramed
            )
            add(node.box, context, score)
            addRuns(of: node, in: tree, score)
        }
        for box in areas {
            add(box, tree.context(of: box), score)
        }
        candidates.sort { $0.isBetter(than: $1) }
        candidates = Array(candidates.prefix(Self.limit))
    }

    private mutating func add(_ box: PixelBox, _ context: CandidateContext, _ score: CandidateScore) {
        guard seen.count < Self.looks, seen.insert(box).inserted, let candidate = score.candidate(box, context),
            candidate.weight > 0
        else {
            return
        }
        candidates.append(candidate)
    }

    private mutating func addRuns(of node: CutNode, in tree: CutTree, _ score: CandidateScore) {
        let count = node.parts.count
        for start in 0..<count {
            var box = tree.nodes[node.parts[start]].box
            var inner = 0
            for end in (start + 1)..<max(start + 1, min(count, start + Self.longestRun)) {
                box = box.union(tree.nodes[node.parts[end]].box)
                inner = max(inner, node.gaps[end - 1])
                let before = start > 0 ? node.gaps[start - 1] : node.outerGap
                let after = end < count - 1 ? node.gaps[end] : node.outerGap
                add(box, CandidateContext(outerGap: min(before, after), innerGap: inner, isFramed: false), score)
            }
        }
    }
}

/// Chooses candidates that hardly overlap, with a great sum of weights: greedily, then by exchanging one for several.
struct RegionChoice {
    private let candidates: [RegionCandidate]

    /// Part of the smaller box that two regions may share.
    private static let tolerance = 0.12
    private static let rounds = 4

    init(_ pool: CandidatePool) {
        candidates = pool.candidates
    }

    func best() -> [RegionCandidate] {
        var chosen = greedy(candidates, besides: [])
        for _ in 0..<Self.rounds {
            guard let better = improved(chosen) else { break }
            chosen = better
        }
        return chosen
    }

    private func conflict(_ left: RegionCandidate, _ right: RegionCandidate) -> Bool {
        Double(left.box.overlap(right.box)) > Self.tolerance * Double(min(left.box.area, right.box.area))
    }

    /// From the heaviest down, what conflicts with nothing chosen.
    private func greedy(_ candidates: [RegionCandidate], besides fixed: [RegionCandidate]) -> [RegionCandidate] {
        var chosen = fixed
        for candidate in candidates where !chosen.contains(where: { conflict($0, candidate) }) {
            chosen.append(candidate)
        }
        return chosen
    }

    /// With one region replaced by lighter ones that weigh more together, if there is such a region.
    private func improved(_ chosen: [RegionCandidate]) -> [RegionCandidate]? {
        var best = chosen
        for region in chosen {
            let others = best.filter { $0 != region }
            guard others.count < best.count else { continue }
            let within = candidates.filter { $0 != region && $0.box.area < region.box.area }
            let tried = greedy(within, besides: others)
            if Self.weight(tried) > Self.weight(best) + 1e-9 { best = tried }
        }
        return best == chosen ? nil : best
    }

    private static func weight(_ regions: [RegionCandidate]) -> Double {
        regions.reduce(0) { $0 + $1.weight }
    }
}
