// SPDX-License-Identifier: Apache-2.0

/// One die of a roll.
public struct DieOutcome: Sendable, Hashable, Codable {
    /// What it showed; several after explosions.
    public var values: [Int]
    /// What it showed before it was thrown again.
    public var rerolled: [Int]
    /// Whether it counts.
    public var isKept: Bool

    /// All that it showed.
    public var sum: Int { values.reduce(0, +) }
}

/// A group of dice of a roll.
public struct DiceGroupOutcome: Sendable, Hashable, Codable {
    /// The group, as it is written.
    public var notation: String
    /// In the order in which they were thrown, those that do not count among them.
    public var dice: [DieOutcome]
    /// Their sum, or the number of successes.
    public var total: Int
}

/// What a roll came to.
public struct RollOutcome: Sendable, Hashable, Codable {
    /// What it is for.
    public var label: String?
    /// Which repetition, from 1; `nil` when it is rolled once.
    public var repetition: Int?
    /// The expression, as it is written.
    public var expression: String
    /// The sum of all that counts.
    public var total: Int
    /// Whether `total` is a number of successes.
    public var isSuccessCount: Bool
    /// In the order of the expression.
    public var groups: [DiceGroupOutcome]
}

/// A group whose numbers are known.
struct ReadyDice {
    var count: Int
    var lowest: Int
    var highest: Int
    var group: DiceGroup

    func isRerolled(_ value: Int) -> Bool { group.rerolls.contains { $0.matches(value) } }
    func isRerolledOnce(_ value: Int) -> Bool { group.rerollsOnce.contains { $0.matches(value) } }

    func explodes(_ value: Int) -> Bool {
        group.explosion != nil && (group.explodesOn?.matches(value) ?? (value == highest))
    }

    /// The faces that a die can end on.
    var possible: [Int] { (lowest...highest).filter { !isRerolled($0) } }
}

extension DiceGroup {
    /// Works out numbers and checks that every throw ends.
    func ready(_ variables: [String: Int]) throws(DiceError) -> ReadyDice {
        let place = position.offset
        let dice = try count.constant(variables)
        guard (0...DiceLimits.dice).contains(dice) else {
            throw DiceError(place, "From 0 to \(DiceLimits.dice) dice can be thrown at once; this is \(dice).")
        }
        var made = ReadyDice(count: dice, lowest: -1, highest: 1, group: self)
        if case .upTo(let faces) = faces {
            let number = try faces.constant(variables)
            guard (1...DiceLimits.faces).contains(number) else {
                throw DiceError(place, "A die has from 1 to \(DiceLimits.faces) faces; this is \(number).")
            }
            made.lowest = 1
            made.highest = number
        }
        let possible = made.possible
        guard !possible.isEmpty else { throw DiceError(place, "Every face would be thrown again, without end.") }
        guard !possible.allSatisfy(made.explodes) else {
            throw DiceError(place, "Every face would explode, without end.")
        }
        return made
    }
}

extension DiceExpression {
    /// The value of an expression without dice.
    func constant(_ variables: [String: Int]) throws(DiceError) -> Int {
        var none = NoDice()
        return try value(variables, &none)
    }

    /// Evaluates it; `thrower` says what dice come to.
    func value(_ variables: [String: Int], _ thrower: inout some DiceThrower) throws(DiceError) -> Int {
        switch self {
        case .number(let number): return number
        case .variable(let name, let position):
            guard let value = variables[name] else {
                throw DiceError(position.offset, "Nothing is known of '\(name)'.")
            }
            guard abs(Double(value)) <= Double(DiceLimits.magnitude) else {
                throw DiceError(position.offset, "'\(name)' is too large.")
            }
            return value
        case .dice(let group): return try thrower.total(try group.ready(variables))
        case .negated(let inner): return -(try inner.value(variables, &thrower))
        case .combined(let left, let operation, let right, let position):
            let first = try left.value(variables, &thrower)
            let second = try right.value(variables, &thrower)
            return try operation.applied(first, second, position)
        }
    }
}

extension DiceExpression.Operation {
    func applied(_ left: Int, _ right: Int, _ position: DicePosition) throws(DiceError) -> Int {
        if self == .dividedBy && right == 0 { throw DiceError(position.offset, "This divides by zero.") }
        let (value, overflow) =
            switch self {
            case .plus: left.addingReportingOverflow(right)
            case .minus: left.subtractingReportingOverflow(right)
            case .times: left.multipliedReportingOverflow(by: right)
            // Rounded down, below zero too.
            case .dividedBy: (left / right - (left % right != 0 && (left < 0) != (right < 0) ? 1 : 0), false)
            }
        guard !overflow, value.magnitude <= UInt(DiceLimits.magnitude) else {
            throw DiceError(position.offset, "The result is too large.")
        }
        return value
    }
}

/// Says what dice come to.
protocol DiceThrower {
    mutating func total(_ dice: ReadyDice) throws(DiceError) -> Int
}

/// Where no dice are.
private struct NoDice: DiceThrower {
    mutating func total(_ dice: ReadyDice) throws(DiceError) -> Int {
        throw DiceError(dice.group.position.offset, "How many dice there are cannot be rolled itself.")
    }
}

/// Throws dice.
struct DiceRoller<Generator: RandomNumberGenerator>: DiceThrower {
    var generator: Generator
    var groups: [DiceGroupOutcome] = []
    private var throwsLeft = DiceLimits.throwsOfFormula

    init(_ generator: Generator) {
        self.generator = generator
    }

    mutating func total(_ ready: ReadyDice) throws(DiceError) -> Int {
        var dice: [DieOutcome] = []
        for _ in 0..<ready.count { dice.append(try die(ready)) }
        let group = ready.group
        if let keeping = group.keeping {
            let kept = keeping.kept(of: dice.count)
            // Of equal dice those that lay there first are kept.
            let order = dice.indices.sorted {
                dice[$0].sum == dice[$1].sum ? $0 < $1 : (dice[$0].sum > dice[$1].sum) == kept.isHighest
            }
            for index in order.dropFirst(kept.count) { dice[index].isKept = false }
        }
        var total = 0
        for die in dice where die.isKept {
            total += group.explosion == .adding ? die.values.reduce(0) { $0 + group.score($1) } : group.score(die.sum)
        }
        groups.append(DiceGroupOutcome(notation: group.description, dice: dice, total: total))
        return total
    }

    private mutating func die(_ ready: ReadyDice) throws(DiceError) -> DieOutcome {
        var die = DieOutcome(values: [], rerolled: [], isKept: true)
        repeat {
            var value = try settled(ready, &die)
            if ready.isRerolledOnce(value) {
                die.rerolled.append(value)
                value = try settled(ready, &die)
            }
            die.values.append(value)
            guard ready.explodes(value) else { break }
        } while die.values.count <= DiceLimits.explosions
        return die
    }

    /// Throws until the value may stay. After a hundred throws the faces that may stay are drawn from, as likely as
    /// ever.
    private mutating func settled(_ ready: ReadyDice, _ die: inout DieOutcome) throws(DiceError) -> Int {
        for _ in 0..<100 {
            throwsLeft -= 1
            guard throwsLeft >= 0 else {
                throw DiceError(
                    ready.group.position.offset, "This takes more than \(DiceLimits.throwsOfFormula) throws.")
            }
            let value = ready.lowest + generator.number(below: ready.highest - ready.lowest + 1)
            guard ready.isRerolled(value) else { return value }
            die.rerolled.append(value)
        }
        let possible = ready.possible
        return possible[generator.number(below: possible.count)]
    }
}
