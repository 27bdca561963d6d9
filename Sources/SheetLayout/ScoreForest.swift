// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Trees of whole numbers that say how much a candidate looks like a region. They are learned by `Training/train.py`,
/// which describes the format too; the same measures give the same score on every machine.
struct ScoreForest: Sendable {
    private struct Split: Sendable {
        var feature: Int
        var threshold: Int16
        /// Zero or more: a split; below zero: the leaf `-child - 1`.
        var left: Int
        var right: Int
    }

    private struct Tree: Sendable {
        /// Where its splits and leaves begin.
        var splits: Int
        var leaves: Int
        var isLeaf: Bool
    }

    /// Number of measures that a candidate must have.
    let featureCount: Int
    /// Forests in one: the score is their mean.
    private let forests: Int
    private var trees: [Tree] = []
    private var splits: [Split] = []
    private var leaves: [Int] = []

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
            guard let splitCount = reader.byte() else { return nil }
            trees.append(Tree(splits: splits.count, leaves: leaves.count, isLeaf: splitCount == 0))
            for index in 0..<splitCount {
                guard let feature = reader.byte(), let threshold = reader.signed16(), let left = reader.signed8(),
                    let right = reader.signed8(), feature < features,
                    // Children follow their parents, so that every walk ends.
                    [left, right].allSatisfy({ $0 < 0 ? -$0 - 1 <= splitCount : $0 > index && $0 < splitCount })
                else { return nil }
                splits.append(Split(feature: feature, threshold: Int16(threshold), left: left, right: right))
            }
            for _ in 0...splitCount {
                guard let leaf = reader.signed16() else { return nil }
                leaves.append(leaf)
            }
        }
    }

    /// Score in ten-thousandths; 0 for measures of another kind.
    func score(_ measures: [Int16]) -> Int {
        guard measures.count == featureCount else { return 0 }
        var sum = 0
        measures.withUnsafeBufferPointer { measures in
            splits.withUnsafeBufferPointer { splits in
                for tree in trees {
                    var place = tree.isLeaf ? -1 : 0
                    while place >= 0 {
                        let split = splits[tree.splits + place]
                        place = measures[split.feature] <= split.threshold ? split.left : split.right
                    }
                    sum += leaves[tree.leaves - place - 1]
                }
            }
        }
        // Rounded down, below zero too.
        return sum >= 0 ? sum / forests : -((forests - 1 - sum) / forests)
    }

    private struct Reader {
        var bytes: [UInt8]
        var position = 0

        mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
            guard position + count <= bytes.count else { return nil }
            defer { position += count }
            return bytes[position..<position + count]
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
