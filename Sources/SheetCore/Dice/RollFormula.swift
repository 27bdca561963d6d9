// SPDX-License-Identifier: Apache-2.0

/// What people type: one roll or several, each perhaps with a label and repeated, as in
/// `attack: 1d20+@str; damage: 2d6+3` or `6x 4d6kh3`.
public struct RollFormula: Sendable, Hashable {
    /// One roll of a formula.
    public struct Roll: Sendable, Hashable {
        /// What the roll is called.
        public var label: String?
        /// How often it is rolled, 1…100.
        public var times: Int
        /// What is rolled.
        public var expression: DiceExpression

        /// Takes the parts as they are.
        public init(_ expression: DiceExpression, label: String? = nil, times: Int = 1) {
            self.expression = expression
            self.label = label
            self.times = times
        }
    }

    /// At least one.
    public var rolls: [Roll]

    /// Longest label, in characters.
    public static let maximumLabelLength = 60

    /// Reads the usual notation; positions in errors are those in `text`.
    public init(_ text: String) throws(DiceError) {
        guard text.count <= DiceLimits.textLength else {
            throw DiceError(DiceLimits.textLength, "A formula has at most \(DiceLimits.textLength) characters.")
        }
        let characters = Array(text)
        rolls = []
        var start = 0
        while true {
            let end = characters[start...].firstIndex(of: ";") ?? characters.count
            // A semicolon may end the last one.
            if !rolls.isEmpty, end == characters.count, characters[start...].allSatisfy(\.isWhitespace) { break }
            rolls.append(try Self.roll(Array(characters[..<end]), from: start))
            guard rolls.count <= DiceLimits.rolls else {
                throw DiceError(start, "A formula has at most \(DiceLimits.rolls) rolls.")
            }
            guard end < characters.count else { break }
            start = end + 1
        }
    }

    private static func roll(_ text: [Character], from start: Int) throws(DiceError) -> Roll {
        var start = start
        var label: String?
        if let colon = text[start...].firstIndex(of: ":") {
            let name = PlainText.cleaned(String(text[start..<colon]), most: maximumLabelLength + 1)
            guard !name.isEmpty else { throw DiceError(colon, "A label is missing before ':'.") }
            guard name.count <= maximumLabelLength else {
                throw DiceError(start, "A label has at most \(maximumLabelLength) characters.")
            }
            label = name
            start = colon + 1
        }
        var parser = DiceParser(text, at: start)
        var times = 1
        if let first = parser.peek, first.isASCII, first.isNumber {
            var ahead = parser
            let place = ahead.place
            let number = try ahead.number()
            if ahead.skip("x") {
                guard (1...DiceLimits.rolls).contains(number) else {
                    throw DiceError(place, "A roll is repeated 1 to \(DiceLimits.rolls) times.")
                }
                times = number
                parser = ahead
            }
        }
        return Roll(try parser.whole(), label: label, times: times)
    }

    /// The names of all variables.
    public var variables: Set<String> {
        rolls.reduce(into: []) { $0.formUnion($1.expression.variables) }
    }

    /// Rolls everything. The same generator in the same state gives the same outcomes.
    public func roll(
        variables: [String: Int] = [:], using generator: inout some RandomNumberGenerator
    ) throws(DiceError) -> [RollOutcome] {
        var roller = DiceRoller(generator)
        defer { generator = roller.generator }
        var outcomes: [RollOutcome] = []
        for roll in rolls {
            for time in 1...roll.times {
                roller.groups = []
                let total = try roll.expression.value(variables, &roller)
                outcomes.append(
                    RollOutcome(
                        label: roll.label, repetition: roll.times > 1 ? time : nil,
                        expression: roll.expression.description, total: total,
                        isSuccessCount: roll.expression.countsSuccesses, groups: roller.groups))
            }
        }
        return outcomes
    }
}

extension RollFormula: CustomStringConvertible {
    /// The text that reads back as the same.
    public var description: String {
        rolls.map { roll in
            (roll.label.map { "\($0): " } ?? "") + (roll.times > 1 ? "\(roll.times)x " : "")
                + roll.expression.description
        }.joined(separator: "; ")
    }
}
