// SPDX-License-Identifier: Apache-2.0

/// How likely each result of a roll is: computed, not sampled. Probabilities are right to about 1e-12.
public struct DiceDistribution: Sendable, Equatable {
    /// The least possible result.
    public private(set) var minimum: Int
    /// The probability of each result from `minimum` on; neither the first nor the last is 0.
    public private(set) var probabilities: [Double]

    /// Most different results.
    public static let maximumResults = 1_000_000
    /// Most multiplications; beyond them the odds of a roll are not computed.
    public static let maximumWork = 300_000_000

    init(_ minimum: Int, _ probabilities: [Double]) {
        let first = probabilities.firstIndex { $0 > 0 } ?? 0
        let last = probabilities.lastIndex { $0 > 0 } ?? 0
        self.minimum = minimum + first
        self.probabilities = probabilities.isEmpty ? [1] : Array(probabilities[first...last])
    }

    /// A result that is certain.
    init(certain value: Int) {
        self.init(value, [1])
    }

    /// The greatest possible result.
    public var maximum: Int { minimum + probabilities.count - 1 }

    /// The probability of exactly that result.
    public func probability(of result: Int) -> Double {
        (minimum...maximum).contains(result) ? probabilities[result - minimum] : 0
    }

    /// The probability of that result or more.
    public func probability(atLeast result: Int) -> Double {
        if result <= minimum { return 1 }
        return result > maximum ? 0 : min(1, probabilities[(result - minimum)...].reduce(0, +))
    }

    /// The probability of that result or less.
    public func probability(atMost result: Int) -> Double {
        if result >= maximum { return 1 }
        return result < minimum ? 0 : min(1, probabilities[...(result - minimum)].reduce(0, +))
    }

    /// The result that one gets on average.
    public var mean: Double {
        probabilities.enumerated().reduce(0) { $0 + $1.element * Double(minimum + $1.offset) }
    }

    /// How far results lie from the mean, on average of the squares, rooted.
    public var standardDeviation: Double {
        let mean = mean
        let variance = probabilities.enumerated().reduce(0.0) { sum, one in
            let distance = Double(minimum + one.offset) - mean
            return sum + one.element * distance * distance
        }
        return variance.squareRoot()
    }

    /// The least result that is reached or undercut with a probability of at least `part`; 0.5 gives the median.
    public func quantile(_ part: Double) -> Int {
        var sum = 0.0
        for (index, probability) in probabilities.enumerated() {
            sum += probability
            if sum >= part - 1e-12, probability > 0 { return minimum + index }
        }
        return maximum
    }
}

extension DiceExpression {
    /// How likely each result is. Rolls that are too large to compute are refused.
    public func distribution(variables: [String: Int] = [:]) throws(DiceError) -> DiceDistribution {
        var odds = DiceOdds(variables: variables)
        return try odds.distribution(self)
    }
}

/// Computes distributions within a bound of work.
private struct DiceOdds {
    let variables: [String: Int]
    private var work = 0

    init(variables: [String: Int]) {
        self.variables = variables
    }

    private mutating func spend(_ steps: Int, _ results: Int) throws(DiceError) {
        work = work.addingReportingOverflow(steps).overflow ? .max : work + steps
        guard work <= DiceDistribution.maximumWork, results <= DiceDistribution.maximumResults else {
            throw DiceError(nil, "This roll has too many results for its odds to be computed.")
        }
    }

    mutating func distribution(_ expression: DiceExpression) throws(DiceError) -> DiceDistribution {
        switch expression {
        case .number, .variable: return DiceDistribution(certain: try expression.constant(variables))
        case .dice(let group): return try distribution(try group.ready(variables))
        case .negated(let inner):
            let inner = try distribution(inner)
            return DiceDistribution(-inner.maximum, inner.probabilities.reversed())
        case .combined(let left, let operation, let right, let position):
            let left = try distribution(left)
            var right = try distribution(right)
            switch operation {
            case .minus:
                right = DiceDistribution(-right.maximum, right.probabilities.reversed())
                return try sum(left, right)
            case .plus: return try sum(left, right)
            case .times, .dividedBy: return try pairs(left, operation, right, position)
            }
        }
    }

    /// Of two independent values.
    private mutating func sum(
        _ left: DiceDistribution, _ right: DiceDistribution
    ) throws(DiceError) -> DiceDistribution {
        let (few, many) = left.probabilities.count < right.probabilities.count ? (left, right) : (right, left)
        let count = few.probabilities.count + many.probabilities.count - 1
        try spend(few.probabilities.count * many.probabilities.count, count)
        var made = [Double](repeating: 0, count: count)
        made.withUnsafeMutableBufferPointer { made in
            many.probabilities.withUnsafeBufferPointer { many in
                for (offset, probability) in few.probabilities.enumerated() where probability > 0 {
                    for index in many.indices { made[offset + index] += probability * many[index] }
                }
            }
        }
        return DiceDistribution(left.minimum + right.minimum, made)
    }

    private mutating func pairs(
        _ left: DiceDistribution, _ operation: DiceExpression.Operation, _ right: DiceDistribution,
        _ position: DicePosition
    ) throws(DiceError) -> DiceDistribution {
        try spend(8 * left.probabilities.count * right.probabilities.count, 0)
        var made: [Int: Double] = [:]
        for (first, chance) in left.probabilities.enumerated() where chance > 0 {
            for (second, other) in right.probabilities.enumerated() where other > 0 {
                let value = try operation.applied(left.minimum + first, right.minimum + second, position)
                made[value, default: 0] += chance * other
            }
        }
        return try dense(made)
    }

