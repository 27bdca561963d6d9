// SPDX-License-Identifier: Apache-2.0

/// A value in a file of rules.
package enum RuleValue: Sendable, Equatable, Decodable {
    case text(String)
    case number(Double)
    case flag(Bool)
    case texts([String])

    /// Reads one of the kinds that rules have.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // Each kind is tried; only the last one tells what is wrong.
        if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else {
            self = .texts(try container.decode([String].self))
        }
    }

    var text: String? {
        if case .text(let text) = self { text } else { nil }
    }
}

/// Reads the members of one rule and remembers what is wrong with them.
struct RuleReader {
    private let members: [String: RuleValue]
    private let name: String
    private var read: Set<String> = ["note"]
    private(set) var problems: [String] = []

    init(_ members: [String: RuleValue], name: String) {
        self.members = members
        self.name = name
    }

    mutating func complain(_ problem: String) {
        problems.append("rule \(name): \(problem)")
    }

    /// All that is wrong, members that nobody asked for among it.
    mutating func finished() -> [String] {
        for member in members.keys.sorted() where !read.contains(member) {
            complain("'\(member)' means nothing here")
        }
        return problems
    }

    private mutating func value(_ member: String) -> RuleValue? {
        read.insert(member)
        return members[member]
    }

    mutating func text(_ member: String) -> String? {
        if case .text(let text)? = value(member) { return text }
        complain("'\(member)' must be text")
        return nil
    }

    mutating func flag(_ member: String) -> Bool? {
        if case .flag(let flag)? = value(member) { return flag }
        complain("'\(member)' must be true or false")
        return nil
    }

    mutating func number(_ member: String, in range: ClosedRange<Double>) -> Double? {
        if case .number(let number)? = value(member), range.contains(number) { return number }
        complain("'\(member)' must be a number from \(range.lowerBound) to \(range.upperBound)")
        return nil
    }

    mutating func integer(_ member: String, in range: ClosedRange<Int>) -> Int? {
        if case .number(let number)? = value(member), let integer = Int(exactly: number), range.contains(integer) {
            return integer
        }
        complain("'\(member)' must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        return nil
    }

    mutating func optionalInteger(_ member: String, in range: ClosedRange<Int>) -> Int? {
        value(member) == nil ? nil : integer(member, in: range)
    }

    mutating func texts(_ member: String, isOptional: Bool = false) -> [String] {
        switch value(member) {
        case .texts(let texts)? where !texts.isEmpty: return texts
        case nil where isOptional: return []
        default:
            complain("'\(member)' must be a list of texts")
            return []
        }
    }

    mutating func word<Word: RawRepresentable & CaseIterable>(
        _ member: String, _ type: Word.Type
    ) -> Word? where Word.RawValue == String {
        if case .text(let text)? = value(member), let word = Word(rawValue: text) { return word }
        complain("'\(member)' must be one of \(Self.listed(type))")
        return nil
    }

    mutating func optionalWord<Word: RawRepresentable & CaseIterable>(
        _ member: String, _ type: Word.Type
    ) -> Word? where Word.RawValue == String {
        value(member) == nil ? nil : word(member, type)
    }

    mutating func words<Word: RawRepresentable & CaseIterable>(
        _ member: String, _ type: Word.Type
    ) -> [Word] where Word.RawValue == String {
        let texts = texts(member)
        let words = texts.compactMap { Word(rawValue: $0) }
        if words.count != texts.count { complain("'\(member)' takes \(Self.listed(type))") }
        return words
    }

    private static func listed<Word: RawRepresentable & CaseIterable>(
        _ type: Word.Type
    ) -> String where Word.RawValue == String {
        type.allCases.map(\.rawValue).joined(separator: ", ")
    }
}
