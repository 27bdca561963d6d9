// SPDX-License-Identifier: Apache-2.0
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a character brings to its rolls: numbers by name, and formulas by name.
public struct RollBook: Sendable, Codable, Equatable {
    /// 1.
    public var format = 1
    /// Whose they are, as people write it.
    public var name: String
    /// Numbers for `@name`.
    public private(set) var variables: [String: Int] = [:]
    /// Formulas, as text.
    public private(set) var formulas: [String: String] = [:]

    /// Most variables, and most formulas.
    public static let maximumEntries = 500
    /// Longest name of either, in characters.
    public static let maximumNameLength = 60

    /// An empty one.
    public init(name: String) {
        self.name = name
    }

    /// Remembers a number; `nil` forgets it.
    public mutating func set(_ variable: String, to value: Int?) throws(DiceError) {
        guard !variable.contains(where: { "};:".contains($0) }), Self.isName(variable) else {
            throw Self.wrong(variable)
        }
        try changing(&variables, variable, value)
    }

    /// Remembers a formula, which must be readable; `nil` forgets it.
    public mutating func save(_ formula: String?, as name: String) throws(DiceError) {
        guard Self.isName(name) else { throw Self.wrong(name) }
        if let formula { _ = try RollFormula(formula) }
        try changing(&formulas, name, formula)
    }

    /// What a character brings: numbers in its sheet's fields, and its rolls.
    public init(of character: PlayerCharacter) {
        name = character.name
        formulas = character.rolls
        for field in character.values.keys { variables[field] = character.number(of: field) }
    }

    /// Takes what another has and this one has not.
    public mutating func add(_ other: RollBook) {
        variables.merge(other.variables) { own, _ in own }
        formulas.merge(other.formulas) { own, _ in own }
    }

    /// The formula of that name, or else what `text` itself says.
    public func formula(_ text: String) throws(DiceError) -> RollFormula {
        try RollFormula(formulas[text] ?? text)
    }

    private func changing<Value>(
        _ entries: inout [String: Value], _ name: String, _ value: Value?
    ) throws(DiceError) {
        entries[name] = value
        guard entries.count <= Self.maximumEntries else {
            entries[name] = nil
            throw DiceError(nil, "There are \(Self.maximumEntries) entries already, the most there can be.")
        }
    }

    private static func isName(_ name: String) -> Bool {
        (1...maximumNameLength).contains(name.count) && PlainText.isPlain(name)
            && name.first?.isWhitespace == false && name.last?.isWhitespace == false
    }

    private static func wrong(_ name: String) -> DiceError {
        let shown = PlainText.cleaned(name, most: 20)
        return DiceError(nil, "'\(shown)' is no name: a line of at most \(maximumNameLength) characters is.")
    }
}

/// What was rolled, the newest last.
public struct RollHistory: Sendable, Codable, Equatable {
    /// One roll of a formula.
    public struct Entry: Sendable, Codable, Equatable {
        /// When it was rolled.
        public var rolledAt: Date
        /// What was typed.
        public var formula: String
        /// Whose numbers were used.
        public var book: String?
        /// With it the same outcomes come again; `nil` when nobody can foretell them.
        public var seed: UInt64?
        /// What came of each roll.
        public var outcomes: [RollOutcome]

        /// Takes the parts as they are.
        public init(rolledAt: Date, formula: String, book: String?, seed: UInt64?, outcomes: [RollOutcome]) {
            self.rolledAt = rolledAt
            self.formula = formula
            self.book = book
            self.seed = seed
            self.outcomes = outcomes
        }
    }

    /// 1.
    public var format = 1
    /// All entries, in their order.
    public private(set) var entries: [Entry] = []

    /// Most entries; older ones are forgotten.
    public static let maximumEntries = 500
    /// Most dice that an entry tells one by one.
    public static let maximumDice = 200

    /// An empty one.
    public init() {}

    /// Adds an entry. Of very many dice only totals are kept.
    public mutating func add(_ entry: Entry) {
        var entry = entry
        let dice = entry.outcomes.reduce(0) { $0 + $1.groups.reduce(0) { $0 + $1.dice.count } }
        if dice > Self.maximumDice {
            for index in entry.outcomes.indices { entry.outcomes[index].groups = [] }
        }
        entries.append(entry)
        entries.removeFirst(max(0, entries.count - Self.maximumEntries))
    }
}