    private mutating func dense(_ chances: [Int: Double]) throws(DiceError) -> DiceDistribution {
        let minimum = chances.keys.min() ?? 0
        let count = (chances.keys.max() ?? 0) - minimum + 1
        try spend(count, count)
        var made = [Double](repeating: 0, count: count)
        for (value, chance) in chances { made[value - minimum] = chance }
        return DiceDistribution(minimum, made)
    }

    private mutating func distribution(_ dice: ReadyDice) throws(DiceError) -> DiceDistribution {
        guard dice.count > 0 else { return DiceDistribution(certain: 0) }
        let group = dice.group
        if let keeping = group.keeping {
            let kept = keeping.kept(of: dice.count)
            return try best(try die(dice) { $0 }, of: dice.count, kept, score: group.score)
        }
        let isThrowByThrow = group.explosion == .adding
        var one = try die(dice) { isThrowByThrow ? group.score($0) : $0 }
        if !isThrowByThrow, group.success != nil {
            var scores: [Int: Double] = [:]
            for (index, chance) in one.probabilities.enumerated() {
                scores[group.score(one.minimum + index), default: 0] += chance
            }
            one = try dense(scores)
        }
        var all = one
        for _ in 1..<dice.count { all = try sum(all, one) }
        return all
    }

    /// One die with its rerolls and explosions, where a throw counts what `score` says.
    private mutating func die(_ dice: ReadyDice, score: (Int) -> Int) throws(DiceError) -> DiceDistribution {
        let faces = dice.possible
        let each = 1 / Double(faces.count)
        let again = Double(faces.count { dice.isRerolledOnce($0) }) * each
        var ends: [Int: Double] = [:]
        var explodes: [Int: Double] = [:]
        for face in faces {
            let chance = (dice.isRerolledOnce(face) ? 0 : each) + again * each
            if dice.explodes(face) {
                explodes[score(face), default: 0] += chance
            } else {
                ends[score(face), default: 0] += chance
            }
        }
        let end = try dense(ends)
        guard !explodes.isEmpty else { return end }
        let explosion = try dense(explodes)
        var made: [Int: Double] = [:]
        var before = DiceDistribution(certain: 0)
        for count in 0...DiceLimits.explosions {
            var finished = try sum(before, end)
            before = try sum(before, explosion)
            // The last throw ends it, whatever it shows; so does one that is too unlikely to matter.
            let isLast = count == DiceLimits.explosions || before.probabilities.reduce(0, +) < 1e-18
            for _ in 0..<(isLast ? 2 : 1) {
                for (index, chance) in finished.probabilities.enumerated() where chance > 0 {
                    made[finished.minimum + index, default: 0] += chance
                }
                finished = before
            }
            if isLast { break }
        }
        return try dense(made)
    }

    /// The sum of the highest (or lowest) of some dice, by order statistics: face after face from the kept end, how
    /// many dice show it.
    private mutating func best(
        _ one: DiceDistribution, of count: Int, _ kept: (count: Int, isHighest: Bool), score: (Int) -> Int
    ) throws(DiceError) -> DiceDistribution {
        guard kept.count > 0 else { return DiceDistribution(certain: 0) }
        var faces = one.probabilities.enumerated().map { (value: one.minimum + $0.offset, chance: $0.element) }
            .filter { $0.chance > 0 }
        if kept.isHighest { faces.reverse() }
        // How likely a die shows none of the faces up to one.
        var rests = [Double](repeating: 0, count: faces.count)
        for index in faces.indices.dropLast().reversed() { rests[index] = rests[index + 1] + faces[index + 1].chance }
        let choose = Self.choices(count)
        // By how many dice are used so far, sums with their probabilities.
        var states: [[Int: Double]] = Array(repeating: [:], count: kept.count)
        states[0] = [0: 1]
        var finished: [Int: Double] = [:]
        for (index, face) in faces.enumerated() {
            let counts = score(face.value)
            let ways = Self.powers(face.chance, count)
            let others = Self.powers(rests[index], count)
            for used in (0..<kept.count).reversed() where !states[used].isEmpty {
                let sums = states[used]
                let free = count - used
                let needed = kept.count - used
                try spend(30 * sums.count * needed + free, finished.count)
                var ending = 0.0
                for more in needed...free { ending += choose[free][more] * ways[more] * others[free - more] }
                for (sum, chance) in sums where ending > 0 {
                    finished[sum + needed * counts, default: 0] += chance * ending
                }
                for more in 1..<max(needed, 1) {
                    let factor = choose[free][more] * ways[more]
                    for (sum, chance) in sums {
                        states[used + more][sum + more * counts, default: 0] += chance * factor
                    }
                }
            }
        }
        return try dense(finished)
    }

    private static func powers(_ base: Double, _ count: Int) -> [Double] {
        var made = [1.0]
        for _ in 0..<count { made.append((made.last ?? 1) * base) }
        return made
    }

    /// Pascal's triangle.
    private static func choices(_ count: Int) -> [[Double]] {
        var rows: [[Double]] = [[1]]
        for row in 1..<(count + 1) {
            let above = rows[row - 1]
            rows.append((0...row).map { ($0 > 0 ? above[$0 - 1] : 0) + ($0 < row ? above[$0] : 0) })
        }
        return rows
    }
}
