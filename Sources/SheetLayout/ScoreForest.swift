// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Trees of whole numbers that say how much a candidate looks like a region. They are learned by `Training/train.py`,
/// which describes the format too; the same measures give the same score on every machine.
struct ScoreForest: Sendable {
    /// A split, or a leaf that leads to itself: so that every walk of a tree takes the same number of steps, which
    /// processors foresee.
    private struct Node: Sendable {
        /// Where its measure lies among those of a candidate, in bytes.
        var feature: Int16
        var threshold: Int16
        /// Places among all nodes, in bytes; within its tree until that is taken in.
        var left: Int32
        var right: Int32

        static let size = MemoryLayout<Node>.stride

        func moved(by nodes: Int) -> Node {
            let start = Int32(nodes * Self.size)
            return Node(feature: feature, threshold: threshold, left: left + start, right: right + start)
        }
    }

    private struct Tree: Sendable {
        /// Where its nodes begin, in bytes.
        var start: Int
        /// Steps from its root to its farthest leaf.
        var depth: Int
    }

    /// Number of measures that a candidate must have.
    let featureCount: Int
    /// Forests in one: the score is their mean.
    private let forests: Int
    private var trees: [Tree] = []
    private var nodes: [Node] = []
    /// What each node adds to the score; 0 for splits.
    private var values: [Int16] = []

    /// A score of one.
    static let one = 10_000

    /// What ships.
    static let standard = ScoreForest(PackageResources.region_score_bin)

    /// `nil` for what is not a file of trees.
    init?(_ bytes: [UInt8]) {
        var reader = Reader(bytes: bytes)
        guard reader.take(4) == Array("SMF1".utf8)[...], let features = reader.unsigned16(),
            let count = reader.unsigned16(), let forests = reader.signed32(), forests > 0
        else { return nil }
        featureCount = features
        self.forests = forests
        for _ in 0..<count {
            guard let tree = reader.tree(features: features) else { return nil }
            let start = nodes.count
            trees.append(Tree(start: start * Node.size, depth: tree.depth))
            nodes += tree.nodes.map { $0.moved(by: start) }
            values += tree.values
        }
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
        measures.withUnsafeBytes { measures in
            nodes.withUnsafeBytes { nodes in
                for first in stride(from: 0, to: count, by: Self.batch) {
                    let batch = first..<min(count, first + Self.batch)
                    for tree in trees { add(tree, nodes, batch, measures, to: &sums) }
                }
            }
        }
        // Rounded down, below zero too.
        return sums.map { $0 >= 0 ? $0 / forests : -((forests - 1 - $0) / forests) }
    }

    /// Adds what a tree says of some candidates, eight at a time: a walk waits for its own last step, not for the others'.
    private func add(
        _ tree: Tree, _ nodes: UnsafeRawBufferPointer, _ batch: Range<Int>, _ measures: UnsafeRawBufferPointer,
        to sums: inout [Int]
    ) {
        let row = featureCount * MemoryLayout<Int16>.stride
        /// From a node's offset to that of the next one. The side is an offset too: no processor foresees it.
        @inline(__always) func step(_ node: Int, _ candidate: Int) -> Int {
            let feature = Int(nodes.load(fromByteOffset: node, as: Int16.self))
            let threshold = nodes.load(fromByteOffset: node + 2, as: Int16.self)
            let measure = measures.load(fromByteOffset: candidate + feature, as: Int16.self)
            let side = measure > threshold ? 4 : 0
            return Int(nodes.load(fromByteOffset: node + 4 + side, as: Int32.self))
        }
        for first in stride(from: batch.lowerBound, to: batch.upperBound, by: 8) {
            // The last candidate again where there are fewer than eight.
            @inline(__always) func offset(_ place: Int) -> Int { min(first + place, batch.upperBound - 1) * row }
            let (a, b, c, d) = (offset(0), offset(1), offset(2), offset(3))
            let (e, f, g, h) = (offset(4), offset(5), offset(6), offset(7))
            let root = tree.start
            var (atA, atB, atC, atD) = (root, root, root, root)
            var (atE, atF, atG, atH) = (root, root, root, root)
            for _ in 0..<tree.depth {
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
                if first + place < batch.upperBound { sums[first + place] += Int(values[end / Node.size]) }
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

    private struct Reader {
        var bytes: [UInt8]
        var position = 0

        mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
            guard position + count <= bytes.count else { return nil }
            defer { position += count }
            return bytes[position..<position + count]
        }

        /// The splits of one tree and then its leaves; `nil` for what is no tree.
        mutating func tree(features: Int) -> (nodes: [Node], values: [Int16], depth: Int)? {
            guard let splits = byte() else { return nil }
            var nodes: [Node] = []
            for index in 0..<splits {
                guard let feature = byte(), let threshold = signed16(), let left = signed8(), let right = signed8(),
                    feature < features,
                    // Children follow their parents, so that every walk ends.
                    [left, right].allSatisfy({ $0 < 0 ? -$0 - 1 <= splits : $0 > index && $0 < splits })
                else { return nil }
                func place(_ child: Int) -> Int32 { Int32((child < 0 ? splits - child - 1 : child) * Node.size) }
                nodes.append(
                    Node(
                        feature: Int16(feature * MemoryLayout<Int16>.stride), threshold: Int16(threshold),
                        left: place(left), right: place(right)))
            }
            // Steps from each node to its farthest leaf.
            var depths = [Int](repeating: 0, count: 2 * splits + 1)
            for index in (0..<splits).reversed() {
                let children = [nodes[index].left, nodes[index].right].map { Int($0) / Node.size }
                depths[index] = 1 + max(depths[children[0]], depths[children[1]])
            }
            var values = [Int16](repeating: 0, count: splits)
            for leaf in splits...2 * splits {
                guard let value = signed16() else { return nil }
                values.append(Int16(value))
                let itself = Int32(leaf * Node.size)
                nodes.append(Node(feature: 0, threshold: .max, left: itself, right: itself))
            }
            return (nodes, values, depths[0])
        }

        mutating func byte() -> Int? { take(1)?.first.map(Int.init) }
        mutating func signed8() -> Int? { take(1)?.first.map { Int(Int8(bitPattern: $0)) } }
        mutating func unsigned16() -> Int? { take(2)?.reversed().reduce(0) { $0 << 8 | Int($1) } }
        mutating func signed16() -> Int? { unsigned16().map { Int(Int16(truncatingIfNeeded: $0)) } }
        mutating func signed32() -> Int? {
            take(4)?.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }.asSigned
        }
    }
}

extension UInt32 {
    fileprivate var asSigned: Int { Int(Int32(bitPattern: self)) }
}
