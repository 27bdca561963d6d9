// SPDX-License-Identifier: Apache-2.0
import IngestWire
import SheetCore

/// Finds which page of one version is which page of another.
struct PageMatching {
    let old: [ComparedPage]
    let new: [ComparedPage]

    /// Less alike are two pages, not one that changed.
    private static let threshold = 0.35
    /// So alike a page is the same also where its neighbours are others now.
    private static let thresholdOutOfOrder = 0.6
    /// Pages so far from where they were are not looked at: the work stays bounded.
    private static let reach = 40

    /// Pairs of places in `old` and `new`, in the order of `new`.
    func pairs() -> [(old: Int, new: Int)] {
        var scores: [[Double]] = []
        for i in old.indices {
            scores.append(new.indices.map { j in abs(i - j) <= Self.reach ? Self.similarity(old[i], new[j]) : 0 })
        }
        var pairs = inOrder(scores)
        let taken = (old: Set(pairs.map(\.old)), new: Set(pairs.map(\.new)))
        var rest: [(score: Double, old: Int, new: Int)] = []
        for i in old.indices where !taken.old.contains(i) {
            for j in new.indices where !taken.new.contains(j) && scores[i][j] >= Self.thresholdOutOfOrder {
                rest.append((scores[i][j], i, j))
            }
        }
        var used = taken
        for one in rest.sorted(by: { ($1.score, $0.old, $0.new) < ($0.score, $1.old, $1.new) })
        where !used.old.contains(one.old) && !used.new.contains(one.new) {
            used.old.insert(one.old)
            used.new.insert(one.new)
            pairs.append((one.old, one.new))
        }
        return pairs.sorted { $0.new < $1.new }
    }

    /// The pairs that keep the pages' order and are most alike together: the alignment of Needleman and Wunsch (1970),
    /// gaps costing nothing.
    private func inOrder(_ scores: [[Double]]) -> [(old: Int, new: Int)] {
        var best = Array(repeating: Array(repeating: 0.0, count: new.count + 1), count: old.count + 1)
        for i in old.indices {
            for j in new.indices {
                let pairing = scores[i][j] >= Self.threshold ? best[i][j] + scores[i][j] : -1
                best[i + 1][j + 1] = max(pairing, best[i][j + 1], best[i + 1][j])
            }
        }
        var pairs: [(old: Int, new: Int)] = []
        var (i, j) = (old.count, new.count)
        while i > 0 && j > 0 {
            if best[i][j] == best[i - 1][j] {
                i -= 1
            } else if best[i][j] == best[i][j - 1] {
                j -= 1
            } else {
                i -= 1
                j -= 1
                pairs.append((i, j))
            }
        }
        return pairs
    }

    /// How alike two pages are, 0…1: words and fields weigh most, then looks, then regions.
    static func similarity(_ old: ComparedPage, _ new: ComparedPage) -> Double {
        var sum = 0.0
        var weights = 0.0
        func add(_ value: Double, _ weight: Double) {
            sum += value * weight
            weights += weight
        }
        if max(old.anchors.count, new.anchors.count) >= 3 { add(shared(old.anchors.keys, new.anchors.keys), 3) }
        if max(old.fields.count, new.fields.count) >= 2 { add(shared(old.fields.keys, new.fields.keys), 3) }
        if let one = old.look, let other = new.look { add(max(0, 1 - Double(one.distance(to: other)) / 32), 2) }
        if weights == 0 || !old.regions.isEmpty && !new.regions.isEmpty {
            add(shared(old.regions.map(\.name), new.regions.map(\.name)), 1)
        }
        if weights == 1, old.regions.isEmpty && new.regions.isEmpty {
            // Nothing is known of either: their sizes are all there is.
            return abs(old.width - new.width) < 1 && abs(old.height - new.height) < 1 ? threshold : 0
        }
        return sum / weights
    }

    /// The part of both that is in both.
    private static func shared(_ one: some Collection<String>, _ other: some Collection<String>) -> Double {
        let (one, other) = (Set(one), Set(other))
        let both = one.intersection(other).count
        let all = one.count + other.count - both
        return all == 0 ? 1 : Double(both) / Double(all)
    }
}
