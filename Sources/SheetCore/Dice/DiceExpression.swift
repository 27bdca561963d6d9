// SPDX-License-Identifier: Apache-2.0

/// Limits of rolls: whatever is typed, a roll ends soon and fits into memory.
public enum DiceLimits {
    /// Longest text of a formula, in characters.
    public static let textLength = 500
    /// Deepest nesting of parentheses and signs.
    public static let depth = 32
    /// Most rolls of one formula, and most repetitions of each.
    public static let rolls = 100
    /// Most dice of one group.
    public static let dice = 1000
    /// Most faces of a die.
    public static let faces = 100_000
    /// Most throws of one formula, rerolled and exploded ones included.
    public static let throwsOfFormula = 100_000
    /// Most throws that an exploding die adds.
    public static let explosions = 100
    /// Largest number, written or computed, either side of zero.
    public static let magnitude = 1_000_000_000_000
}

/// Why a formula cannot be read or rolled, and where.
public struct DiceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The character that is wrong, from 0; `nil` when it is none in particular.
    public let position: Int?
    /// A sentence for people.
    public let message: String

    /// Something that is wrong at a place.
    public init(_ position: Int?, _ message: String) {
        self.position = position
        self.message = message
    }

    /// The sentence, with the place counted from 1.
    public var description: String { position.map { "Character \($0 + 1): \(message)" } ?? message }

    /// The sentence, then the formula with a mark below the place.
    public func shown(in formula: String) -> String {
        guard let position else { return message }
        return "\(message)\n  \(formula)\n  \(String(repeating: " ", count: position))^"
    }
}

/// Where something stands in the text of a formula. Formulas that differ only in that are equal.
public struct DicePosition: Sendable, Hashable {
    /// In characters, from 0.
    public let offset: Int

    /// A place in a text.
    public init(_ offset: Int) {
        self.offset = offset
    }

    /// Always true: places are no part of what a formula means.
    public static func == (_: Self, _: Self) -> Bool { true }

    /// Nothing to add.
    public func hash(into _: inout Hasher) {}
}

/// A comparison of a die with a number, as in `>=8`.
public struct DiceComparison: Sendable, Hashable, CustomStringConvertible {
    /// How they are compared.
    public enum Relation: String, Sendable, Hashable, CaseIterable {
        /// A die that shows the number itself.
        case equal = "="
        /// A die below the number.
        case less = "<"
        /// The number itself counts, too.
        case lessOrEqual = "<="
        /// A die above the number.
        case greater = ">"
        /// The number itself counts, too, as in most games that count successes.
        case greaterOrEqual = ">="
    }

    /// How outcomes are compared with the number.
    public let relation: Relation
    /// What outcomes are compared with.
    public let number: Int

    /// `relation` to `number`.
    public init(_ relation: Relation, _ number: Int) {
        self.relation = relation
        self.number = number
    }

    /// Whether the die shows such a value.
    public func matches(_ value: Int) -> Bool {
        switch relation {
        case .equal: value == number
        case .less: value < number
        case .lessOrEqual: value <= number
        case .greater: value > number
        case .greaterOrEqual: value >= number
        }
    }

    /// As it is written.
    public var description: String { "\(relation.rawValue)\(number)" }
}

/// Dice that are thrown together, with what is done to them: `4d6kh3`.
public struct DiceGroup: Sendable, Hashable {
    /// What is on the dice.
    public enum Faces: Sendable, Hashable {
        /// From 1 to this number.
        case upTo(DiceExpression)
        /// −1, 0 and 1.
        case fate
    }

    /// How dice explode.
    public enum Explosion: String, Sendable, Hashable {
        /// Each further throw is one more: successes are counted throw by throw.
        case adding = "!"
        /// All throws of a die are one value.
        case compounding = "!!"
    }

    /// Which dice count.
    public struct Keeping: Sendable, Hashable {
        /// Which end is kept or dropped.
        public enum Kind: String, Sendable, Hashable {
            /// `2d20kh1` is what many games call advantage; the other dice are shown and not counted.
            case keepHighest = "kh"
            /// `2d20kl1` is what many games call disadvantage.
            case keepLowest = "kl"
            /// The rest counts: `4d6dh1` is `4d6kl3`.
            case dropHighest = "dh"
            /// The rest counts: `4d6dl1` is `4d6kh3`.
            case dropLowest = "dl"
        }

        /// Which of the dice it is about.
        public let kind: Kind
        /// How many of them.
        public let count: Int

        /// So many dice of that end.
        public init(_ kind: Kind, _ count: Int) {
            self.kind = kind
            self.count = count
        }

        /// How many of `dice` are kept, and whether they are the highest.
        func kept(of dice: Int) -> (count: Int, isHighest: Bool) {
            switch kind {
            case .keepHighest: (min(count, dice), true)
            case .keepLowest: (min(count, dice), false)
            case .dropHighest: (max(0, dice - count), false)
            case .dropLowest: (max(0, dice - count), true)
            }
        }
    }

