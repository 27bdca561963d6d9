// SPDX-License-Identifier: Apache-2.0

/// Chooses the set of candidates with the greatest sum of weights that do not overlap. Candidates are the parts of the
/// cut tree and runs of neighbours among the parts of one node, so the best set is found exactly, from the leaves up.
struct RegionChoice {
    let tree: CutTree
    let score: CandidateScore

    /// Longest run of neighbours that may be one region.
    private static let longestRun = 10

    private struct Plan {
        var weight = 0.0
        var regions: [RegionCandidate] = []
    }

    init(tree: CutTree, score: CandidateScore) {
        self.tree = tree
        self.score = score
    }

    mutating func best() -> [RegionCandidate] {
        plan(for: 0).regions
    }

    /// The best choice within a node: the node itself, or the best choice among its parts.
    private func plan(for index: Int) -> Plan {
        let node = tree.nodes[index]
        let inside = planForParts(of: node)
        let context = CandidateContext(
            outerGap: node.outerGap, innerGap: node.gaps.max() ?? 0, isFramed: node.isFramed)
        guard let whole = score.candidate(node.box, context), whole.weight > inside.weight else { return inside }
        return Plan(weight: whole.weight, regions: [whole])
    }

    private func planForParts(of node: CutNode) -> Plan {
        guard !node.parts.isEmpty else { return Plan() }
        // plans[i]: the best choice among the first i parts.
        var plans = [Plan()]
        let alone = node.parts.map { plan(for: $0) }
        for end in 1...node.parts.count {
            var best = Plan(
                weight: plans[end - 1].weight + alone[end - 1].weight,
                regions: plans[end - 1].regions + alone[end - 1].regions)
            let longest = min(Self.longestRun, end)
            for length in stride(from: 2, through: longest, by: 1) where length < node.parts.count {
                let start = end - length
                guard let run = run(start..<end, of: node), run.weight > 0 else { continue }
                let weight = plans[start].weight + run.weight
                if weight > best.weight { best = Plan(weight: weight, regions: plans[start].regions + [run]) }
            }
            plans.append(best)
        }
        return plans[node.parts.count]
    }

    /// Neighbouring parts as one candidate.
    private func run(_ range: Range<Int>, of node: CutNode) -> RegionCandidate? {
        let boxes = node.parts[range].map { tree.nodes[$0].box }
        guard let first = boxes.first else { return nil }
        let box = boxes.dropFirst().reduce(first) { $0.union($1) }
        let before = range.lowerBound > 0 ? node.gaps[range.lowerBound - 1] : node.outerGap
        let after = range.upperBound < node.parts.count ? node.gaps[range.upperBound - 1] : node.outerGap
        let inner = node.gaps[range.lowerBound..<range.upperBound - 1].max() ?? 0
        return score.candidate(
            box, CandidateContext(outerGap: min(before, after), innerGap: inner, isFramed: false))
    }
}
