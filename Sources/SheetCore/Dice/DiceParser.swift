// SPDX-License-Identifier: Apache-2.0

extension DiceExpression {
    /// Reads the usual notation, as in `4d6kh3+2`; `docs/formats.md` has the grammar.
    public init(_ text: String) throws(DiceError) {
        var parser = try DiceParser(text)
        self = try parser.whole()
    }
}

/// Reads formulas, character by character.
struct DiceParser {
    private let text: [Character]
    private(set) var place = 0
    private var depth = 0

    /// Positions count from `start`, for a part of a longer text.
    init(_ text: [Character], at start: Int = 0) {
        self.text = text
        place = start
    }

    init(_ text: String) throws(DiceError) {
        guard text.count <= DiceLimits.textLength else {
            throw DiceError(DiceLimits.textLength, "A formula has at most \(DiceLimits.textLength) characters.")
        }
        self.text = Array(text)
    }

    /// An expression up to the end.
    mutating func whole() throws(DiceError) -> DiceExpression {
        let made = try expression()
        guard peek == nil else { throw unexpected() }
        return made
    }

    /// The next character that is no space.
    var peek: Character? {
        mutating get {
            while place < text.count, text[place].isWhitespace { place += 1 }
            return place < text.count ? text[place] : nil
        }
    }

    /// Goes past `character` if it comes next.
    mutating func skip(_ character: Character) -> Bool {
        guard peek?.lowercased() == character.lowercased() else { return false }
        place += 1
        return true
    }

    private var isEmpty: Bool { text.prefix(place).allSatisfy(\.isWhitespace) }

    private mutating func unexpected() -> DiceError {
        guard let next = peek else { return DiceError(place, "Something is missing at the end.") }
        switch next {
        case ")": return DiceError(place, "This parenthesis was never opened.")
        case ",": return DiceError(place, "Rolls are parted by ';', and numbers have no commas.")
        default:
            return DiceError(place, "'\(next)' is not understood here; dice look like 4d6kh3+2.")
        }
    }

    mutating func expression() throws(DiceError) -> DiceExpression {
        depth += 1
        defer { depth -= 1 }
        guard depth <= DiceLimits.depth else { throw DiceError(place, "This is nested too deeply.") }
        var left = try term()
        while let next = peek, next == "+" || next == "-" || next == "−" {
            let position = DicePosition(place)
            place += 1
            left = .combined(left, next == "+" ? .plus : .minus, try term(), position)
        }
        return left
    }

    private mutating func term() throws(DiceError) -> DiceExpression {
        var left = try factor()
        while let next = peek, "*×/÷".contains(next) {
            let position = DicePosition(place)
            place += 1
            left = .combined(left, next == "*" || next == "×" ? .times : .dividedBy, try factor(), position)
        }
        return left
    }

    private mutating func factor() throws(DiceError) -> DiceExpression {
        let start = DicePosition(place)
        switch peek {
        case "-", "−":
            depth += 1
            defer { depth -= 1 }
            guard depth <= DiceLimits.depth else { throw DiceError(place, "This is nested too deeply.") }
            place += 1
            return .negated(try factor())
        case "d", "D":
            return try dice(.number(1), DicePosition(place))
        case "@":
            return try variable()
        case "(":
            let inner = try parenthesized()
            return startsDice ? try dice(try thrown(inner, start), start) : inner
        case let next? where next.isASCII && next.isNumber:
            let position = DicePosition(place)
            let number = DiceExpression.number(try number())
            return startsDice ? try dice(number, position) : number
        default:
            if peek != nil { throw unexpected() }
            throw DiceError(place, isEmpty ? "There is nothing to roll." : "Something is missing at the end.")
        }
    }

    private var startsDice: Bool { mutating get { peek == "d" || peek == "D" } }

    private mutating func parenthesized() throws(DiceError) -> DiceExpression {
        let open = place
        place += 1
        let inner = try expression()
        guard skip(")") else {
            throw peek == nil ? DiceError(open, "This parenthesis is never closed.") : unexpected()
        }
        return inner
    }

    private func thrown(_ count: DiceExpression, _ position: DicePosition) throws(DiceError) -> DiceExpression {
        guard !count.hasDice else {
            throw DiceError(position.offset, "How many dice there are, and their faces, cannot be rolled themselves.")
        }
        return count
    }

    /// Digits.
    mutating func number() throws(DiceError) -> Int {
        let start = place
        var number = 0
        while place < text.count, text[place].isASCII, let digit = text[place].wholeNumberValue {
            number = number * 10 + digit
            place += 1
            guard number <= DiceLimits.magnitude else { throw DiceError(start, "This number is too large.") }
        }
        guard place > start else { throw DiceError(start, "A number is missing here.") }
        if place < text.count, text[place] == "." { throw DiceError(place, "Only whole numbers can be used.") }
        return number
    }