    /// How many dice: a number, or parentheses without dice in them.
    public var count: DiceExpression
    /// What kind of dice they are.
    public var faces: Faces
    /// Thrown again until none of these matches.
    public var rerolls: [DiceComparison] = []
    /// Thrown again once if one of these matches.
    public var rerollsOnce: [DiceComparison] = []
    /// When dice are rolled on, if at all.
    public var explosion: Explosion?
    /// When a die explodes; the highest face without.
    public var explodesOn: DiceComparison?
    /// Which dice count, if not all.
    public var keeping: Keeping?
    /// Counts dice instead of adding them up.
    public var success: DiceComparison?
    /// Takes one success away.
    public var failure: DiceComparison?
    /// Where in the text it stands.
    public var position: DicePosition

    init(count: DiceExpression, faces: Faces, position: DicePosition) {
        self.count = count
        self.faces = faces
        self.position = position
    }

    /// What a value counts.
    func score(_ value: Int) -> Int {
        guard let success else { return value }
        return (success.matches(value) ? 1 : 0) - (failure?.matches(value) == true ? 1 : 0)
    }
}

/// An expression of numbers, dice and variables. Reading its description gives the same expression.
public indirect enum DiceExpression: Sendable, Hashable {
    /// What is done with two values.
    public enum Operation: String, Sendable, Hashable {
        /// Binds less than `times`, as in school.
        case plus = "+"
        /// Read from the left: `3-2-1` is 0.
        case minus = "-"
        /// Written as `*`.
        case times = "*"
        /// Rounded down.
        case dividedBy = "/"

        var binds: Int { self == .plus || self == .minus ? 1 : 2 }
    }

    /// Not below 0 where it was read: a sign is `negated`.
    case number(Int)
    /// A number of the character: `@strength`.
    case variable(String, DicePosition)
    /// Thrown anew with each roll.
    case dice(DiceGroup)
    /// What stands behind a minus that has nothing before it.
    case negated(DiceExpression)
    /// Left and right of an operation, and where that stands in the formula, for messages.
    case combined(DiceExpression, Operation, DiceExpression, DicePosition)

    /// Whether anything is thrown.
    public var hasDice: Bool {
        switch self {
        case .number, .variable: false
        case .dice: true
        case .negated(let inner): inner.hasDice
        case .combined(let left, _, let right, _): left.hasDice || right.hasDice
        }
    }

    /// The names of all variables.
    public var variables: Set<String> {
        switch self {
        case .number: []
        case .variable(let name, _): [name]
        case .negated(let inner): inner.variables
        case .combined(let left, _, let right, _): left.variables.union(right.variables)
        case .dice(let group):
            if case .upTo(let faces) = group.faces {
                group.count.variables.union(faces.variables)
            } else {
                group.count.variables
            }
        }
    }

    /// Whether the whole is a number of successes.
    public var countsSuccesses: Bool {
        switch self {
        case .number, .variable: false
        case .dice(let group): group.success != nil
        case .negated(let inner): inner.countsSuccesses
        case .combined(let left, _, let right, _): left.countsSuccesses || right.countsSuccesses
        }
    }
}

extension DiceExpression: CustomStringConvertible {
    /// The usual notation.
    public var description: String {
        switch self {
        case .number(let number): return "\(number)"
        case .variable(let name, _):
            return name.allSatisfy(Self.isPlain) && !name.isEmpty ? "@\(name)" : "@{\(name)}"
        case .dice(let group): return group.description
        case .negated(let inner): return "-" + inner.inParentheses(below: 3)
        case .combined(let left, let operation, let right, _):
            return left.inParentheses(below: operation.binds) + " \(operation.rawValue) "
                + right.inParentheses(below: operation.binds + 1)
        }
    }

    /// Characters of variables that need no braces.
    static func isPlain(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_" || character == "."
    }

    fileprivate func inParentheses(below strength: Int) -> String {
        if case .combined(_, let operation, _, _) = self, operation.binds < strength { return "(\(self))" }
        return description
    }
}

extension DiceGroup: CustomStringConvertible {
    /// The usual notation.
    public var description: String {
        func part(_ expression: DiceExpression) -> String {
            if case .number(let number) = expression { return "\(number)" }
            return "(\(expression))"
        }
        var text = part(count) + "d"
        switch faces {
        case .fate: text += "F"
        case .upTo(let faces): text += part(faces)
        }
        for reroll in rerolls { text += "r\(reroll)" }
        for reroll in rerollsOnce { text += "ro\(reroll)" }
        // Behind an explosion without a condition a comparison would be taken for that.
        let explodesLast = success != nil && explodesOn == nil
        if let explosion, !explodesLast { text += explosion.rawValue + (explodesOn?.description ?? "") }
        if let keeping { text += "\(keeping.kind.rawValue)\(keeping.count)" }
        if let success { text += success.description }
        if let explosion, explodesLast { text += explosion.rawValue }
        if let failure { text += "f\(failure)" }
        return text
    }
}
