// SPDX-License-Identifier: Apache-2.0

/// Trees of whole numbers that say how much a candidate looks like a region. They are learned by `Training/train.py`,
/// which describes the format too; the same measures give the same score on every machine.
///
/// A tree is not walked. Each of its splits that a candidate passes on the right strikes out the leaves on its left, and the
/// leftmost leaf that is left is the one a walk ends at (QuickScorer: Lucchese et al., 2015): so sixteen candidates go at a time.
struct ScoreForest: Sendable {
    private struct Split: Sendable {
        /// Where its measure lies among those of a batch of candidates, in bytes.
        var measure: Int32
        /// What a measure must exceed to pass on the right.
        var threshold: Int32
        /// A bit for each leaf on its left.
        var left: Int32
    }

    private struct Tree: Sendable {
        /// Where its splits are among all.
        var splits: Range<Int>
        /// Where its leaves begin among all.
        var leaves: Int
    }

    /// Number of measures that a candidate must have.
    let featureCount: Int
    /// Forests in one: the score is their mean.
    private let forests: Int
    private var trees: [Tree] = []
    private var splits: [Split] = []
    /// What each leaf adds to the score, from left to right.
    private var leaves: [Int16] = []

    /// A score of one.
    static let one = 10_000
    /// One less than leaves, which have a bit each.
    private static let mostSplits = 31
    /// Candidates that are scored at a time.
    private static let batch = 16

    /// `nil` for what is not a file of trees.
    init?(_ bytes: [UInt8]) {
        guard bytes.starts(with: "SMF1".utf8), bytes.count >= 12 else { return nil }
        func number(_ place: Int) -> Int { Int(bytes[place]) | Int(bytes[place + 1]) << 8 }
        featureCount = number(4)
        forests = Int(Int32(truncatingIfNeeded: number(8) | number(10) << 16))
        guard forests > 0 else { return nil }
        var position = 12
        for _ in 0..<number(6) where !takeTree(bytes, &position) { return nil }
    }

    /// Takes the splits of one tree and its leaves; false for what is no tree.
    private mutating func takeTree(_ bytes: [UInt8], _ position: inout Int) -> Bool {
        guard position < bytes.count else { return false }
        let count = Int(bytes[position])
        let start = position + 1
        let end = start + 5 * count + 2 * (count + 1)
        guard count <= Self.mostSplits, end <= bytes.count else { return false }
        let tree = Tree(splits: splits.count..<(splits.count + count), leaves: leaves.count)
        let leavesTaken = takePart(count > 0 ? 0 : -1, leaf: 0, bytes, start, count)
        guard leavesTaken == count + 1, splits.count == tree.splits.upperBound else { return false }
        trees.append(tree)
        for leaf in 0...count { leaves.append(Self.signed16(bytes, start + 5 * count + 2 * leaf)) }
        position = end
        return true
    }

    /// Takes a part of the tree whose splits begin at `start`: a split or, below zero, a leaf. Its leftmost leaf must be the one
    /// that is told. The leaf behind it, or `nil` for what is no part of a tree.
    private mutating func takePart(_ part: Int, leaf: Int, _ bytes: [UInt8], _ start: Int, _ count: Int) -> Int? {
        if part < 0 { return part == -leaf - 1 ? leaf + 1 : nil }
        let place = start + 5 * part
        guard part < count, Int(bytes[place]) < featureCount else { return nil }
        let (left, right) = (Int(Int8(bitPattern: bytes[place + 3])), Int(Int8(bitPattern: bytes[place + 4])))
        // Parts follow what they are parts of, so that every tree ends.
        guard left < 0 || left > part, right < 0 || right > part,
            let middle = takePart(left, leaf: leaf, bytes, start, count),
            let end = takePart(right, leaf: middle, bytes, start, count)
        else { return nil }
        splits.append(
            Split(
                measure: Int32(Int(bytes[place]) * Self.batch * MemoryLayout<Int32>.stride),
                threshold: Int32(Self.signed16(bytes, place + 1)),
                left: Int32(truncatingIfNeeded: (1 << middle) &- (1 << leaf))))
        return end
    }

    private static func signed16(_ bytes: [UInt8], _ place: Int) -> Int16 {
        Int16(bitPattern: UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8)
    }

    /// Score in ten-thousandths; 0 for measures of another kind.
    func score(_ measures: [Int16]) -> Int {
        measures.count == featureCount ? scores(measures)[0] : 0
    }

    /// Scores in ten-thousandths of candidates whose measures lie one after the other.
    func scores(_ measures: [Int16]) -> [Int] {
        guard featureCount > 0 else { return [] }
        let count = measures.count / featureCount
        var sums = [Int](repeating: 0, count: count)
        // Measure by measure, of each candidate of a batch.
        var columns = [Int32](repeating: 0, count: featureCount * Self.batch)
        measures.withUnsafeBufferPointer { measures in
            columns.withUnsafeMutableBufferPointer { columns in
                for first in stride(from: 0, to: count, by: Self.batch) {
                    let batch = first..<min(count, first + Self.batch)
                    for (lane, candidate) in batch.enumerated() {
                        for measure in 0..<featureCount {
                            columns[measure * Self.batch + lane] = Int32(measures[candidate * featureCount + measure])
                        }
                    }
                    for tree in trees { add(tree, UnsafeRawBufferPointer(columns), to: &sums, batch) }
                }
            }
        }
        // Rounded down, below zero too.
        return sums.map { $0 >= 0 ? $0 / forests : -((forests - 1 - $0) / forests) }
    }

    /// Adds what a tree says of a batch of candidates.
    private func add(
        _ tree: Tree, _ columns: UnsafeRawBufferPointer, to sums: inout [Int], _ batch: Range<Int>
    ) {
        // A bit for each leaf that is not struck out.
        var open = SIMD16<Int32>(repeating: -1)
        for split in splits[tree.splits] {
            let measures = columns.loadUnaligned(fromByteOffset: Int(split.measure), as: SIMD16<Int32>.self)
            // The sign of the difference, in all bits.
            let isRight = (SIMD16(repeating: split.threshold) &- measures) &>> SIMD16(repeating: 31)
            open &= ~(isRight & SIMD16(repeating: split.left))
        }
        for (lane, place) in batch.enumerated() {
            sums[place] += Int(leaves[tree.leaves + open[lane].trailingZeroBitCount])
        }
    }
}
