// SPDX-License-Identifier: Apache-2.0
/// Trees of whole numbers that say how much a candidate looks like a region. They are learned by `Training/train.py`,
/// which describes the format too; the same measures give the same score on every machine.
struct ScoreForest: Sendable {
    /// A split, or a leaf that leads to itself: so that every walk of a tree takes the same number of steps, which processors
    /// foresee. In one number, for one load a step.
    private struct Node: Sendable {
        private let bits: UInt64

        /// Which measure is looked at, what it must exceed to lead to the right, and where it leads to, within the tree.
        init(measure: Int, threshold: Int16, left: Int, right: Int) {
            bits =
                UInt64(UInt16(measure)) | UInt64(UInt16(bitPattern: threshold)) << 16 | UInt64(UInt16(left)) << 32
                | UInt64(UInt16(right)) << 48
        }

        /// Adds `value` to the score.
        init(leaf: Int, value: Int16) { self.init(measure: 0, threshold: value, left: leaf, right: leaf) }

        var measure: Int { Int(bits & 0xffff) }
        var threshold: Int16 { Int16(truncatingIfNeeded: bits >> 16) }
        /// Of a leaf.
        var value: Int { Int(threshold) }

        var left: Int { Int(bits >> 32 & 0xffff) }
        var right: Int { Int(bits >> 48) }

        /// The side is a shift: no processor foresees it.
        func next(_ measure: Int16) -> Int { Int(bits >> (measure > threshold ? 48 : 32) & 0xffff) }
    }

    private struct Tree: Sendable {
        /// Where its nodes are among all: its splits, the root first, and then its leaves.
        var nodes: Range<Int>
        /// Steps from its root to its farthest leaf.
        var depth: Int
    }

    /// Number of measures that a candidate must have.
    let featureCount: Int
    /// Forests in one: the score is their mean.
    private let forests: Int
    private var trees: [Tree] = []
    private var nodes: [Node] = []

    /// A score of one.
    static let one = 10_000

    /// What ships.
    static let standard = ScoreForest(PackageResources.region_score_bin)

    /// `nil` for what is not a file of trees.
    init?(_ bytes: [UInt8]) {
        guard bytes.starts(with: "SMF1".utf8), bytes.count >= 12 else { return nil }
        func number(_ place: Int) -> Int { Int(bytes[place]) | Int(bytes[place + 1]) << 8 }
        featureCount = number(4)
        forests = Int(Int32(truncatingIfNeeded: number(8) | number(10) << 16))
        guard forests > 0 else { return nil }
        nodes.reserveCapacity(bytes.count / 3)
        var position = 12
        for _ in 0..<number(6) where !takeTree(bytes, &position) { return nil }
    }

    /// Takes the splits of one tree and then its leaves; false for what is no tree.
    private mutating func takeTree(_ bytes: [UInt8], _ position: inout Int) -> Bool {
        guard position < bytes.count else { return false }
        let splits = Int(bytes[position])
        let leaves = position + 1 + 5 * splits
        let end = leaves + 2 * (splits + 1)
        guard end <= bytes.count else { return false }
        func signed16(_ place: Int) -> Int16 {
            Int16(bitPattern: UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8)
        }
        /// A leaf where negative; children follow their parents, so that every walk ends.
        func child(_ place: Int, of parent: Int) -> Int? {
            let child = Int(Int8(bitPattern: bytes[place]))
            if child < 0 { return child >= -splits - 1 ? splits - child - 1 : nil }
            return child > parent && child < splits ? child : nil
        }
        let start = nodes.count
        for index in 0..<splits {
            let place = position + 1 + 5 * index
            let measure = Int(bytes[place])
            guard measure < featureCount, let left = child(place + 3, of: index),
                let right = child(place + 4, of: index)
            else { return false }
            nodes.append(Node(measure: measure, threshold: signed16(place + 1), left: left, right: right))
        }
        for leaf in 0...splits { nodes.append(Node(leaf: splits + leaf, value: signed16(leaves + 2 * leaf))) }
        trees.append(Tree(nodes: start..<nodes.count, depth: Self.depth(nodes[start...], splits: splits)))
        position = end
        return true
    }

    /// Steps from the root of a tree to its farthest leaf.
    private static func depth(_ nodes: ArraySlice<Node>, splits: Int) -> Int {
        var depths = [Int](repeating: 0, count: nodes.count)
        for index in (0..<splits).reversed() {
            let node = nodes[nodes.startIndex + index]
            depths[index] = 1 + max(depths[node.left], depths[node.right])
        }
        return depths[0]
    }

    /// Score in ten-thousandths; 0 for measures of another kind.
    func score(_ measures: [Int16]) -> Int {
        measures.count == featureCount ? scores(measures)[0] : 0
    }

    /// Candidates whose measures stay at hand while all trees are walked.
    private static let batch = 64

    /// Scores in ten-thousandths of candidates whose measures lie one after the other.
    func scores(_ measures: [Int16]) -> [Int] {
        guard featureCount > 0 else { return [] }
        let count = measures.count / featureCount
        var sums = [Int](repeating: 0, count: count)
        measures.withUnsafeBufferPointer { measures in
            nodes.withUnsafeBufferPointer { nodes in
                for first in stride(from: 0, to: count, by: Self.batch) {
                    let batch = first..<min(count, first + Self.batch)
                    for tree in trees {
                        add(UnsafeBufferPointer(rebasing: nodes[tree.nodes]), tree.depth, batch, measures, to: &sums)
                    }
                }
            }
        }
        // Rounded down, below zero too.
        return sums.map { $0 >= 0 ? $0 / forests : -((forests - 1 - $0) / forests) }
    }

    /// Adds what a tree says of some candidates, eight at a time: a walk waits for its own last step, not for the others'.
    private func add(
        _ tree: UnsafeBufferPointer<Node>, _ depth: Int, _ batch: Range<Int>, _ measures: UnsafeBufferPointer<Int16>,
        to sums: inout [Int]
    ) {
        /// From a node to the next one.
        @inline(__always) func step(_ place: Int, _ candidate: Int) -> Int {
            let node = tree[place]
            return node.next(measures[candidate &+ node.measure])
        }
        for first in stride(from: batch.lowerBound, to: batch.upperBound, by: 8) {
            // The last candidate again where there are fewer than eight.
            @inline(__always) func offset(_ place: Int) -> Int {
                min(first + place, batch.upperBound - 1) * featureCount
            }
            let (a, b, c, d) = (offset(0), offset(1), offset(2), offset(3))
            let (e, f, g, h) = (offset(4), offset(5), offset(6), offset(7))
            var (atA, atB, atC, atD) = (0, 0, 0, 0)
            var (atE, atF, atG, atH) = (0, 0, 0, 0)
            for _ in 0..<depth {
                atA = step(atA, a)
                atB = step(atB, b)
                atC = step(atC, c)
                atD = step(atD, d)
                atE = step(atE, e)
                atF = step(atF, f)
                atG = step(atG, g)
                atH = step(atH, h)
            }
            @inline(__always) func add(_ end: Int, _ place: Int) {
                if first + place < batch.upperBound { sums[first + place] += tree[end].value }
            }
            add(atA, 0)
            add(atB, 1)
            add(atC, 2)
            add(atD, 3)
            add(atE, 4)
            add(atF, 5)
            add(atG, 6)
            add(atH, 7)
        }
    }
}