    private mutating func variable() throws(DiceError) -> DiceExpression {
        let start = place
        place += 1
        var name = ""
        if place < text.count, text[place] == "{" {
            place += 1
            while place < text.count, text[place] != "}" {
                name.append(text[place])
                place += 1
            }
            guard place < text.count else { throw DiceError(start + 1, "This brace is never closed.") }
            place += 1
        } else {
            while place < text.count, DiceExpression.isPlain(text[place]) {
                name.append(text[place])
                place += 1
            }
        }
        guard !name.isEmpty else { throw DiceError(start, "A name is missing behind '@', as in @strength.") }
        return .variable(name, DicePosition(start))
    }

    private mutating func dice(_ count: DiceExpression, _ position: DicePosition) throws(DiceError) -> DiceExpression {
        _ = skip("d")
        var group: DiceGroup
        switch peek {
        case "%":
            place += 1
            group = DiceGroup(count: count, faces: .upTo(.number(100)), position: position)
        case "F", "f":
            place += 1
            group = DiceGroup(count: count, faces: .fate, position: position)
        case "(":
            let start = DicePosition(place)
            let inner = try parenthesized()
            group = DiceGroup(count: count, faces: .upTo(try thrown(inner, start)), position: position)
        case let next? where next.isASCII && next.isNumber:
            group = DiceGroup(count: count, faces: .upTo(.number(try number())), position: position)
        default:
            throw DiceError(place, "How many faces? Write d6, d20, d% or dF.")
        }
        while try modifier(&group) {}
        if group.failure != nil, group.success == nil {
            throw DiceError(place, "Failures are counted only with successes, as in 6d10>=8f1.")
        }
        if group.keeping != nil, group.success != nil, group.explosion == .adding {
            throw DiceError(
                position.offset, "Exploding, keeping and counting cannot be combined; explode with '!!' here.")
        }
        // What needs no variables is found wrong now, not when it is rolled.
        if DiceExpression.dice(group).variables.isEmpty { _ = try group.ready([:]) }
        return .dice(group)
    }

    private mutating func modifier(_ group: inout DiceGroup) throws(DiceError) -> Bool {
        guard let next = peek else { return false }
        let start = place
        func once(_ isFirst: Bool) throws(DiceError) {
            guard isFirst else { throw DiceError(start, "This was said of these dice already.") }
        }
        switch next.lowercased() {
        case "r":
            place += 1
            let isOnce = skip("o")
            let comparison = try condition() ?? DiceComparison(.equal, group.faces == .fate ? -1 : 1)
            if isOnce { group.rerollsOnce.append(comparison) } else { group.rerolls.append(comparison) }
        case "!":
            try once(group.explosion == nil)
            place += 1
            group.explosion = place < text.count && text[place] == "!" ? .compounding : .adding
            if group.explosion == .compounding { place += 1 }
            group.explodesOn = try condition()
        case "k", "d":
            try once(group.keeping == nil)
            place += 1
            let isLow = skip("l")
            guard isLow || skip("h") || next.lowercased() == "k" else {
                throw DiceError(start, "Dice are dropped with dl or dh, kept with kh or kl.")
            }
            let kind: DiceGroup.Keeping.Kind =
                next.lowercased() == "k" ? (isLow ? .keepLowest : .keepHighest) : (isLow ? .dropLowest : .dropHighest)
            let hasNumber = peek.map { $0.isASCII && $0.isNumber } ?? false
            group.keeping = .init(kind, hasNumber ? try number() : 1)
        case "=", "<", ">":
            try once(group.success == nil)
            group.success = try condition()
        case "f":
            try once(group.failure == nil)
            place += 1
            group.failure = try condition() ?? DiceComparison(.equal, group.faces == .fate ? -1 : 1)
        default: return false
        }
        return true
    }

    /// A comparison; a number alone means that very number.
    private mutating func condition() throws(DiceError) -> DiceComparison? {
        guard let next = peek else { return nil }
        var relation = DiceComparison.Relation.equal
        switch next {
        case "=": place += 1
        case "<", ">":
            place += 1
            let orEqual = skip("=")
            relation = next == "<" ? (orEqual ? .lessOrEqual : .less) : (orEqual ? .greaterOrEqual : .greater)
        case _ where next.isASCII && next.isNumber: return DiceComparison(.equal, try number())
        default: return nil
        }
        let isNegative = skip("-")
        _ = peek
        return DiceComparison(relation, (isNegative ? -1 : 1) * (try number()))
    }
}
